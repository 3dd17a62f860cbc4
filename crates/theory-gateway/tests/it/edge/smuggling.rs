//! Requests inside requests: each payload is refused, or is one request and not two.

use theory_gateway::settings::EdgeLimits;

use super::talk::{Server, statuses};

/// A request that must never be seen: whoever frames a payload differently than we do takes it for one.
const SMUGGLED: &str = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

/// Sends a payload and the smuggled request behind it, whole and byte by byte.
async fn refused(payload: &str) {
    for piece in [usize::MAX, 1, 7] {
        let server = Server::start(EdgeLimits::default()).await;
        let mut client = server.connect().await;
        for piece in format!("{payload}{SMUGGLED}").as_bytes().chunks(piece) {
            // It may have closed already.
            if client.try_send(piece).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        let answers = client.rest().await;
        assert_eq!(statuses(&answers), [400], "{payload:?} in pieces of {piece}: {answers:?}");
        let seen = server.seen();
        assert!(seen.iter().all(|seen| !seen.contains("smuggled")), "{payload:?}: {seen:?}");
    }
}

/// A POST with these header lines and this body.
fn post(lines: &str, body: &str) -> String {
    format!("POST /post HTTP/1.1\r\nHost: a\r\n{lines}\r\n\r\n{body}")
}

#[tokio::test]
async fn lengths_that_can_be_read_in_two_ways_are_refused() {
    for lines in [
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: 3\r\nContent-Length: 3",
        "Content-Length: 3, 3",
        "Content-Length: 3, 4",
        "Content-Length: +3",
        "Content-Length: -3",
        "Content-Length: 0x3",
        "Content-Length: 3 3",
        "Content-Length: 3;",
        "Content-Length: ",
        "Content-Length: 3.0",
        "Content-Length: \u{b}3",
        "Content-Length: 99999999999999999999999",
        "Content-Length : 3",
        "Content-Length\t: 3",
        "Content_Length: 3",
        "CONTENT_LENGTH: 3",
        "\u{b}Content-Length: 3",
        " Content-Length: 3",
        "X: y\r\n Content-Length: 3",
        "X: y\r\n\tContent-Length: 3",
        "X: y\rContent-Length: 3",
        "X: y\nContent-Length: 3",
        "X: y\0\r\nContent-Length: 3",
    ] {
        refused(&post(lines, "abc")).await;
    }
}

#[tokio::test]
async fn encodings_that_can_be_read_in_two_ways_are_refused() {
    for lines in [
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: x, chunked",
        "Transfer-Encoding: \"chunked\"",
        "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding: chunked\u{b}",
        "Transfer-Encoding:",
        "Transfer-Encoding : chunked",
        "Transfer_Encoding: chunked",
        " Transfer-Encoding: chunked",
        "X: y\r\n Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chun\r\n ked",
        "X: y\nTransfer-Encoding: chunked",
        "X: y\rTransfer-Encoding: chunked",
    ] {
        refused(&post(lines, "0\r\n\r\n")).await;
    }
    refused("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").await;
}

#[tokio::test]
async fn lines_that_end_in_two_ways_and_odd_request_lines_are_refused() {
    for payload in [
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
        "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / x HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
        "GET /\r\n\r\n",
        "GET /\u{e9} HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n",
        "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "G\u{b}ET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX Y: z\r\n\r\n",
        "GET / HTTP/1.1\r\n : x\r\nHost: a\r\n\r\n",
    ] {
        refused(payload).await;
    }
}

#[tokio::test]
async fn chunks_that_can_be_read_in_two_ways_break_the_body_and_the_connection() {
    let long = format!("3;{}\r\nabc\r\n0\r\n\r\n", "x".repeat(200));
    for body in [
        "3\nabc\r\n0\r\n\r\n",
        "3\r\nabc\n0\r\n\r\n",
        "3\r\nabcd\r\n0\r\n\r\n",
        "3\r\nabc0\r\n\r\n",
        "3\r\nabc\r0\r\n\r\n",
        "3\r\nabc\r\n0\n\r\n",
        "3\r\nabc\r\n0\r\n\n",
        "3\r\nabc\r\n0\r\nX: y\n\r\n",
        "3 \r\nabc\r\n0\r\n\r\n",
        " 3\r\nabc\r\n0\r\n\r\n",
        "0x3\r\nabc\r\n0\r\n\r\n",
        "+3\r\nabc\r\n0\r\n\r\n",
        "-1\r\nabc\r\n0\r\n\r\n",
        "g\r\nabc\r\n0\r\n\r\n",
        "\r\nabc\r\n0\r\n\r\n",
        ";x\r\nabc\r\n0\r\n\r\n",
        "3;\nabc\r\n0\r\n\r\n",
        "3;x\rabc\r\n0\r\n\r\n",
        "3\r\r\nabc\r\n0\r\n\r\n",
        "3;\0\r\nabc\r\n0\r\n\r\n",
        "10000000000000003\r\nabc\r\n0\r\n\r\n",
        "00000000000000003\r\nabc\r\n0\r\n\r\n",
        "3\r\nabc\r\n0\r\nContent-Length: 3\r\n\r\n",
        "3\r\nabc\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "3\r\nabc\r\n0\r\nHost: b\r\n\r\n",
        "3\r\nabc\r\n0\r\nX: y\r\n z\r\n\r\n",
        &long,
    ] {
        refused(&post("Transfer-Encoding: chunked", body)).await;
    }
}

#[tokio::test]
async fn what_is_framed_beyond_doubt_passes_also_byte_by_byte() {
    let requests = [
        ("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a 0 bytes"),
        (&post("Content-Length: 3", "abc"), "POST /post 3 bytes"),
        (&post("content-length:3", "abc"), "POST /post 3 bytes"),
        (&post("CONTENT-LENGTH: \t 3\t ", "abc"), "POST /post 3 bytes"),
        (&post("Content-Length: 0", ""), "POST /post 0 bytes"),
        (
            &post("Transfer-Encoding: Chunked", "3\r\nabc\r\n0a\r\n0123456789\r\n0\r\n\r\n"),
            "POST /post 13 bytes",
        ),
        (&post("transfer-encoding: chunked", "3;x=y\r\nabc\r\n0\r\nX: y\r\n\r\n"), "POST /post 3 bytes"),
        ("\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /b 0 bytes"),
        (&post("Upgrade: h2c\r\nContent-Length: 3", "abc"), "POST /post 3 bytes"),
        ("GET /c HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n", "GET /c 0 bytes"),
        ("GET /d HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET /d 0 bytes"),
    ];
    let stream: String = requests.iter().map(|(bytes, _)| *bytes).collect();
    let expected: Vec<&str> = requests.iter().map(|(_, seen)| *seen).collect();
    for piece in [usize::MAX, 1, 2, 3, 5, 17, 64] {
        let server = Server::start(EdgeLimits::default()).await;
        let mut client = server.connect().await;
        for piece in stream.as_bytes().chunks(piece) {
            client.send(piece).await;
            tokio::task::yield_now().await;
        }
        let answers = client.rest().await;
        assert_eq!(server.seen(), expected, "in pieces of {piece}");
        assert_eq!(statuses(&answers), [200; 11], "in pieces of {piece}: {answers:?}");
    }
}

#[tokio::test]
async fn requests_before_a_bad_one_are_answered_in_their_order() {
    let server = Server::start(EdgeLimits::default()).await;
    let good = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    let answers =
        server.converse(format!("{good}{good}GET / HTTP/1.1\nHost: a\n\n{SMUGGLED}").as_bytes()).await;
    assert_eq!(statuses(&answers), [200, 200, 400]);
    assert_eq!(server.seen(), ["GET /a 0 bytes", "GET /a 0 bytes"]);
}

#[tokio::test]
async fn tunnels_are_not_opened() {
    let server = Server::start(EdgeLimits::default()).await;
    let answers =
        server.converse(format!("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n{SMUGGLED}").as_bytes()).await;
    assert_eq!(statuses(&answers), [405]);
    assert_eq!(server.seen(), Vec::<String>::new());
}
