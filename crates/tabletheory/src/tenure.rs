//! For how long something is held, on two clocks: the wall clock that all holders share, and this process's own, which nobody sets.
//! What one of them says is over is over. Leases, slots and locks of requests stand on it.

mod guard;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tabletheory_core::{Clock, Seconds, Timestamp};
use tokio::time::{Instant, sleep_until};

pub use guard::{Beat, Hold, guard};

/// A term without an end would outlive what rows and the process's clock can say.
const TERM_MAX: Duration = Duration::from_secs(10 * 365 * 86_400);

/// One term. Both clocks are read before the store is asked, so the time an answer travels counts against the holder.
///
/// ```
/// use std::time::Duration;
///
/// use tabletheory::tenure::Tenure;
/// use tabletheory_core::{ManualClock, Seconds, Timestamp};
///
/// let clock = ManualClock::at(Timestamp::from_seconds(100));
/// let tenure = Tenure::begin(&clock, Duration::from_secs(60));
/// assert_eq!(tenure.ends_at, Timestamp::from_seconds(160));
/// assert!(tenure.is_safe(&clock));
/// clock.advance(Seconds(50));
/// assert!(!tenure.is_safe(&clock), "a sixth of the term is kept for clocks that differ");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tenure {
    /// When it was asked for.
    pub asked_at: Timestamp,
    /// When others may take what is held, as the row says it.
    pub ends_at: Timestamp,
    since: Instant,
    term: Duration,
}

impl Tenure {
    /// A term that begins now. None is longer than ten years.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// let tenure = Tenure::begin(&SystemClock, Duration::MAX);
    /// assert_eq!(tenure.term(), Duration::from_secs(10 * 365 * 86_400));
    /// ```
    #[must_use]
    pub fn begin(clock: &dyn Clock, term: Duration) -> Self {
        let (asked_at, term) = (clock.now(), term.min(TERM_MAX));
        let term_ms = i64::try_from(term.as_millis()).unwrap_or(i64::MAX);
        let ends_at = Timestamp::from_millis(asked_at.millis().saturating_add(term_ms));
        Self { asked_at, ends_at, since: Instant::now(), term }
    }

    /// With its end rounded up, for rows that say whole seconds.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::{ManualClock, Timestamp};
    /// let clock = ManualClock::at(Timestamp::from_millis(100_001));
    /// let tenure = Tenure::begin(&clock, Duration::from_secs(30)).in_whole_seconds();
    /// assert_eq!(tenure.ends_at, Timestamp::from_seconds(131));
    /// ```
    #[must_use]
    pub fn in_whole_seconds(mut self) -> Self {
        let up = Timestamp::from_millis(self.ends_at.millis().saturating_add(999));
        self.ends_at = Timestamp::from_seconds(up.seconds());
        self
    }

    /// How long it is.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// assert_eq!(Tenure::begin(&SystemClock, Duration::from_secs(3)).term(), Duration::from_secs(3));
    /// ```
    #[must_use]
    pub fn term(&self) -> Duration {
        self.term
    }

    /// How long it is, in whole seconds.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::{Seconds, sys::SystemClock};
    /// assert_eq!(Tenure::begin(&SystemClock, Duration::from_secs(3)).seconds(), Seconds(3));
    /// ```
    #[must_use]
    pub fn seconds(&self) -> Seconds {
        Seconds(i64::try_from(self.term.as_secs()).unwrap_or(i64::MAX))
    }

    /// What is left of it by the clock that says less.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::{ManualClock, Seconds, Timestamp};
    /// let clock = ManualClock::at(Timestamp::from_seconds(100));
    /// let tenure = Tenure::begin(&clock, Duration::from_secs(60));
    /// clock.advance(Seconds(-3_000));
    /// assert!(tenure.time_left(&clock) <= Duration::from_secs(60), "a clock that is set back gives no time");
    /// ```
    #[must_use]
    pub fn time_left(&self, clock: &dyn Clock) -> Duration {
        let by_process = self.ends().saturating_duration_since(Instant::now());
        by_process.min(self.ends_at.saturating_since(clock.now()))
    }

    /// When it is over by this process's own clock.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// let tenure = Tenure::begin(&SystemClock, Duration::from_secs(60));
    /// assert_eq!(tenure.ends() - tenure.safe_until(), Duration::from_secs(10));
    /// ```
    #[must_use]
    pub fn ends(&self) -> Instant {
        self.since + self.term
    }

