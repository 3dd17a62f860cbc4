//! HTTP/2 by a real client.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use theory_gateway::settings::EdgeLimits;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::talk::{PATIENCE, Server};

const SHORT: Duration = Duration::from_secs(1);

/// A client, and the task of its connection, which ends with the connection.
async fn connect(server: &Server, window_bytes: Option<u32>) -> (SendRequest<Full<Bytes>>, JoinHandle<()>) {
    let stream = TcpStream::connect(server.address).await.expect("the server listens");
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window_bytes);
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
