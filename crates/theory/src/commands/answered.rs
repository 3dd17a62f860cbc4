//! The answer to a command, for people or for programs.

use serde_json::Value;

use crate::output::{paper, record};

/// Prints an answer: JSON as it came, or names and values below each other.
pub(crate) fn told(answer: &Value, is_json: bool) -> anyhow::Result<()> {
    match answer {
        _ if is_json => paper::line(answer),
        Value::Object(members) => record::print(members),
        Value::Null => paper::line("done"),
        other => paper::line(other),
    }
}
