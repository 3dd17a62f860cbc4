//! Bodies on their way: as they come, as fast as they are taken, and broken off when they break off.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use theory_gateway::origin::{Health, Origin};
use theory_gateway::settings::EdgeLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::front::Front;
use super::raw::Raw;
use super::settings;

const LARGE: usize = 100 << 20;
const PIECE: usize = 64 << 10;
const GET: &str = "GET / HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n";

/// Reads until `text` has come.
async fn until(stream: &mut tokio::net::TcpStream, text: &str) {
    let mut came = String::new();
    while !came.contains(text) {
        let byte = stream.read_u8().await.unwrap();
        came.push(char::from(byte));
    }
}

#[tokio::test]
async fn events_arrive_one_by_one_and_may_be_far_apart() {
    let (next, orders) = mpsc::channel::<&str>(1);
    let orders = Arc::new(tokio::sync::Mutex::new(orders));
    let raw = Raw::start(move |mut line| {
        let orders = Arc::clone(&orders);
        async move {
            line.head().await;
            line.say("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n").await;
            while let Some(event) = orders.lock().await.recv().await {
                line.say(event).await;
            }
        }
    })
    .await;
    let mut settings = settings(raw.address);
    settings.body_wait = Duration::from_millis(50);
    settings.requests_max = 1;
    let front = Front::start(&Origin::new(&settings).unwrap(), false).await;
    let mut stream = front.connect(GET).await;
    until(&mut stream, "\r\n\r\n").await;
    for event in ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"] {
        // Longer than other bodies may pause.
        sleep(Duration::from_millis(200)).await;
        next.send(event).await.unwrap();
        until(&mut stream, event).await;
    }
    drop(next);
    until(&mut stream, "0\r\n\r\n").await;
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_not_made_to_look_complete() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    ] {
        let raw = Raw::start(move |mut line| async move {
            line.head().await;
            line.say(answer).await;
        })
        .await;
        let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), false).await;
        let said = front.says(GET).await;
        assert!(said.starts_with("HTTP/1.1 200 ") && said.contains("half"), "{said}");
        assert!(!said.ends_with("0\r\n\r\n"), "{said}");
        assert!(
            said.contains("content-length: 900") || said.contains("transfer-encoding: chunked"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn an_answer_that_pauses_for_too_long_breaks_off_for_the_client() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        line.say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n").await;
        line.closed().await;
    })
    .await;
    let mut settings = settings(raw.address);
    settings.body_wait = Duration::from_millis(100);
    let front = Front::start(&Origin::new(&settings).unwrap(), false).await;
    let said = front.says(GET).await;
    assert!(said.contains("half") && !said.ends_with("0\r\n\r\n"), "{said}");
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_request_with_it() {
    for has_begun in [false, true] {
        let (left, mut noticed) = mpsc::channel(1);
        let raw = Raw::start(move |mut line| {
            let left = left.clone();
            async move {
                line.head().await;
                if has_begun {
                    line.say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n").await;
                }
                line.closed().await;
                left.send(()).await.unwrap();
            }
        })
        .await;
        let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), false).await;
        let mut stream = front.connect(GET).await;
        if has_begun {
            until(&mut stream, "half").await;
        }
        while raw.requests() == 0 {
            sleep(Duration::from_millis(5)).await;
        }
        drop(stream);
        timeout(Duration::from_secs(60), noticed.recv())
            .await
            .expect("the origin sees that nobody waits")
            .unwrap();
    }
}

#[tokio::test]
async fn large_bodies_go_through_in_both_directions() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        let mut piece = vec![0; PIECE];
        let mut sum = 0_usize;
        for _ in 0..LARGE / PIECE {
            line.stream.read_exact(&mut piece).await.unwrap();
            sum += usize::from(piece[PIECE / 2]);
        }
        line.say(&format!("HTTP/1.1 200 OK\r\nx-sum: {sum}\r\ncontent-length: {LARGE}\r\n\r\n")).await;
        for number in 0..LARGE / PIECE {
            piece.fill(u8::try_from(number % 251).unwrap());
            line.stream.write_all(&piece).await.unwrap();
        }
        line.closed().await;
    })
    .await;
    let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), false).await;
    let head = format!("POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: {LARGE}\r\n\r\n");
    let mut stream = front.connect(&head).await;
    let mut piece = vec![3; PIECE];
    for _ in 0..LARGE / PIECE {
        stream.write_all(&piece).await.unwrap();
    }
    until(&mut stream, &format!("x-sum: {}\r\n", 3 * LARGE / PIECE)).await;
    until(&mut stream, "\r\n\r\n").await;
    for number in 0..LARGE / PIECE {
        stream.read_exact(&mut piece).await.unwrap();
        let expected = u8::try_from(number % 251).unwrap();
        assert!(piece.iter().all(|byte| *byte == expected), "piece {number}");
    }
    assert_eq!(stream.read(&mut piece).await.unwrap(), 0);
}

/// Waits until a count has not grown for a while.
async fn stands_still(count: &AtomicU64) -> u64 {
    loop {
        let before = count.load(Ordering::SeqCst);
        sleep(Duration::from_millis(300)).await;
        if before > 0 && count.load(Ordering::SeqCst) == before {
            return before;
        }
    }
}

/// What the sockets of two connections hold at most, and a little for the gateway.
const HELD_MAX: u64 = 40 << 20;

#[tokio::test]
async fn an_answer_that_nobody_takes_is_not_read() {
    let written = Arc::new(AtomicU64::new(0));
    let shared = Arc::clone(&written);
    let raw = Raw::start(move |mut line| {
        let written = Arc::clone(&shared);
        async move {
            line.head().await;
            line.say("HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n").await;
            while line.stream.write_all(&[0; PIECE]).await.is_ok() {
                written.fetch_add(PIECE as u64, Ordering::SeqCst);
            }
        }
    })
    .await;
    let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), false).await;
    let stream = front.connect(GET).await;
    let held = stands_still(&written).await;
    assert!(held < HELD_MAX, "{held} bytes were taken from the origin");
    drop(stream);
}

#[tokio::test]
async fn a_request_that_the_origin_does_not_take_is_not_read() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        sleep(Duration::from_secs(60)).await;
    })
    .await;
    let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), false).await;
    let mut stream =
        front.connect("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 999999999999\r\n\r\n").await;
    let written = Arc::new(AtomicU64::new(0));
    let shared = Arc::clone(&written);
    let writer = tokio::spawn(async move {
        while stream.write_all(&[0; PIECE]).await.is_ok() {
            shared.fetch_add(PIECE as u64, Ordering::SeqCst);
        }
    });
    let held = stands_still(&written).await;
    assert!(held < HELD_MAX, "{held} bytes were taken from the client");
    writer.abort();
}

#[tokio::test]
async fn a_body_that_is_larger_than_allowed_is_told_so_and_not_taken_for_the_origins_fault() {
    let raw = Raw::start(|mut line| async move {
        line.head().await;
        line.closed().await;
    })
    .await;
    let mut settings = settings(raw.address);
    settings.failures_max = 1;
    let origin = Origin::new(&settings).unwrap();
    let limits = EdgeLimits { body_bytes_max: 8, ..EdgeLimits::default() };
    let front = Front::bearing(&origin, false, limits).await;
    let head = "POST / HTTP/1.1\r\nhost: shop.example\r\ntransfer-encoding: chunked\r\n\r\n";
    let said = front.says(&format!("{head}5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n")).await;
    assert!(said.starts_with("HTTP/1.1 413 "), "{said}");
    assert_eq!(origin.health(), Health::Well);
}
