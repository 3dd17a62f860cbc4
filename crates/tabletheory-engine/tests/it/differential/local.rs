//! AWS's DynamoDB Local as a child process, and the smallest HTTP client that can talk to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::answer::Answer;

/// The environment variable with the folder of the jar; `cargo xtask test` sets it.
const FOLDER: &str = "THEORY_DYNAMODB_LOCAL";
const SKIP: &str = "THEORY_SKIP_DYNAMODB_LOCAL";

/// The folder of the jar, or `None` if the differential test is not wanted on this machine.
///
/// # Panics
/// If nobody said where the jar is, nor that it shall be skipped: a test that is silently absent proves nothing.
pub(super) fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return Some(PathBuf::from(folder));
    }
    assert!(
        std::env::var_os(SKIP).is_some_and(|value| value == "1"),
        "{FOLDER} is not set: run `cargo xtask test`, which installs AWS's DynamoDB Local and sets it, or set {SKIP}=1 \
         to do without the differential test"
    );
    None
}

/// A running DynamoDB Local. It ends with this value, also when a test fails.
#[derive(Debug)]
pub(super) struct Local {
    // Held for its end.
    _process: Process,
    connection: BufReader<TcpStream>,
    port: u16,
}

impl Local {
    /// Starts the jar in `folder` on a free port and waits until it answers.
    pub(super) fn start(folder: &Path) -> Self {
        // The port is free now; nobody else is asked to take it in the moment until the jar does.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.expect("there is a free port").port();
        let mut process = Process::start(folder, port);
        let connection = process.connect(port);
        let mut local = Self { _process: process, connection, port };
        let tables = local.call("ListTables", &json!({}));
        assert_eq!(tables, Answer::Done(json!({"TableNames": []})), "DynamoDB Local starts empty");
        local
    }

    /// Performs one operation.
    pub(super) fn call(&mut self, operation: &str, body: &Json) -> Answer {
        let (status, answer) = self.post(operation, &body.to_string()).expect("DynamoDB Local answers");
        Answer::read(status, answer)
    }

    fn post(&mut self, operation: &str, body: &str) -> std::io::Result<(u16, Json)> {
        let head = format!(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
             Authorization: AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, \
             SignedHeaders=host, Signature=x\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        // One write, so that the request does not wait for the acknowledgement of its own head.
        self.connection.get_mut().write_all((head + body).as_bytes())?;
        let mut status = None;
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.connection.read_line(&mut line)?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if status.is_none() {
                status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
            } else if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length is a number");
            }
        }
        let mut answer = vec![0; length];
        self.connection.read_exact(&mut answer)?;
        let status = status.ok_or(std::io::ErrorKind::UnexpectedEof)?;
        Ok((status, serde_json::from_slice(&answer)?))
    }
}

/// The Java process. It is ended with this value.
#[derive(Debug)]
struct Process(Child);

impl Process {
    fn start(folder: &Path, port: u16) -> Self {
        let java = Command::new("java")
            .current_dir(folder)
            .arg(format!("-Djava.library.path={}", folder.join("DynamoDBLocal_lib").display()))
            .args(["-Xmx512m", "-jar", "DynamoDBLocal.jar", "-inMemory", "-port", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(java.unwrap_or_else(|error| panic!("java does not start in {}: {error}", folder.display())))
    }

    fn connect(&mut self, port: u16) -> BufReader<TcpStream> {
        const PATIENCE: u32 = 1200;
        for _ in 0..PATIENCE {
            if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
                stream.set_nodelay(true).expect("the socket takes options");
                stream.set_read_timeout(Some(Duration::from_secs(120))).expect("the socket takes options");
                return BufReader::new(stream);
            }
            let ended = self.0.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "DynamoDB Local ended at once: {ended:?}");
            #[expect(clippy::disallowed_methods, reason = "a Java process needs real time to start")]
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("DynamoDB Local does not answer on port {port}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
