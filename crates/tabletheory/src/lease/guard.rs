//! The guard: work and heartbeat as one future. The work ends before others could take the lease, whether the store
//! refuses, fails or says nothing at all.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tabletheory_core::StoreError;
use tokio::time::{Instant, sleep_until};

use super::held::{Lease, Refresh};

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
        let ended = {
            let mut keeping = pin!(keep(&mut self));
            let mut work = pin!(work);
            poll_fn(|context| {
                // The lease comes first: work whose lease is over must not take another step.
                if let Poll::Ready(error) = keeping.as_mut().poll(context) {
                    return Poll::Ready(Err(error));
                }
                work.as_mut().poll(context).map(Ok)
            })
            .await
        };
        match ended {
            Ok(output) if self.tenure().is_safe(&*self.clock()) => Guarded::Done(output, self),
            Ok(_) => Guarded::Lost { error: None },
            Err(error) => Guarded::Lost { error },
        }
    }
}

/// Refreshes the lease until that cannot be done any more, and returns before it is unsafe to go on.
async fn keep(lease: &mut Lease) -> Option<StoreError> {
    let mut error = None;
    let mut heartbeat_at = lease.tenure().heartbeat_at();
    loop {
        let (clock, tenure) = (lease.clock(), lease.tenure());
        if tenure.during(&*clock, sleep_until(heartbeat_at)).await.is_none() {
            return error;
        }
        match tenure.during(&*clock, lease.refresh(tenure.seconds())).await {
            Some(Ok(Refresh::Extended)) => error = None,
            Some(Ok(Refresh::Lost)) => return None,
            Some(Err(refused)) => error = Some(refused),
            None => return error,
        }
        // A refresh that brought no time leaves the next heartbeat in the past; the pulse bounds how often we ask.
        heartbeat_at = lease.tenure().heartbeat_at().max(Instant::now() + tenure.pulse());
    }
}
