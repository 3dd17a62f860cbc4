//! An origin that says exactly what a test wants, byte by byte, and counts what it is asked.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// An origin that follows a script on each of its connections.
pub(crate) struct Raw {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: AtomicUsize,
}

/// One connection of it.
pub(crate) struct Line {
    pub(crate) stream: TcpStream,
    seen: Arc<Seen>,
}

impl Raw {
    pub(crate) async fn start<F>(script: impl Fn(Line) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let shared = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                shared.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(script(Line { stream, seen: Arc::clone(&shared) }));
            }
        });
        Self { address, seen, task }
    }

    /// One that says the same to every request, and keeps its connections.
    pub(crate) async fn saying(answer: &'static str) -> Self {
        Self::start(move |mut line| async move {
            while line.head().await.is_some() {
                line.say(answer).await;
            }
        })
        .await
    }

    pub(crate) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.requests.load(Ordering::SeqCst)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Line {
    /// The next request's head, if there is one; bodies are left to the script.
    pub(crate) async fn head(&mut self) -> Option<String> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = self.stream.read_u8().await.ok()?;
            head.push(byte);
        }
        self.seen.requests.fetch_add(1, Ordering::SeqCst);
        Some(String::from_utf8(head).unwrap())
    }

    /// So many bytes of a body.
    pub(crate) async fn body(&mut self, bytes: usize) -> String {
        let mut body = vec![0; bytes];
        self.stream.read_exact(&mut body).await.unwrap();
        String::from_utf8(body).unwrap()
    }

    pub(crate) async fn say(&mut self, text: &str) {
        // A gateway that closed the connection because of what it was told does not listen to the rest.
        let _ = self.stream.write_all(text.as_bytes()).await;
    }

    /// Waits until the other side closes; what it says until then is ignored.
    pub(crate) async fn closed(&mut self) {
        let mut ignored = [0; 1024];
        while matches!(self.stream.read(&mut ignored).await, Ok(read) if read > 0) {}
    }
}
