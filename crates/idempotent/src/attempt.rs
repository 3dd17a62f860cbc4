//! An attempt at a request, as the one has it who claimed it: how it ends.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use tabletheory::tenure::Tenure;
use tabletheory_core::store::op::{DeleteItem, UpdateItem};
use tabletheory_core::{Item, Seconds};

use crate::error::Error;
use crate::intent::Intent;
use crate::machine::Idempotency;
use crate::moment;
use crate::outcome::{Failure, Release};
use crate::send::{Sent, settle};
use crate::standing;
use crate::write::{self, Own};

/// An attempt at a request. It ends with [`complete`](Self::complete), [`finish`](Self::finish), [`fail`](Self::fail) or
/// [`release`](Self::release). One that is only dropped blocks its request until the lock is over: nothing here starts a task
/// that could say so.
///
/// Its token is the fence: whatever clocks say, nothing is written for an attempt whose record another has claimed. Clones are
/// the same attempt.
///
/// ```
/// # use idempotent::{Claim, Idempotency, IdempotencyKey, Intent, Release, Scope};
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// # let requests = Idempotency::new(Db::memory());
/// # requests.create_table().await?;
/// # let intent = Intent::of_bytes(Scope::function("charge"), IdempotencyKey::parse("m-1")?, b"{}");
/// let Claim::Granted(attempt) = requests.claim(&intent).await? else { panic!("nobody else is here") };
/// assert_eq!(attempt.number(), 1);
/// assert_eq!(attempt.release().await?, Release::Released);
/// assert!(matches!(requests.claim(&intent).await?, Claim::Granted(_)));
/// # Ok::<(), idempotent::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
#[must_use = "an attempt that is dropped blocks its request until its lock is over"]
pub struct Attempt {
    held: Arc<Held>,
}

struct Held {
    machine: Idempotency,
    intent: Intent,
    row_key: String,
    token: String,
    number: u64,
    tenure: Mutex<Tenure>,
}

impl Attempt {
    pub(crate) fn new(
        machine: &Idempotency,
        intent: &Intent,
        own: (String, String),
        number: u64,
        tenure: Tenure,
    ) -> Self {
        let (row_key, token) = own;
        let (machine, intent, tenure) = (machine.clone(), intent.clone(), Mutex::new(tenure));
        Self { held: Arc::new(Held { machine, intent, row_key, token, number, tenure }) }
    }

    /// The how-manieth attempt at this request it is. It grows with each claim while the row lives; a row that was released or
    /// removed begins again at 1.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.held.number
    }

    /// What is to be done.
    #[must_use]
    pub fn intent(&self) -> &Intent {
        &self.held.intent
    }

    /// The machine that granted it.
    #[must_use]
    pub fn machine(&self) -> &Idempotency {
        &self.held.machine
    }

    /// Writes down that it failed, if the record is still ours.
    ///
    /// # Errors
    /// If the store does not answer. Then it may be written down, and otherwise the lock will be over in time.
    pub async fn fail(&self, failure: Failure) -> Result<Release, Error> {
        let write = write::fail(&self.held.machine.db, self.own(), failure == Failure::Final);
        let write = write.request().await.map_err(tabletheory::Error::erase)?;
        self.ended(settle(&self.held.machine.db, write).await?, "FAILED")
    }

    /// Gives the claim back, as if it had never been: the next repetition runs at once.
    ///
    /// # Errors
    /// If the store does not answer. Then it may be given back, and otherwise the lock will be over in time.
    pub async fn release(&self) -> Result<Release, Error> {
        let Held { machine, row_key, token, .. } = &*self.held;
        let write: DeleteItem =
            write::release(&machine.db, row_key, token).request().map_err(tabletheory::Error::erase)?;
        self.ended(settle(&machine.db, write).await?, "")
    }

    /// Ends the lock and leaves the request an orphan.
    pub(crate) async fn abandon(&self) -> Result<(), Error> {
        let write = write::abandon(&self.held.machine.db, self.own());
        let write = write.request().await.map_err(tabletheory::Error::erase)?;
        settle(&self.held.machine.db, write).await.map(drop)
    }

    /// The write that makes the lock longer by another term.
    pub(crate) async fn extending(&self, tenure: &Tenure) -> Result<UpdateItem, Error> {
        let Held { machine, .. } = &*self.held;
        let own = Own {
            now: tenure.asked_at,
            expires_at: machine.expires_at(tenure.asked_at, tenure.seconds()),
            ..self.own()
        };
        let write = write::extend(&machine.db, own, &moment::ceil_text(tenure.ends_at));
        Ok(write.request().await.map_err(tabletheory::Error::erase)?)
    }

    pub(crate) fn tenure(&self) -> Tenure {
        *self.held.tenure.lock()
    }

    pub(crate) fn set_tenure(&self, tenure: Tenure) {
        *self.held.tenure.lock() = tenure;
    }

    /// Whether a record is of this attempt, in whatever state.
    pub(crate) fn is_of(&self, row: &Item) -> bool {
        standing::is_of(row, &self.held.token)
    }

    pub(crate) fn row_key(&self) -> &str {
        &self.held.row_key
    }

    pub(crate) fn token(&self) -> &str {
        &self.held.token
    }

    /// What every write of it says, as of now.
    pub(crate) fn own(&self) -> Own<'_> {
        let Held { machine, row_key, token, .. } = &*self.held;
        let now = machine.now();
        Own { row_key, token, now, expires_at: machine.expires_at(now, Seconds(0)) }
    }

    fn ended(&self, sent: Sent, ends_as: &str) -> Result<Release, Error> {
        Ok(match sent {
            Sent::Done(_) => Release::Released,
            Sent::Refused { item: Some(row), after_a_lost_answer: true }
                if self.is_of(&row) && standing::text(&row, "Status") == Some(ends_as) =>
            {
                Release::Released
            }
            Sent::Refused { .. } => Release::NotOurs,
        })
    }
}

/// Without the token.
impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("intent", &self.held.intent)
            .field("number", &self.held.number)
            .finish_non_exhaustive()
    }
}
