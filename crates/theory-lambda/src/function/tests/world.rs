//! A process whose invocations are made by hand, and what they are made with.

use std::sync::Arc;

use lambda_runtime::{Context, Diagnostic};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tabletheory_core::{Clock, ManualClock, Timestamp};

use crate::function::Function;
use crate::process::Process;

/// Invocations that begin now and have three seconds.
pub(super) struct World {
    pub(super) process: Process,
    pub(super) clock: Arc<ManualClock>,
}

impl World {
    pub(super) fn new() -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_800_000_000)));
        Self { process: Process::new("tested").with_clock(Arc::clone(&clock) as _), clock }
    }

    pub(super) async fn invoke(&self, function: &Function, payload: Value) -> Result<Value, Diagnostic> {
        let mut context = Context::default();
        context.request_id = "r-1".to_owned();
        context.deadline = u64::try_from(self.clock.now().millis()).unwrap() + 3_000;
        let payload = RawValue::from_string(payload.to_string()).unwrap();
        // What was counted is looked at by the test, and not printed.
        let bounds = self.process.time().begin(
            Timestamp::from_millis(i64::try_from(context.deadline).unwrap()),
            self.process.buffer(),
            self.process.clock(),
        );
        let answer = function.answer(&self.process, &payload, &context, bounds).await;
        self.process.time().end();
        answer.map(|answer| serde_json::from_str(answer.get()).unwrap())
    }

    pub(super) fn told(&self) -> Value {
        let line = self.process.figures().line("tested", "r-1", self.clock.now());
        line.map_or(Value::Null, |line| serde_json::from_str(&line).unwrap())
    }
}

pub(super) fn request(method: &str, path: &str) -> Value {
    json!({
        "version": "2.0", "rawPath": path, "rawQueryString": "",
        "headers": { "host": "site.example", "idempotency-key": "k-1" },
        "requestContext": { "stage": "$default", "http": { "method": method, "path": path, "sourceIp": "203.0.113.7" } },
        "body": "{}", "isBase64Encoded": false,
    })
}

pub(super) fn page(path: &str) -> Value {
    let mut event = request("GET", path);
    event["body"] = Value::Null;
    event
}
