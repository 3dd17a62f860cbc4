//! Work under the lock of a request. How work and heartbeat are one future says [`tenure::guard`].

use std::future::Future;
use std::sync::Arc;

use tabletheory::tenure::{self, Beat, Hold, Tenure};
use tabletheory_core::Clock;

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
        match tenure::guard(&mut Lock(self), work).await {
            Ok(output) => Guarded::Done(output),
            Err(error) => Guarded::Lost { error },
        }
    }
}

/// The lock of an attempt, which clones of the attempt share.
struct Lock<'a>(&'a Attempt);

impl Hold for Lock<'_> {
    type Error = Error;

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(self.0.machine().db.clock())
    }

    fn tenure(&self) -> Tenure {
        self.0.tenure()
    }

    async fn beat(&mut self) -> Result<Beat, Error> {
        let (attempt, machine) = (self.0, self.0.machine());
        let tenure = Tenure::begin(machine.db.clock().as_ref(), attempt.tenure().term());
        let write = attempt.extending(&tenure).await?;
        let item = match settle(&machine.db, write).await? {
            Sent::Done(_) => {
                attempt.set_tenure(tenure);
                return Ok(Beat::Longer);
            }
            Sent::Refused { item, .. } => item,
        };
        // Not every store tells what stood in the way.
        let row = if item.is_none() { machine.row(attempt.row_key()).await? } else { item };
        Ok(match row.filter(|row| attempt.is_of(row)) {
            None => Beat::Lost,
            // Refused only because it would have made the lock shorter: it lasts long enough.
            Some(row) if standing::text(&row, "Status") == Some("PROCESSING") => {
                attempt.set_tenure(tenure);
                Beat::Longer
            }
            Some(_) => Beat::Settled,
        })
    }
}
