//! An attempt at a request, as the one has it who claimed it: how it ends.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use tabletheory::db::{TransactOperation, Update};
use tabletheory_core::store::op::{DeleteItem, UpdateItem};
use tabletheory_core::{Item, Seconds};

use crate::error::Error;
use crate::intent::Intent;
use crate::machine::Idempotency;
use crate::recall::answer;
use crate::record::IdempotencyRecord;
use crate::replay::Replay;
use crate::response::Response;
use crate::send::{Sent, settle};
use crate::standing;
use crate::stored::{Stored, fits_inline, piece};
use crate::tenure::Tenure;
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

/// What completing came to.
///
/// ```
/// use idempotent::Completion;
///
/// assert!(!matches!(Completion::Unknown, Completion::Completed));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an answer that was not completed is not what others will get"]
pub enum Completion {
    /// The answer is written down, and everybody gets it.
    Completed,
    /// It is written down that the request is done, and with which status, but the answer was too large to be kept or could
    /// not be put where it belongs. Repetitions get an error that says so; the request does not run again.
    CompletedWithoutBody,
    /// The rule keeps no such answer, and the claim was given back: the next repetition runs again.
    NotKept,
    /// Another has claimed the record since. This is its answer, if it is done already; it is what everybody gets.
    Lost(Option<Box<Replay>>),
    /// The store's answers were lost. It is completed or will be done again, and nobody knows which.
    Unknown,
}

/// How an attempt failed.
///
/// ```
/// assert_ne!(idempotent::Failure::Retryable, idempotent::Failure::Final);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The next repetition may try again.
    Retryable,
    /// Repetitions are told that it failed, until the record is over.
    Final,
}

