//! Work in a slot. How work and heartbeat are one future says [`tenure::guard`].

use std::future::Future;
use std::sync::Arc;

use tabletheory::tenure::{self, Beat, Hold, Tenure};
use tabletheory_core::Clock;

use super::held::{Renewal, Slot};
use crate::error::Error;

/// What [`Slot::guard`] came to.
///
/// ```
/// use limited::slots::Guarded;
///
/// let guarded: Guarded<u32> = Guarded::Lost { error: None };
/// assert!(!matches!(guarded, Guarded::Done(..)));
/// ```
#[derive(Debug)]
#[must_use = "work that lost its slot has not been done"]
pub enum Guarded<T> {
    /// The work is done, and the slot was ours all the time and still is.
    Done(T, Slot),
    /// The work was dropped where it stood, because the slot was taken, or could not be renewed in time.
    Lost {
        /// What the store answered last, if that is why.
        error: Option<Error>,
    },
}

impl Slot {
    /// Runs `work` and renews the slot after each third of its term. The work is dropped when less than a sixth of the term is left
    /// by the wall clock or by the process's own, so that clocks may differ by as much before there is one holder too many.
    /// Needs a tokio runtime with time; starts no task.
    ///
    /// Only what yields can be dropped: work that blocks its thread is noticed when it returns, and then its result is given up.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use limited::RateLimitRecord;
    /// # use limited::slots::{Acquire, Guarded, Slots};
    /// # use tabletheory::Db;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), limited::Error> {
    /// # let db = Db::memory();
    /// # RateLimitRecord::ensure_table(&db).await?;
    /// let slots = Slots::new(db, "exports", 2, Duration::from_secs(30))?;
    /// let Acquire::Acquired(slot) = slots.try_acquire("user:7").await? else { panic!("nobody else is here") };
    /// let Guarded::Done(report, slot) = slot.guard(async { "a,b\n1,2\n" }).await else { panic!("it was quick") };
    /// assert_eq!(report.len(), 8);
    /// slot.release().await?;
    /// # Ok(()) }
    /// ```
    pub async fn guard<T>(mut self, work: impl Future<Output = T>) -> Guarded<T> {
        match tenure::guard(&mut self, work).await {
            Ok(output) if self.tenure.is_safe(&*self.shared.clock) => Guarded::Done(output, self),
            Ok(_) => Guarded::Lost { error: None },
            Err(error) => Guarded::Lost { error },
        }
    }
}

impl Hold for Slot {
    type Error = Error;

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.shared.clock)
    }

    fn tenure(&self) -> Tenure {
        self.tenure
    }

    async fn beat(&mut self) -> Result<Beat, Error> {
        Ok(match self.renew().await? {
            Renewal::Renewed => Beat::Longer,
            Renewal::Lost => Beat::Lost,
        })
    }
}
