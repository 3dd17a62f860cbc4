//! A server that answers as it is told to, and remembers what it was asked. It ends with its value.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

/// A client that says nothing is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// What was asked.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) token: Option<String>,
    pub(super) body: Value,
}

/// What is answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
}

impl Answer {
    /// Success.
    pub(super) fn json(body: &Value) -> Self {
        Self { status: 200, kind: "application/json", body: body.to_string().into_bytes() }
    }

    /// A refusal as gateways tell it.
    pub(super) fn problem(status: u16, detail: &str) -> Self {
        let body = serde_json::json!({ "title": "refused", "status": status, "detail": detail });
        Self { status, kind: "application/problem+json", body: body.to_string().into_bytes() }
    }
}

/// The server.
#[derive(Debug)]
pub(super) struct StandIn {
    pub(super) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StandIn {
    /// A server that wants the token and then answers like this.
    pub(super) fn new(answer: impl Fn(&Asked) -> Answer + Send + 'static) -> Self {
        Self::open(move |asked| match asked.token.as_deref() {
            Some(super::TOKEN) => answer(asked),
            _ => Answer::problem(401, "the token is wrong"),
        })
    }

    /// A server that always gives this answer.
    pub(super) fn always(body: Value) -> Self {
        Self::new(move |_| Answer::json(&body))
    }

    /// A server that wants no token.
    pub(super) fn open(answer: impl Fn(&Asked) -> Answer + Send + 'static) -> Self {
        Self::raw(move |asked| {
            let Answer { status, kind, body } = answer(asked);
            let head = format!(
                "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            [head.into_bytes(), body].concat()
        })
    }

    /// A server that answers with these bytes, HTTP or not.
    pub(super) fn raw(answer: impl Fn(&Asked) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("the socket has an address"));
        let (asked, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (heard, over) = (Arc::clone(&asked), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                if let Some(request) = read(&client) {
                    let bytes = answer(&request);
                    heard.lock().expect("nobody panics with it").push(request);
                    // The client may have left; that is its business.
                    let _ = (&client).write_all(&bytes);
                }
            }
        });
        Self { address, asked, is_over, thread: Some(thread) }
    }

    /// What was asked until now.
    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("nobody panics with it").clone()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(client: &TcpStream) -> Option<Asked> {
    client.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut reader = BufReader::new(client);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut token, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => token = value.trim().strip_prefix("Bearer ").map(str::to_owned),
            "content-length" => length = value.trim().parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Some(Asked { method, target, token, body })
}
