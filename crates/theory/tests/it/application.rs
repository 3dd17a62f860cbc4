//! A small application behind a gateway: it answers each path as it is told to, keeps connections open, and counts. It ends with the
//! runtime of its test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// What is answered.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Lines of the head, each with its end.
    pub(crate) headers: &'static str,
    pub(crate) body: String,
    /// How long it takes.
    pub(crate) after: Duration,
}

impl Answer {
    /// A page.
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self { status: 200, body: body.into(), ..Self::default() }
    }
}

/// The application.
#[derive(Debug)]
pub(crate) struct Application {
    pub(crate) address: String,
    asked: Arc<AtomicU64>,
}

impl Application {
    /// An application that answers like this to a path with its query.
    pub(crate) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (answer, asked) = (Arc::new(answer), Arc::new(AtomicU64::new(0)));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, count) = (Arc::clone(&answer), Arc::clone(&count));
                tokio::spawn(async move { converse(stream, &*answer, &count).await });
            }
        });
        Self { address, asked }
    }

    /// How many requests have come.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }
}

/// Answers one request after the other, until the other side has enough.
async fn converse(mut stream: TcpStream, answer: &impl Fn(&str) -> Answer, count: &AtomicU64) {
    let mut received = Vec::new();
    while let Some(path) = request(&mut stream, &mut received).await {
        count.fetch_add(1, Ordering::SeqCst);
        let Answer { status, headers, body, after } = answer(&path);
        sleep(after).await;
        let head = format!(
            "HTTP/1.1 {status} Said\r\ncontent-type: text/plain\r\n{headers}content-length: {}\r\n\r\n",
            body.len()
        );
        // A gateway that is gone does not read it.
        if stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await.is_err() {
            return;
        }
    }
}

/// The path of the next request, whose body is read and forgotten. Bodies are as long as their head says; chunks are not understood.
async fn request(stream: &mut TcpStream, received: &mut Vec<u8>) -> Option<String> {
    let end = loop {
        if let Some(at) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(received).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&received[..end]).into_owned();
    let length = head.lines().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok()).flatten()
    });
    let whole = end + length.unwrap_or(0);
    while received.len() < whole {
        if stream.read_buf(received).await.ok()? == 0 {
            return None;
        }
    }
    received.drain(..whole);
    head.split_whitespace().nth(1).map(str::to_owned)
}
