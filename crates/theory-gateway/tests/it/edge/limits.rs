//! What is borne from clients, and no more.

use std::time::Duration;

use theory_gateway::settings::EdgeLimits;

use super::talk::{Client, Server, statuses};

const SHORT: Duration = Duration::from_millis(200);

#[tokio::test]
async fn a_head_that_is_too_large_is_answered_with_431() {
    let limits = EdgeLimits { head_bytes_max: 1000, headers_max: 10, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let head = |lines: &str| format!("GET / HTTP/1.1\r\nHost: a\r\n{lines}Connection: close\r\n\r\n");
    let many = "X: y\r\n".repeat(9);
    assert_eq!(statuses(&server.converse(head("X: y\r\n").as_bytes()).await), [200]);
    assert_eq!(statuses(&server.converse(head(&many).as_bytes()).await), [431]);
    let long = format!("X: {}\r\n", "y".repeat(1000));
    assert_eq!(statuses(&server.converse(head(&long).as_bytes()).await), [431]);
    let long_line = format!("GET /{} HTTP/1.1\r\n", "y".repeat(1000));
    assert_eq!(statuses(&server.converse(long_line.as_bytes()).await), [431]);
    // A head without end, too.
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "y".repeat(1000));
    assert_eq!(statuses(&server.converse(endless.as_bytes()).await), [431]);
    assert_eq!(server.seen(), ["GET / 0 bytes"]);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_answered_with_413() {
    let limits = EdgeLimits { body_bytes_max: 10, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    // The length says so: the application is not even asked.
    let announced = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n01234567890";
    assert_eq!(statuses(&server.converse(announced.as_bytes()).await), [413]);
    assert_eq!(server.seen(), Vec::<String>::new());
    let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n5\r\n01234\r\n0\r\n\r\n";
    assert_eq!(statuses(&server.converse(chunked.as_bytes()).await), [413]);
    assert_eq!(server.seen(), ["POST / the request's body is larger than allowed"]);
}

#[tokio::test]
async fn a_head_that_takes_too_long_ends_the_connection() {
    let server = Server::start(EdgeLimits { head_wait: SHORT, ..EdgeLimits::default() }).await;
    for head in
        ["", "P", "GET / HTTP/1.1\r\nHost: a\r\nX", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"]
    {
        assert_eq!(server.converse(head.as_bytes()).await, "", "{head:?}");
    }
    // One byte now and then is no progress.
    let mut client = server.connect().await;
    for byte in std::iter::repeat(b"GET / HTTP/1.1\r\nHost: a\r\n").flatten() {
        if client.try_send(&[*byte]).await.is_err() {
            break;
        }
        tokio::time::sleep(SHORT / 10).await;
    }
    // Between two requests it is the same.
    let mut client = server.connect().await;
    client.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert_eq!(statuses(&client.rest().await), [200]);
    assert_eq!(server.seen(), ["GET / 0 bytes"]);
}

#[tokio::test]
async fn a_request_that_is_worked_on_is_not_idle() {
    let server = Server::start(EdgeLimits { head_wait: SHORT, ..EdgeLimits::default() }).await;
    let mut client = server.connect().await;
    client.send(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await;
    tokio::time::sleep(SHORT * 4).await;
    server.canary.release.notify_one();
    client.until("done").await;
    // Neither is a stream that gives nothing for a while.
    let mut client = server.connect().await;
    client.send(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n").await;
    client.until("first\r\n").await;
    let closed = tokio::time::timeout(SHORT * 4, client.rest()).await;
    assert!(closed.is_err(), "it stays open");
}

#[tokio::test]
async fn a_body_that_pauses_breaks_off() {
    let server = Server::start(EdgeLimits { body_wait: SHORT, ..EdgeLimits::default() }).await;
    let body = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n012";
    assert_eq!(statuses(&server.converse(body.as_bytes()).await), [408]);
    assert_eq!(server.seen(), ["POST / the request's body is too slow"]);
}

#[tokio::test]
async fn a_client_that_does_not_take_its_answer_is_given_up() {
    let server = Server::start(EdgeLimits { write_wait: SHORT, ..EdgeLimits::default() }).await;
    let mut client = server.connect().await;
    client.send(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    // The head is written with as much of the body as the socket takes, so that from here on the server waits for the client.
    client.until("\r\n\r\n").await;
    tokio::time::sleep(SHORT * 4).await;
    let answer = client.rest().await;
    assert!(answer.len() < 8 * 1024 * 1024, "the answer was not taken and ended early");
}

#[tokio::test]
async fn one_address_gets_its_share_of_connections() {
    let limits = EdgeLimits { connections_per_address_max: 2, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    let mut first = server.connect().await;
    first.send(request).await;
    first.until("done").await;
    let mut second = server.connect().await;
    second.send(request).await;
    second.until("done").await;
    let mut third = server.connect().await;
    let _ = third.try_send(request).await;
    assert_eq!(third.rest().await, "");
    drop(first);
    // The server notices in its own time.
    loop {
        let mut again: Client = server.connect().await;
        let _ = again.try_send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
        if statuses(&again.rest().await) == [200] {
            break;
        }
    }
}

#[tokio::test]
async fn connections_beyond_all_wait_for_their_turn() {
    let limits = EdgeLimits { connections_max: 1, ..EdgeLimits::default() };
    let server = Server::start(limits).await;
    let request = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let first = server.connect().await;
    let mut second = server.connect().await;
    second.send(request).await;
    drop(first);
    assert_eq!(statuses(&second.rest().await), [200]);
}
