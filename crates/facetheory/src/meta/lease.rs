//! The lease of a page: taking it, making it longer, and giving it back. Whoever has it is told by its random token; the
//! clocks only say when others may try.

use std::fmt;

use tabletheory::db::Transact;
use tabletheory_core::{Seconds, Timestamp};
use tokio::time::Instant;

use super::MetaStore;
use super::intent::Intent;
use super::patience::patiently;
use super::refusal::{is_refused, refusals};
use super::row::{Row, lock_key};
use super::tenure::Tenure;
use super::transaction::{self, Claim, Term};
use crate::error::Error;
use crate::key::Partition;

/// What was kept of a failure is no longer.
const WHY_CHARS_MAX: usize = 200;

/// The lease of a page, as its holder has it. Dropped, it stays taken until its time is over.
///
/// ```
/// use facetheory::PageKey;
/// use facetheory::meta::{Acquire, MetaStore, Release};
/// use tabletheory::Db;
/// use tabletheory_core::Seconds;
///
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let Acquire::Granted(lease) = store.try_acquire(&page, Seconds(30)).await? else { panic!("nobody has it") };
/// assert!(matches!(store.try_acquire(&page, Seconds(30)).await?, Acquire::Held { .. }));
/// assert_eq!(store.release(lease).await?, Release::Released);
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[must_use = "a lease that is dropped stays taken until its time is over"]
pub struct Lease {
    partition: Partition,
    token: String,
    expires_at: i64,
    ends: Instant,
    failures: u64,
    claimed: Option<(Intent, Claim)>,
}

/// What an attempt to take a lease came to.
///
/// ```
/// use facetheory::meta::{Acquire, MetaStore};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let Acquire::Granted(lease) = store.try_acquire(&page, Seconds(30)).await? else { panic!("nobody has it") };
/// store.fail(lease, store.db().clock().now() + Seconds(60), "origin").await?;
/// assert!(matches!(store.try_acquire(&page, Seconds(30)).await?, Acquire::NotYet { .. }));
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
#[must_use]
pub enum Acquire {
    /// It is ours.
    Granted(Lease),
    /// Somebody else has it.
    Held {
        /// When it is free, if its holder does not make it longer.
        until: Timestamp,
    },
    /// Nobody has it, and a failure asks for patience.
    NotYet {
        /// When the next attempt is welcome.
        at: Timestamp,
    },
}

/// What an attempt to make a lease longer came to.
///
/// ```
/// use facetheory::meta::{Acquire, MetaStore, Purge, Refresh};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let Acquire::Granted(mut lease) = store.try_acquire(&page, Seconds(30)).await? else { panic!("nobody has it") };
/// assert_eq!(store.refresh(&mut lease, Seconds(60)).await?, Refresh::Extended);
/// store.invalidate(&page, Purge::Stale).await?;
/// assert_eq!(store.refresh(&mut lease, Seconds(60)).await?, Refresh::Lost);
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a render goes on only under a lease that was extended"]
pub enum Refresh {
    /// It is ours for the new term.
    Extended,
    /// It is not ours any more.
    Lost,
}

/// What giving back a lease came to.
///
/// ```
/// use facetheory::meta::{Acquire, MetaStore, Purge, Release};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let Acquire::Granted(lease) = store.try_acquire(&page, Seconds(30)).await? else { panic!("nobody has it") };
/// store.invalidate(&page, Purge::Stale).await?;
/// assert_eq!(store.release(lease).await?, Release::NotOurs);
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// We do not have it any more.
    Released,
    /// We did not have it any more, and nothing was written.
    NotOurs,
}

impl Lease {
    pub(super) fn new(
        partition: Partition,
        tenure: Tenure,
        failures: u64,
        claimed: Option<(Intent, Claim)>,
    ) -> Self {
        let Tenure { term: Term { token, expires_at, .. }, ends } = tenure;
        Self { partition, token, expires_at, ends, failures, claimed }
    }

    /// The page's partition.
    #[must_use]
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The token that fences everything the holder writes.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// When others may take it: a whole second, as the row says it.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        Timestamp::from_seconds(self.expires_at)
    }

    /// When its term is over by this process's own clock, which nobody sets.
    pub(crate) fn ends(&self) -> Instant {
        self.ends
    }

    /// How many renders had failed when it was taken. A lease that was taken together with an intent does not know; then
    /// [`SecondLook::failures`](super::SecondLook::failures) does.
    #[cfg(test)]
    pub(crate) fn failures(&self) -> u64 {
        self.failures
    }

    /// The intent it was taken for.
    #[cfg(test)]
    pub(crate) fn claimed(&self) -> Option<&Intent> {
        self.claimed.as_ref().map(|(intent, _)| intent)
    }

    pub(super) fn claim(&self) -> Option<&Claim> {
        self.claimed.as_ref().map(|(_, claim)| claim)
    }
}

