//! The term of a lease: whole seconds, as rows say it, and at least one.

use std::time::Duration;

use tabletheory_core::{Clock, Seconds};

use crate::tenure::Tenure;

/// A term that begins now.
pub(super) fn begin(clock: &dyn Clock, term: Seconds) -> Tenure {
    let term = Duration::from_secs(u64::try_from(term.0).unwrap_or(0).max(1));
    Tenure::begin(clock, term).in_whole_seconds()
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{ManualClock, Timestamp};

    use super::*;

    fn check(now_ms: i64, term: i64, ends_at: i64) {
        let tenure = begin(&ManualClock::at(Timestamp::from_millis(now_ms)), Seconds(term));
        assert_eq!(tenure.ends_at, Timestamp::from_seconds(ends_at), "{now_ms} + {term}");
    }

    #[test]
    fn the_end_is_rounded_up_and_never_born_expired() {
        check(100_000, 30, 130);
        check(100_001, 30, 131);
        check(100_999, 30, 131);
        check(100_999, 1, 102);
        check(100_000, 0, 101);
        check(100_000, -5, 101);
        check(100_000, i64::MAX, 100 + 10 * 365 * 86_400);
        check(-1_500, 1, 0);
    }
}
