//! A server that answers as it is told, also as no good server would.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What is answered to a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Answer {
    /// A status and a body, complete.
    Whole(u16, &'static str),
    /// 200 and a length, then fewer bytes than that, then the end.
    Half(usize, &'static str),
    /// These bytes as they are, then the end.
    Raw(&'static str),
    /// The end at once.
    Nothing,
    /// Silence.
    Hang,
}

/// Runs until it is dropped.
pub(super) struct Scripted {
    pub(super) port: u16,
    requests: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Scripted {
    /// A server that gives `answer(n)` to the request number n, counted from 0.
    pub(super) async fn start(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let (counted, answer) = (Arc::clone(&requests), Arc::new(answer));
        let accepting = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (counted, answer) = (Arc::clone(&counted), Arc::clone(&answer));
                tokio::spawn(async move { serve(connection, &counted, &*answer).await });
            }
        });
        Self { port, requests, accepting }
    }

    /// How many requests came.
    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(mut connection: TcpStream, counted: &AtomicUsize, answer: &(impl Fn(usize) -> Answer + Sync)) {
    let mut request = Vec::new();
    while !is_whole(&request) {
        match connection.read_buf(&mut request).await {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
    }
    let text = match answer(counted.fetch_add(1, Ordering::SeqCst)) {
        Answer::Whole(status, body) => head(status, body.len()) + body,
        Answer::Half(len, body) => head(200, len) + body,
        Answer::Raw(text) => text.to_owned(),
        Answer::Nothing => return,
        Answer::Hang => std::future::pending().await,
    };
    // The client may have gone already.
    let _ = connection.write_all(text.as_bytes()).await;
    let _ = connection.shutdown().await;
}

fn head(status: u16, len: usize) -> String {
    format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-length: {len}\r\netag: \"e\"\r\nconnection: close\r\n\
         last-modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n"
    )
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let len = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    body.len() >= len
}
