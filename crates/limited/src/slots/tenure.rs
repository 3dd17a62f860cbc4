//! How long a slot can be held, and what of that a row may say.

use std::time::Duration;

use tabletheory_core::Timestamp;

use crate::state::SKEW_MAX_MS;

/// No term is longer. A slot that says otherwise was written by a wrong clock.
pub(super) const TERM_MAX: Duration = Duration::from_secs(3_600);
pub(super) const TERM_MIN: Duration = Duration::from_millis(100);

/// Until when a slot can be held at most, if the clock that says `now` is right, or at most a minute behind that of the holder.
pub(super) fn horizon_ms(now: Timestamp) -> i64 {
    let term_ms = i64::try_from(TERM_MAX.as_millis()).unwrap_or(i64::MAX);
    now.millis().saturating_add(term_ms).saturating_add(SKEW_MAX_MS)
}

/// How long it is until `moment_ms`, and nothing if it has passed.
pub(super) fn span_until(moment_ms: i64, now: Timestamp) -> Duration {
    Timestamp::from_millis(moment_ms).saturating_since(now)
}