/// Without the token: whoever has it could publish.
impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("partition", &self.partition)
            .field("expires_at", &self.expires_at)
            .field("failures", &self.failures)
            .field("claimed", &self.claimed.is_some())
            .finish_non_exhaustive()
    }
}

impl MetaStore {
    /// Takes the lease of a page for at least `term`, if nobody has it and no failure asks for patience. One write.
    ///
    /// # Errors
    /// If the store does not answer. Then the lease may be taken, by nobody, until the term is over.
    pub async fn try_acquire(&self, partition: &Partition, term: Seconds) -> Result<Acquire, Error> {
        let tenure = self.tenure(self.draw_token(), term);
        let taken = patiently(&self.db, || transaction::acquire(&self.db, partition, &tenure.term)).await;
        let error = match taken {
            Ok(lock) => {
                return Ok(Acquire::Granted(Lease::new(partition.clone(), tenure, lock.fail_count, None)));
            }
            Err(tabletheory::Error::ConditionFailed { current: Some(lock), .. }) => {
                return Ok(refused(Some(lock.lease_expires_at), lock.next_attempt_ms, tenure.term.now));
            }
            Err(error) => error,
        };
        // Lost on the way, or refused or done on a row that is wrong otherwise: the row tells which.
        let unreadable = matches!(error, tabletheory::Error::Model { .. });
        if !(error.is_condition_failed() || error.is_ambiguous() || unreadable) {
            return Err(Error::Table(error.erase()));
        }
        let Ok([row]) = self.rows([lock_key(partition)]).await else {
            return Err(Error::Table(error.erase()));
        };
        Ok(match row.as_ref() {
            Some(row) if is_held_by(row, &tenure.term.token) => {
                let failures = row.number("fail_count").unwrap_or(0);
                Acquire::Granted(Lease::new(partition.clone(), tenure, failures, None))
            }
            row => refused_by(row, tenure.term.now),
        })
    }

    /// Makes the lease last `term` from now. It never gets shorter.
    ///
    /// # Errors
    /// If the store does not answer. Then the lease is ours for as long as it was.
    pub async fn refresh(&self, lease: &mut Lease, term: Seconds) -> Result<Refresh, Error> {
        let tenure = self.tenure(lease.token.clone(), term);
        let longer = || transaction::refresh(&self.db, &lease.partition, &tenure.term).silently();
        let error = match patiently(&self.db, longer).await {
            Ok(()) => {
                lease.extend(&tenure);
                return Ok(Refresh::Extended);
            }
            Err(tabletheory::Error::ConditionFailed { current: Some(lock), .. })
                if lock.lease_token != lease.token =>
            {
                return Ok(Refresh::Lost);
            }
            Err(error) if error.is_condition_failed() || error.is_ambiguous() => error,
            Err(error) => return Err(Error::Table(error.erase())),
        };
        let [row] = self.rows([lock_key(&lease.partition)]).await?;
        let Some(row) = row.filter(|row| is_held_by(row, &lease.token)) else { return Ok(Refresh::Lost) };
        if row.integer("lease_expires_at") == Some(tenure.term.expires_at) {
            lease.extend(&tenure);
        } else if error.is_ambiguous() {
            return Err(Error::Table(error.erase()));
        }
        // Refused and ours: it lasts longer than was asked for. What we knew before is the cautious answer.
        Ok(Refresh::Extended)
    }

    /// Gives the lease back. An intent it carries is not completed: it may be begun again at once.
    ///
    /// # Errors
    /// If the store does not answer. Then others may have to wait until the lease is over.
    pub async fn release(&self, lease: Lease) -> Result<Release, Error> {
        let Some(claim) = lease.claim() else { return self.release_alone(&lease).await };
        let request = transaction::fail_request(&self.db, &lease.partition, claim, &lease.token, "released");
        let lock = transaction::release(&self.db, &lease.partition, &lease.token);
        self.give_back(&lease, self.db.transact().with(lock).with(request), None).await
    }

