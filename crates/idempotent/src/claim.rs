//! Claiming a request: one conditional write, and what it means if it is refused.

use std::time::Duration;

use tabletheory::db::Update;
use tabletheory::tenure::Tenure;
use tabletheory_core::store::op::ReturnValues;
use tabletheory_core::{Item, Seconds, Timestamp};

use crate::attempt::Attempt;
use crate::cache::Hit;
use crate::error::Error;
use crate::guard::Guarded;
use crate::intent::Intent;
use crate::machine::Idempotency;
use crate::moment;
use crate::orphan::{Orphan, Orphans, Recover, Recovery};
use crate::outcome::Completion;
use crate::patience::Patience;
use crate::recall::answer;
use crate::record::IdempotencyRecord;
use crate::replay::Replay;
use crate::rule::Silent;
use crate::send::{Sent, settle};
use crate::standing::{self, Standing, judge};
use crate::write::{self, Claiming};

/// How often a record that others change is looked at in one claim.
const ROUNDS_MAX: usize = 4;

/// What claiming a request came to.
///
/// ```
/// # use idempotent::{Claim, Idempotency, IdempotencyKey, Intent, Scope};
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// # let requests = Idempotency::new(Db::memory());
/// # requests.create_table().await?;
/// let of = |body: &[u8]| Intent::of_bytes(Scope::function("charge"), IdempotencyKey::parse("m-1").unwrap(), body);
/// let Claim::Granted(_attempt) = requests.claim(&of(b"5")).await? else { panic!("nobody else is here") };
/// assert!(matches!(requests.claim(&of(b"5")).await?, Claim::Running { .. }));
/// assert!(matches!(requests.claim(&of(b"6")).await?, Claim::Mismatch));
/// # Ok::<(), idempotent::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[must_use = "an attempt that was granted and dropped blocks its request until its lock is over"]
pub enum Claim {
    /// It is ours to do.
    Granted(Attempt),
    /// It was done before, and this is the answer.
    Replay(Box<Replay>),
    /// Another does it.
    Running {
        /// When to ask again: when its lock is over, if it does not make it longer. Whole seconds, rounded up, at least one.
        retry_after: Duration,
    },
    /// The key was used for another request. Nothing is told of that one.
    Mismatch,
    /// Another began it and is silent, and it is not done again: [`Orphans::Refuse`], or nobody could say what became of it.
    Orphaned {
        /// The number of the attempt that is silent.
        attempt: u64,
    },
    /// It failed for good.
    Failed,
}

/// One who claims.
struct Claimer<'m> {
    machine: &'m Idempotency,
    intent: &'m Intent,
    row_key: String,
    token: String,
    term: Seconds,
}

impl Idempotency {
    /// Claims a request: one write if it is new, and no more if it was done and its answer is in the record. If another does
    /// it, waits as long as the settings say.
    ///
    /// # Errors
    /// If the store does not answer: then the request may be claimed, by nobody, until the lock is over; if it does not answer
    /// after it has said that there is a record, [`Error::Untold`]. If the record cannot be understood, or if the answer is
    /// lost or was too large to be kept.
    pub async fn claim(&self, intent: &Intent) -> Result<Claim, Error> {
        self.claim_for(intent, self.settings.lock_for).await
    }

    /// Claims a request with a lock of this term, such as the time that a function has left. 1 second to a day.
    ///
    /// # Errors
    /// As for [`claim`](Self::claim), and if the term is none.
    pub async fn claim_for(&self, intent: &Intent, term: Seconds) -> Result<Claim, Error> {
        self.claim_with(intent, term, Patience::new(self)).await
    }

    /// Claims a request, and does not wait if another does it.
    pub(crate) async fn claim_at_once(&self, intent: &Intent) -> Result<Claim, Error> {
        self.claim_with(intent, self.settings.lock_for, None).await
    }

    async fn claim_with(
        &self,
        intent: &Intent,
        term: Seconds,
        patience: Option<Patience>,
    ) -> Result<Claim, Error> {
        if !(1..=86_400).contains(&term.0) {
            return Err(Error::Setting { setting: "lock_for", must_be: "1 second to a day" });
        }
        let row_key = self.settings.scheme.row_key(intent.scope(), intent.key());
        let hash = intent.fingerprint().as_hex();
        if let Some(hit) = self.known.as_ref().and_then(|known| known.get(&row_key, hash, self.now())) {
            return Ok(match hit {
                Hit::Answer(replay) => {
                    Claim::Replay(Box::new(Replay { is_cached: true, ..(*replay).clone() }))
                }
                Hit::Mismatch => Claim::Mismatch,
            });
        }
        let claimer = Claimer { machine: self, intent, row_key, token: self.draw_token(), term };
        let mut is_seen = false;
        let claim = match patience {
            None => claimer.once(&mut is_seen).await,
            Some(patience) => claimer.patiently(patience, &mut is_seen).await,
        };
        // Whoever runs requests without the store runs those of which it said nothing, and never one that may be done.
        claim.map_err(|error| if is_seen { error.with_a_record() } else { error })
    }
}

