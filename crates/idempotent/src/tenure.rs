//! How long a lock holds, on two clocks: the wall clock that all who claim share, and this process's own, which nobody sets.
//! Both are read before the store is asked, so that the time an answer travels counts against us.

use std::time::Duration;

use tabletheory_core::{Clock, Seconds, Timestamp};
use tokio::time::Instant;

use crate::moment;

/// One term of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tenure {
    pub(crate) asked_at: Timestamp,
    since: Instant,
    term: Seconds,
}

impl Tenure {
    /// A term that begins now.
    pub(crate) fn begin(clock: &dyn Clock, term: Seconds) -> Self {
        Self { asked_at: clock.now(), since: Instant::now(), term }
    }

    pub(crate) fn term(&self) -> Seconds {
        self.term
    }

    /// `LockedUntil` of the row.
    pub(crate) fn locked_until(&self) -> String {
        moment::ceil_text(self.asked_at + self.term)
    }

    /// Whether work under the lock may go on: more than the margin is left by the clock that says less.
    pub(crate) fn is_safe(&self, clock: &dyn Clock) -> bool {
        let by_process = (self.since + self.span()).saturating_duration_since(Instant::now());
        let end_ms = (self.asked_at + self.term).millis();
        let by_wall = u64::try_from(end_ms.saturating_sub(clock.now().millis())).unwrap_or(0);
        by_process.min(Duration::from_millis(by_wall)) > self.margin()
    }

    /// When the process's clock ends the work.
    pub(crate) fn safe_until(&self) -> Instant {
        self.since + (self.span() - self.margin())
    }

    /// When to make it longer: after a third of the term, so that a second try fits before the margin.
    pub(crate) fn heartbeat_at(&self) -> Instant {
        self.since + self.span() / 3
    }

    /// How often to look at the clocks, and to try again after an error.
    pub(crate) fn pulse(&self) -> Duration {
        (self.margin() / 2).min(Duration::from_secs(1))
    }

    /// What is kept between the end of the work and the end of the lock, for clocks that differ: a sixth of the term.
    fn margin(&self) -> Duration {
        self.span() / 6
    }

    fn span(&self) -> Duration {
        Duration::from_secs(self.term.0.unsigned_abs())
    }
}
