//! Visitors of the demo: a few at a time, who look at the shop's pages through the gateway so that there is something to see.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::sleep;

const VISITORS: usize = 8;

/// What visitors look at, more often what comes more often.
const PATHS: [&str; 12] = [
    "/",
    "/news",
    "/products/1",
    "/news",
    "/products/2",
    "/flaky",
    "/",
    "/products/3",
    "/news",
    "/slow",
    "/products/4",
    "/account",
];

/// What the visitors saw.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Pages they got.
    pub(super) pages: AtomicU64,
    /// Of these, answered without the shop.
    pub(super) from_cache: AtomicU64,
    /// Errors they got.
    pub(super) errors: AtomicU64,
}

/// Lets visitors come for as long as the program runs.
pub(super) fn invite(gateway: SocketAddr, seen: &Arc<Seen>) {
    for visitor in 0..VISITORS {
        let seen = Arc::clone(seen);
        tokio::spawn(async move {
            loop {
                // A visitor whose connection ended comes again.
                let _ = stay(gateway, visitor, &seen).await;
                sleep(Duration::from_millis(500)).await;
            }
        });
    }
}

async fn stay(
    gateway: SocketAddr,
    visitor: usize,
    seen: &Seen,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let stream = TcpStream::connect(gateway).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    for turn in 0.. {
        let path = PATHS[(visitor * 5 + turn) % PATHS.len()];
        let request =
            Request::get(path).header(http::header::HOST, gateway.to_string()).body(Empty::<Bytes>::new())?;
        let answer = sender.send_request(request).await?;
        let state = answer.headers().get("x-facetheory-isr").map(|state| state.as_bytes().to_owned());
        let counter = if answer.status().is_server_error() { &seen.errors } else { &seen.pages };
        counter.fetch_add(1, Ordering::Relaxed);
        if matches!(state.as_deref(), Some(b"hit" | b"stale" | b"wait-hit" | b"stale-error")) {
            seen.from_cache.fetch_add(1, Ordering::Relaxed);
        }
        answer.into_body().collect().await?;
        // Not all at the same moment, and not at random: the demo tells the same story each time.
        sleep(Duration::from_millis(60 + 23 * visitor as u64)).await;
    }
    Ok(())
}