impl Claimer<'_> {
    /// Claims, and again while another does it and there is time to wait.
    async fn patiently(&self, mut patience: Patience, is_seen: &mut bool) -> Result<Claim, Error> {
        loop {
            let claim = self.once(is_seen).await?;
            if !matches!(claim, Claim::Running { .. }) || !patience.wait(self.machine).await {
                return Ok(claim);
            }
        }
    }

    /// Claims once; says in `is_seen` whether there was a record in the way, which a later error does not take back.
    async fn once(&self, is_seen: &mut bool) -> Result<Claim, Error> {
        let db = &self.machine.db;
        for _ in 0..ROUNDS_MAX {
            let tenure = self.begin();
            let claiming = self.claiming(&tenure);
            let reexecute = matches!(self.machine.orphans, Orphans::Reexecute);
            let item = match self.send(write::claim(db, &claiming, reexecute)).await? {
                Sent::Done(row) => return Ok(self.granted(row.as_ref(), tenure)),
                Sent::Refused { item, .. } => item,
            };
            *is_seen = true;
            // Not every store tells what stood in the way.
            let found = if item.is_none() { self.machine.row(&self.row_key).await? } else { item };
            let Some(row) = found else { continue };
            let standing = judge(&row, &claiming.hash, &self.token, tenure.asked_at);
            if let Some(claim) = self.meet(standing, &row, tenure).await? {
                return Ok(claim);
            }
        }
        Err(Error::Contended)
    }

    /// What becomes of a claim that was refused for this record; `None` if it is to be tried again.
    async fn meet(&self, standing: Standing, row: &Item, tenure: Tenure) -> Result<Option<Claim>, Error> {
        Ok(Some(match standing {
            Standing::Free => return Ok(None),
            Standing::Ours => self.granted(Some(row), tenure),
            Standing::Mismatch => Claim::Mismatch,
            Standing::Completed => Claim::Replay(Box::new(self.machine.replay(&self.row_key, row).await?)),
            Standing::Failed => Claim::Failed,
            Standing::Running { until } => {
                Claim::Running { retry_after: retry_after(until, tenure.asked_at) }
            }
            Standing::Unreadable(attribute) => return Err(Error::Unreadable { attribute }),
            Standing::Silent(silent) => match &self.machine.orphans {
                Orphans::Refuse => Claim::Orphaned { attempt: silent.attempt },
                Orphans::Reexecute => {
                    return self.take_over(&silent).await.map(|taken| taken.map(Claim::Granted));
                }
                Orphans::Recover(recover) => match self.take_over(&silent).await? {
                    None => return Ok(None),
                    Some(attempt) => self.recovered(attempt, recover, silent.attempt).await?,
                },
            },
        }))
    }

    /// Claims the record of an attempt that was seen to be silent; `None` if another was quicker.
    async fn take_over(&self, silent: &Silent) -> Result<Option<Attempt>, Error> {
        let db = &self.machine.db;
        let tenure = self.begin();
        match self.send(write::take_over(db, &self.claiming(&tenure), silent)).await? {
            Sent::Done(row) => Ok(Some(self.attempt(row.as_ref(), tenure))),
            Sent::Refused { .. } => Ok(None),
        }
    }

    /// Asks what became of the attempt that was silent.
    async fn recovered(&self, attempt: Attempt, recover: &Recover, silent: u64) -> Result<Claim, Error> {
        let orphan = Orphan { intent: self.intent.clone(), attempt: silent };
        let second = Claim::Running { retry_after: Duration::from_secs(1) };
        match attempt.guard(recover.ask(orphan)).await {
            Guarded::Done(Recovery::NotDone) => Ok(Claim::Granted(attempt)),
            Guarded::Done(Recovery::Unknown) => {
                attempt.abandon().await?;
                Ok(Claim::Orphaned { attempt: silent })
            }
            Guarded::Done(Recovery::Done(response)) => Ok(match attempt.complete(&response).await? {
                Completion::Lost(Some(replay)) => Claim::Replay(replay),
                Completion::Lost(None) | Completion::Unknown => second,
                Completion::Completed | Completion::CompletedWithoutBody | Completion::NotKept => {
                    let headers = self.machine.headers.of(&response.headers);
                    let response = answer(response.status, &headers, response.body);
                    Claim::Replay(Box::new(Replay { attempt: Some(silent), ..Replay::new(response) }))
                }
            }),
            Guarded::Lost { error: Some(error) } => Err(error),
            Guarded::Lost { error: None } => Ok(second),
        }
    }

    async fn send(&self, write: Update<IdempotencyRecord>) -> Result<Sent, Error> {
        let mut write = write.request().await.map_err(tabletheory::Error::erase)?;
        write.returns.values = ReturnValues::UpdatedNew;
        settle(&self.machine.db, write).await
    }

    fn begin(&self) -> Tenure {
        let term = Duration::from_secs(self.term.0.unsigned_abs());
        Tenure::begin(self.machine.db.clock().as_ref(), term)
    }

    fn claiming(&self, tenure: &Tenure) -> Claiming {
        let scope = self.intent.scope();
        let body = self.intent.body().filter(|_| self.machine.settings.store_requests);
        Claiming {
            row_key: self.row_key.clone(),
            function: scope.function_attribute(),
            tenant: scope.tenant_attribute(),
            hash: self.intent.fingerprint().as_hex().to_owned(),
            body: body.map(str::to_owned),
            token: self.token.clone(),
            now: tenure.asked_at,
            locked_until: moment::ceil_text(tenure.ends_at),
            expires_at: self.machine.expires_at(tenure.asked_at, self.term),
        }
    }

    fn granted(&self, row: Option<&Item>, tenure: Tenure) -> Claim {
        Claim::Granted(self.attempt(row, tenure))
    }

    fn attempt(&self, row: Option<&Item>, tenure: Tenure) -> Attempt {
        let number = row.map_or(1, standing::attempt);
        Attempt::new(self.machine, self.intent, (self.row_key.clone(), self.token.clone()), number, tenure)
    }
}

/// How long it is until then, in whole seconds, and at least one.
fn retry_after(until: Timestamp, now: Timestamp) -> Duration {
    let span = until.saturating_since(now);
    let started = u64::from(span.subsec_nanos() > 0);
    Duration::from_secs((span.as_secs() + started).max(1))
}
