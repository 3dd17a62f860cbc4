//! `Cache-Status` (RFC 9211) and `x-facetheory-isr`: how an answer came about, for whoever asks why.

use facetheory::State;
use facetheory::render::Refusal;
use http::header::{HeaderName, HeaderValue};
use tabletheory_core::Seconds;

pub(super) const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");
pub(super) const ISR: HeaderName = HeaderName::from_static("x-facetheory-isr");

pub(super) const PREVIEWED: HeaderValue = HeaderValue::from_static("theory; fwd=bypass; detail=preview");

/// What an answer of the cache says. `fresh_for` is negative for one whose time is over.
pub(super) fn of(state: State, fresh_for: Seconds) -> HeaderValue {
    // A page that was purged is stale before its time is over.
    let ttl =
        if matches!(state, State::Stale | State::StaleError) { fresh_for.0.min(0) } else { fresh_for.0 };
    let text = match state {
        State::Hit => format!("theory; hit; ttl={ttl}"),
        State::Stale => format!("theory; hit; ttl={ttl}; detail=stale"),
        State::StaleError => format!("theory; fwd=stale; ttl={ttl}; detail=stale-if-error"),
        State::Miss => return HeaderValue::from_static("theory; fwd=miss; stored"),
        State::WaitHit => return HeaderValue::from_static("theory; fwd=miss; collapsed"),
        State::Uncached => return HeaderValue::from_static("theory; fwd=miss"),
    };
    HeaderValue::try_from(text).expect("letters and digits are a header's value")
}

/// What an answer says that was not kept, and why.
pub(super) fn not_kept(why: Option<Refusal>) -> HeaderValue {
    let Some(why) = why else { return of(State::Uncached, Seconds(0)) };
    HeaderValue::try_from(format!("theory; fwd=miss; detail={}", why.as_str()))
        .expect("the names of refusals are a header's value")
}

pub(super) fn state(state: State) -> HeaderValue {
    HeaderValue::from_static(state.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_words() {
        for state in State::ALL {
            let text = of(state, Seconds(-5));
            let text = text.to_str().unwrap();
            assert!(text.starts_with("theory; "), "{text}");
            assert!(text.contains("hit") != text.contains("fwd="), "{text}: either a hit, or forwarded");
        }
        assert_eq!(of(State::Hit, Seconds(59)), "theory; hit; ttl=59");
        assert_eq!(of(State::Stale, Seconds(59)), "theory; hit; ttl=0; detail=stale", "it was purged");
        assert_eq!(not_kept(Some(Refusal::SetCookie)), "theory; fwd=miss; detail=set-cookie");
        assert_eq!(state(State::WaitHit), "wait-hit");
    }
}
