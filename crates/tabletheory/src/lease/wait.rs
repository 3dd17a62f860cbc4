//! Waiting for a lease: polling with jitter, because a release is not announced, and never past the holder's expiry.

use std::time::Duration;

use tabletheory_core::{Seconds, StoreError, jittered};
use tokio::time::{Instant, sleep_until};

use super::manager::{Acquire, LeaseManager};

/// The first pause between two attempts; each is twice as long as the one before.
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// No pause is longer.
const PAUSE_MAX: Duration = Duration::from_secs(1);
/// No wait is longer.
const TIMEOUT_MAX: Duration = Duration::from_secs(365 * 86_400);

impl LeaseManager {
    /// Takes the lease of `pk`, waiting up to `timeout` for it. Asks at least once, and for the last time when the time is
    /// over; errors that may pass are waited out too. Needs a tokio runtime with time. How long a call of the store
    /// may take is the store's to bound: a call that is given up half way might take the lease for nobody.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use std::time::Duration;
    /// # use tabletheory::lease::{Acquire, LeaseManager, LeaseSettings};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt};
    /// # use tabletheory_engine::Engine;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), StoreError> {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// # let leases = LeaseManager::new(store, "cache");
    /// let _held = leases.try_acquire("PAGE#1", Seconds(30)).await?;
    /// let late = leases.acquire_within("PAGE#1", Seconds(30), Duration::from_millis(20)).await?;
    /// assert!(matches!(late, Acquire::HeldUntil(_)));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The store's, if it will not pass or the time is over.
    pub async fn acquire_within(
        &self,
        pk: impl Into<String>,
        term: Seconds,
        timeout: Duration,
    ) -> Result<Acquire, StoreError> {
        let pk = pk.into();
        // One token for the whole wait: an attempt whose answer was lost is recognised by the next one.
        let token = self.draw_token();
        let deadline = Instant::now() + timeout.min(TIMEOUT_MAX);
        let mut pause = PAUSE_FIRST;
        loop {
            let answer = self.attempt(&pk, &token, term).await;
            let longest = match &answer {
                Ok(Acquire::HeldUntil(until)) => until.saturating_since(self.clock().now()),
                Err(error) if error.is_retryable() => PAUSE_MAX,
                Ok(Acquire::Granted(_)) | Err(_) => return answer,
            };
            let now = Instant::now();
            if now >= deadline {
                return answer;
            }
            let wait = jittered(pause, self.entropy()).min(longest);
            sleep_until(deadline.min(now + wait)).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}
