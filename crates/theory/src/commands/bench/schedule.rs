//! When requests begin: as soon as a connection is free, or by a clock that waits for nobody.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// A timer of this runtime may wake so much too late. That is nobody's latency; what is later counts.
const TIMER_LATE_MAX: Duration = Duration::from_millis(2);

/// When requests begin.
#[derive(Debug)]
pub(super) struct Schedule {
    start: Instant,
    end: Instant,
    /// How many in a second; as many as can be, if nothing is said.
    rate: Option<u32>,
    next: AtomicU64,
}

/// A request that shall begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) number: u64,
    /// From when on its time is measured.
    pub(super) begins: Instant,
}

impl Schedule {
    pub(super) fn new(start: Instant, span: Duration, rate: Option<u32>) -> Self {
        Self { start, end: start + span, rate, next: AtomicU64::new(0) }
    }

    /// When the last request may begin.
    pub(super) fn end(&self) -> Instant {
        self.end
    }

    /// Waits for the turn of the next request. There is none after the end, or when it is `over` before.
    pub(super) async fn turn(&self, over: &mut watch::Receiver<bool>) -> Option<Turn> {
        let now = Instant::now();
        if now >= self.end || *over.borrow() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(due) = self.due(number) else { return Some(Turn { number, begins: now }) };
        if due >= self.end {
            return None;
        }
        if now >= due {
            // All connections were busy when it should have begun. It waits since then, as a visitor would.
            return Some(Turn { number, begins: due });
        }
        tokio::select! {
            () = sleep_until(due) => {}
            // A sender that is gone means the same as its word.
            _ = over.wait_for(|is_over| *is_over) => return None,
        }
        Some(Turn { number, begins: Instant::now().min(due + TIMER_LATE_MAX) })
    }

    /// How many requests should have begun between the start and this moment, if there is a rate.
    pub(super) fn due_until(&self, moment: Instant) -> Option<u64> {
        let span = moment.min(self.end).saturating_duration_since(self.start);
        let rate = u128::from(self.rate?);
        Some(u64::try_from((span.as_nanos() * rate).div_ceil(1_000_000_000)).unwrap_or(u64::MAX))
    }

    fn due(&self, number: u64) -> Option<Instant> {
        let nanos = u128::from(number) * 1_000_000_000 / u128::from(self.rate?);
        Some(self.start + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_comes_late_is_measured_from_the_time_that_was_meant() {
        let start = Instant::now();
        let schedule = Schedule::new(start, Duration::from_secs(1), Some(10));
        let (_sender, mut over) = watch::channel(false);
        let ms = Duration::from_millis;
        assert_eq!(schedule.turn(&mut over).await, Some(Turn { number: 0, begins: start }));
        // The server takes a quarter of a second: two turns have passed by then.
        tokio::time::advance(ms(250)).await;
        assert_eq!(schedule.turn(&mut over).await, Some(Turn { number: 1, begins: start + ms(100) }));
        assert_eq!(schedule.turn(&mut over).await, Some(Turn { number: 2, begins: start + ms(200) }));
        let third = schedule.turn(&mut over).await.unwrap();
        assert!(third.number == 3 && third.begins >= start + ms(300), "{third:?}");
        assert_eq!(schedule.due_until(start + ms(350)), Some(4));
        tokio::time::advance(ms(700)).await;
        assert_eq!(schedule.turn(&mut over).await, None);
        assert_eq!(schedule.due_until(Instant::now()), Some(10));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_a_turn_begins_at_once_until_it_is_over() {
        let schedule = Schedule::new(Instant::now(), Duration::from_secs(1), None);
        let (sender, mut over) = watch::channel(false);
        for number in 0..3 {
            let now = Instant::now();
            assert_eq!(schedule.turn(&mut over).await, Some(Turn { number, begins: now }));
        }
        assert_eq!(schedule.due_until(Instant::now()), None);
        sender.send(true).unwrap();
        assert_eq!(schedule.turn(&mut over).await, None);
    }
}
