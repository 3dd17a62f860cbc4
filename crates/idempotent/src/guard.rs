//! The guard: work and heartbeat as one future. The work ends before others could claim the request, whether the store
//! refuses, fails or says nothing at all.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tabletheory::tenure::Tenure;
use tokio::time::{Instant, sleep_until};

use crate::attempt::Attempt;
use crate::error::Error;
use crate::send::{Sent, settle};
use crate::standing;

/// What [`Attempt::guard`] came to.
///
/// ```
/// let guarded: idempotent::Guarded<u32> = idempotent::Guarded::Lost { error: None };
/// assert!(!matches!(guarded, idempotent::Guarded::Done(_)));
/// ```
#[derive(Debug)]
#[must_use = "work that lost its lock was not done to its end"]
pub enum Guarded<T> {
    /// The work is done. Whether its answer counts is for [`Attempt::complete`] to say: there the token decides.
    Done(T),
    /// The work was dropped where it stood, because another has claimed the request, or the lock could not be made longer in
    /// time. What it had done by then is done.
    Lost {
        /// What the store answered last, if that is why.
        error: Option<Error>,
    },
}

/// What making a lock longer came to.
enum Beat {
    Longer(Tenure),
    /// The request is answered already, by the work itself: there is nothing left to guard.
    Answered,
    Lost,
}

impl Attempt {
    /// Runs `work` and makes the lock longer after each third of its term. Needs a tokio runtime with time; starts no task.
    ///
    /// The work is dropped when the lock is lost, or when less than a sixth of its term is left by the wall clock or by the
    /// process's own: work that went on would run beside that of the next who claims the request. Clocks may differ by a sixth
    /// of the term before that happens. Only what yields can be dropped; work that blocks its thread goes on, and then
    /// only the token stands between it and a second answer.
    ///
    /// Work may [complete](Self::complete) the attempt itself. Where that can take long, as with a large answer, it should: the
    /// lock is kept until the answer is written down.
    ///
    /// ```
    /// # use idempotent::{Claim, Guarded, Idempotency, IdempotencyKey, Intent, Scope};
    /// # use tabletheory::Db;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), idempotent::Error> {
    /// # let requests = Idempotency::new(Db::memory());
    /// # requests.create_table().await?;
    /// # let intent = Intent::of_bytes(Scope::function("charge"), IdempotencyKey::parse("m-1")?, b"{}");
    /// # let Claim::Granted(attempt) = requests.claim(&intent).await? else { panic!("nobody else is here") };
    /// let Guarded::Done(receipt) = attempt.guard(async { "charged" }).await else { panic!("it was quick") };
    /// assert_eq!(receipt, "charged");
    /// # attempt.release().await?;
    /// # Ok(()) }
    /// ```
    pub async fn guard<T>(&self, work: impl Future<Output = T>) -> Guarded<T> {
        let mut keeping = pin!(keep(self));
        let mut work = pin!(work);
        let mut answered = false;
        poll_fn(|context| {
            // The lock comes first: work whose lock is over must not take another step.
            if !answered && let Poll::Ready(kept) = keeping.as_mut().poll(context) {
                match kept {
                    Kept::Answered => answered = true,
                    Kept::Lost(error) => return Poll::Ready(Guarded::Lost { error }),
                }
            }
            work.as_mut().poll(context).map(Guarded::Done)
        })
        .await
    }

    async fn beat(&self) -> Result<Beat, Error> {
        let machine = self.machine();
        let tenure = Tenure::begin(machine.db.clock().as_ref(), self.tenure().term());
        let write = self.extending(&tenure).await?;
        let item = match settle(&machine.db, write).await? {
            Sent::Done(_) => return Ok(Beat::Longer(tenure)),
            Sent::Refused { item, .. } => item,
        };
        // Not every store tells what stood in the way.
        let row = if item.is_none() { machine.row(self.row_key()).await? } else { item };
        Ok(match row.filter(|row| self.is_of(row)) {
            None => Beat::Lost,
            // Refused only because it would have made the lock shorter: it lasts long enough.
            Some(row) if standing::text(&row, "Status") == Some("PROCESSING") => Beat::Longer(tenure),
            Some(_) => Beat::Answered,
        })
    }
}

/// Why there are no more heartbeats.
enum Kept {
    Answered,
    Lost(Option<Error>),
}

/// Makes the lock longer until that cannot be done any more, and returns before it is unsafe to go on.
async fn keep(attempt: &Attempt) -> Kept {
    let mut error = None;
    let mut heartbeat_at = attempt.tenure().heartbeat_at();
    loop {
        let (clock, tenure) = (attempt.machine().db.clock().as_ref(), attempt.tenure());
        if tenure.during(clock, sleep_until(heartbeat_at)).await.is_none() {
            return Kept::Lost(error);
        }
        match tenure.during(clock, attempt.beat()).await {
            Some(Ok(Beat::Longer(longer))) => {
                attempt.set_tenure(longer);
                error = None;
            }
            Some(Ok(Beat::Answered)) => return Kept::Answered,
            Some(Ok(Beat::Lost)) => return Kept::Lost(None),
            Some(Err(refused)) => error = Some(refused),
            None => return Kept::Lost(error),
        }
        // A heartbeat that brought no time leaves the next in the past; the pulse bounds how often we ask.
        heartbeat_at = attempt.tenure().heartbeat_at().max(Instant::now() + tenure.pulse());
    }
}