/// What giving a claim back came to. In all cases the request is not ours any more.
///
/// ```
/// assert_ne!(idempotent::Release::Released, idempotent::Release::NotOurs);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// It was ours, and is free.
    Released,
    /// It was not ours any more, or was completed, and nothing was changed. If an answer of the store was lost, it may have
    /// been released before.
    NotOurs,
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

    /// Writes the answer down, whatever its status, if the record is still ours. An answer that is lost on the way is asked
    /// for again, and an own completion is recognised.
    ///
    /// # Errors
    /// If the store refuses. Then nothing was written, and completing may be tried again.
    pub async fn complete(&self, response: &Response) -> Result<Completion, Error> {
        let stored = match self.store(response).await {
            Ok(stored) => stored,
            // The work is done. To forget that would mean to do it twice.
            Err(_) => Stored::lost(&self.piece(response)),
        };
        let write = self.completing(response, &stored).request().await.map_err(tabletheory::Error::erase);
        let sent = match settle(&self.held.machine.db, write?).await {
            Err(error) if error.is_ambiguous() => return Ok(Completion::Unknown),
            sent => sent?,
        };
        match sent {
            Sent::Done(_) => Ok(self.completed(response, &stored)),
            Sent::Refused { item, .. } => self.overtaken(item).await,
        }
    }

    /// Completes with an answer that the rule keeps, and gives the claim back after one that it does not.
    ///
    /// ```
    /// # use idempotent::{Claim, Completion, Idempotency, IdempotencyKey, Intent, Response, Scope};
    /// # use tabletheory::Db;
    /// # futures_executor::block_on(async {
    /// # let requests = Idempotency::new(Db::memory());
    /// # requests.create_table().await?;
    /// # let intent = Intent::of_bytes(Scope::function("charge"), IdempotencyKey::parse("m-1")?, b"{}");
    /// # let Claim::Granted(attempt) = requests.claim(&intent).await? else { panic!("nobody else is here") };
    /// let failure = Response::new(503, "try later").expect("a status");
    /// assert_eq!(attempt.finish(&failure).await?, Completion::NotKept);
    /// assert!(matches!(requests.claim(&intent).await?, Claim::Granted(_)));
    /// # Ok::<(), idempotent::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for [`complete`](Self::complete).
    pub async fn finish(&self, response: &Response) -> Result<Completion, Error> {
        if self.held.machine.keep.keeps_status(response.status) {
            return self.complete(response).await;
        }
        self.release().await?;
        Ok(Completion::NotKept)
    }

    /// The completion as an operation of a transaction, so that the effects of the request and its answer are written
    /// together or not at all: then they happen once, even if an attempt whose lock is over still works. A large answer is
    /// put first; if the transaction fails, nothing names it, and it is forgotten in time.
    ///
    /// ```
    /// # use idempotent::{Claim, Idempotency, IdempotencyKey, Intent, Response, Scope};
    /// # use tabletheory::{Db, Model};
    /// #[derive(Model)]
    /// #[model(table = "orders")]
    /// struct Order {
    ///     #[model(pk)]
    ///     id: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Order>().await.map_err(tabletheory::Error::erase)?;
    /// # let requests = Idempotency::new(db.clone());
    /// # requests.create_table().await?;
    /// # let intent = Intent::of_bytes(Scope::function("order"), IdempotencyKey::parse("m-1")?, b"{}");
    /// # let Claim::Granted(attempt) = requests.claim(&intent).await? else { panic!("nobody else is here") };
    /// let answer = Response::new(201, "{\"id\":1}").expect("a status");
    /// let completion = attempt.completion(&answer).await?;
    /// db.transact().with(db.create(&Order { id: 1 })).with(completion).await?;
    /// assert!(matches!(requests.claim(&intent).await?, Claim::Replay(_)));
    /// # Ok::<(), idempotent::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a large answer could not be put, or is too large to be kept. Nothing was written then.
    pub async fn completion(&self, response: &Response) -> Result<impl TransactOperation + use<>, Error> {
        let stored = self.store(response).await?;
        if let Stored::TooLarge { length } = stored {
            return Err(Error::ResponseTooLarge { status: response.status.as_u16(), bytes: length });
        }
        Ok(self.completing(response, &stored))
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
            expires_at: machine.expires_at(tenure.asked_at, tenure.term()),
            ..self.own()
        };
        let write = write::extend(&machine.db, own, &tenure.locked_until());
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

    fn own(&self) -> Own<'_> {
        let Held { machine, row_key, token, .. } = &*self.held;
        let now = machine.now();
        Own { row_key, token, now, expires_at: machine.expires_at(now, Seconds(0)) }
    }

    fn completing(&self, response: &Response, stored: &Stored) -> Update<IdempotencyRecord> {
        write::complete(&self.held.machine.db, self.own(), response.status.as_u16(), stored.changes())
    }

    fn piece(&self, response: &Response) -> Vec<u8> {
        piece(&self.held.machine.headers.of(&response.headers), &response.body)
    }

    /// Puts the answer where it belongs, if that is not the record.
    async fn store(&self, response: &Response) -> Result<Stored, Error> {
        let Held { machine, intent, row_key, token, .. } = &*self.held;
        let headers = machine.headers.of(&response.headers);
        let name = |name: Option<String>| name.map_or(0, |name| name.len());
        let scope = intent.scope();
        let names_bytes = row_key.len() + name(scope.function_attribute()) + name(scope.tenant_attribute());
        if fits_inline(&headers, &response.body, names_bytes) {
            return Ok(Stored::Inline { headers, body: response.body.clone() });
        }
        let piece = piece(&headers, &response.body);
        if piece.len() as u64 > machine.bodies.bytes_max() {
            return Ok(Stored::TooLarge { length: piece.len() as u64 });
        }
        // The completion comes a little later, and the piece must not go before it.
        let expires_at =
            self.own().expires_at.saturating_add(machine.settings.body_buffer.0).saturating_add(60);
        let key = machine.bodies.put(&machine.db, (row_key, token), &piece, expires_at).await?;
        Ok(Stored::at(key, &piece))
    }

    /// The answer is written down; this process remembers it as others will read it.
    fn completed(&self, response: &Response, stored: &Stored) -> Completion {
        let Held { machine, intent, row_key, number, .. } = &*self.held;
        if !stored.is_whole() {
            return Completion::CompletedWithoutBody;
        }
        if let Some(known) = &machine.known {
            let headers = machine.headers.of(&response.headers);
            let now = machine.now();
            let replay = Replay {
                attempt: Some(*number),
                completed_at: Some(now),
                ..Replay::new(answer(response.status, &headers, response.body.clone()))
            };
            let expires_at = machine.expires_at(now, Seconds(0)).saturating_sub(1);
            known.keep(row_key, intent.fingerprint().as_hex(), expires_at, &replay);
        }
        Completion::Completed
    }

    /// What a completion came to that was refused for this record.
    async fn overtaken(&self, row: Option<Item>) -> Result<Completion, Error> {
        let row = match row {
            Some(row) => Some(row),
            // Not every store tells what stood in the way.
            None => self.held.machine.row(&self.held.row_key).await?,
        };
        let Some(row) = row else { return Ok(Completion::Lost(None)) };
        if !standing::is_completed(&row) {
            return Ok(Completion::Lost(None));
        }
        if self.is_of(&row) {
            return Ok(match Stored::of(&row) {
                Ok(stored) if !stored.is_whole() => Completion::CompletedWithoutBody,
                _ => Completion::Completed,
            });
        }
        // Whatever another has answered, only the same request may see it.
        if standing::text(&row, "RequestHash") != Some(self.held.intent.fingerprint().as_hex()) {
            return Ok(Completion::Lost(None));
        }
        let replay = self.held.machine.replay(&self.held.row_key, &row).await;
        Ok(Completion::Lost(replay.ok().map(Box::new)))
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
