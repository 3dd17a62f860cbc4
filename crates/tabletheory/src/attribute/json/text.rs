//! JSON as a compact text, with the members of objects in the order of their names: equal values have equal texts. Numbers
//! are written with all their digits.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use tabletheory_core::Value;

use crate::attribute::{AttributeError, Fault};

/// The text of a value that [`write`](super::write::write) made.
pub(super) fn write(value: &Value) -> Result<String, AttributeError> {
    let mut text = String::new();
    append(&mut text, value)?;
    Ok(text)
}

fn append(text: &mut String, value: &Value) -> Result<(), AttributeError> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::N(number) => text.push_str(&number.to_string()),
        Value::S(string) => text.push_str(&quoted(string)),
        Value::L(members) => {
            text.push('[');
            for (at, member) in members.iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                append(text, member)?;
            }
            text.push(']');
        }
        Value::M(members) => {
            text.push('{');
            let sorted: BTreeMap<&str, &Value> = members.iter().collect();
            for (at, (name, member)) in sorted.into_iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                text.push_str(&quoted(name));
                text.push(':');
                append(text, member)?;
            }
            text.push('}');
        }
        Value::B(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => return Err(Fault::NotJson.into()),
    }
    Ok(())
}

fn quoted(string: &str) -> String {
    serde_json::Value::from(string).to_string()
}

/// Whether a text is an object, an array or a quoted text.
pub(super) fn looks_like_json(text: &str) -> bool {
    text.starts_with(['{', '[', '"']) && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
