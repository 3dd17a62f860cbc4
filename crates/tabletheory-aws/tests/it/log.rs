//! What `Config::debug` logs: every request with its names and its outcome, and nothing of what it holds.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use tabletheory_aws::{Config, Credentials, DynamoDb, Kms, KmsConfig};
use tabletheory_core::keys::{KeyContext, KeyProvider};
use tabletheory_core::{Request, Store};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::client::config;
use crate::requests::{self, CANARY};
use crate::server::{Answer, Server};

/// Keeps every line down to the debug level, of this crate and of the SDK.
#[derive(Debug, Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").expect("text can be written");
    }
}

impl Lines {
    fn keep(&self, target: &str, record: impl FnOnce(&mut Line)) {
        let mut line = Line(target.to_owned());
        record(&mut line);
        self.0.lock().expect("nobody panics here").push(line.0);
    }

    /// The lines of this crate, and all lines.
    fn take(&self) -> (Vec<String>, Vec<String>) {
        let all = std::mem::take(&mut *self.0.lock().expect("nobody panics here"));
        (all.iter().filter(|line| line.starts_with("tabletheory_aws ")).cloned().collect(), all)
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::DEBUG
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.keep("span", |line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, values: &Record<'_>) {
        self.keep("span", |line| values.record(line));
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.keep(event.metadata().target(), |line| event.record(line));
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}

/// Performs every operation and returns the lines that were logged.
async fn perform_all(server: &Server, debug: bool) {
    let mut credentials = Credentials::new("id", format!("{CANARY}-key"));
    credentials.session_token = Some(format!("{CANARY}-token"));
    let config = Config { debug, credentials: Some(credentials), ..config(server.endpoint_url()) };
    let store = DynamoDb::connect(config).await.expect("the configuration is complete");
    for request in requests::every() {
        // Whether the empty answer is enough for the operation is not the question here.
        let _ = store.call(request).await;
    }
}

fn lines_of(script: Vec<Answer>, debug: bool) -> (Vec<String>, Vec<String>) {
    let server = Server::start(script);
    let lines = logged_by(perform_all(&server, debug));
    assert!(server.bodies().iter().any(|body| body.contains(CANARY)), "the canaries were sent");
    lines
}

/// The lines of this crate, and all lines, that come while the work is done.
fn logged_by(work: impl Future<Output = ()>) -> (Vec<String>, Vec<String>) {
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), || {
        // On this thread, where the lines are kept.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime starts").block_on(work);
    });
    lines.take()
}

#[test]
fn every_request_is_logged_without_its_values() {
    let (ours, all) = lines_of(vec![Answer::ok("{}")], true);
    assert_eq!(ours.len(), Request::NAMES.len(), "{ours:#?}");
    for (line, name) in ours.iter().zip(Request::NAMES) {
        assert!(line.contains(&format!("operation=\"{name}\"")), "{line}");
        assert!(line.contains("attempts=") && line.contains("elapsed_ms="), "{line}");
    }
    assert!(all.iter().all(|line| !line.contains(CANARY)), "{all:#?}");
}

#[test]
fn a_line_tells_tables_attributes_outcome_and_attempts() {
    let (ours, _) = lines_of(vec![Answer::refusal(400, "ThrottlingException", CANARY)], true);
    let line = ours.iter().find(|line| line.contains("\"UpdateItem\"")).expect("updates are logged");
    let expected = "operation=\"UpdateItem\" tables={\"Pages\"} attributes={\"changed\", \"guard\", \"pk\", \"seen\"} \
                    outcome=\"ThrottlingException\" attempts=3";
    assert!(line.contains(expected), "{line}");
    let statement =
        ours.iter().find(|line| line.contains("\"ExecuteStatement\"")).expect("statements are logged");
    assert!(statement.contains("tables={\"Pages\"} attributes={}"), "{statement}");
}

#[test]
fn a_refusal_that_quotes_a_value_is_logged_by_its_code() {
    let (ours, all) = lines_of(vec![Answer::refusal(400, "ValidationException", CANARY)], true);
    assert!(ours.iter().all(|line| line.contains("outcome=\"ValidationException\"")), "{ours:#?}");
    assert!(ours.iter().all(|line| !line.contains(CANARY)), "{all:#?}");
}

#[test]
fn nothing_is_logged_unless_asked_for() {
    let (ours, _) = lines_of(vec![Answer::ok("{}")], false);
    assert!(ours.is_empty(), "{ours:#?}");
}

#[test]
fn requests_for_keys_are_logged_without_the_keys() {
    let answer = r#"{"Plaintext":"x8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8c=","CiphertextBlob":"yMjI"}"#;
    let refusal = Answer::refusal(400, "AccessDeniedException", CANARY);
    let server = Server::start(vec![Answer::ok(answer), Answer::ok(answer), refusal]);
    let (ours, all) = logged_by(async {
        let connection = Config { debug: true, ..config(server.endpoint_url()) };
        let keys = Kms::connect(KmsConfig { connection, ..KmsConfig::new("alias/app") }).await;
        let keys = keys.expect("the configuration is complete");
        let context = KeyContext { model: "Page", attribute: "secret" };
        keys.generate(context).await.expect("there is a key");
        keys.decrypt(&[0xC8; 3], context).await.expect("there is a key");
        keys.decrypt(&[0xC8; 3], context).await.expect_err("access is denied");
    });
    let expected = [("GenerateDataKey", "ok"), ("Decrypt", "ok"), ("Decrypt", "refused")];
    assert_eq!(ours.len(), expected.len(), "{ours:#?}");
    for (line, (operation, outcome)) in ours.iter().zip(expected) {
        let expected = format!(
            "operation=\"{operation}\" key=\"alias/app\" model=\"Page\" attribute=\"secret\" outcome=\"{outcome}\" attempts=1"
        );
        assert!(line.contains(&expected), "{line}");
    }
    assert!(ours.iter().all(|line| !line.contains(CANARY)), "{ours:#?}");
    for secret in ["199, 199", "x8fH", "c7c7", "200, 200", "yMjI", "c8c8"] {
        assert!(all.iter().all(|line| !line.contains(secret)), "{secret}: {all:#?}");
    }
}
