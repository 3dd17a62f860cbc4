//! A store that did not answer in time gets less patience until it does: visitors are served without it soon, and one of them
//! in a while waits as long as is allowed. Without this, each of them would wait as long as the first. Nobody is served without
//! having asked: what was purged meanwhile, a store that answers again says at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// How long most visitors wait for it.
const LITTLE: Duration = Duration::from_millis(50);

/// How often one of them waits longer.
const TRIAL_EVERY: Duration = Duration::from_secs(1);

/// Says that nothing is wrong.
const NONE: u64 = 0;

/// Whether the store answers. Moments are counted from the beginning, in milliseconds.
#[derive(Debug)]
pub(crate) struct Outage {
    beginning: Instant,
    /// When the next visitor may wait longer.
    trial: AtomicU64,
}

impl Outage {
    pub(crate) fn none() -> Self {
        Self { beginning: Instant::now(), trial: AtomicU64::new(NONE) }
    }

    /// The store did not answer in time.
    pub(crate) fn begin(&self) {
        self.trial.store(self.now() + millis(TRIAL_EVERY), Ordering::Relaxed);
    }

    /// The store has answered.
    pub(crate) fn end(&self) {
        if self.trial.load(Ordering::Relaxed) != NONE {
            self.trial.store(NONE, Ordering::Relaxed);
        }
    }

    /// How long this visitor waits for the store, if `usual` is what is allowed.
    pub(crate) fn patience(&self, usual: Duration) -> Duration {
        let trial = self.trial.load(Ordering::Relaxed);
        if trial == NONE || self.is_trial(trial) { usual } else { usual.min(LITTLE) }
    }

    /// Whether it is time for somebody to wait longer, and nobody else does.
    fn is_trial(&self, trial: u64) -> bool {
        let now = self.now();
        let next = now + millis(TRIAL_EVERY);
        now >= trial && self.trial.compare_exchange(trial, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn now(&self) -> u64 {
        millis(self.beginning.elapsed())
    }
}

fn millis(span: Duration) -> u64 {
    // Beyond half a billion years.
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_in_a_while_waits_longer_until_there_is_an_answer() {
        let usual = Duration::from_secs(2);
        let outage = Outage::none();
        assert_eq!(outage.patience(usual), usual);
        outage.begin();
        assert_eq!(outage.patience(usual), LITTLE);
        tokio::time::advance(TRIAL_EVERY).await;
        assert_eq!((outage.patience(usual), outage.patience(usual)), (usual, LITTLE));
        tokio::time::advance(TRIAL_EVERY).await;
        assert_eq!(outage.patience(usual), usual, "whoever tried may have gone");
        assert_eq!(outage.patience(Duration::ZERO), Duration::ZERO);
        outage.end();
        assert_eq!((outage.patience(usual), outage.patience(usual)), (usual, usual));
    }
}
