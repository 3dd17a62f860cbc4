//! HTTP/2 by a real client.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use theory_gateway::settings::EdgeLimits;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::talk::{PATIENCE, Server};

const SHORT: Duration = Duration::from_secs(1);

/// A client, and the task of its connection, which ends with the connection.
async fn connect(server: &Server, window_bytes: Option<u32>) -> (SendRequest<Full<Bytes>>, JoinHandle<()>) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window_bytes);
    connect_as(server, &builder).await
}

/// The same for a client that pings all the time, whatever else it does.
async fn connect_pinging(
    server: &Server,
    window_bytes: Option<u32>,
) -> (SendRequest<Full<Bytes>>, JoinHandle<()>) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .initial_stream_window_size(window_bytes)
        .timer(TokioTimer::new())
        .keep_alive_interval(SHORT / 4)
        .keep_alive_while_idle(true);
    connect_as(server, &builder).await
}

async fn connect_as(
    server: &Server,
    builder: &Builder<TokioExecutor>,
) -> (SendRequest<Full<Bytes>>, JoinHandle<()>) {
    let stream = TcpStream::connect(server.address).await.expect("the server listens");
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.expect("the server answers");
    let connection = tokio::spawn(async move {
        let _ = connection.await;
    });
    (sender, connection)
}

fn request(path: &str, body: &'static [u8]) -> Request<Full<Bytes>> {
    let method = if body.is_empty() { "GET" } else { "POST" };
    let uri = format!("http://a{path}");
    Request::builder().method(method).uri(uri).body(Full::from(body)).expect("a request")
}

async fn text(response: Response<Incoming>) -> String {
    let body = response.into_body().collect().await.expect("it is whole").to_bytes();
    String::from_utf8_lossy(&body).into_owned()
}

#[tokio::test]
async fn requests_are_answered_side_by_side() {
    let server = Server::start(EdgeLimits::default()).await;
    let (mut sender, _) = connect(&server, None).await;
    let slow = tokio::spawn(sender.send_request(request("/slow", b"")));
    server.canary.running.notified().await;
    let quick = sender.send_request(request("/quick", b"abc")).await.expect("an answer");
    assert_eq!(text(quick).await, "done");
    server.canary.release.notify_one();
    let slow = slow.await.expect("no panic").expect("an answer");
    assert_eq!(text(slow).await, "done");
    assert_eq!(server.seen(), ["GET /slow slow", "POST /quick 3 bytes"]);
}

