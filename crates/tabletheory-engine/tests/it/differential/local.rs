//! AWS's DynamoDB Local, and the smallest HTTP client that can talk to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tabletheory_core::store::contract::DynamoDbLocal;

use super::answer::Answer;

/// A running DynamoDB Local and a connection to it. It ends with this value, also when a test fails.
#[derive(Debug)]
pub(super) struct Local {
    process: DynamoDbLocal,
    connection: BufReader<TcpStream>,
}

impl Local {
    /// Starts the jar in `folder` and waits until it answers.
    pub(super) fn start(folder: &Path) -> Self {
        let process = DynamoDbLocal::start(folder);
        let stream = TcpStream::connect(("127.0.0.1", process.port())).expect("it listens");
        stream.set_nodelay(true).expect("the socket takes options");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("the socket takes options");
        let mut local = Self { process, connection: BufReader::new(stream) };
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
            self.process.port(),
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
