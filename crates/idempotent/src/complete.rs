//! Completing an attempt: the answer goes where it belongs, and then one write says that the request is done.

use tabletheory::db::{TransactOperation, Update};
use tabletheory_core::Item;

use crate::attempt::Attempt;
use crate::error::Error;
use crate::outcome::Completion;
use crate::recall::answer;
use crate::record::IdempotencyRecord;
use crate::replay::Replay;
use crate::response::Response;
use crate::send::{Sent, settle};
use crate::standing;
use crate::stored::{Stored, fits_inline, piece};
use crate::write::{self, Own};

/// How work ended that is done and must not be done again.
#[derive(Debug)]
pub(crate) enum Ending {
    /// With this answer.
    Whole(Response),
    /// With an answer of which this much was read. There is more of it, and that is too large to be kept, or has no end.
    TooLong(Response),
    /// With an answer whose body broke off, so that nobody has it.
    Broken(Response),
}

impl Attempt {
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
        self.complete_as(response, &stored).await
    }

    /// Writes down how work ended.
    pub(crate) async fn complete_with(&self, ending: &Ending) -> Result<Completion, Error> {
        match ending {
            Ending::Whole(response) => self.complete(response).await,
            Ending::TooLong(response) => {
                let length = self.piece(response).len() as u64;
                self.complete_as(response, &Stored::TooLarge { length }).await
            }
            Ending::Broken(response) => {
                self.complete_as(response, &Stored::lost(&self.piece(response))).await
            }
        }
    }

    async fn complete_as(&self, response: &Response, stored: &Stored) -> Result<Completion, Error> {
        let own = self.own();
        let write = self.completing(own, response, stored).request().await.map_err(tabletheory::Error::erase);
        let sent = match settle(&self.machine().db, write?).await {
            Err(error) if error.is_ambiguous() => return Ok(Completion::Unknown),
            sent => sent?,
        };
        match sent {
            Sent::Done(_) => Ok(self.completed(own, response, stored)),
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
        if self.machine().keep.keeps_status(response.status) {
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
        Ok(self.completing(self.own(), response, &stored))
    }

    fn completing(&self, own: Own<'_>, response: &Response, stored: &Stored) -> Update<IdempotencyRecord> {
        write::complete(&self.machine().db, own, response.status.as_u16(), stored.changes())
    }

    fn piece(&self, response: &Response) -> Vec<u8> {
        piece(&self.machine().headers.of(&response.headers), &response.body)
    }

    /// Puts the answer where it belongs, if that is not the record.
    async fn store(&self, response: &Response) -> Result<Stored, Error> {
        let (machine, row_key, token) = (self.machine(), self.row_key(), self.token());
        let headers = machine.headers.of(&response.headers);
        let name = |name: Option<String>| name.map_or(0, |name| name.len());
        let scope = self.intent().scope();
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
    fn completed(&self, own: Own<'_>, response: &Response, stored: &Stored) -> Completion {
        let machine = self.machine();
        if !stored.is_whole() {
            return Completion::CompletedWithoutBody;
        }
        if let Some(known) = &machine.known {
            let headers = machine.headers.of(&response.headers);
            let replay = Replay {
                attempt: Some(self.number()),
                completed_at: Some(own.now),
                ..Replay::new(answer(response.status, &headers, response.body.clone()))
            };
            known.keep(own.row_key, self.intent().fingerprint().as_hex(), own.expires_at, &replay);
        }
        Completion::Completed
    }

    /// What a completion came to that was refused for this record.
    async fn overtaken(&self, row: Option<Item>) -> Result<Completion, Error> {
        let row = match row {
            Some(row) => Some(row),
            // Not every store tells what stood in the way.
            None => self.machine().row(self.row_key()).await?,
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
        if standing::text(&row, "RequestHash") != Some(self.intent().fingerprint().as_hex()) {
            return Ok(Completion::Lost(None));
        }
        let replay = self.machine().replay(self.row_key(), &row).await;
        Ok(Completion::Lost(replay.ok().map(Box::new)))
    }
}
