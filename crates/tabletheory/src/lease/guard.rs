//! Work under a lease. How work and heartbeat are one future says [`tenure::guard`].

use std::future::Future;
use std::sync::Arc;

use tabletheory_core::{Clock, StoreError};

use super::held::{Lease, Refresh};
use crate::tenure::{self, Beat, Hold, Tenure};

/// What [`Lease::guard`] came to.
///
/// ```
/// use tabletheory::lease::Guarded;
///
/// let guarded: Guarded<u32> = Guarded::Lost { error: None };
/// assert!(!matches!(guarded, Guarded::Done(..)));
/// ```
#[derive(Debug)]
#[must_use = "work that lost its lease has not been done"]
pub enum Guarded<T> {
    /// The work is done, and the lease was ours all the time and still is.
    Done(T, Lease),
    /// The work was dropped where it stood, because the lease was taken, or could not be refreshed in time.
    Lost {
        /// What the store answered last, if that is why.
        error: Option<StoreError>,
    },
}

impl Lease {
    /// Runs `work` and refreshes the lease after each third of its term. The work is dropped when less than a sixth of the
    /// term is left by the wall clock or by the process's own, so that clocks may differ by as much before two
    /// workers are at work. Needs a tokio runtime with time; starts no task.
    ///
    /// Only what yields can be dropped: work that blocks its thread is noticed when it returns, and then its result is
    /// given up. A refresh that is under way when the work is done may still happen; it does no harm.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::lease::{Acquire, Guarded, LeaseManager, LeaseSettings, Release};
    /// # use tabletheory_core::{Seconds, StoreError, StoreExt};
    /// # use tabletheory_engine::Engine;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), StoreError> {
    /// # let store = Arc::new(Engine::memory());
    /// # store.create_table(LeaseSettings::default().create_table("cache")).await?;
    /// # let leases = LeaseManager::new(store, "cache");
    /// let Acquire::Granted(lease) = leases.try_acquire("PAGE#1", Seconds(30)).await? else { panic!("nobody else is here") };
    /// let Guarded::Done(page, lease) = lease.guard(async { "<h1>News</h1>" }).await else { panic!("it was quick") };
    /// assert_eq!(page, "<h1>News</h1>");
    /// assert_eq!(lease.release().await?, Release::Released);
    /// # Ok(()) }
    /// ```
    pub async fn guard<T>(mut self, work: impl Future<Output = T>) -> Guarded<T> {
        match tenure::guard(&mut self, work).await {
            Ok(output) if self.tenure().is_safe(&*self.clock()) => Guarded::Done(output, self),
            Ok(_) => Guarded::Lost { error: None },
            Err(error) => Guarded::Lost { error },
        }
    }
}

impl Hold for Lease {
    type Error = StoreError;

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.locks.clock)
    }

    fn tenure(&self) -> Tenure {
        self.tenure
    }

    async fn beat(&mut self) -> Result<Beat, StoreError> {
        Ok(match self.refresh(self.tenure.seconds()).await? {
            Refresh::Extended => Beat::Longer,
            Refresh::Lost => Beat::Lost,
        })
    }
}
