//! Whether the application is well. After some failures in a row it is left alone for a while; then one request at a time tries it.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::error::OriginError;

/// Whether the application is well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// It answers.
    Well,
    /// It failed lately, and is asked nevertheless.
    Failing {
        /// When it first did.
        since: Instant,
        /// How often in a row.
        failures: u32,
    },
    /// It failed too often and is asked nothing.
    LeftAlone {
        /// Until then. A moment in the past means that the next request, or one that runs, is a trial.
        until: Instant,
    },
}

/// What is known about the health of an application.
#[derive(Debug)]
pub(super) struct Record {
    failures_max: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    since: Option<Instant>,
    until: Option<Instant>,
    is_tried: bool,
}

/// The leave to ask once. What came of it is said with [`Leave::end`]; without a word (the client left) nothing was learned.
#[derive(Debug)]
pub(super) struct Leave<'a> {
    record: &'a Record,
    is_trial: bool,
}

impl Record {
    pub(super) fn new(failures_max: u32, pause: Duration) -> Self {
        Self { failures_max: failures_max.max(1), pause, state: Mutex::default() }
    }

    pub(super) fn health(&self) -> Health {
        let state = self.state.lock();
        match (state.until, state.since) {
            (Some(until), _) => Health::LeftAlone { until },
            (None, Some(since)) => Health::Failing { since, failures: state.failures },
            (None, None) => Health::Well,
        }
    }

    /// May the application be asked now?
    pub(super) fn leave(&self) -> Result<Leave<'_>, OriginError> {
        let mut state = self.state.lock();
        let Some(until) = state.until else {
            return Ok(Leave { record: self, is_trial: false });
        };
        let remaining = until.saturating_duration_since(Instant::now());
        if !remaining.is_zero() || state.is_tried {
            return Err(OriginError::LeftAlone { remaining });
        }
        state.is_tried = true;
        Ok(Leave { record: self, is_trial: true })
    }

    /// What came of asking.
    pub(super) fn learn(&self, is_well: bool) {
        let mut state = self.state.lock();
        if is_well {
            *state = State { is_tried: state.is_tried, ..State::default() };
            return;
        }
        let now = Instant::now();
        state.failures = state.failures.saturating_add(1);
        state.since.get_or_insert(now);
        // Requests that were already on their way when it was left alone do not make the pause longer.
        if state.failures >= self.failures_max && state.until.is_none_or(|until| until <= now) {
            state.until = Some(now + self.pause);
        }
    }
}

impl Leave<'_> {
    pub(super) fn end(self, is_well: bool) {
        self.record.learn(is_well);
    }
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if self.is_trial {
            self.record.state.lock().is_tried = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(2);

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_leave_it_alone_and_one_success_forgets_them() {
        let record = Record::new(3, PAUSE);
        record.learn(false);
        record.learn(false);
        assert!(matches!(record.health(), Health::Failing { failures: 2, .. }));
        record.learn(true);
        assert_eq!(record.health(), Health::Well);
        for _ in 0..3 {
            record.leave().unwrap().end(false);
        }
        let until = Instant::now() + PAUSE;
        assert_eq!(record.health(), Health::LeftAlone { until });
        assert!(matches!(record.leave(), Err(OriginError::LeftAlone { remaining }) if remaining == PAUSE));
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_pause_one_at_a_time_tries() {
        let record = Record::new(1, PAUSE);
        record.learn(false);
        tokio::time::advance(PAUSE).await;
        let trial = record.leave().unwrap();
        assert!(record.leave().is_err(), "a second one while the first runs");
        drop(trial);
        let trial = record.leave().expect("a trial whose client left taught nothing, so the next one tries");
        trial.end(false);
        assert!(record.leave().is_err(), "it failed again: another pause");
        tokio::time::advance(PAUSE).await;
        record.leave().unwrap().end(true);
        assert_eq!(record.health(), Health::Well);
        assert!(record.leave().is_ok() && record.leave().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn late_failures_do_not_make_the_pause_longer() {
        let record = Record::new(1, PAUSE);
        record.learn(false);
        let before = record.health();
        tokio::time::advance(PAUSE / 2).await;
        record.learn(false);
        assert_eq!(record.health(), before);
    }
}
