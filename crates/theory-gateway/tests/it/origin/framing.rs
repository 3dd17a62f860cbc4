//! Answers that are no HTTP, contradict themselves, or say more than they may. None is passed on, and none leaves a connection behind.

use http::StatusCode;
use theory_gateway::origin::{Origin, OriginError};
use theory_gateway::refusal::Refusal;

use super::front::Front;
use super::raw::Raw;
use super::{get, settings};

/// Asks twice; both must fail, on connections of their own.
async fn refused(answer: &'static str) {
    let raw = Raw::saying(answer).await;
    let mut settings = settings(raw.address);
    settings.failures_max = 100;
    let origin = Origin::new(&settings).unwrap();
    for asked in 1..=2 {
        let error = origin.fetch(get("/")).await.expect_err(answer);
        assert!(matches!(error, OriginError::Broken(_)), "{answer:?}: {error:?}");
        assert_eq!(Refusal::from(&error).status, StatusCode::BAD_GATEWAY);
        assert_eq!(raw.connections(), asked, "{answer:?}");
    }
    let front = Front::start(&origin, false).await;
    let said = front.says("GET / HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n").await;
    assert!(said.starts_with("HTTP/1.1 502 "), "{answer:?}: {said}");
    assert!(!said.contains("evil"), "{answer:?}: {said}");
}

#[tokio::test]
async fn lengths_that_are_none_or_differ_are_refused() {
    refused("HTTP/1.1 200 OK\r\ncontent-length: abc\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ncontent-length: -4\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ncontent-length: +4\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ncontent-length: 0x4\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ncontent-length: 4, 4\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 4\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nevil").await;
}

#[tokio::test]
async fn a_length_beside_chunks_and_other_codings_are_refused() {
    refused(
        "HTTP/1.1 200 OK\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n",
    )
    .await;
    refused("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n").await;
    refused("HTTP/1.1 200 OK\r\ntransfer-encoding: identity\r\ncontent-length: 4\r\n\r\nevil").await;
    refused("HTTP/1.1 200 OK\r\ntransfer-encoding: xchunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n").await;
    refused("HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nevil\r\n0\r\n\r\n").await;
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    refused("evil evil evil\r\n\r\n").await;
    refused("SSH-2.0-evil\r\n\r\n").await;
    refused("HTTP/1.1 200 OK\r\nbad name: evil\r\n\r\n").await;
    refused("HTTP/1.1 200 OK\r\nx: a\r\n evil\r\ncontent-length: 0\r\n\r\n").await;
    refused("HTTP/1.1 200 OK\r\nx: a\u{0}evil\r\ncontent-length: 0\r\n\r\n").await;
    refused("HTTP/1.1 101 Switching Protocols\r\nupgrade: evil\r\nconnection: upgrade\r\n\r\n").await;
}

#[tokio::test]
async fn a_head_without_end_is_refused() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        line.say("HTTP/1.1 200 OK\r\n").await;
        for _ in 0..90 {
            line.say(&format!("x-evil: {}\r\n", "e".repeat(2000))).await;
        }
        line.closed().await;
    })
    .await;
    let error = Origin::new(&settings(raw.address)).unwrap().fetch(get("/")).await.unwrap_err();
    assert!(matches!(error, OriginError::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_is_not_given_to_the_next_request() {
    let raw = Raw::start(|mut line| async move {
        while let Some(head) = line.head().await {
            let path = head.split(' ').nth(1).unwrap();
            let length = path.len();
            let evil = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil";
            line.say(&format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{path}{evil}")).await;
        }
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    for number in 0..10 {
        let path = format!("/{number}");
        assert_eq!(origin.fetch(get(&path)).await.unwrap().body(), &path);
    }
    assert_eq!(raw.connections(), 10);
}

#[tokio::test]
async fn early_hints_and_continue_are_no_answers() {
    let raw = Raw::saying(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    )
    .await;
    let answer = Origin::new(&settings(raw.address)).unwrap().fetch(get("/")).await.unwrap();
    assert_eq!((answer.status(), &answer.body()[..]), (StatusCode::OK, &b"ok"[..]));
    assert!(answer.headers().get("link").is_none());
}
