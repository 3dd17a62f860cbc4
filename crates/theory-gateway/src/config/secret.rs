//! Secrets at the top of the file: what previews are seen with, and what names of callers are hashed with.

use serde_json::Value;

use super::admin::{REDACTED, secret};
use super::section::{Found, Section};
use super::source::Source;
use crate::settings::Secret;

/// What names of callers are hashed with where nothing is said: the same everywhere, so that a fleet agrees.
const CALLERS: &str = "theory/callers/1";

/// What operators show to see pages past the cache.
pub(super) fn preview(top: &Section<'_>) -> Option<Secret> {
    read(top, "preview")
}

/// What secrets of callers are hashed with before they are names.
pub(super) fn callers(top: &Section<'_>) -> Secret {
    if top.find("caller_secret").is_none() {
        top.explain("caller_secret", Value::from("the same for all"), Source::Default);
    }
    read(top, "caller_secret").unwrap_or_else(|| Secret::new(CALLERS))
}

fn read(top: &Section<'_>, key: &'static str) -> Option<Secret> {
    let Found { raw, source } = top.find(key)?;
    match raw.text().ok_or("write a text in quotes").and_then(secret) {
        Ok(secret) => {
            top.explain(key, Value::from(REDACTED), source);
            Some(secret)
        }
        Err(advice) => {
            top.refuse(key, format!("cannot be what it is: {advice}"));
            None
        }
    }
}
