//! The transactions and conditional writes of the cache. Nothing else builds them; nothing here sends them.

use tabletheory::Db;
use tabletheory::Model as _;
use tabletheory::db::{Delete, Transact, Update};
use tabletheory_core::{Timestamp, Value};

use super::row::Row;
use super::rule::{self, Ground, Guards, Replaced};
use crate::key::Partition;
use crate::record::{Epoch, Journal, Lock, Meta, Request, RequestStatus, Version};

/// Places in a publish, by which its refusals are read.
pub(crate) mod publish {
    pub(crate) const META: usize = 0;
    pub(crate) const LOCK: usize = 1;
    pub(crate) const EPOCH: usize = 2;
}

/// Places in a claim.
pub(crate) mod claim {
    pub(crate) const LOCK: usize = 0;
    pub(crate) const REQUEST: usize = 1;
}

/// Places in a purge.
pub(crate) mod purge {
    pub(crate) const EPOCH: usize = 0;
    pub(crate) const META: usize = 2;
}

/// The token in the row of a lease that was given back after a failure. No attempt has it, because theirs are random.
const NOBODY: &str = "nobody";

/// A lease as it is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) token: String,
    pub(crate) now: Timestamp,
    /// Seconds since 1970.
    pub(crate) expires_at: i64,
    /// Seconds since 1970 at which the row may be forgotten.
    pub(crate) ttl: i64,
}

/// An intent as it is claimed.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) key: String,
    pub(crate) request_hash: String,
    /// Seconds since 1970 at which the row may be forgotten.
    pub(crate) ttl: i64,
}

/// What a publish writes.
#[derive(Debug, Clone)]
pub(crate) struct Publication {
    pub(crate) meta: Meta,
    pub(crate) ground: Ground,
    pub(crate) guards: Guards,
    pub(crate) version: Option<Version>,
    pub(crate) request: Option<Claim>,
    pub(crate) token: String,
    pub(crate) now: Timestamp,
}

/// How pages are purged.
///
/// ```
/// use facetheory::meta::{MetaStore, Purge, Purged};
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// assert_eq!(store.invalidate(&page, Purge::Gone).await?, Purged::NoPage);
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purge {
    /// They are stale: served, as the policy allows, until they are rendered again.
    Stale,
    /// They are gone: never served again.
    Gone,
}

/// What a purge found where the metadata of a page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// A page. When this one is purged, it is stale since then; another, published meanwhile, may have been stale for longer.
    Page {
        page: Replaced,
        stale_since: Timestamp,
    },
    /// Metadata whose numbers no publish could follow.
    Stuck,
}

/// How the epoch of a page goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Next<'r> {
    /// By one.
    Grows,
    /// From the clock's milliseconds, because nothing follows what this row says.
    BeginsAgain { row: &'r Row, now: Timestamp },
}

/// Takes the lease. The row stays as it was otherwise, with the failures it counts.
pub(crate) fn acquire(db: &Db, partition: &Partition, term: &Term) -> Update<Lock> {
    db.update(Lock::key(partition.as_str()))
        .change(Lock::LEASE_TOKEN.set(term.token.as_str()))
        .change(Lock::LEASE_EXPIRES_AT.set(term.expires_at))
        .change(Lock::TTL.set(term.ttl))
        .change(Lock::NEXT_ATTEMPT_MS.remove())
        .when(rule::may_acquire(&term.token, term.now, term.expires_at))
        .or_create()
}

/// Begins an intent.
pub(crate) fn begin(db: &Db, partition: &Partition, claim: &Claim, term: &Term) -> Update<Request> {
    db.update(Request::key(partition.as_str(), claim.key.as_str()))
        .change(Request::REQUEST_HASH.set(claim.request_hash.as_str()))
        .change(Request::STATUS.set(RequestStatus::Started))
        .change(Request::OWNER.set(term.token.as_str()))
        .change(Request::LOCKED_UNTIL.set(term.expires_at))
        .change(Request::TTL.set(claim.ttl))
        .change(Request::ATTEMPT.add(1))
        .change(Request::ERROR.remove())
        .when(rule::may_begin(&claim.request_hash, &term.token, term.now))
        .or_create()
}

/// Takes the lease and begins an intent, or neither: an intent never waits for a lease that was refused.
pub(crate) fn claim(db: &Db, partition: &Partition, claim: &Claim, term: &Term) -> Transact {
    db.transact().with(acquire(db, partition, term)).with(begin(db, partition, claim, term))
}

/// Makes the lease longer.
pub(crate) fn refresh(db: &Db, partition: &Partition, term: &Term) -> Update<Lock> {
    db.update(Lock::key(partition.as_str()))
        .change(Lock::LEASE_EXPIRES_AT.set(term.expires_at))
        .change(Lock::TTL.set(term.ttl))
        .when(rule::may_refresh(&term.token, term.expires_at))
}

/// Gives the lease back.
pub(crate) fn release(db: &Db, partition: &Partition, token: &str) -> Delete<Lock> {
    db.delete(Lock::key(partition.as_str())).when(rule::is_ours(token))
}

/// Gives the lease back after a failure, and asks everybody for patience.
pub(crate) fn fail(
    db: &Db,
    partition: &Partition,
    token: &str,
    now: Timestamp,
    next_attempt: Timestamp,
) -> Update<Lock> {
    // Held means later than now, so a lease that ends now is free. Without the token, a double of the request that took the
    // lease does not take it again, and a double of this one does not count twice.
    db.update(Lock::key(partition.as_str()))
        .change(Lock::LEASE_TOKEN.set(NOBODY))
        .change(Lock::LEASE_EXPIRES_AT.set(now.seconds()))
        .change(Lock::NEXT_ATTEMPT_MS.set(next_attempt.millis()))
        .change(Lock::FAIL_COUNT.add(1))
        .when(rule::is_ours(token))
}

