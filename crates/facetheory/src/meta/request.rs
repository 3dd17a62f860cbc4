//! Intents to regenerate: claimed together with the lease of their page, or driven alone by whoever wants that.

use tabletheory_core::{Seconds, Timestamp};

use super::MetaStore;
use super::intent::Intent;
use super::lease::{Acquire, Lease, is_held_by, refused_by};
use super::refusal::{is_refused, refusals};
use super::row::{Row, lock_key};
use super::transaction::{self, Claim, claim as place};
use crate::error::Error;
use crate::key::Partition;
use crate::record::Request;

/// What claiming an intent and the lease of its page came to.
///
/// ```
/// use facetheory::meta::{Claimed, Intent, MetaStore};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let intent = Intent::from_request_id("r-1").with_inputs(&[b"policy 1"]);
/// let Claimed::Granted(_lease) = store.claim(&page, &intent, Seconds(30)).await? else { panic!("nobody has it") };
/// assert!(matches!(store.claim(&page, &intent, Seconds(30)).await?, Claimed::InProgress { .. }));
/// let other = intent.with_inputs(&[b"policy 2"]);
/// assert!(matches!(store.claim(&page, &other, Seconds(30)).await?, Claimed::Mismatch));
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[must_use]
pub enum Claimed {
    /// Both are ours.
    Granted(Lease),
    /// Somebody else has the lease, and nothing was written.
    Held {
        /// When it is free, if its holder does not make it longer.
        until: Timestamp,
    },
    /// Nobody has the lease, and a failure asks for patience. Nothing was written.
    NotYet {
        /// When the next attempt is welcome.
        at: Timestamp,
    },
    /// Somebody works on the same intent.
    InProgress {
        /// When another may take it over, if the row says so.
        until: Option<Timestamp>,
    },
    /// The intent was done before.
    Completed {
        /// Where its result is.
        s3_key: Option<String>,
    },
    /// The same key was used with other inputs, or its row cannot be understood.
    Mismatch,
}

/// What beginning an intent alone came to.
///
/// ```
/// use facetheory::meta::{Begun, Ended, Intent, MetaStore};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let intent = Intent::from_message_id("m-1");
/// assert_eq!(store.begin_request(&page, &intent, "worker 1", Seconds(30)).await?, Begun::Started);
/// assert_eq!(store.complete_request(&page, &intent, "worker 1", "bodies/1").await?, Ended::Recorded);
/// let again = store.begin_request(&page, &intent, "worker 2", Seconds(30)).await?;
/// assert_eq!(again, Begun::Completed { s3_key: Some("bodies/1".into()) });
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Begun {
    /// It is the owner's.
    Started,
    /// Somebody else works on it.
    InProgress {
        /// When another may take it over, if the row says so.
        until: Option<Timestamp>,
    },
    /// It was done before.
    Completed {
        /// Where its result is.
        s3_key: Option<String>,
    },
    /// The same key was used with other inputs, or its row cannot be understood.
    Mismatch,
}

/// What ending an intent alone came to.
///
/// ```
/// use facetheory::meta::{Ended, Intent, MetaStore};
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let intent = Intent::from_message_id("m-1");
/// assert_eq!(store.complete_request(&page, &intent, "worker 1", "bodies/1").await?, Ended::NotOurs);
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It is written down.
    Recorded,
    /// It is not the owner's any more, and nothing was written.
    NotOurs,
}

/// Why an intent could not be begun.
enum Standing {
    InProgress { until: Option<Timestamp> },
    Completed { s3_key: Option<String> },
    Mismatch,
}

impl From<Standing> for Claimed {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::InProgress { until } => Self::InProgress { until },
            Standing::Completed { s3_key } => Self::Completed { s3_key },
            Standing::Mismatch => Self::Mismatch,
        }
    }
}

impl From<Standing> for Begun {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::InProgress { until } => Self::InProgress { until },
            Standing::Completed { s3_key } => Self::Completed { s3_key },
            Standing::Mismatch => Self::Mismatch,
        }
    }
}

impl MetaStore {
    /// Takes the lease of a page for an intent, or neither: an intent never waits for a lease that was refused. One
    /// transaction.
    ///
    /// # Errors
    /// If the store does not answer. Then both may be taken, by nobody, until the term is over.
    pub async fn claim(
        &self,
        partition: &Partition,
        intent: &Intent,
        term: Seconds,
    ) -> Result<Claimed, Error> {
        let tenure = self.tenure(self.draw_token(), term);
        let claim = self.claim_of(intent, &tenure.term);
        let error = match transaction::claim(&self.db, partition, &claim, &tenure.term).await {
            Ok(()) => {
                let claimed = Some((intent.clone(), claim));
                return Ok(Claimed::Granted(Lease::new(partition.clone(), tenure, 0, claimed)));
            }
            Err(error) => error,
        };
        let keys = [lock_key(partition), request_key(partition, intent)];
        let Some(failure) = refusals(&error) else {
            if error.is_ambiguous()
                && let Ok([Some(lock), _]) = self.rows(keys).await
                && is_held_by(&lock, &tenure.term.token)
            {
                let failures = lock.number("fail_count").unwrap_or(0);
                let claimed = Some((intent.clone(), claim));
                return Ok(Claimed::Granted(Lease::new(partition.clone(), tenure, failures, claimed)));
            }
            return Err(error.into());
        };
        let (mut lock, mut request) = (failure.current(place::LOCK), failure.current(place::REQUEST));
        let is_request = is_refused(failure, place::REQUEST);
        let untold = if is_request { request.is_none() } else { lock.is_none() };
        if untold {
            // Not every store tells what stood in the way.
            [lock, request] = self.rows(keys).await?;
        }
        Ok(match is_request {
            true => judge(request.as_ref(), &claim, tenure.term.now).into(),
            false => match refused_by(lock.as_ref(), tenure.term.now) {
                Acquire::Granted(lease) => Claimed::Granted(lease),
                Acquire::Held { until } => Claimed::Held { until },
                Acquire::NotYet { at } => Claimed::NotYet { at },
            },
        })
    }

