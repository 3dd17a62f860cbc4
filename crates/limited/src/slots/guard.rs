//! The guard: work and heartbeat as one future. The work ends before others could take the slot, whether the store refuses, fails
//! or says nothing at all.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tokio::time::{Instant, sleep_until};

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
        let ended = {
            let mut keeping = pin!(keep(&mut self));
            let mut work = pin!(work);
            poll_fn(|context| {
                // The slot comes first: work whose slot is over must not take another step.
                if let Poll::Ready(error) = keeping.as_mut().poll(context) {
                    return Poll::Ready(Err(error));
                }
                work.as_mut().poll(context).map(Ok)
            })
            .await
        };
        match ended {
            Ok(output) if self.tenure.is_safe(&*self.shared.clock) => Guarded::Done(output, self),
            Ok(_) => Guarded::Lost { error: None },
            Err(error) => Guarded::Lost { error },
        }
    }
}

/// Renews the slot until that cannot be done any more, and returns before it is unsafe to go on.
async fn keep(slot: &mut Slot) -> Option<Error> {
    let mut error = None;
    let mut heartbeat_at = slot.tenure.heartbeat_at();
    loop {
        let (clock, tenure) = (slot.clock(), slot.tenure);
        if tenure.during(&*clock, sleep_until(heartbeat_at)).await.is_none() {
            return error;
        }
        match tenure.during(&*clock, slot.renew()).await {
            Some(Ok(Renewal::Renewed)) => error = None,
            Some(Ok(Renewal::Lost)) => return None,
            Some(Err(refused)) => error = Some(refused),
            None => return error,
        }
        // A renewal that brought no time leaves the next heartbeat in the past; the pulse bounds how often we ask.
        heartbeat_at = slot.tenure.heartbeat_at().max(Instant::now() + tenure.pulse());
    }
}