/// Ends an intent whose result is known.
pub(crate) fn complete(
    db: &Db,
    partition: &Partition,
    claim: &Claim,
    owner: &str,
    s3_key: &str,
) -> Update<Request> {
    db.update(Request::key(partition.as_str(), claim.key.as_str()))
        .change(Request::STATUS.set(RequestStatus::Completed))
        .change(Request::RESULT_S3_KEY.set(s3_key))
        .change(Request::LOCKED_UNTIL.remove())
        .change(Request::TTL.set(claim.ttl))
        .when(rule::is_begun_by(owner))
}

/// Ends an intent that failed.
pub(crate) fn fail_request(
    db: &Db,
    partition: &Partition,
    claim: &Claim,
    owner: &str,
    why: &str,
) -> Update<Request> {
    db.update(Request::key(partition.as_str(), claim.key.as_str()))
        .change(Request::STATUS.set(RequestStatus::Failed))
        .change(Request::ERROR.set(why))
        .change(Request::LOCKED_UNTIL.remove())
        .when(rule::is_begun_by(owner))
}

/// Publishes: metadata, lease, epoch, and with them the version and the intent, together or not at all.
///
/// The lease goes inside the transaction: a writer that outlived its lease must fail here, not overwrite a newer page.
pub(crate) fn publish(db: &Db, partition: &Partition, publication: &Publication) -> Transact {
    let Publication { meta, ground, guards, version, request, token, now } = publication;
    let mut transaction = db
        .transact()
        .with(db.put(meta).when(rule::goes_forward(meta, ground, *guards)))
        .with(db.delete(Lock::key(partition.as_str())).when(rule::may_publish(token, *now, *guards)))
        .check(Epoch::key(partition.as_str()), rule::not_purged_since(ground.epoch));
    if let Some(version) = version {
        transaction = transaction.with(db.create(version));
    }
    if let Some(claim) = request {
        transaction = transaction.with(complete(db, partition, claim, token, &meta.s3_key));
    }
    transaction
}

/// Purges a page: its epoch goes on, its lease is taken from whoever has it, and its metadata is stale. Without metadata there
/// must be none, because what was published meanwhile was rendered before the purge. Metadata that is stuck goes.
pub(crate) fn purge(db: &Db, partition: &Partition, purge: Purge, found: &Found, next: Next<'_>) -> Transact {
    let pk = partition.as_str();
    let transaction = match next {
        Next::Grows => db.transact().with(grown(db, pk)),
        Next::BeginsAgain { row, now } => {
            let now_ms = u64::try_from(now.millis()).unwrap_or(0);
            let epoch = db.update(Row::of(Epoch::key(pk))).change(Row::EPOCH.set(Value::n(now_ms)));
            // Two who find it wrong do not begin it twice at the same number: a render may have begun between them.
            db.transact().with(epoch.when(row.has_this_epoch()))
        }
    };
    let transaction = transaction.with(db.delete(Lock::key(pk)));
    let (page, stale_since) = match found {
        Found::Nothing => return transaction.check(Meta::key(pk), Meta::PK.not_exists()),
        Found::Stuck => return transaction.with(db.delete(Meta::key(pk))),
        Found::Page { page, stale_since } => (page, stale_since),
    };
    let mut meta = db
        .update(Meta::key(pk))
        .change(Meta::REVALIDATE_SECONDS.set(0))
        .change(Meta::STALE_SINCE_MS.set_if_not_exists(stale_since.millis()))
        .change(Meta::VERSION.add(1))
        .when(rule::is_there(page));
    if purge == Purge::Gone {
        meta = meta.change(Meta::GONE.set(true));
    }
    transaction.with(meta)
}

fn grown(db: &Db, pk: &str) -> Update<Epoch> {
    db.update(Epoch::key(pk)).change(Epoch::EPOCH.add(1)).or_create()
}

/// Shows an older version: as a new generation, so that nothing goes back, and as a purge, so that a render under way does
/// not undo it.
pub(crate) fn show(
    db: &Db,
    partition: &Partition,
    meta: &Meta,
    seen: &Ground,
    version: &Version,
) -> Transact {
    let pk = partition.as_str();
    let mut unchanged = match seen.generation {
        None => Meta::GENERATION.not_exists(),
        Some(generation) => Meta::GENERATION.eq(generation),
    };
    if let Some(is_still_there) = rule::is_still_there(&seen.replaces) {
        unchanged = unchanged.and(is_still_there);
    }
    db.transact()
        .with(db.put(meta).when(unchanged))
        .with(grown(db, pk))
        .with(db.delete(Lock::key(pk)))
        .check(version.key_of(), Version::S3_KEY.exists())
}

/// Forgets a version that is not shown.
pub(crate) fn forget(db: &Db, partition: &Partition, version: &Version) -> Transact {
    db.transact()
        .with(db.delete(version.key_of()))
        .check(Meta::key(partition.as_str()), rule::is_not_shown(version))
}

/// Writes the site's journal after one more purge, if nobody else has written it.
pub(crate) fn journal(db: &Db, journal: &Journal, seen: Option<u64>) -> tabletheory::db::Put<Journal> {
    db.put(journal).when(match seen {
        None => Journal::PK.not_exists(),
        Some(epoch) => Journal::EPOCH.eq(epoch),
    })
}