    /// Begins an intent alone, for callers who take the lease themselves. The owner is a token that nobody else has.
    ///
    /// # Errors
    /// If the store does not answer. Repeated with the same owner, it is the same beginning.
    pub async fn begin_request(
        &self,
        partition: &Partition,
        intent: &Intent,
        owner: &str,
        term: Seconds,
    ) -> Result<Begun, Error> {
        let tenure = self.tenure(owner.to_owned(), term);
        let claim = self.claim_of(intent, &tenure.term);
        let begin = transaction::begin(&self.db, partition, &claim, &tenure.term);
        // A transaction of one: the attempts are counted once, though an answer be lost.
        let error = match self.db.transact().with(begin).await {
            Ok(()) => return Ok(Begun::Started),
            Err(error) => error,
        };
        let failure = refusals(&error);
        if failure.is_none() && !error.is_ambiguous() {
            return Err(error.into());
        }
        let row = match failure.and_then(|failure| failure.current::<Row>(0)) {
            Some(row) => Some(row),
            None => self.rows([request_key(partition, intent)]).await?[0].take(),
        };
        match row {
            row if failure.is_some() => Ok(judge(row.as_ref(), &claim, tenure.term.now).into()),
            // Lost on the way, and done: no other has this owner.
            Some(row) if is_begun_by(&row, owner, &claim) => Ok(Begun::Started),
            _ => Err(error.into()),
        }
    }

    /// Ends an intent alone, with its result.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn complete_request(
        &self,
        partition: &Partition,
        intent: &Intent,
        owner: &str,
        s3_key: &str,
    ) -> Result<Ended, Error> {
        let claim = self.claim_of(intent, &self.tenure(owner.to_owned(), Seconds(1)).term);
        let complete = transaction::complete(&self.db, partition, &claim, owner, s3_key);
        self.end(partition, intent, owner, "COMPLETED", complete).await
    }

    /// Ends an intent alone that has failed, so that it may be begun again.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn fail_request(
        &self,
        partition: &Partition,
        intent: &Intent,
        owner: &str,
        why: &str,
    ) -> Result<Ended, Error> {
        let claim = self.claim_of(intent, &self.tenure(owner.to_owned(), Seconds(1)).term);
        let fail = transaction::fail_request(&self.db, partition, &claim, owner, why);
        self.end(partition, intent, owner, "FAILED", fail).await
    }

    async fn end(
        &self,
        partition: &Partition,
        intent: &Intent,
        owner: &str,
        status: &str,
        update: tabletheory::db::Update<Request>,
    ) -> Result<Ended, Error> {
        let error = match self.db.transact().with(update).await {
            Ok(()) => return Ok(Ended::Recorded),
            Err(error) if refusals(&error).is_some() => return Ok(Ended::NotOurs),
            Err(error) if error.is_ambiguous() => error,
            Err(error) => return Err(error.into()),
        };
        match self.rows([request_key(partition, intent)]).await {
            Ok([Some(row)]) if row.text("owner") == Some(owner) && row.text("status") == Some(status) => {
                Ok(Ended::Recorded)
            }
            _ => Err(error.into()),
        }
    }
}

fn request_key(partition: &Partition, intent: &Intent) -> tabletheory::key::Key<Row> {
    Row::of(Request::key(partition.as_str(), intent.key()))
}

fn is_begun_by(row: &Row, owner: &str, claim: &Claim) -> bool {
    row.text("owner") == Some(owner)
        && row.text("status") == Some("STARTED")
        && row.text("request_hash") == Some(&claim.request_hash)
}

/// Why an intent could not be begun. Other inputs are refused before anything else is told; what cannot be understood is
/// refused like them.
fn judge(row: Option<&Row>, claim: &Claim, now: Timestamp) -> Standing {
    let Some(row) = row else { return Standing::InProgress { until: Some(now) } };
    if row.text("request_hash") != Some(&claim.request_hash) {
        return Standing::Mismatch;
    }
    match row.text("status") {
        Some("COMPLETED") => Standing::Completed { s3_key: row.text("result_s3_key").map(str::to_owned) },
        Some("STARTED") => {
            Standing::InProgress { until: row.integer("locked_until").map(Timestamp::from_seconds) }
        }
        // It failed since it was refused, and may be begun again at once.
        Some("FAILED") => Standing::InProgress { until: Some(now) },
        _ => Standing::Mismatch,
    }
}
