//! Purging pages: one by its key, or many by tag, path or tenant through the site's journal.

use tabletheory::error::TransactionFailure;
use tabletheory::model::Model as _;
use tabletheory_core::Timestamp;

use super::MetaStore;
use super::group::Group;
use super::patience::attempts;
use super::refusal::{is_refused, refusals};
use super::row::{Row, meta_key};
use super::transaction::{self, Found, Next, Purge, purge as place};
use crate::error::Error;
use crate::key::{Partition, site};
use crate::record::{Epoch, Journal, Meta};
use crate::tenant::Tenant;

/// A page appears or is forgotten between two attempts at most so often.
const PURGE_ATTEMPTS_MAX: usize = 8;

/// What a purge came to. It holds in every case: what is rendered now, was begun before it, cannot be published after it.
///
/// ```
/// use facetheory::meta::{Group, MetaStore, Purge, Purged};
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// assert_eq!(store.invalidate(&page, Purge::Gone).await?, Purged::NoPage);
/// let purged = store.invalidate_group(None, Group::Tag("sport"), Purge::Stale).await?;
/// assert!(matches!(purged, Purged::Group(number) if number > 0));
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purged {
    /// The page was there, and is marked, or is removed because no other could be published in its place.
    Page,
    /// There was no page.
    NoPage,
    /// Pages of a group are purged; this is the number of the purge, greater than those before it.
    Group(u64),
}

impl MetaStore {
    /// Purges a page, and takes the lease from whoever renders it. One read and one transaction.
    ///
    /// Rows whose numbers keep the page from being published are made good: such metadata is removed, and such an epoch
    /// begins again.
    ///
    /// ```
    /// use facetheory::PageKey;
    /// use facetheory::meta::{MetaStore, Purge, Purged};
    /// use tabletheory::Db;
    ///
    /// # futures_executor::block_on(async {
    /// let store = MetaStore::new(Db::memory());
    /// store.create_table().await?;
    /// let page = store.partition(&PageKey::path("/news"))?;
    /// assert_eq!(store.invalidate(&page, Purge::Stale).await?, Purged::NoPage);
    /// # Ok::<(), facetheory::Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the store does not answer. Then the page may be purged; to purge it again does no harm.
    pub async fn invalidate(&self, partition: &Partition, purge: Purge) -> Result<Purged, Error> {
        for _ in 0..PURGE_ATTEMPTS_MAX {
            let now = self.db.clock().now();
            let page_epoch = Row::of(Epoch::key(partition.as_str()));
            let [row, epoch] = self.rows([meta_key(partition), page_epoch]).await?;
            let next = match &epoch {
                Some(row) if !row.can_grow("epoch") => Next::BeginsAgain { row, now },
                _ => Next::Grows,
            };
            let found = found(row, now);
            match transaction::purge(&self.db, partition, purge, &found, next).await {
                Ok(()) if found == Found::Nothing => return Ok(Purged::NoPage),
                Ok(()) => return Ok(Purged::Page),
                // The page or its epoch is not as it was read.
                Err(error) if refusals(&error).is_some_and(is_outdated) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Contended { what: "metadata of the page" })
    }

    /// Purges all pages of a group, of a tenant or of those without one. Two calls, whatever the number of pages: pages
    /// remember after which purge they were rendered.
    ///
    /// # Errors
    /// If the store does not answer, or others purge all the time.
    pub async fn invalidate_group(
        &self,
        tenant: Option<&Tenant>,
        group: Group<'_>,
        purge: Purge,
    ) -> Result<Purged, Error> {
        let (pk, name) = (site(tenant), group.name());
        let mut attempts = attempts(&self.db);
        loop {
            let [row] = self.rows([Row::of(Journal::key(pk.as_str()))]).await?;
            let seen = match row {
                None => None,
                // A number that cannot grow would make this purge pass for one that was seen.
                Some(row) => {
                    let journal = row.read::<Journal>().filter(|journal| journal.epoch < u64::MAX);
                    Some(journal.ok_or(Error::Journal)?)
                }
            };
            let last = seen.as_ref().map(|journal| journal.epoch);
            let before = seen.unwrap_or_else(|| Journal::empty(pk.as_str()));
            let journal = before.after(name.as_deref(), purge == Purge::Gone, self.db.clock().now());
            match transaction::journal(&self.db, &journal, last).await {
                Ok(journal) => return Ok(Purged::Group(journal.epoch)),
                // After a lost answer the purge may be done; to do it once more does no harm.
                Err(error) => {
                    let passes = error.is_condition_failed()
                        || error.is_ambiguous()
                        || error.is_throttled()
                        || error.is_conflict();
                    if !passes {
                        return Err(Error::Table(error.erase()));
                    }
                    if !attempts.again().await {
                        return Err(match error.is_condition_failed() {
                            true => Error::Contended { what: Journal::NAME },
                            false => Error::Table(error.erase()),
                        });
                    }
                }
            }
        }
    }
}

fn found(row: Option<Row>, now: Timestamp) -> Found {
    match row {
        None => Found::Nothing,
        Some(row) if row.is_stuck() => Found::Stuck,
        // A page whose time was over is not younger for being purged.
        Some(row) => {
            let page = Row::replaced(Some(&row));
            let stale_since = row.read::<Meta>().map_or(now, |meta| meta.fresh_until().min(now));
            Found::Page { page, stale_since }
        }
    }
}

fn is_outdated(failure: &TransactionFailure) -> bool {
    is_refused(failure, place::META) || is_refused(failure, place::EPOCH)
}
