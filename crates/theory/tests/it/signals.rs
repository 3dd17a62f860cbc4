//! `theory serve` and the signals of operators: SIGHUP reads the settings again under load, SIGTERM lets requests end, and what was
//! published is there after the next start.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use reqwest::{Client, Response};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::application::{Answer, Application};
use crate::clients::client::{ANY, isolate};
use crate::served::{Served, until, write};
use crate::server::wait;

const CLIENTS: usize = 10;
/// How long a process may take to start or to end before it is called hanging.
const PATIENCE: Duration = Duration::from_secs(60);
/// What was read again, as the log says it.
const READ_AGAIN: &str = "the settings were read again";
/// The header of what is a page.
const ISR: &str = "x-facetheory-isr";

fn settings(origin: &Application, routes: &str) -> String {
    format!(
        "origin = '{}'\nlisten = '127.0.0.1:0'\ndata = 'data'\n[admin]\nlisten = 'off'\n[store]\ndurability = 'sync'\n{routes}",
        origin.address
    )
}

fn page(path: &str, revalidate: &str) -> String {
    format!("[[route]]\npath = '{path}'\nrevalidate = '{revalidate}'\n")
}

fn client() -> Client {
    Client::builder().no_proxy().build().expect("a client")
}

async fn get(client: &Client, gateway: &Served, path: &str) -> Response {
    client.get(format!("{}{path}", gateway.address)).send().await.expect("the gateway answers")
}

/// Clients that ask all the time, on connections that they keep.
struct Load {
    is_over: Arc<AtomicBool>,
    answers: Arc<AtomicU64>,
    clients: Vec<JoinHandle<()>>,
}