    /// Whether work may go on: more than a sixth of the term is left, for clocks that differ.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// assert!(Tenure::begin(&SystemClock, Duration::from_secs(60)).is_safe(&SystemClock));
    /// assert!(!Tenure::begin(&SystemClock, Duration::ZERO).is_safe(&SystemClock));
    /// ```
    #[must_use]
    pub fn is_safe(&self, clock: &dyn Clock) -> bool {
        self.time_left(clock) > self.margin()
    }

    /// When the process's clock ends the work.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// let tenure = Tenure::begin(&SystemClock, Duration::from_secs(60));
    /// assert!(tenure.safe_until() > tenure.heartbeat_at());
    /// ```
    #[must_use]
    pub fn safe_until(&self) -> Instant {
        self.since + (self.term - self.margin())
    }

    /// When to make it longer: after a third of the term, so that a second try fits before the margin.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// let tenure = Tenure::begin(&SystemClock, Duration::from_secs(60));
    /// assert_eq!(tenure.safe_until() - tenure.heartbeat_at(), Duration::from_secs(30));
    /// ```
    #[must_use]
    pub fn heartbeat_at(&self) -> Instant {
        self.since + self.term / 3
    }

    /// How often to look at the clocks, and to try again after an error.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// assert_eq!(Tenure::begin(&SystemClock, Duration::from_secs(60)).pulse(), Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn pulse(&self) -> Duration {
        (self.margin() / 2).min(Duration::from_secs(1))
    }

    /// The output of `future`, or `None` as soon as it is not safe to go on. The wall clock is looked at whenever the future is
    /// polled and at every pulse: it may have jumped, or the machine may have slept. Needs a tokio runtime with time.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use tabletheory::tenure::Tenure;
    /// # use tabletheory_core::sys::SystemClock;
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let tenure = Tenure::begin(&SystemClock, Duration::from_secs(60));
    /// assert_eq!(tenure.during(&SystemClock, async { 7 }).await, Some(7));
    /// let over = Tenure::begin(&SystemClock, Duration::ZERO);
    /// assert_eq!(over.during(&SystemClock, async { 7 }).await, None);
    /// # }
    /// ```
    pub async fn during<F: Future>(&self, clock: &dyn Clock, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut look = pin!(sleep_until(self.next_look()));
        poll_fn(|context| {
            loop {
                if !self.is_safe(clock) {
                    return Poll::Ready(None);
                }
                if let Poll::Ready(output) = future.as_mut().poll(context) {
                    return Poll::Ready(Some(output));
                }
                if look.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                look.as_mut().reset(self.next_look());
            }
        })
        .await
    }

    fn next_look(&self) -> Instant {
        self.safe_until().min(Instant::now() + self.pulse())
    }

    fn margin(&self) -> Duration {
        self.term / 6
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::ManualClock;

    use super::*;

    #[test]
    fn the_clock_that_says_less_decides() {
        let clock = ManualClock::at(Timestamp::from_seconds(100));
        let tenure = Tenure::begin(&clock, Duration::from_secs(60));
        assert!(tenure.is_safe(&clock));
        clock.advance(Seconds(50));
        assert!(!tenure.is_safe(&clock), "a margin of ten seconds is kept");
        assert!(tenure.time_left(&clock) > Duration::from_secs(9));
        clock.advance(Seconds(-3000));
        assert!(tenure.time_left(&clock) <= Duration::from_secs(60), "a clock set back gives no time");
    }

    #[test]
    fn ends_are_rounded_up_to_whole_seconds() {
        for (millis, expected) in [
            (0, 0),
            (1, 1),
            (999, 1),
            (1000, 1),
            (1001, 2),
            (-1, 0),
            (-1500, -1),
            (i64::MAX, i64::MAX / 1000),
        ] {
            let clock = ManualClock::at(Timestamp::from_millis(millis));
            let tenure = Tenure::begin(&clock, Duration::ZERO).in_whole_seconds();
            assert_eq!(tenure.ends_at.seconds(), expected, "{millis}");
        }
    }

    #[test]
    fn clocks_beyond_all_time_do_no_harm() {
        for millis in [i64::MIN, -1, i64::MAX] {
            let clock = ManualClock::at(Timestamp::from_millis(millis));
            let tenure = Tenure::begin(&clock, Duration::MAX).in_whole_seconds();
            assert!(tenure.ends_at.millis() >= millis.saturating_sub(999));
            assert!(tenure.time_left(&clock) <= TERM_MAX);
        }
    }
}
