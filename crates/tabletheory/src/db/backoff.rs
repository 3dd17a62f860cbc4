//! How a [`Db`](super::Db) waits out trouble that passes: longer each time, and never two callers in step.

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::{Entropy, jittered};
use tokio::runtime::Handle;

/// How often something is tried, and how long the pauses between are. Each pause is twice the one before, up to the longest;
/// of each, a random half is waited, so that those who were refused together do not come back together.
///
/// Waiting needs a tokio runtime with time. Where there is no runtime, there is one attempt.
///
/// ```
/// use std::time::Duration;
///
/// use tabletheory::Db;
/// use tabletheory::db::Backoff;
///
/// let backoff = Backoff::default();
/// assert_eq!((backoff.attempts, backoff.first, backoff.longest), (
///     5,
///     Duration::from_millis(50),
///     Duration::from_secs(2),
/// ));
/// let impatient = Db::memory().with_backoff(Backoff { attempts: 1, ..backoff });
/// assert_eq!(impatient.backoff().attempts, 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// How often it is tried, the first time included. 0 counts as 1.
    pub attempts: u32,
    /// The first pause.
    pub first: Duration,
    /// No pause is longer.
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { attempts: 5, first: Duration::from_millis(50), longest: Duration::from_secs(2) }
    }
}

impl Backoff {
    /// The pause after this many failures, of which there was at least one: between half of it and all of it.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use tabletheory::db::Backoff;
    /// use tabletheory_core::SeededEntropy;
    ///
    /// let pause = Backoff::default().pause(2, &SeededEntropy::new(1));
    /// assert!(pause >= Duration::from_millis(50) && pause <= Duration::from_millis(100));
    /// ```
    #[must_use]
    pub fn pause(&self, failures: u32, entropy: &dyn Entropy) -> Duration {
        let doublings = failures.saturating_sub(1).min(31);
        let whole = self.first.saturating_mul(1 << doublings).min(self.longest);
        jittered(whole, entropy)
    }
}

/// The attempts at one thing.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use tabletheory::Db;
/// use tabletheory::db::{Attempts, Backoff};
///
/// let db = Db::memory().with_backoff(Backoff { attempts: 2, first: Duration::from_millis(1), ..Backoff::default() });
/// let mut attempts = Attempts::new(db.backoff(), Arc::clone(db.entropy()));
/// assert!(attempts.again().await, "after the first failure there is a second attempt");
/// assert!(!attempts.again().await);
/// # }
/// ```
#[derive(Debug)]
pub struct Attempts {
    backoff: Backoff,
    entropy: Arc<dyn Entropy>,
    failures: u32,
}

impl Attempts {
    /// As many attempts as the back-off says, none of which has failed yet.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Db;
    /// # use tabletheory::db::Attempts;
    /// let db = Db::memory();
    /// let attempts = Attempts::new(db.backoff(), Arc::clone(db.entropy()));
    /// assert!(format!("{attempts:?}").contains("failures: 0"));
    /// ```
    #[must_use]
    pub fn new(backoff: Backoff, entropy: Arc<dyn Entropy>) -> Self {
        Self { backoff, entropy, failures: 0 }
    }

    /// After a failure: waits and says `true`, or says `false` at once if it was the last attempt or nothing can wait.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Db;
    /// # use tabletheory::db::Attempts;
    /// let db = Db::memory();
    /// let mut attempts = Attempts::new(db.backoff(), Arc::clone(db.entropy()));
    /// assert!(!futures_executor::block_on(attempts.again()), "without a runtime nothing can wait");
    /// ```
    pub async fn again(&mut self) -> bool {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= self.backoff.attempts || Handle::try_current().is_err() {
            return false;
        }
        tokio::time::sleep(self.backoff.pause(self.failures, &*self.entropy)).await;
        true
    }
}

#[cfg(test)]
mod tests {
    use tabletheory_core::SeededEntropy;

    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest_and_half_of_each_is_left_to_chance() {
        let (backoff, entropy) = (Backoff::default(), SeededEntropy::new(7));
        for (failures, whole_ms) in
            [(1, 50), (2, 100), (3, 200), (4, 400), (7, 2000), (40, 2000), (u32::MAX, 2000)]
        {
            let whole = Duration::from_millis(whole_ms);
            let pauses: Vec<Duration> = (0..200).map(|_| backoff.pause(failures, &entropy)).collect();
            assert!(pauses.iter().all(|pause| (whole / 2..=whole).contains(pause)), "{failures}: {pauses:?}");
            let spread = pauses.iter().max().zip(pauses.iter().min()).map(|(most, least)| *most - *least);
            assert!(spread > Some(whole / 4), "{failures}: {spread:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_as_many_attempts_as_were_given() {
        for (attempts, retries) in [(0, 0), (1, 0), (5, 4)] {
            let backoff = Backoff { attempts, ..Backoff::default() };
            let mut left = Attempts::new(backoff, Arc::new(SeededEntropy::new(1)));
            let mut waited = 0;
            while left.again().await {
                waited += 1;
            }
            assert_eq!(waited, retries);
        }
    }
}
