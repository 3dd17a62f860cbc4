//! What is on page routes and is no page: too long, without an end, events, other protocols. It comes through as it is.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_tungstenite::tungstenite::Message;

use super::world::{World, header};
use crate::origin::raw::Raw;

const PAGES: &str = "origin = {url = 'ORIGIN', kept_max = '64KiB'}\n[[route]]\npath = '/{*rest}'\nkind = 'page'\nrevalidate = '60s'";
const ONCE: &str = "origin = 'ORIGIN'\n[[route]]\npath = '/events'\nkind = 'pass'\nidempotency = true";

#[tokio::test]
async fn what_is_too_long_to_be_kept_is_passed_whole_and_asked_for_once_each() {
    const LONG: usize = 300_000;
    let application = Raw::start(|mut line| async move {
        while let Some(head) = line.head().await {
            assert!(head.starts_with("GET /film"), "{head}");
            line.say(&format!("HTTP/1.1 200 OK\r\ncontent-length: {LONG}\r\n\r\n{}", "x".repeat(LONG))).await;
        }
    })
    .await;
    let world = World::start(application.address, PAGES).await;
    for asked in 1..=3 {
        let answer = world.get("/film").await;
        assert_eq!((answer.status().as_u16(), header(&answer, "cache-status")), (200, "theory; fwd=bypass"));
        assert_eq!(answer.bytes().await.unwrap().len(), LONG);
        // The first is asked for as a page, too; then it is known not to be one.
        assert_eq!(application.requests(), asked + 1);
    }
    world.gateway.stop().await.unwrap();
}

#[tokio::test]
async fn an_answer_that_ends_with_its_connection_is_passed() {
    let application = Raw::start(|mut line| async move {
        if line.head().await.is_some() {
            line.say("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nuntil the end").await;
        }
    })
    .await;
    let world = World::start(application.address, PAGES).await;
    assert_eq!(world.get("/old").await.text().await.unwrap(), "until the end");
    world.gateway.stop().await.unwrap();
}

#[tokio::test]
async fn events_flow_on_a_page_route_also_to_clients_who_did_not_say_that_they_want_them() {
    let application = Raw::start(|mut line| async move {
        while line.head().await.is_some() {
            line.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n").await;
            line.closed().await;
        }
    })
    .await;
    let world = World::start(application.address, PAGES).await;
    for accept in ["text/event-stream", "*/*"] {
        let asking = world.client.get(world.url("/events")).header("accept", accept);
        let mut answer = asking.send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let first = tokio::time::timeout(Duration::from_secs(30), answer.chunk()).await;
        assert_eq!(first.expect("an event comes before the end").unwrap().unwrap(), "data: 1\n\n");
    }
}

/// Where requests happen once their answers are read whole. Of events nobody got so much as the head, and one task and one connection
/// stayed for each key, for as long as the application kept its stream open, and a stop waited for all of them.
#[tokio::test]
async fn events_flow_to_a_client_with_a_key_and_end_when_it_leaves() {
    let closed = Arc::new(Semaphore::new(0));
    let noted = Arc::clone(&closed);
    let application = Raw::start(move |mut line| {
        let closed = Arc::clone(&noted);
        async move {
            while line.head().await.is_some() {
                line.body(2).await;
                line.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n").await;
                line.closed().await;
                closed.add_permits(1);
            }
        }
    })
    .await;
    let world = World::start(application.address, ONCE).await;
    let ask = || world.client.post(world.url("/events")).header("idempotency-key", "one").body("{}").send();
    let mut answer = soon(ask()).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(soon(answer.chunk()).await.unwrap().unwrap(), "data: 1\n\n");
    let again = soon(ask()).await.unwrap();
    assert_eq!(again.status(), 500);
    assert!(again.text().await.unwrap().contains("answer_lost"));
    drop(answer);
    soon(closed.acquire()).await.unwrap().forget();
    assert_eq!(application.requests(), 1);
    soon(world.gateway.stop()).await.unwrap();
}

#[tokio::test]
async fn events_that_begin_when_the_client_with_the_key_is_gone_are_for_nobody() {
    let (gate, closed) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let noted = (Arc::clone(&gate), Arc::clone(&closed));
    let application = Raw::start(move |mut line| {
        let (gate, closed) = noted.clone();
        async move {
            while line.head().await.is_some() {
                line.body(2).await;
                gate.acquire().await.unwrap().forget();
                line.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n").await;
                line.closed().await;
                closed.add_permits(1);
            }
        }
    })
    .await;
    let world = World::start(application.address, ONCE).await;
    let order = world.client.post(world.url("/events")).header("idempotency-key", "one").body("{}");
    let asking = tokio::spawn(order.send());
    while application.requests() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    gate.add_permits(1);
    soon(closed.acquire()).await.unwrap().forget();
    // It waits for requests that happen once, and this one is over.
    soon(world.gateway.stop()).await.unwrap();
}

/// What a test waits for that must not take as long as the patience of the gateway.
async fn soon<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(15), future).await.expect("it is not waited for")
}

#[tokio::test]
async fn a_websocket_opens_on_a_page_route() {
    let application = Raw::start(|mut line| async move {
        // Enough of the protocol for an echo: the handshake is answered by the library.
        let mut socket = tokio_tungstenite::accept_async(&mut line.stream).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            if message.is_text() {
                socket.send(message).await.unwrap();
            }
        }
    })
    .await;
    let world = World::start(application.address, PAGES).await;
    let stream = TcpStream::connect(world.address()).await.unwrap();
    let url = format!("ws://{}/live", world.address());
    let (mut socket, answer) = tokio_tungstenite::client_async(url, stream).await.unwrap();
    assert_eq!(answer.status(), 101);
    socket.send(Message::text("hello")).await.unwrap();
    assert_eq!(socket.next().await.unwrap().unwrap(), Message::text("hello"));
}

#[tokio::test]
async fn a_page_that_becomes_too_long_is_passed_although_an_older_one_is_kept() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let application = Raw::start(move |mut line| {
        let count = Arc::clone(&count);
        async move {
            while line.head().await.is_some() {
                let bytes = if count.fetch_add(1, Ordering::SeqCst) == 0 { 10 } else { 100_000 };
                line.say(&format!("HTTP/1.1 200 OK\r\ncontent-length: {bytes}\r\n\r\n{}", "x".repeat(bytes)))
                    .await;
            }
        }
    })
    .await;
    let world = World::start(application.address, &PAGES.replace("'60s'", "'1s'")).await;
    let length = async || world.get("/export.csv").await.bytes().await.unwrap().len();
    assert_eq!(length().await, 10);
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    assert_eq!(length().await, 10, "the older one, while the new one is looked at");
    for _ in 0..500 {
        if length().await == 100_000 {
            assert_eq!(world.gateway.telemetry().underway().0, 0);
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("nobody gets what is there now");
}

#[tokio::test]
async fn a_client_that_offers_http2_in_the_clear_gets_the_page() {
    let application = Raw::saying("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\npage").await;
    let world = World::start(application.address, PAGES).await;
    for state in ["miss", "hit"] {
        let asking =
            world.client.get(world.url("/a")).header("upgrade", "h2c").header("connection", "upgrade");
        assert_eq!(header(&asking.send().await.unwrap(), "x-facetheory-isr"), state);
    }
}