    /// Gives the lease back because the page is fresh already. An intent it carries is completed with that page, whose
    /// body is at `pointer`.
    ///
    /// # Errors
    /// If the store does not answer. Then others may have to wait until the lease is over.
    pub async fn satisfied(&self, lease: Lease, pointer: &str) -> Result<Release, Error> {
        let Some(claim) = lease.claim() else { return self.release_alone(&lease).await };
        let request = transaction::complete(&self.db, &lease.partition, claim, &lease.token, pointer);
        let lock = transaction::release(&self.db, &lease.partition, &lease.token);
        self.give_back(&lease, self.db.transact().with(lock).with(request), None).await
    }

    /// Gives the lease back after a failure, and asks everybody for patience until `next_attempt`. An intent it carries has
    /// failed with it, and may be begun again. Of `why`, which names the failure and holds no values, the beginning is kept.
    ///
    /// # Errors
    /// If the store does not answer. Then others may have to wait until the lease is over.
    pub async fn fail(&self, lease: Lease, next_attempt: Timestamp, why: &str) -> Result<Release, Error> {
        let now = self.db.clock().now();
        let lock = || transaction::fail(&self.db, &lease.partition, &lease.token, now, next_attempt);
        let mut transaction = self.db.transact().with(lock());
        if let Some(claim) = lease.claim() {
            let why: String = why.chars().take(WHY_CHARS_MAX).collect();
            let request = transaction::fail_request(&self.db, &lease.partition, claim, &lease.token, &why);
            transaction = transaction.with(request);
        }
        let alone = self.db.transact().with(lock());
        self.give_back(&lease, transaction, Some(alone)).await
    }

    async fn release_alone(&self, lease: &Lease) -> Result<Release, Error> {
        let release = || transaction::release(&self.db, &lease.partition, &lease.token);
        match patiently(&self.db, release).await {
            Ok(()) => Ok(Release::Released),
            Err(error) if error.is_condition_failed() => Ok(Release::NotOurs),
            Err(error) => self.settle_release(lease, error.erase()).await,
        }
    }

    /// Sends a transaction whose first operation gives the lease back. If only the intent is not ours any more, because time
    /// has removed its row, the lease is given back without it.
    async fn give_back(
        &self,
        lease: &Lease,
        transaction: Transact,
        alone: Option<Transact>,
    ) -> Result<Release, Error> {
        let error = match transaction.await {
            Ok(()) => return Ok(Release::Released),
            Err(error) => error,
        };
        let Some(failure) = refusals(&error) else { return self.settle_release(lease, error).await };
        if is_refused(failure, 0) {
            return Ok(Release::NotOurs);
        }
        match alone {
            None => self.release_alone(lease).await,
            Some(alone) => match alone.await {
                Ok(()) => Ok(Release::Released),
                Err(error) if refusals(&error).is_some() => Ok(Release::NotOurs),
                Err(error) => self.settle_release(lease, error).await,
            },
        }
    }

    /// A lease whose token is not in the row is not ours, whether our write or another's took it away.
    async fn settle_release(&self, lease: &Lease, error: tabletheory::Error) -> Result<Release, Error> {
        if !error.is_ambiguous() {
            return Err(error.into());
        }
        match self.rows([lock_key(&lease.partition)]).await {
            Ok([row]) if !row.as_ref().is_some_and(|row| is_held_by(row, &lease.token)) => {
                Ok(Release::Released)
            }
            _ => Err(error.into()),
        }
    }
}

impl Lease {
    fn extend(&mut self, tenure: &Tenure) {
        self.expires_at = tenure.term.expires_at;
        self.ends = tenure.ends;
    }
}

pub(super) fn is_held_by(row: &Row, token: &str) -> bool {
    row.text("lease_token") == Some(token)
}

/// Why the lease was not granted, by its row.
pub(super) fn refused_by(row: Option<&Row>, now: Timestamp) -> Acquire {
    let number = |name| row.and_then(|row| row.integer(name));
    refused(number("lease_expires_at"), number("next_attempt_ms"), now)
}

/// Why the lease was not granted. A row that says neither has changed meanwhile, and may be asked again.
fn refused(expires_at: Option<i64>, next_attempt_ms: Option<i64>, now: Timestamp) -> Acquire {
    let until = expires_at.filter(|expires_at| *expires_at > now.seconds());
    let at = next_attempt_ms.filter(|at| *at > now.millis());
    match (until, at) {
        (Some(until), _) => Acquire::Held { until: Timestamp::from_seconds(until) },
        (None, Some(at)) => Acquire::NotYet { at: Timestamp::from_millis(at) },
        (None, None) => Acquire::Held { until: now },
    }
}
