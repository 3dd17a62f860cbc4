//! The time of the invocation under way. A process answers one invocation at a time, so what is made once for all of them, as
//! stores are, asks here how long it may take now.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tabletheory::deadline::Deadline;
use tabletheory_core::{Clock, Timestamp};
use tokio::time::Instant;

/// The invocation a request came with: an extension of the request, for handlers that bound their own work.
///
/// ```
/// use std::time::Duration;
/// use tabletheory::deadline::Deadline;
/// use theory_lambda::Invocation;
///
/// let invocation = Invocation { id: "r-1".into(), deadline: Deadline::after(Duration::from_secs(3)) };
/// // Calls of this database end before the invocation does.
/// let db = tabletheory::Db::memory().within(invocation.deadline);
/// # drop(db);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Lambda's own name for it, which its log lines carry.
    pub id: Arc<str>,
    /// When it has to be over, less the buffer of calls.
    pub deadline: Deadline,
}

/// When things have to be over in the invocation under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Renders, so that a lease can be given back after one that was given up.
    pub(crate) renders: Instant,
    /// Calls of stores and queues, so that an answer can be made of their failure.
    pub(crate) calls: Instant,
    /// The answer, so that it can be sent.
    pub(crate) answer: Instant,
}

/// The time of the invocation under way. Clones are the same clock; outside of invocations nothing is bounded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Time(Arc<Mutex<Option<Bounds>>>);

impl Time {
    /// Begins an invocation that Lambda ends at `end`. Time is then measured by the runtime, so a clock that jumps moves nothing.
    pub(crate) fn begin(&self, end: Timestamp, buffer: Duration, clock: &dyn Clock) -> Bounds {
        let left = Deadline::at(end).with_buffer(Duration::ZERO).remaining(clock);
        let now = Instant::now();
        let before = |buffers: Duration| now + left.saturating_sub(buffers);
        let bounds =
            Bounds { renders: before(buffer * 2), calls: before(buffer), answer: before(buffer / 2) };
        *self.0.lock() = Some(bounds);
        bounds
    }

    /// The invocation is over, and with it its bounds.
    pub(crate) fn end(&self) {
        *self.0.lock() = None;
    }

    pub(crate) fn bounds(&self) -> Option<Bounds> {
        *self.0.lock()
    }

    /// Whether a render that is begun now has any time.
    pub(crate) fn allows_render(&self) -> bool {
        self.bounds().is_none_or(|bounds| Instant::now() < bounds.renders)
    }
}

/// What the work comes to, if it does before the bound. It is not begun after.
pub(crate) async fn before<F: Future>(bound: Option<Instant>, work: F) -> Option<F::Output> {
    match bound {
        None => Some(work.await),
        Some(bound) if Instant::now() >= bound => None,
        Some(bound) => tokio::time::timeout_at(bound, work).await.ok(),
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::ManualClock;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_invocation_ends_in_steps_a_buffer_apart() {
        let clock = ManualClock::at(Timestamp::from_millis(10_000));
        let (time, buffer) = (Time::default(), Duration::from_millis(500));
        assert!(time.bounds().is_none() && time.allows_render());
        let bounds = time.begin(Timestamp::from_millis(13_000), buffer, &clock);
        let now = Instant::now();
        let left = |bound: Instant| bound.duration_since(now).as_millis();
        assert_eq!((left(bounds.renders), left(bounds.calls), left(bounds.answer)), (2_000, 2_500, 2_750));
        assert_eq!(time.clone().bounds(), Some(bounds));
        tokio::time::advance(Duration::from_millis(2_100)).await;
        assert!(!time.allows_render());
        assert_eq!(before(Some(bounds.renders), async { 1 }).await, None);
        assert_eq!(before(Some(bounds.calls), std::future::pending::<()>()).await, None);
        assert_eq!(before(Some(bounds.answer), async { 1 }).await, Some(1));
        time.end();
        assert_eq!(time.bounds(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_invocation_that_comes_too_late_has_no_time_at_all() {
        let clock = ManualClock::at(Timestamp::from_millis(10_000));
        for end in [i64::MIN, 0, 9_999, 10_100] {
            let bounds =
                Time::default().begin(Timestamp::from_millis(end), Duration::from_millis(500), &clock);
            assert!(bounds.answer <= Instant::now(), "{end}");
        }
    }
}
