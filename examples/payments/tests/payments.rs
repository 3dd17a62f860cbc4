//! The API as its clients meet it: over a socket, with a client of the field.

use std::net::SocketAddr;
use std::path::Path;

use payments::{NewPayment, Payment};
use reqwest::{Client, Response, StatusCode};
use tabletheory::Db;
use tabletheory::testing::{TestStore, Trouble};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

/// The API on a port of its own, until it is dropped.
struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Server {
    async fn start(folder: &Path) -> Self {
        Self::on(Db::embedded(folder).expect("a folder")).await
    }

    async fn on(db: Db) -> Self {
        let app = payments::app(db).await.expect("tables");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let service = app.into_make_service_with_connect_info::<SocketAddr>();
        let (stop, stopped) = oneshot::channel();
        let stopped = async { drop(stopped.await) };
        let server = axum::serve(listener, service).with_graceful_shutdown(stopped).into_future();
        let task = tokio::spawn(async move { server.await.expect("a server") });
        Self { address, stop, task }
    }

    async fn pay(&self, client: &Client, user: &str, key: Option<&str>, cents: u64) -> Response {
        let body = serde_json::to_string(&NewPayment { cents }).expect("JSON");
        let request = client
            .post(format!("http://{}/payments", self.address))
            .header("authorization", format!("Bearer {user}-key"))
            .header("content-type", "application/json")
            .body(body);
        let request = match key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        };
        request.send().await.expect("an answer")
    }

    async fn stop(self) {
        self.stop.send(()).expect("it runs");
        self.task.await.expect("it ends");
    }
}

async fn payment(response: Response) -> Payment {
    assert_eq!(response.status(), StatusCode::CREATED);
    serde_json::from_slice(&response.bytes().await.expect("a body")).expect("a payment")
}

fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers().get(name).map(|value| value.to_str().expect("a text"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_sent_again_is_answered_again_and_not_taken_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let client = Client::builder().pool_max_idle_per_host(0).build().expect("a client");
    let server = Server::start(folder.path()).await;
    let first = server.pay(&client, "ada", Some("order-1"), 500).await;
    let location = header(&first, "location").expect("a place").to_owned();
    assert_eq!(header(&first, "idempotent-replayed"), None);
    let taken = payment(first).await;

    // Quoted or bare, it is the same key; and a restart forgets nothing.
    let second = server.pay(&client, "ada", Some("\"order-1\""), 500).await;
    assert_eq!(
        (header(&second, "idempotent-replayed"), header(&second, "location")),
        (Some("true"), Some(&*location))
    );
    assert_eq!(header(&second, "content-type"), Some("application/json"));
    assert_eq!(payment(second).await, taken);
    server.stop().await;

    let server = Server::start(folder.path()).await;
    assert_eq!(payment(server.pay(&client, "ada", Some("order-1"), 500).await).await, taken);
    let shown =
        client.get(format!("http://{}{location}", server.address)).header("authorization", "Bearer ada-key");
    let shown = shown.send().await.expect("an answer").bytes().await.expect("a body");
    assert_eq!(serde_json::from_slice::<Payment>(&shown).expect("a payment"), taken);
    server.stop().await;
}

/// The example said "not taken" of a payment that was, and showed clients what the store had said.
#[tokio::test(flavor = "multi_thread")]
async fn a_payment_of_which_nothing_is_known_is_said_to_be_unknown_and_is_taken_once() {
    let store = TestStore::new();
    let server = Server::on(store.db()).await;
    let client = Client::new();
    for (key, trouble) in [("order-1", Trouble::LostAnswer), ("order-2", Trouble::NotReached)] {
        for _ in 0..10 {
            store.trouble("TransactWriteItems", trouble.clone());
        }
        let unknown = server.pay(&client, "ada", Some(key), 500).await;
        assert_eq!((unknown.status().as_u16(), header(&unknown, "retry-after")), (503, Some("1")));
        let text = unknown.text().await.expect("a text");
        assert!(text.starts_with("the payment may or may not have been taken; ask again"), "{text}");
        // The trouble passes, and a client asks until it knows.
        let mut asked = 0;
        while server.pay(&client, "ada", Some(key), 500).await.status() != StatusCode::CREATED {
            asked += 1;
            assert!(asked < 10, "the store answers again");
        }
        let rows = store.db().scan::<Payment>().await.expect("payments");
        assert_eq!(rows.len(), if key == "order-1" { 1 } else { 2 }, "{key}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_clients_with_one_key_take_one_payment() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = std::sync::Arc::new(Server::start(folder.path()).await);
    let mut clients = JoinSet::new();
    for _ in 0..20 {
        let server = std::sync::Arc::clone(&server);
        clients.spawn(async move {
            let client = Client::new();
            payment(server.pay(&client, "ada", Some("order-1"), 500).await).await.id
        });
    }
    let ids = clients.join_all().await;
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let client = Client::new();
    let server = Server::start(folder.path()).await;
    let status = |response: Response| response.status().as_u16();
    assert_eq!(status(server.pay(&client, "ada", None, 500).await), 400, "no key");
    assert_eq!(
        status(server.pay(&client, "ada", Some(&"x".repeat(300)), 500).await),
        400,
        "a key without end"
    );
    assert_eq!(status(server.pay(&client, "eve", Some("order-1"), 500).await), 401);
    let taken = payment(server.pay(&client, "ada", Some("order-1"), 500).await).await;
    assert_eq!(
        status(server.pay(&client, "ada", Some("order-1"), 900).await),
        422,
        "another payment, the same key"
    );
    // The same key of another user is another key.
    assert_ne!(payment(server.pay(&client, "bob", Some("order-1"), 500).await).await.id, taken.id);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_calls_too_often_is_told_when_to_come_back() {
    // Its clock stands still: however long these calls take, nothing is given back meanwhile.
    let store = TestStore::new();
    let client = Client::new();
    let server = Server::on(store.db()).await;
    let mut denied = None;
    for number in 0..60 {
        let response = server.pay(&client, "ada", Some(&format!("order-{number}")), 500).await;
        if response.status() == StatusCode::TOO_MANY_REQUESTS {
            denied = Some(response);
            break;
        }
        assert_eq!(response.status(), StatusCode::CREATED);
        assert!(header(&response, "ratelimit").is_some_and(|value| value.contains("\"address\"")));
    }
    let denied = denied.expect("30 at once and 5 a second are fewer than 60");
    assert_eq!(header(&denied, "content-type"), Some("application/problem+json"));
    assert_eq!(header(&denied, "retry-after"), Some("1"));
    assert!(header(&denied, "ratelimit-policy").is_some_and(|value| value.contains("\"user/1\"")));
    assert_eq!(header(&denied, "x-ratelimit-remaining"), Some("0"));
    // Another user still has everything.
    assert_eq!(server.pay(&client, "bob", Some("order-1"), 500).await.status(), StatusCode::CREATED);
    server.stop().await;
}
