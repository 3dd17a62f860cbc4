//! Looking at a page's rows: each look is one consistent batch. A row that is wrong counts as missing, except what was
//! purged in the site: what cannot be read there may be any purge.

use tabletheory::key::Key;

use super::MetaStore;
use super::group;
use super::lease::Lease;
use super::row::{Row, lock_key, meta_key, site_key};
use super::rule::Ground;
use crate::error::Error;
use crate::key::Partition;
use crate::record::{Epoch, Journal, Lock, Meta, Version};

/// What one look at a page's rows found.
///
/// ```
/// use facetheory::PageKey;
/// use facetheory::meta::MetaStore;
/// use tabletheory::Db;
///
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let look = store.get(&store.partition(&PageKey::path("/news"))?).await?;
/// assert!(look.meta.is_none() && !look.malformed && !look.is_gone());
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// What was rendered last, if it can be read and names a body.
    pub meta: Option<Meta>,
    /// What was purged in the site, if that can be read.
    pub journal: Option<Journal>,
    /// Whether it is written down what was purged in the site, and cannot be read.
    pub journal_unreadable: bool,
    /// Who renders now, if that was asked.
    pub lock: Option<Lock>,
    /// Whether a row was there that could not be read, or named no body.
    pub malformed: bool,
}

impl Look {
    /// Whether the page was purged with a group since it was rendered, so that it may be served only while it is rendered
    /// again. If nobody can read what was purged, it counts as purged. A purge of the page itself is in its metadata, which is
    /// then not fresh.
    #[must_use]
    pub fn is_purged_stale(&self) -> bool {
        let with_group = self.is_purged(|journal, meta, names| {
            journal.is_stale(meta.site_epoch, names.iter().map(String::as_str))
        });
        with_group || self.journal_unreadable && self.meta.is_some()
    }

    /// Whether the page was purged, alone or with a group, so that it must not be served again.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        let with_group = self.is_purged(|journal, meta, names| {
            journal.is_gone(meta.site_epoch, names.iter().map(String::as_str))
        });
        with_group || self.meta.as_ref().is_some_and(|meta| meta.gone)
    }

    fn is_purged(&self, ask: impl FnOnce(&Journal, &Meta, &[String]) -> bool) -> bool {
        match (&self.journal, &self.meta) {
            (Some(journal), Some(meta)) => ask(journal, meta, &group::names(meta)),
            _ => false,
        }
    }
}

/// What the holder of a lease found before it asks the origin.
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
/// let second = store.look_again(&lease).await?;
/// assert!(second.still_ours && second.failures == 0 && second.ground.epoch.is_none());
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondLook {
    /// The page's rows.
    pub look: Look,
    /// What the render stands on.
    pub ground: Ground,
    /// How many renders failed since the last that did not.
    pub failures: u64,
    /// Whether the lease is still ours.
    pub still_ours: bool,
}

impl MetaStore {
    /// The page and what was purged in its site: one read, consistent.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn get(&self, partition: &Partition) -> Result<Look, Error> {
        let keys = [meta_key(partition), site_key(partition)];
        let [meta, site] = self.rows(keys).await?;
        self.look(partition, meta, site, None).await
    }

    /// The page, who renders it, and what was purged in its site: one read, consistent, for those who wait.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn watch(&self, partition: &Partition) -> Result<Look, Error> {
        let keys = [meta_key(partition), site_key(partition), lock_key(partition)];
        let [meta, site, lock] = self.rows(keys).await?;
        self.look(partition, meta, site, lock).await
    }

    /// What the holder of a lease looks at before it asks the origin: perhaps the page is fresh already, and if not, this is
    /// what the render stands on. One read, consistent.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn look_again(&self, lease: &Lease) -> Result<SecondLook, Error> {
        let partition = lease.partition();
        let page_epoch = Row::of(Epoch::key(partition.as_str()));
        let keys = [meta_key(partition), site_key(partition), lock_key(partition), page_epoch];
        let [meta, site, lock, epoch] = self.rows(keys).await?;
        // Numbers are read one by one: a page whose row is wrong is rendered on the same ground as any other.
        let number = |row: &Option<Row>, name| row.as_ref().and_then(|row| row.number(name));
        let ground = Ground {
            epoch: number(&epoch, "epoch"),
            site_epoch: number(&site, "epoch"),
            generation: number(&meta, "generation"),
            version: number(&meta, "version"),
            replaces: Row::replaced(meta.as_ref()),
        };
        let failures = number(&lock, "fail_count").unwrap_or(0);
        let token = lock.as_ref().and_then(|lock| lock.text("lease_token"));
        let still_ours = token == Some(lease.token());
        let look = self.look(partition, meta, site, lock).await?;
        Ok(SecondLook { look, ground, failures, still_ours })
    }

    /// Rows of any kind, in one consistent batch. What the store leaves is asked for again.
    pub(super) async fn rows<const N: usize>(&self, keys: [Key<Row>; N]) -> Result<[Option<Row>; N], Error> {
        let rows = self.db.batch_get(keys).consistent().await.map_err(tabletheory::Error::erase)?;
        Ok(rows.try_into().expect("a batch answers each key"))
    }

    async fn look(
        &self,
        partition: &Partition,
        meta: Option<Row>,
        site: Option<Row>,
        lock: Option<Row>,
    ) -> Result<Look, Error> {
        let there = [meta.is_some(), site.is_some(), lock.is_some()];
        let (mut meta, journal, lock) =
            (meta.and_then(Row::read), site.and_then(Row::read), lock.and_then(Row::read));
        if let Some(pointer) = meta.take_if(|meta: &mut Meta| !meta.has_body()) {
            meta = self.pointed_at(partition, &pointer).await?;
        }
        let malformed = there != [meta.is_some(), journal.is_some(), lock.is_some()];
        let journal_unreadable = there[1] && journal.is_none();
        Ok(Look { meta, journal, journal_unreadable, lock, malformed })
    }

    /// The page that a row of another store points at: it names a version, and the version names the body.
    async fn pointed_at(&self, partition: &Partition, pointer: &Meta) -> Result<Option<Meta>, Error> {
        let Some(sk) = pointer.current_sk.as_deref().filter(|sk| sk.starts_with("VER#")) else {
            return Ok(None);
        };
        let [row] = self.rows([Row::at(partition.as_str(), sk)]).await?;
        let version = row.and_then(Row::read::<Version>).filter(|version| !version.s3_key.is_empty());
        Ok(version.map(|version| {
            let mut meta = version.shown(Some(pointer));
            (meta.gone, meta.stale_since_ms) = (pointer.gone, pointer.stale_since_ms);
            // A purge wrote its mark on the pointer, and the version knows nothing of it.
            if pointer.stale_since_ms.is_some() {
                meta.revalidate_seconds = 0;
            }
            meta
        }))
    }
}