impl Load {
    fn on(gateway: &Served, paths: &'static [&'static str]) -> Self {
        let (is_over, answers) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let clients = (0..CLIENTS).map(|number| {
            let (is_over, answers) = (Arc::clone(&is_over), Arc::clone(&answers));
            let address = gateway.address.clone();
            tokio::spawn(async move {
                // One each, so that each has a connection of its own.
                let client = client();
                for turn in number.. {
                    if is_over.load(Ordering::SeqCst) {
                        return;
                    }
                    let path = paths[turn % paths.len()];
                    let answer = client.get(format!("{address}{path}")).send().await.expect("an answer");
                    assert_eq!(answer.status(), 200, "{path}");
                    assert_eq!(answer.text().await.expect("a whole body"), format!("this is {path}"));
                    answers.fetch_add(1, Ordering::SeqCst);
                }
            })
        });
        let clients = clients.collect();
        Self { is_over, answers, clients }
    }

    /// Waits for some more answers than there are.
    async fn goes_on(&self) {
        let enough = self.answers.load(Ordering::SeqCst) + 5 * CLIENTS as u64;
        let are_there = async || self.answers.load(Ordering::SeqCst) >= enough;
        assert!(until(are_there).await, "the clients are not answered");
    }

    /// Ends it. A client that got something else than its answer fails the test here.
    async fn end(self) {
        self.is_over.store(true, Ordering::SeqCst);
        for client in self.clients {
            client.await.expect("a client got all its answers");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_read_again_under_load_without_losing_a_request() {
    let origin = Application::start(|path| Answer::ok(format!("this is {path}"))).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let one = settings(&origin, &page("/news", "1s"));
    let two = settings(
        &origin,
        &format!("{}{}rate_limits = [{{ limit = '1/h' }}]\n", page("/news", "1h"), page("/extra", "1h")),
    );
    let gateway = Served::start(folder.path(), &one, |_| {});
    let load = Load::on(&gateway, &["/news", "/other", "/api/a?b=c"]);
    let client = client();
    load.goes_on().await;
    assert!(!get(&client, &gateway, "/extra").await.headers().contains_key(ISR), "it has no route yet");

    for turn in 1..=6 {
        write(folder.path(), if turn % 2 == 1 { &two } else { &one });
        gateway.signal("HUP");
        gateway.logs(READ_AGAIN, turn).await;
        load.goes_on().await;
        if turn % 2 == 0 {
            let passed = get(&client, &gateway, "/extra").await;
            assert!(passed.status() == 200 && !passed.headers().contains_key(ISR), "{passed:?}");
        } else {
            // The limit of the route holds, also over a time without it: the second within the hour is one too many.
            let told = get(&client, &gateway, "/extra").await;
            assert_eq!(told.status(), if turn == 1 { 200 } else { 429 }, "{told:?}");
        }
    }

    write(folder.path(), "origin = 'http://127.0.0.1:1'\nlisten = [\n");
    gateway.signal("HUP");
    gateway.logs("everything stays as it was", 1).await;
    assert!(gateway.log().contains("theory.toml:"), "the place of the mistake is named:\n{}", gateway.log());
    write(folder.path(), &one.replace("revalidate", "revaildate"));
    gateway.signal("HUP");
    gateway.logs("everything stays as it was", 2).await;
    assert!(gateway.log().contains("`revalidate`"), "the right key is guessed:\n{}", gateway.log());
    load.goes_on().await;

    write(folder.path(), &settings(&origin, &format!("{}{}", page("/news", "1s"), page("/late", "1h"))));
    gateway.signal("HUP");
    gateway.logs(READ_AGAIN, 7).await;
    assert!(get(&client, &gateway, "/late").await.headers().contains_key(ISR), "it is a page now");
    load.goes_on().await;
    load.end().await;
    gateway.signal("TERM");
    assert_eq!(gateway.ended().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_under_way_are_answered_whole_before_the_end_and_no_page_is_lost() {
    const SLOW: usize = 8;
    let large = "a line of a large answer\n".repeat(20_000);
    let body = large.clone();
    let origin = Application::start(move |path| match path.starts_with("/slow") {
        true => Answer { after: Duration::from_secs(1), ..Answer::ok(body.clone()) },
        false => Answer::ok(format!("this is {path}")),
    })
    .await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = settings(&origin, &format!("{}{}", page("/page/{slug}", "1h"), page("/slow/{slug}", "1h")));
    let gateway = Served::start(folder.path(), &told, |_| {});
    let client = client();
    assert_eq!(get(&client, &gateway, "/page/before").await.headers()[ISR], "miss");
    let asked = origin.asked();

    let requests: Vec<_> = (0..SLOW)
        .map(|number| {
            // Pages are rendered and kept, the others pass.
            let kind = if number % 2 == 0 { "slow" } else { "slower" };
            let request = client.get(format!("{}/{kind}/{number}", gateway.address));
            tokio::spawn(async move {
                let answer = request.send().await.expect("the gateway answers");
                (answer.status(), answer.text().await.expect("a whole body"))
            })
        })
        .collect();
    assert!(until(async || origin.asked() == asked + SLOW as u64).await, "all are under way");
    gateway.signal("TERM");
    let address = gateway.address.trim_start_matches("http://").to_owned();
    assert!(until(async || TcpStream::connect(&address).await.is_err()).await, "nobody else is let in");
    for request in requests {
        let (status, body) = request.await.expect("a client does not panic");
        // Not asserted to be equal, because nobody would read the difference.
        assert!(status == 200 && body == large, "{status}, {} bytes", body.len());
    }
    assert_eq!(gateway.ended().code(), Some(0));

    let asked = origin.asked();
    let again = Served::start(folder.path(), &told, |_| {});
    for path in ["/page/before", "/slow/0", "/slow/6"] {
        let page = get(&client, &again, path).await;
        assert_eq!(page.headers()[ISR], "hit", "{path}");
        let expected = if path.starts_with("/slow") { large.clone() } else { format!("this is {path}") };
        assert!(page.text().await.expect("a whole body") == expected, "{path}");
    }
    assert_eq!(origin.asked(), asked, "nothing is rendered again");
    again.signal("INT");
    assert_eq!(again.ended().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_during_the_start_ends_it_well() {
    // Nobody answers what is sent here, so that the start waits for its tables.
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let endpoint = format!("http://{}", silent.local_addr().expect("an address"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    for signal in ["-TERM", "-INT"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_theory"));
        isolate(&mut command, ANY);
        command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        command.args([
            "serve",
            "--origin",
            "http://127.0.0.1:1",
            "--listen",
            "127.0.0.1:0",
            "--admin-listen",
            "off",
        ]);
        command.args(["--bodies", "dir", "--store", "dynamodb", "--dynamodb-endpoint", &endpoint]);
        let mut process = command.spawn().expect("the binary starts");
        let asked = timeout(PATIENCE, silent.accept()).await;
        let sent = Command::new("kill").args([signal, &process.id().to_string()]).status();
        let ended = wait(&mut process, PATIENCE);
        // It ends with the test also when one of the following is not so.
        let _ = process.kill();
        let _ = process.wait();
        let _connection = asked.expect("it asks for its tables").expect("a connection");
        assert!(sent.is_ok_and(|status| status.success()), "it is there to hear {signal}");
        // A start that has not heard the signal fails when the store does not answer.
        assert_eq!(ended.and_then(|status| status.code()), Some(0), "{signal}");
    }
}
