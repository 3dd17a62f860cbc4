//! Work and its completion under one lock: nobody else claims a request whose handler is done and whose answer is on its way.

use std::future::Future;

use tabletheory_core::Seconds;
use tokio::time::{sleep, timeout_at};

use crate::attempt::Attempt;
use crate::complete::Ending;
use crate::error::Error;
use crate::guard::Guarded;
use crate::outcome::Completion;

/// How often a completion is tried that the store does not take.
const COMPLETIONS_MAX: usize = 10;

/// How an attempt is run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Run {
    /// With a heartbeat.
    Guarded,
    /// With a lock of this term that nobody makes longer, and not past it.
    Within(Seconds),
}

/// What became of an ending, if the work had one.
pub(crate) type Completed = Option<Result<Completion, Error>>;

impl Attempt {
    /// Runs `work` and writes its ending down, if it has one. [`Guarded::Lost`] is said of work that was dropped; work that was
    /// done when the lock was lost is completed nevertheless, if the token is still ours.
    pub(crate) async fn through<T>(
        &self,
        run: Run,
        work: impl Future<Output = (T, Option<Ending>)>,
    ) -> Guarded<(T, Completed)> {
        let mut worked = None;
        let mut ending = None;
        let all = async {
            let (value, end) = work.await;
            worked = Some(value);
            ending = end;
            match &ending {
                Some(ending) => Some(self.complete_patiently(ending).await),
                None => None,
            }
        };
        let guarded = match run {
            Run::Guarded => self.guard(all).await,
            Run::Within(_) => match timeout_at(self.tenure().safe_until(), all).await {
                Ok(completed) => Guarded::Done(completed),
                Err(_) => Guarded::Lost { error: None },
            },
        };
        match (guarded, worked, ending) {
            (Guarded::Done(completed), Some(value), _) => Guarded::Done((value, completed)),
            (Guarded::Lost { .. }, Some(value), Some(ending)) => {
                Guarded::Done((value, Some(self.complete_with(&ending).await)))
            }
            (Guarded::Lost { .. }, Some(value), None) => Guarded::Done((value, None)),
            (Guarded::Lost { error }, None, _) => Guarded::Lost { error },
            (Guarded::Done(_), None, _) => unreachable!("work that is done has left its value"),
        }
    }

    /// Completes, and again while the store is busy: as long as the lock is kept, nobody else does the work.
    async fn complete_patiently(&self, ending: &Ending) -> Result<Completion, Error> {
        for _ in 1..COMPLETIONS_MAX {
            match self.complete_with(ending).await {
                Err(error) if error.is_outage() => sleep(self.tenure().pulse()).await,
                completed => return completed,
            }
        }
        self.complete_with(ending).await
    }
}
