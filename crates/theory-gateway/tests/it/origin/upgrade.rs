//! Connections that become another protocol's, and those that must not.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use theory_gateway::origin::Origin;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async, client_async};

use super::front::Front;
use super::raw::Raw;
use super::settings;

const ASKING: &str =
    "GET /chat HTTP/1.1\r\nhost: shop.example\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";

/// A WebSocket server that says everything back.
async fn echo() -> Raw {
    Raw::start(|line| async move {
        let mut socket = accept_async(line.stream).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            if message.is_text() || message.is_binary() {
                socket.send(message).await.unwrap();
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_websocket_goes_through() {
    let raw = echo().await;
    let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), true).await;
    let stream = TcpStream::connect(front.address).await.unwrap();
    let (mut socket, answer) = client_async("ws://shop.example/chat?room=1", stream).await.unwrap();
    assert_eq!(answer.headers()["cache-status"], "theory; fwd=bypass");
    let large = Message::binary(vec![7_u8; 1 << 20]);
    for message in [Message::text("hello"), large, Message::text("again")] {
        socket.send(message.clone()).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), message);
    }
    socket.close(None).await.unwrap();
    while let Some(Ok(_)) = socket.next().await {}
}

#[tokio::test]
async fn many_websockets_do_not_take_the_places_of_requests() {
    let raw = echo().await;
    let mut settings = settings(raw.address);
    settings.requests_max = 2;
    let front = Front::start(&Origin::new(&settings).unwrap(), true).await;
    let mut sockets = Vec::new();
    for _ in 0..5 {
        let stream = TcpStream::connect(front.address).await.unwrap();
        sockets.push(client_async("ws://shop.example/chat", stream).await.unwrap().0);
    }
    for socket in &mut sockets {
        socket.send(Message::text("hello")).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), Message::text("hello"));
    }
}

#[tokio::test]
async fn an_upgrade_is_taken_out_where_the_route_does_not_allow_one() {
    let raw = Raw::start(|mut line| async move {
        while let Some(head) = line.head().await {
            let is_asked = head.to_ascii_lowercase().contains("upgrade");
            line.say(&format!("HTTP/1.1 200 OK\r\nx-asked: {is_asked}\r\ncontent-length: 0\r\n\r\n")).await;
        }
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let h2c =
        ASKING.replace("websocket", "h2c").replace("upgrade\r\nupg", "upgrade, http2-settings, close\r\nupg");
    let plain = ASKING.replace("connection: upgrade", "connection: upgrade, close");
    for (upgrade, request) in [(false, &plain), (true, &h2c)] {
        let front = Front::start(&origin, upgrade).await;
        let said = front.says(request).await;
        assert!(said.starts_with("HTTP/1.1 200 ") && said.contains("x-asked: false\r\n"), "{said}");
    }
}

/// CVE-2026-2833: a proxy that takes the request for the agreement passes what follows past all its rules.
#[tokio::test]
async fn there_is_no_tunnel_before_the_origin_agreed() {
    let raw = Raw::start(|mut line| async move {
        line.head().await.unwrap();
        sleep(Duration::from_millis(200)).await;
        let mut early = [0; 64];
        let came = timeout(Duration::from_millis(200), line.stream.read(&mut early)).await;
        let verdict = if came.is_err() { "nothing" } else { "smuggled" };
        line.say(&format!("HTTP/1.1 403 Forbidden\r\nx-came: {verdict}\r\ncontent-length: 0\r\n\r\n")).await;
        line.closed().await;
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let front = Front::start(&origin, true).await;
    let mut stream = front.connect(ASKING).await;
    stream.write_all(b"GET /admin HTTP/1.1\r\nhost: shop.example\r\n").await.unwrap();
    let mut said = vec![0; 4096];
    let read = stream.read(&mut said).await.unwrap();
    let said = String::from_utf8_lossy(&said[..read]);
    assert!(said.starts_with("HTTP/1.1 403 ") && said.contains("x-came: nothing\r\n"), "{said}");
}

#[tokio::test]
async fn an_origin_that_agrees_to_something_else_is_broken() {
    for answer in [
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nupgrade: other\r\n\r\n",
    ] {
        let raw = Raw::saying(answer).await;
        let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), true).await;
        let said = front.says(&ASKING.replace("connection: upgrade", "connection: upgrade, close")).await;
        assert!(said.starts_with("HTTP/1.1 502 "), "{answer:?}: {said}");
    }
}

#[tokio::test]
async fn when_one_side_of_a_tunnel_ends_the_other_does() {
    let raw = Raw::start(|mut line| async move {
        line.head().await.unwrap();
        line.say("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nbye")
            .await;
    })
    .await;
    let front = Front::start(&Origin::new(&settings(raw.address)).unwrap(), true).await;
    let said = front.says(ASKING).await;
    assert!(said.starts_with("HTTP/1.1 101 ") && said.ends_with("\r\n\r\nbye"), "{said}");
}
