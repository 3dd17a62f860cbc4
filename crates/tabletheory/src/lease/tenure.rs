//! How long a lease holds, on two clocks: the wall clock that all holders share, and this process's own, which nobody
//! sets. A lease that one of them says is over is over.

use std::time::Duration;

use tabletheory_core::{Clock, Seconds, Timestamp};
use tokio::time::Instant;

/// A lease without an end would outlive what the row's numbers and the process's clock can say.
const TERM_SECONDS_MAX: i64 = 10 * 365 * 86_400;

/// One term of a lease. Both clocks are read before the store is asked, so the time an answer travels counts against us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tenure {
    pub(super) asked_at: Timestamp,
    since: Instant,
    term: Seconds,
}

impl Tenure {
    /// A term that begins now.
    pub(super) fn begin(clock: &dyn Clock, term: Seconds) -> Self {
        let term = Seconds(term.0.clamp(1, TERM_SECONDS_MAX));
        Self { asked_at: clock.now(), since: Instant::now(), term }
    }

    pub(super) fn term(&self) -> Seconds {
        self.term
    }

    /// When others may take the lease: the end rounded up, since rows say whole seconds.
    pub(super) fn expires_at(&self) -> Timestamp {
        let end = self.asked_at + self.term;
        Timestamp::from_seconds(Timestamp::from_millis(end.millis().saturating_add(999)).seconds())
    }

    /// How long the lease still holds by the clock that says less.
    pub(super) fn time_left(&self, clock: &dyn Clock) -> Duration {
        let by_process = (self.since + self.span()).saturating_duration_since(Instant::now());
        by_process.min(span_until(self.expires_at(), clock))
    }

    /// Whether work under the lease may go on: more than the margin is left.
    pub(super) fn is_safe(&self, clock: &dyn Clock) -> bool {
        self.time_left(clock) > self.margin()
    }

    /// When the process's clock ends the work.
    pub(super) fn safe_until(&self) -> Instant {
        self.since + (self.span() - self.margin())
    }

    /// When to refresh: after a third of the term, so that a second try fits before the margin.
    pub(super) fn heartbeat_at(&self) -> Instant {
        self.since + self.span() / 3
    }

    /// How often to look at the clocks, and to try again after an error.
    pub(super) fn pulse(&self) -> Duration {
        (self.margin() / 2).min(Duration::from_secs(1))
    }

    /// What is kept between the end of the work and the end of the lease, for clocks that differ: a sixth of the term.
    fn margin(&self) -> Duration {
        self.span() / 6
    }

    fn span(&self) -> Duration {
        Duration::from_secs(self.term.0.unsigned_abs())
    }
}

/// How long it is until `moment`, and nothing if it has passed.
pub(super) fn span_until(moment: Timestamp, clock: &dyn Clock) -> Duration {
    let millis = moment.millis().saturating_sub(clock.now().millis());
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use tabletheory_core::ManualClock;

    use super::*;

    fn check(now_ms: i64, term: i64, expires_at: i64) {
        let tenure = Tenure::begin(&ManualClock::at(Timestamp::from_millis(now_ms)), Seconds(term));
        assert_eq!(tenure.expires_at(), Timestamp::from_seconds(expires_at), "{now_ms} + {term}");
    }

    #[test]
    fn the_end_is_rounded_up_and_never_born_expired() {
        check(100_000, 30, 130);
        check(100_001, 30, 131);
        check(100_999, 30, 131);
        check(100_999, 1, 102);
        check(100_000, 0, 101);
        check(100_000, -5, 101);
        check(100_000, i64::MAX, 100 + TERM_SECONDS_MAX);
        check(-1_500, 1, 0);
    }

    #[test]
    fn the_clock_that_says_less_decides() {
        let clock = ManualClock::at(Timestamp::from_seconds(100));
        let tenure = Tenure::begin(&clock, Seconds(60));
        assert!(tenure.is_safe(&clock));
        clock.advance(Seconds(50));
        assert!(!tenure.is_safe(&clock), "a margin of ten seconds is kept");
        assert!(tenure.time_left(&clock) > Duration::from_secs(9));
        clock.advance(Seconds(-3000));
        assert!(tenure.time_left(&clock) <= Duration::from_secs(60), "a clock set back gives no time");
    }
}
