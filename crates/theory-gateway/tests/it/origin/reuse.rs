//! Which connections are used again, and which requests are sent again.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Empty;
use theory_gateway::origin::{Health, Origin, OriginError};

use super::raw::Raw;
use super::{get, post, settings, text};

const SHORT: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test]
async fn a_connection_is_used_again_after_a_whole_answer() {
    let raw = Raw::saying(SHORT).await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    for _ in 0..20 {
        assert_eq!(origin.fetch(get("/")).await.unwrap().body(), "ok");
        let answer = origin.send(post("/", "")).await.unwrap();
        assert_eq!(text(answer.into_body()).await.unwrap(), "ok");
    }
    assert_eq!((raw.connections(), raw.requests()), (1, 40));
}

#[tokio::test]
async fn a_connection_is_used_again_after_chunks_an_empty_answer_and_none_to_head() {
    let answers = [
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\ncontent-length: 900\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n",
    ];
    let raw = Raw::start(move |mut line| async move {
        for answer in answers {
            line.head().await.unwrap();
            line.say(answer).await;
        }
        line.closed().await;
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    for method in [Method::GET, Method::GET, Method::GET, Method::HEAD] {
        let request = Request::builder().method(method).uri("/").body(()).unwrap();
        origin.fetch(request).await.unwrap();
    }
    assert_eq!(raw.connections(), 1);
}

#[tokio::test]
async fn an_answer_that_is_not_read_to_its_end_takes_its_connection_with_it() {
    let raw = Raw::saying("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok").await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    drop(origin.send(get("/").map(|()| Empty::<Bytes>::new())).await.unwrap());
    drop(origin.send(get("/").map(|()| Empty::<Bytes>::new())).await.unwrap());
    assert_eq!(raw.connections(), 2);
}

/// An origin that answers one request on each connection and closes it when the second one comes, without a word.
async fn closing_on_the_second() -> Raw {
    Raw::start(|mut line| async move {
        line.head().await.unwrap();
        line.say(SHORT).await;
        line.head().await;
    })
    .await
}

#[tokio::test]
async fn a_get_that_met_a_closing_connection_is_sent_once_more_on_a_new_one() {
    let raw = closing_on_the_second().await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    assert_eq!(origin.fetch(get("/")).await.unwrap().body(), "ok");
    assert_eq!(origin.fetch(get("/")).await.unwrap().body(), "ok");
    assert_eq!((raw.connections(), raw.requests()), (2, 3));
}

#[tokio::test]
async fn a_post_that_met_a_closing_connection_is_not_sent_again() {
    let raw = closing_on_the_second().await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    assert_eq!(origin.fetch(get("/")).await.unwrap().body(), "ok");
    let error = origin.send(post("/", "")).await.unwrap_err();
    assert!(matches!(error, OriginError::Broken(_)), "{error:?}");
    assert_eq!((raw.connections(), raw.requests()), (1, 2));
}

#[tokio::test]
async fn a_get_is_not_sent_again_when_an_answer_had_begun() {
    let raw = Raw::start(|mut line| async move {
        line.head().await.unwrap();
        line.say(SHORT).await;
        line.head().await;
        line.say("HTTP/1.1 2").await;
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    origin.fetch(get("/")).await.unwrap();
    let error = origin.fetch(get("/")).await.unwrap_err();
    assert!(matches!(error, OriginError::Broken(_)), "{error:?}");
    assert_eq!((raw.connections(), raw.requests()), (1, 2));
}

#[tokio::test]
async fn a_get_is_not_sent_again_when_a_new_connection_closes() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    assert!(matches!(origin.fetch(get("/")).await, Err(OriginError::Broken(_))));
    assert_eq!((raw.connections(), raw.requests()), (1, 1));
}

#[tokio::test]
async fn a_post_goes_to_a_new_connection_when_the_idle_one_is_known_to_be_closed() {
    let raw = Raw::start(|mut line| async move {
        line.head().await.unwrap();
        line.say("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok").await;
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    for _ in 0..5 {
        let answer = origin.send(post("/", "")).await.unwrap();
        assert_eq!(text(answer.into_body()).await.unwrap(), "ok");
    }
    assert_eq!((raw.connections(), raw.requests()), (5, 5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gets_never_fail_because_an_origin_closes_connections_without_saying_so() {
    let raw = Raw::start(|mut line| async move {
        for _ in 0..3 {
            if line.head().await.is_none() {
                return;
            }
            line.say(SHORT).await;
        }
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let clients: Vec<_> = (0..16)
        .map(|_| {
            let origin = origin.clone();
            tokio::spawn(async move {
                for _ in 0..100 {
                    assert_eq!(origin.fetch(get("/")).await.unwrap().body(), "ok");
                }
            })
        })
        .collect();
    for client in clients {
        client.await.unwrap();
    }
    assert!(raw.connections() < raw.requests(), "connections were used again");
    assert_eq!(origin.health(), Health::Well);
}
