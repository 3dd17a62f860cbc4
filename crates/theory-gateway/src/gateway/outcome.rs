//! What became of a request, read from its answer: the routes say it to clients, and so to us.

use http::{HeaderName, Response, StatusCode};

use crate::telemetry::Outcome;

const ISR: HeaderName = HeaderName::from_static("x-facetheory-isr");
const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// What became of a request.
pub(super) fn of<B>(response: &Response<B>) -> Outcome {
    let (status, headers) = (response.status(), response.headers());
    if let Some(state) = headers.get(&ISR) {
        return page(state.as_bytes()).unwrap_or(Outcome::Uncached);
    }
    if headers.contains_key(&REPLAYED) {
        return Outcome::Replayed;
    }
    // Ours is the last that was added: caches further in said theirs before.
    let ours = headers.get_all(&CACHE_STATUS).iter().next_back().and_then(|status| status.to_str().ok());
    match ours.and_then(|status| status.strip_prefix("theory")) {
        Some(said) if said.starts_with("; hit") => Outcome::Hit,
        Some(said) if said.contains("fwd=bypass") => Outcome::Passed,
        Some(said) if said.contains("; stored") => Outcome::Miss,
        Some(_) => Outcome::Uncached,
        None if status == StatusCode::TOO_MANY_REQUESTS => Outcome::Limited,
        None if status.is_server_error() => Outcome::Failed,
        None => Outcome::Refused,
    }
}

fn page(state: &[u8]) -> Option<Outcome> {
    let state = facetheory::State::ALL.into_iter().find(|known| known.as_str().as_bytes() == state)?;
    Some(Outcome::from(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, headers: &[(&str, &str)], expected: Outcome) {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        assert_eq!(of(&response.body(()).unwrap()), expected, "{status} {headers:?}");
    }

    #[test]
    fn answers_say_what_became_of_a_request() {
        check(200, &[("x-facetheory-isr", "hit"), ("cache-status", "theory; hit")], Outcome::Hit);
        check(200, &[("x-facetheory-isr", "stale-error")], Outcome::StaleError);
        check(200, &[("x-facetheory-isr", "no such state")], Outcome::Uncached);
        check(200, &[("cache-status", "theory; hit; ttl=3")], Outcome::Hit);
        check(200, &[("cache-status", "theory; fwd=miss; stored")], Outcome::Miss);
        check(200, &[("cache-status", "theory; fwd=miss")], Outcome::Uncached);
        check(
            200,
            &[("cache-status", "other; hit"), ("cache-status", "theory; fwd=bypass")],
            Outcome::Passed,
        );
        check(201, &[("idempotent-replayed", "true")], Outcome::Replayed);
        check(429, &[], Outcome::Limited);
        check(502, &[], Outcome::Failed);
        check(400, &[], Outcome::Refused);
    }
}
