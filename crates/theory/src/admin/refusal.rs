//! What an answer that is no success means, and what to do about it, in one sentence.

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use super::place::{Place, TOKEN, Token};
use crate::http::Silence;
use crate::output::amount;

/// How much of an answer that nobody understands is told.
const TOLD_CHARACTERS_MAX: usize = 200;

/// Nobody answered.
pub(super) fn silence(place: &Place, silence: Silence) -> anyhow::Error {
    let admin = &place.admin;
    match silence {
        Silence::NoConnection(reason) => anyhow::anyhow!(
            "no gateway at {admin} ({reason}); start one with `theory serve`, or give --admin URL"
        ),
        Silence::Slow(waited) => slow(place, waited),
        Silence::Broken(reason) => anyhow::anyhow!(
            "what listens at {admin} is no gateway, or broke off ({reason}); the address of the admin listener goes into --admin"
        ),
    }
}

/// The answer took too long.
pub(super) fn slow(place: &Place, waited: Duration) -> anyhow::Error {
    anyhow::anyhow!(
        "{} did not answer within {}; it may be busy: try again, or wait longer with --timeout SECONDS",
        place.admin,
        amount::span(waited.as_secs())
    )
}

/// The answer is a refusal.
pub(super) fn refused(
    place: &Place,
    token: Option<&Token>,
    what: &str,
    status: StatusCode,
    is_problem: bool,
    body: &[u8],
) -> anyhow::Error {
    let admin = &place.admin;
    let detail = problem(body);
    match (status, token) {
        (StatusCode::UNAUTHORIZED, Some(token)) => anyhow::anyhow!(
            "the gateway at {admin} does not accept the token from {}; give its own with --token-file FILE or {TOKEN}",
            token.found
        ),
        (StatusCode::UNAUTHORIZED, None) => anyhow::anyhow!(
            "the gateway at {admin} wants a token, and there is none in {}; give it with --token-file FILE or {TOKEN}, or the \
             gateway's folder with --data DIR",
            place.left().display()
        ),
        _ if is_problem => anyhow::anyhow!("{}", detail.unwrap_or_else(|| format!("refused with {status}"))),
        (StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED, _) => anyhow::anyhow!(
            "what listens at {admin} does not know {what} ({status}): it is no gateway's admin listener, or one of another version; \
             give the right address with --admin URL"
        ),
        _ => anyhow::anyhow!("{admin} refuses {what} with {status}: {}", excerpt(body)),
    }
}

/// The answer is a success, and not what a gateway answers.
pub(super) fn strange(place: &Place, what: &str, why: &str, body: &[u8]) -> anyhow::Error {
    anyhow::anyhow!(
        "{} answers {what} not as a gateway does ({why}): {}; give the address of the admin listener with --admin URL",
        place.admin,
        excerpt(body)
    )
}

/// The sentence of a problem document.
fn problem(body: &[u8]) -> Option<String> {
    let problem: Value = serde_json::from_slice(body).ok()?;
    let text = ["detail", "title"].into_iter().find_map(|name| problem.get(name).and_then(Value::as_str))?;
    Some(crate::output::shown::shown(text))
}

/// The beginning of an answer.
fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("an empty answer");
    let cut: String = line.chars().take(TOLD_CHARACTERS_MAX).collect();
    crate::output::shown::shown(&cut)
}
