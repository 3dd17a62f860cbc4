//! How long a slot is held, on two clocks: the wall clock that all holders share, and this process's own, which nobody sets. A slot
//! that one of them says is over is over.

use std::time::Duration;

use tabletheory_core::{Clock, Timestamp};
use tokio::time::Instant;

use crate::state::SKEW_MAX_MS;

/// No term is longer. A slot that says otherwise was written by a wrong clock.
pub(super) const TERM_MAX: Duration = Duration::from_secs(3_600);
pub(super) const TERM_MIN: Duration = Duration::from_millis(100);

/// One term of a slot. Both clocks are read before the store is asked, so the time an answer travels counts against us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tenure {
    pub(super) asked_at: Timestamp,
    since: Instant,
    term: Duration,
}

impl Tenure {
    /// A term that begins now.
    pub(super) fn begin(clock: &dyn Clock, term: Duration) -> Self {
        Self { asked_at: clock.now(), since: Instant::now(), term }
    }

    /// When others may take the slot.
    pub(super) fn until_ms(&self) -> i64 {
        self.asked_at.millis().saturating_add(millis(self.term))
    }

    /// Until when a slot that others hold can be held at most.
    pub(super) fn horizon_ms(&self) -> i64 {
        horizon_ms(self.asked_at)
    }

    /// How long the slot is still held by the clock that says less.
    pub(super) fn time_left(&self, clock: &dyn Clock) -> Duration {
        let by_process = (self.since + self.term).saturating_duration_since(Instant::now());
        by_process.min(span_until(self.until_ms(), clock.now()))
    }

    /// Whether work may go on: more than the margin is left.
    pub(super) fn is_safe(&self, clock: &dyn Clock) -> bool {
        self.time_left(clock) > self.margin()
    }

    /// When the process's clock ends the work.
    pub(super) fn safe_until(&self) -> Instant {
        self.since + (self.term - self.margin())
    }

    /// When to renew: after a third of the term, so that a second try fits before the margin.
    pub(super) fn heartbeat_at(&self) -> Instant {
        self.since + self.term / 3
    }

    /// How often to look at the clocks, and to try again after an error.
    pub(super) fn pulse(&self) -> Duration {
        (self.margin() / 2).min(Duration::from_secs(1))
    }

    /// What is kept between the end of the work and the end of the term, for clocks that differ: a sixth of the term.
    fn margin(&self) -> Duration {
        self.term / 6
    }
}

/// Until when a slot can be held at most, if the clock that says `now` is right, or at most a minute behind that of the holder.
pub(super) fn horizon_ms(now: Timestamp) -> i64 {
    now.millis().saturating_add(millis(TERM_MAX)).saturating_add(SKEW_MAX_MS)
}

/// How long it is until `moment_ms`, and nothing if it has passed.
pub(super) fn span_until(moment_ms: i64, now: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(moment_ms.saturating_sub(now.millis())).unwrap_or(0))
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use tabletheory_core::{ManualClock, Seconds};

    use super::*;

    #[test]
    fn the_clock_that_says_less_decides() {
        let clock = ManualClock::at(Timestamp::from_seconds(100));
        let tenure = Tenure::begin(&clock, Duration::from_secs(60));
        assert!(tenure.is_safe(&clock));
        clock.advance(Seconds(50));
        assert!(!tenure.is_safe(&clock), "a margin of ten seconds is kept");
        assert!(tenure.time_left(&clock) > Duration::from_secs(9));
        clock.advance(Seconds(-3_000));
        assert!(tenure.time_left(&clock) <= Duration::from_secs(60), "a clock set back gives no time");
    }

    #[test]
    fn clocks_beyond_all_time_do_no_harm() {
        for millis in [i64::MIN, -1, i64::MAX] {
            let clock = ManualClock::at(Timestamp::from_millis(millis));
            let tenure = Tenure::begin(&clock, TERM_MAX);
            assert!(tenure.until_ms() >= millis && tenure.horizon_ms() >= tenure.until_ms());
            assert!(tenure.time_left(&clock) <= TERM_MAX);
        }
    }
}