#[tokio::test]
async fn a_panic_is_answered_and_the_connection_goes_on() {
    let server = Server::start(EdgeLimits::default()).await;
    let (mut sender, _) = connect(&server, None).await;
    let response = sender.send_request(request("/panic", b"")).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let response = sender.send_request(request("/next", b"")).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn heads_and_bodies_are_bounded() {
    let limits = EdgeLimits { body_bytes_max: 4, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let (mut sender, _) = connect(&server, None).await;
    let response = sender.send_request(request("/", b"12345")).await.expect("an answer");
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    // It is taken back, or answered: the application does not see it either way.
    let mut large = request("/", b"");
    large.headers_mut().insert("x", "y".repeat(20_000).parse().expect("a value"));
    if let Ok(response) = sender.send_request(large).await {
        assert_eq!(response.status(), StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
    }
    assert_eq!(server.seen(), Vec::<String>::new());
}

#[tokio::test]
async fn an_idle_connection_ends_and_a_busy_one_does_not() {
    let limits = EdgeLimits { head_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let (mut sender, connection) = connect(&server, None).await;
    let slow = tokio::spawn(sender.send_request(request("/slow", b"")));
    server.canary.running.notified().await;
    tokio::time::sleep(SHORT * 4).await;
    server.canary.release.notify_one();
    slow.await.expect("no panic").expect("it was waited for");
    timeout(PATIENCE, connection).await.expect("the server lets go").expect("no panic");
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_its_answer_is_given_up() {
    let limits = EdgeLimits { write_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    for path in ["/large", "/flood"] {
        let (mut sender, connection) = connect(&server, Some(100)).await;
        let response = sender.send_request(request(path, b"")).await.expect("a head");
        // The body is never asked for, and so the window of the stream stays shut.
        timeout(PATIENCE, connection).await.expect("the server lets go").expect("no panic");
        drop(response);
    }
}

/// Each of its pings is answered, and an answered ping was once taken for progress: such a client kept its places at the origin
/// for as long as it liked.
#[tokio::test]
async fn a_client_that_only_pings_takes_nothing() {
    let limits = EdgeLimits { write_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    for path in ["/large", "/flood"] {
        let (mut sender, connection) = connect_pinging(&server, Some(100)).await;
        let response = sender.send_request(request(path, b"")).await.expect("a head");
        timeout(PATIENCE, connection).await.expect("the server lets go").expect("no panic");
        drop(response);
    }
    timeout(PATIENCE, server.canary.let_go.notified()).await.expect("and the origin's body with it");
}

/// Like the one that only pings: while the others moved, nobody saw that one did not. The others may be somebody else's, where the
/// connection is a proxy's.
#[tokio::test]
async fn an_answer_that_is_not_taken_is_ended_and_those_beside_it_go_on() {
    let limits = EdgeLimits { write_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let (mut sender, connection) = connect(&server, Some(100)).await;
    let slow = tokio::spawn(sender.send_request(request("/slow", b"")));
    server.canary.running.notified().await;
    let mut stalled = Vec::new();
    for path in ["/large", "/flood"] {
        stalled.push(sender.send_request(request(path, b"")).await.expect("a head"));
    }
    let ended = timeout(PATIENCE, server.canary.let_go.notified());
    let busy = async {
        loop {
            let quick = sender.send_request(request("/quick", b"")).await.expect("the connection goes on");
            assert_eq!(text(quick).await, "done");
            tokio::time::sleep(SHORT / 20).await;
        }
    };
    tokio::select! {
        ended = ended => ended.expect("the origin's body is let go of"),
        () = busy => unreachable!("it goes on for ever"),
    }
    for stalled in stalled {
        let whole = timeout(PATIENCE, stalled.into_body().collect()).await.expect("there is no more");
        assert!(whole.is_err(), "the client is told that something is missing");
    }
    server.canary.release.notify_one();
    let slow = slow.await.expect("no panic").expect("it was waited for");
    assert_eq!(text(slow).await, "done");
    assert!(!connection.is_finished());
}

/// It was in the server's hands, and its place at the origin with it.
#[tokio::test]
async fn a_short_answer_that_is_not_taken_holds_nothing_of_the_origin_and_is_ended_too() {
    let limits = EdgeLimits { write_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let (mut sender, connection) = connect(&server, Some(0)).await;
    let slow = tokio::spawn(sender.send_request(request("/slow", b"")));
    server.canary.running.notified().await;
    let stalled = sender.send_request(request("/brief", b"")).await.expect("a head");
    timeout(PATIENCE, server.canary.let_go.notified()).await.expect("the origin's body is let go of");
    let whole = timeout(PATIENCE, stalled.into_body().collect()).await.expect("there is no more");
    assert!(whole.is_err(), "the client is told that something is missing");
    server.canary.release.notify_one();
    assert_eq!(slow.await.expect("no panic").expect("it was waited for").status(), StatusCode::OK);
    assert!(!connection.is_finished());
}

/// Each gets its turn later than it would be given up alone. Long answers went to the connection whole, and those behind waited for all
/// of it.
#[tokio::test]
async fn many_answers_over_a_slow_connection_wait_for_each_other() {
    const WINDOW_BYTES: u32 = 65_535;
    let limits = EdgeLimits { write_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(WINDOW_BYTES).initial_connection_window_size(WINDOW_BYTES);
    let (mut sender, connection) = connect_as(&server, &builder).await;
    let link = Mutex::new(());
    let mut answers = Vec::new();
    for _ in 0..12 {
        answers.push(sender.send_request(request("/large", b"")).await.expect("a head"));
    }
    let taken = answers.into_iter().map(async |mut answer| {
        while let Some(frame) = answer.frame().await {
            frame.expect("nobody is given up");
            let _one_at_a_time = link.lock().await;
            tokio::time::sleep(SHORT / 4).await;
        }
    });
    let all_taken = timeout(SHORT * 6, futures_util::future::join_all(taken)).await;
    assert!(all_taken.is_err() && !connection.is_finished(), "there is more");
}

#[tokio::test]
async fn an_answer_that_is_taken_slowly_is_not_given_up() {
    let limits = EdgeLimits { write_wait: SHORT, head_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    for path in ["/large", "/flood"] {
        let (mut sender, connection) = connect(&server, Some(100)).await;
        let mut response = sender.send_request(request(path, b"")).await.expect("a head");
        for _ in 0..16 {
            let frame = response.frame().await.expect("there is more").expect("it goes on");
            assert!(frame.data_ref().is_some_and(|data| data.len() <= 100), "the window is small");
            tokio::time::sleep(SHORT / 4).await;
        }
        assert!(!connection.is_finished());
    }
}

/// Its pieces are all in the server's hands long before the client has taken them.
#[tokio::test]
async fn the_end_of_an_answer_may_be_taken_slowly() {
    let limits = EdgeLimits { write_wait: SHORT, head_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let (mut sender, connection) = connect(&server, Some(100)).await;
    let mut response = sender.send_request(request("/pieces", b"")).await.expect("a head");
    let mut bytes = 0;
    while let Some(frame) = response.frame().await {
        bytes += frame.expect("it goes on").data_ref().map_or(0, Bytes::len);
        tokio::time::sleep(SHORT / 4).await;
    }
    assert_eq!(bytes, 1500);
    timeout(PATIENCE, connection).await.expect("an idle connection ends").expect("no panic");
}

#[tokio::test]
async fn an_answer_of_which_nothing_is_there_is_waited_for() {
    let limits = EdgeLimits { write_wait: SHORT, head_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let (mut sender, connection) = connect_pinging(&server, None).await;
    let mut response = sender.send_request(request("/endless", b"")).await.expect("a head");
    let first = response.frame().await.expect("there is one").expect("it is whole");
    assert_eq!(first.into_data().expect("data"), "first");
    let second = timeout(SHORT * 4, response.frame()).await;
    assert!(second.is_err() && !connection.is_finished(), "it stays open");
}

#[tokio::test]
async fn a_ping_is_no_request() {
    let limits = EdgeLimits { head_wait: SHORT, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let (_sender, connection) = connect_pinging(&server, None).await;
    timeout(PATIENCE, connection).await.expect("the server lets go").expect("no panic");
}

#[tokio::test]
async fn a_stop_lets_running_requests_end() {
    let server = Server::start(EdgeLimits::default()).await;
    let (mut sender, connection) = connect(&server, None).await;
    let slow = tokio::spawn(sender.send_request(request("/slow", b"")));
    server.canary.running.notified().await;
    let (_idle, idle) = connect(&server, None).await;
    server.begin_stop();
    timeout(PATIENCE, idle).await.expect("who waits for nothing is let go").expect("no panic");
    server.canary.release.notify_one();
    let response = slow.await.expect("no panic").expect("it was waited for");
    assert_eq!(text(response).await, "done");
    timeout(PATIENCE, connection).await.expect("then the connection ends").expect("no panic");
    server.ended().await;
}
