//! A server on a free port, and a client that sends exactly the bytes it is told to.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use theory_gateway::edge::{Listener, Tls, serve};
use theory_gateway::settings::EdgeLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::canary::Canary;

/// Far beyond any bound of these tests: it only keeps a broken one from waiting for ever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) canary: Arc<Canary>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(limits: EdgeLimits) -> Self {
        Self::start_with(limits, None).await
    }

    pub(crate) async fn start_with(limits: EdgeLimits, tls: Option<Arc<Tls>>) -> Self {
        let mut listener = Listener::new(TcpListener::bind("127.0.0.1:0").await.expect("a free port"));
        if let Some(tls) = tls {
            listener = listener.with_tls(tls);
        }
        let address = listener.address().expect("it has one");
        let canary = Arc::new(Canary::default());
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(serve(listener, Arc::clone(&canary), limits, stopped));
        Self { address, canary, stop, task }
    }

    pub(crate) async fn connect(&self) -> Client {
        Client(TcpStream::connect(self.address).await.expect("the server listens"))
    }

    /// All that comes back for these bytes until the server closes the connection.
    pub(crate) async fn converse(&self, bytes: &[u8]) -> String {
        let mut client = self.connect().await;
        client.send(bytes).await;
        client.rest().await
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.canary.seen.lock().clone()
    }

    pub(crate) fn begin_stop(&self) {
        self.stop.send_replace(true);
    }

    pub(crate) async fn ended(self) {
        timeout(PATIENCE, self.task).await.expect("the server ends").expect("and does not panic");
    }
}

/// A client.
#[derive(Debug)]
pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.try_send(bytes).await.expect("the server takes it");
    }

    pub(crate) async fn try_send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await
    }

    /// All that comes until the server closes.
    pub(crate) async fn rest(&mut self) -> String {
        let mut all = Vec::new();
        let mut piece = [0; 4096];
        // A reset is an end too: what was there before it has been read.
        while let Ok(count @ 1..) =
            timeout(PATIENCE, self.0.read(&mut piece)).await.expect("the server closes")
        {
            all.extend_from_slice(&piece[..count]);
        }
        String::from_utf8_lossy(&all).into_owned()
    }

    /// What comes until these words have come.
    pub(crate) async fn until(&mut self, words: &str) -> String {
        let mut all = String::new();
        while !all.ends_with(words) {
            let byte = timeout(PATIENCE, self.0.read_u8()).await.expect("something comes");
            all.push(char::from(
                byte.unwrap_or_else(|error| panic!("{error} after {all:?}, before {words:?}")),
            ));
        }
        all
    }
}

/// The statuses in what a server sent.
pub(crate) fn statuses(answers: &str) -> Vec<u16> {
    let status = |line: &str| line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    // A body without a line end is followed directly by the next answer.
    answers.split("\r\n").flat_map(|line| line.split("done")).filter_map(status).collect()
}
