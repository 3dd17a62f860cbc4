//! A server on a free port, and a client that sends exactly the bytes it is told to.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tabletheory_core::Store;
use tabletheory_engine::Engine;
use tabletheory_wire::{Endpoint, server};
use tokio::sync::oneshot;

/// Far beyond any bound of these tests: it only keeps a broken one from waiting for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server. It is stopped with this value.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// The engine in memory, unsigned.
    pub(crate) fn engine() -> Self {
        Self::store(Arc::new(Engine::memory()))
    }

    /// A store of the test's own, unsigned.
    pub(crate) fn store(store: Arc<dyn Store>) -> Self {
        Self::start(Endpoint::unsigned(store), server::Settings::default())
    }

    /// Any endpoint, with any bounds.
    pub(crate) fn start(endpoint: Endpoint, settings: server::Settings) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime starts");
            runtime.block_on(async move {
                let listener =
                    tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
                tell.send(listener.local_addr().expect("it has an address")).expect("the test waits for it");
                let stop = async {
                    let _ = stopped.await;
                };
                server::serve(listener, endpoint, settings, stop).await;
            });
        });
        let address = told.recv().expect("the server starts");
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn connect(&self) -> Talk {
        Talk::to(self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Tells the server to stop, and goes on at once.
    pub(crate) fn begin_stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server has stopped.
    pub(crate) fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ends without a panic");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.begin_stop();
        if !std::thread::panicking() {
            self.wait();
        }
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Checks status, exception and words of a refusal, and that it has the headers every answer has.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, exception: &str, words: &str) {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        let body = self.json();
        let kind = body["__type"].as_str().expect("a refusal names its exception");
        assert_eq!(kind.rsplit('#').next(), Some(exception), "{body}");
        let message = body["message"].as_str().or(body["Message"].as_str()).unwrap_or_default();
        assert!(message.contains(words), "{message:?} does not say {words:?}");
        self.has_headers();
    }

    #[track_caller]
    pub(crate) fn has_headers(&self) {
        assert_eq!(self.header("content-type"), Some("application/x-amz-json-1.0"));
        assert_eq!(self.header("x-amzn-requestid").map(str::len), Some(26));
        assert_eq!(self.header("x-amz-crc32"), Some(crc32fast::hash(&self.body).to_string().as_str()));
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Talk {
    stream: BufReader<TcpStream>,
}

impl Talk {
    fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("the socket takes options");
        stream.set_read_timeout(Some(PATIENCE)).expect("the socket takes options");
        stream.set_write_timeout(Some(PATIENCE)).expect("the socket takes options");
        Self { stream: BufReader::new(stream) }
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Whether nothing arrives for a while.
    pub(crate) fn is_silent_for(&mut self, span: Duration) -> bool {
        let stream = self.stream.get_mut();
        stream.set_read_timeout(Some(span)).expect("the socket takes options");
        let silent = matches!(stream.peek(&mut [0]), Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
        stream.set_read_timeout(Some(PATIENCE)).expect("the socket takes options");
        silent
    }

    /// Ends the sending side.
    pub(crate) fn end(&mut self) {
        self.stream.get_mut().shutdown(std::net::Shutdown::Write).expect("the socket is open");
    }

    /// The next reply, or `None` if the server has closed the connection.
    pub(crate) fn reply(&mut self) -> Option<Reply> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("the server neither answers nor closes the connection")
            }
            // A connection that is reset is closed too.
            Err(_) => return None,
        }
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line");
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).expect("a head is complete");
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut reply = Reply { status, headers, body: Vec::new() };
        let length = reply.header("content-length").map_or(0, |text| text.parse().expect("a length"));
        reply.body = vec![0; length];
        self.stream.read_exact(&mut reply.body).expect("a body is complete");
        Some(reply)
    }

    /// Sends an operation and gives the reply.
    pub(crate) fn ask(&mut self, operation: &str, body: &[u8]) -> Reply {
        self.send(&request(operation, body)).expect("the server reads");
        self.reply().expect("the server answers")
    }

    /// Sends an operation that must be done.
    #[track_caller]
    pub(crate) fn done(&mut self, operation: &str, body: &Json) -> Json {
        let reply = self.ask(operation, body.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        reply.has_headers();
        reply.json()
    }

    /// Makes a table `pages` with the key `pk`.
    pub(crate) fn make_table(&mut self) {
        self.done(
            "CreateTable",
            &json!({
                "TableName": "pages",
                "AttributeDefinitions": [{ "AttributeName": "pk", "AttributeType": "S" }],
                "KeySchema": [{ "AttributeName": "pk", "KeyType": "HASH" }],
                "BillingMode": "PAY_PER_REQUEST",
            }),
        );
    }

    /// How many items there are in `pages`.
    pub(crate) fn count(&mut self) -> u64 {
        let answer = self.done("Scan", &json!({ "TableName": "pages", "Select": "COUNT" }));
        answer["Count"].as_u64().expect("a count")
    }
}

/// A whole request.
pub(crate) fn request(operation: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = head(operation, &format!("Content-Length: {}\r\n", body.len())).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A head with these headers besides those it always has.
pub(crate) fn head(operation: &str, headers: &str) -> String {
    format!(
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
         Content-Type: application/x-amz-json-1.0\r\n{headers}\r\n"
    )
}
