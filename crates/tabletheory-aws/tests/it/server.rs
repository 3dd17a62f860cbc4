//! A server on this machine that answers requests by a script, well or badly, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long a request may be on its way before a test calls it lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the server does with one request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Answers with this status and body.
    Status(u16, String),
    /// Closes the connection without a word.
    Close,
    /// Promises more than it sends, then closes the connection.
    Half,
    /// Says nothing, and keeps the connection.
    Silence,
}

impl Answer {
    /// Success, with this body.
    pub(crate) fn ok(body: &str) -> Self {
        Self::Status(200, body.to_owned())
    }

    /// A refusal by the service.
    pub(crate) fn refusal(status: u16, code: &str, message: &str) -> Self {
        let kind = format!("com.amazonaws.dynamodb.v20120810#{code}");
        Self::Status(status, format!(r#"{{"__type":"{kind}","message":"{message}"}}"#))
    }
}

/// A running server. It stops with the test's process.
#[derive(Debug)]
pub(crate) struct Server {
    endpoint_url: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers the first request with the first of `script` and so on; the last answer is given for ever.
    pub(crate) fn start(script: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&bodies);
        std::thread::spawn(move || {
            let mut script = script.into_iter().peekable();
            let mut kept = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                let Ok(body) = read(&stream) else { continue };
                seen.lock().expect("no test panics while it looks").push(body);
                let answer = script.next().expect("a script has an answer");
                if script.peek().is_none() {
                    script = vec![answer.clone()].into_iter().peekable();
                }
                kept.extend(perform(answer, stream));
            }
        });
        Self { endpoint_url: format!("http://{address}"), bodies }
    }

    /// Where it listens.
    pub(crate) fn endpoint_url(&self) -> &str {
        &self.endpoint_url
    }

    /// The bodies of the requests so far.
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.bodies.lock().expect("the server does not panic while it writes").clone()
    }

    /// How many requests came.
    pub(crate) fn count(&self) -> usize {
        self.bodies().len()
    }

    /// How many requests came, once these are among them: a client that does not wait for an answer may be ahead of the
    /// server.
    pub(crate) async fn count_from(&self, expected: usize) -> usize {
        let step = Duration::from_millis(10);
        for _ in 0..PATIENCE.as_millis() / step.as_millis() {
            if self.count() >= expected {
                break;
            }
            tokio::time::sleep(step).await;
        }
        self.count()
    }
}

/// An endpoint that nobody listens at.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    format!("http://{}", listener.local_addr().expect("a bound socket has an address"))
}

/// The body of one request.
fn read(stream: &TcpStream) -> std::io::Result<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    String::from_utf8(body).map_err(std::io::Error::other)
}

/// Gives the answer, and the connection back if it is to stay open.
fn perform(answer: Answer, mut stream: TcpStream) -> Option<TcpStream> {
    let (status, body, length) = match answer {
        Answer::Close => return None,
        Answer::Silence => return Some(stream),
        Answer::Half => (200, "{".to_owned(), 100),
        Answer::Status(status, body) => (status, body.clone(), body.len()),
    };
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    );
    // The client may have gone; then nobody misses the answer.
    let _ = stream.write_all((head + &body).as_bytes());
    None
}
