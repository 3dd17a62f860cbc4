//! The end of a server, and of a request that panics.

use std::time::Duration;

use theory_gateway::settings::EdgeLimits;
use tokio::net::TcpStream;

use super::talk::{Server, statuses};

#[tokio::test]
async fn a_running_request_ends_and_nobody_new_comes_in() {
    let server = Server::start(EdgeLimits::default()).await;
    let mut idle = server.connect().await;
    idle.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    idle.until("done").await;
    let mut silent = server.connect().await;
    let mut client = server.connect().await;
    client.send(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /late HTTP/1.1\r\nHost: a\r\n\r\n").await;
    server.canary.running.notified().await;
    server.begin_stop();
    assert_eq!(idle.rest().await, "", "who waits for nothing is let go");
    assert_eq!(silent.rest().await, "");
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    server.canary.release.notify_one();
    let answer = client.rest().await;
    assert_eq!(statuses(&answer), [200]);
    assert!(answer.to_ascii_lowercase().contains("connection: close"), "{answer}");
    let canary = std::sync::Arc::clone(&server.canary);
    server.ended().await;
    assert_eq!(*canary.seen.lock(), ["GET / 0 bytes", "GET /slow slow"]);
}

#[tokio::test]
async fn a_request_that_does_not_end_is_given_up() {
    let limits = EdgeLimits { drain_max: Duration::from_millis(200), ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let mut client = server.connect().await;
    client.send(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let mut switched = server.connect().await;
    switched.send(b"GET /switch HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n").await;
    switched.until("\r\n\r\n").await;
    server.canary.running.notified().await;
    server.begin_stop();
    server.ended().await;
    assert_eq!(client.rest().await, "");
    assert_eq!(switched.rest().await, "", "also what became another protocol's");
}

#[tokio::test]
async fn a_panic_ends_its_request_and_nothing_else() {
    let server = Server::start(EdgeLimits::default()).await;
    let mut other = server.connect().await;
    other.send(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await;
    server.canary.running.notified().await;
    let answer = server.converse(b"GET /panic HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert_eq!(statuses(&answer), [500]);
    assert!(!answer.contains("on purpose"), "what happened inside stays inside: {answer}");
    server.canary.release.notify_one();
    other.until("done").await;
}
