//! Answers that are given before the body was read: what is left of the body is never taken for a request.

use theory_gateway::settings::EdgeLimits;

use super::talk::{Server, statuses};

const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

#[tokio::test]
async fn the_rest_of_a_body_is_no_request() {
    let length = SMUGGLED.len();
    for (head, body) in [
        (format!("Content-Length: {length}"), SMUGGLED.to_owned()),
        ("Transfer-Encoding: chunked".to_owned(), format!("{length:x}\r\n{SMUGGLED}\r\n0\r\n\r\n")),
    ] {
        for pieces in [1, 2] {
            let server = Server::start(EdgeLimits::default()).await;
            let mut client = server.connect().await;
            let head = format!("POST /early HTTP/1.1\r\nHost: a\r\n{head}\r\n\r\n");
            if pieces == 1 {
                client.send(format!("{head}{body}").as_bytes()).await;
            } else {
                client.send(head.as_bytes()).await;
                client.until("done").await;
                // The answer is there; whether the server still listens is its affair.
                let _ = client.try_send(body.as_bytes()).await;
            }
            let _ = client.try_send(b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
            client.rest().await;
            let seen = server.seen();
            assert_eq!(seen[0], "POST /early unread");
            assert!(seen.iter().all(|seen| !seen.contains("smuggled")), "{seen:?}");
        }
    }
}

#[tokio::test]
async fn a_large_body_that_nobody_reads_ends_the_connection_after_the_answer() {
    let server = Server::start(EdgeLimits::default()).await;
    let mut client = server.connect().await;
    client.send(b"POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n").await;
    let smuggled = SMUGGLED.repeat(2000);
    // It takes some of it, and no more than it likes.
    let _ = client.try_send(smuggled.as_bytes()).await;
    assert_eq!(statuses(&client.rest().await), [200]);
    assert_eq!(server.seen(), ["POST /early unread"]);
}

#[tokio::test]
async fn continue_is_said_when_the_body_is_wanted_and_only_then() {
    let head = |path: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            SMUGGLED.len()
        )
    };
    let server = Server::start(EdgeLimits::default()).await;
    let mut client = server.connect().await;
    client.send(head("/wanted").as_bytes()).await;
    client.until("HTTP/1.1 100 Continue\r\n\r\n").await;
    client.send(SMUGGLED.as_bytes()).await;
    client.until("done").await;

    let mut client = server.connect().await;
    client.send(head("/early").as_bytes()).await;
    // Whoever sends the body although it was not asked for has it taken for a request by careless servers.
    client.until("done").await;
    let _ = client.try_send(SMUGGLED.as_bytes()).await;
    client.rest().await;
    assert_eq!(
        server.seen(),
        [format!("POST /wanted {} bytes", SMUGGLED.len()), "POST /early unread".to_owned()]
    );
}
