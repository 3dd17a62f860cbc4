//! An SQS on loopback: moto's, started by the Python that `cargo xtask test` installs.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::Credentials;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::Message;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

const PYTHON: &str = "THEORY_PYTHON";
const SKIP: &str = "THEORY_SKIP_CLIENTS";
const PATIENCE: Duration = Duration::from_secs(60);
const SCRIPT: &str = "../../crates/tabletheory-aws/tests/clients/service.py";

/// Runs until it is dropped.
pub(crate) struct Sqs {
    pub(crate) endpoint: String,
    client: Client,
    // The service ends with it.
    _process: Child,
}

impl Sqs {
    /// It, or `None` if its tests are not wanted on this machine.
    ///
    /// # Panics
    /// If nobody said where Python is, nor that it shall be skipped: a test that is silently absent proves nothing.
    pub(crate) async fn start() -> Option<Self> {
        if std::env::var_os(SKIP).is_some_and(|value| value == "1") {
            eprintln!("SKIPPED: {SKIP}=1, so the queue does not meet an SQS");
            return None;
        }
        let Some(python) = std::env::var_os(PYTHON) else {
            panic!(
                "{PYTHON} is not set: run `cargo xtask test`, which installs moto and sets it, or set {SKIP}=1 to do without the \
                 tests with an SQS"
            );
        };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCRIPT);
        let mut process = Command::new(python)
            .arg(script)
            .env_clear()
            .envs([("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONUTF8", "1"), ("PATH", "/usr/bin:/bin")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("Python starts");
        let mut lines = BufReader::new(process.stdout.take().expect("its output is piped")).lines();
        let line = timeout(PATIENCE, lines.next_line()).await.expect("it names its address in time");
        let endpoint = line.expect("its output can be read").expect("it does not end at once");
        let config = aws_config::defaults(BehaviorVersion::latest())
            .endpoint_url(&endpoint)
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("local", "local", None, None, "test"))
            .load()
            .await;
        Some(Self { endpoint, client: Client::new(&config), _process: process })
    }

    /// A new queue's address.
    pub(crate) async fn create(&self, name: &str) -> String {
        let mut create = self.client.create_queue().queue_name(name);
        if name.ends_with(".fifo") {
            create = create.attributes(aws_sdk_sqs::types::QueueAttributeName::FifoQueue, "true");
        }
        create.send().await.unwrap().queue_url.expect("it has an address")
    }

    /// Messages that wait in a queue, as Lambda takes them.
    pub(crate) async fn receive(&self, queue: &str) -> Vec<Message> {
        let receive = self.client.receive_message().queue_url(queue).max_number_of_messages(10);
        receive.send().await.unwrap().messages.unwrap_or_default()
    }
}

/// The event that Lambda makes of messages.
pub(crate) fn event(messages: &[(&str, &str)]) -> Value {
    let record = |(id, body): &(&str, &str)| json!({ "messageId": id, "body": body, "eventSource": "aws:sqs", "receiptHandle": "r", "awsRegion": "us-east-1" });
    json!({ "Records": messages.iter().map(record).collect::<Vec<_>>() })
}
