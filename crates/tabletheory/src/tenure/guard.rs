//! The guard: work and heartbeat as one future. The work ends before others could take what is held, whether the store refuses,
//! fails or says nothing at all.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tabletheory_core::Clock;
use tokio::time::{Instant, sleep_until};

use super::Tenure;

/// Something that is held for a term and can be held for longer: a lease, a slot, the lock of a request.
///
/// ```
/// use std::convert::Infallible;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use tabletheory::tenure::{Beat, Hold, Tenure, guard};
/// use tabletheory_core::Clock;
/// use tabletheory_core::sys::SystemClock;
///
/// struct Room(Tenure);
///
/// impl Hold for Room {
///     type Error = Infallible;
///
///     fn clock(&self) -> Arc<dyn Clock> {
///         Arc::new(SystemClock)
///     }
///
///     fn tenure(&self) -> Tenure {
///         self.0
///     }
///
///     async fn beat(&mut self) -> Result<Beat, Infallible> {
///         self.0 = Tenure::begin(&SystemClock, self.0.term());
///         Ok(Beat::Longer)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mut room = Room(Tenure::begin(&SystemClock, Duration::from_secs(60)));
/// assert_eq!(guard(&mut room, async { "swept" }).await, Ok("swept"));
/// # }
/// ```
pub trait Hold {
    /// What asking for more time can fail with.
    type Error;

    /// The clock that all holders share.
    fn clock(&self) -> Arc<dyn Clock>;

    /// The term for which it is held, as far as the holder knows.
    fn tenure(&self) -> Tenure;

    /// Asks for another term from now. After [`Beat::Longer`], [`tenure`](Self::tenure) says for how long it is held.
    fn beat(&mut self) -> impl Future<Output = Result<Beat, Self::Error>> + Send;
}

/// What asking for another term came to.
///
/// ```
/// use tabletheory::tenure::Beat;
///
/// assert_ne!(Beat::Longer, Beat::Lost);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "work goes on only while something is held for it"]
pub enum Beat {
    /// It is held for another term, or for longer if it was already.
    Longer,
    /// Nothing is left to be held, because the work has settled it itself. The work goes on to its end.
    Settled,
    /// Another has it, or nobody, and it does not come back.
    Lost,
}

/// Runs `work` and asks for more time after each third of the term. The work is dropped when less than a sixth of the term is
/// left by the wall clock or by the process's own, so that clocks may differ by as much before two are at work.
/// Needs a tokio runtime with time; starts no task.
///
/// Only what yields can be dropped: whoever needs to know whether the time was kept looks at [`Tenure::is_safe`] afterwards.
///
/// ```
/// # use std::{convert::Infallible, sync::Arc, time::Duration};
/// # use tabletheory::tenure::{Beat, Hold, Tenure, guard};
/// # use tabletheory_core::{Clock, sys::SystemClock};
/// # struct Room(Tenure);
/// # impl Hold for Room {
/// #     type Error = Infallible;
/// #     fn clock(&self) -> Arc<dyn Clock> { Arc::new(SystemClock) }
/// #     fn tenure(&self) -> Tenure { self.0 }
/// #     async fn beat(&mut self) -> Result<Beat, Infallible> { Ok(Beat::Lost) }
/// # }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mut room = Room(Tenure::begin(&SystemClock, Duration::ZERO));
/// assert_eq!(guard(&mut room, async { "swept" }).await, Err(None), "its time is over, and nothing failed");
/// # }
/// ```
///
/// # Errors
/// If what was held is lost, or could not be held for longer in time: what was answered last, if that is why.
pub async fn guard<H: Hold, T>(hold: &mut H, work: impl Future<Output = T>) -> Result<T, Option<H::Error>> {
    let mut keeping = pin!(keep(hold));
    let mut work = pin!(work);
    let mut is_settled = false;
    poll_fn(|context| {
        // What is held comes first: work for which nothing is held must not take another step.
        if !is_settled && let Poll::Ready(kept) = keeping.as_mut().poll(context) {
            match kept {
                Ok(()) => is_settled = true,
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        work.as_mut().poll(context).map(Ok)
    })
    .await
}

/// Renews until there is nothing left to hold, or fails before it is unsafe to go on.
async fn keep<H: Hold>(hold: &mut H) -> Result<(), Option<H::Error>> {
    let clock = hold.clock();
    let mut error = None;
    let mut heartbeat_at = hold.tenure().heartbeat_at();
    loop {
        let tenure = hold.tenure();
        if tenure.during(&*clock, sleep_until(heartbeat_at)).await.is_none() {
            return Err(error);
        }
        match tenure.during(&*clock, hold.beat()).await {
            Some(Ok(Beat::Longer)) => error = None,
            Some(Ok(Beat::Settled)) => return Ok(()),
            Some(Ok(Beat::Lost)) => return Err(None),
            Some(Err(refused)) => error = Some(refused),
            None => return Err(error),
        }
        // A renewal that brought no time leaves the next heartbeat in the past; the pulse bounds how often we ask.
        heartbeat_at = hold.tenure().heartbeat_at().max(Instant::now() + tenure.pulse());
    }
}
