//! The meta store: one method for each transaction of the cache. It sends what `transaction` builds, reads what came of it,
//! and settles answers that were lost. It renders nothing and knows no bodies.

mod group;
mod held;
mod intent;
mod lease;
mod look;
mod patience;
mod publish;
mod purge;
mod refusal;
mod request;
mod row;
pub(crate) mod rule;
mod sweep;
mod tenure;
pub(crate) mod transaction;
mod version;

use tabletheory::Db;
use tabletheory_core::Seconds;

use row::Row;

use crate::error::Error;
use crate::key::{KeyScheme, PageKey, Partition};
use crate::record::{Epoch, Journal, Lock, Meta, Request, Version};

pub use group::Group;
pub use held::{HeldLease, HeldLeases};
pub use intent::Intent;
pub use lease::{Acquire, Lease, Refresh, Release};
pub use look::{Look, SecondLook};
#[cfg(test)]
pub(crate) use publish::next_generation;
pub use publish::{Commit, Draft, LostTo};
pub use purge::Purged;
pub use request::{Begun, Claimed, Ended};
pub use rule::{Ground, Guards, Replaced};
pub use sweep::Pages;
pub use transaction::Purge;
pub use version::{Rollback, Versions};

/// How a [`MetaStore`] keeps its rows.
///
/// ```
/// use facetheory::KeyScheme;
/// use facetheory::meta::MetaSettings;
///
/// let mut settings = MetaSettings::default();
/// settings.guards.version = true;
/// assert_eq!(settings.scheme, KeyScheme::Hashed);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaSettings {
    /// How keys become partition keys.
    pub scheme: KeyScheme,
    /// Which guards publishes have besides token, epoch and generation.
    pub guards: Guards,
    /// How long after its end the table keeps the row of a lease.
    pub lock_buffer: Seconds,
    /// How long the table keeps an intent to regenerate. A repetition that comes later does the work again.
    pub request_retention: Seconds,
}

impl Default for MetaSettings {
    fn default() -> Self {
        Self {
            scheme: KeyScheme::Hashed,
            guards: Guards::default(),
            lock_buffer: Seconds(3600),
            request_retention: Seconds(86_400),
        }
    }
}

/// The rows of the cache in one table. Cheap to clone.
///
/// ```
/// use facetheory::meta::{Acquire, Commit, Draft, MetaStore};
/// use tabletheory_core::Seconds;
///
/// # use facetheory::PageKey;
/// # use tabletheory::Db;
/// # futures_executor::block_on(async {
/// let store = MetaStore::new(Db::memory());
/// store.create_table().await?;
/// let page = store.partition(&PageKey::path("/news"))?;
/// let Acquire::Granted(lease) = store.try_acquire(&page, Seconds(30)).await? else { panic!("nobody has it") };
/// let ground = store.look_again(&lease).await?.ground;
/// let draft = Draft::new("bodies/1", store.db().clock().now(), Seconds(60));
/// let Commit::Published(meta) = store.commit(&lease, &ground, &draft).await? else { panic!("it is ours") };
/// assert_eq!(store.get(&page).await?.meta.as_ref(), Some(&*meta));
/// # Ok::<(), facetheory::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct MetaStore {
    db: Db,
    settings: MetaSettings,
}

impl MetaStore {
    /// The rows in the table that the environment names.
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self { db, settings: MetaSettings::default() }
    }

    /// The rows in this table, whatever the environment says.
    ///
    /// ```
    /// use facetheory::{MetaStore, PageKey};
    /// use tabletheory::Db;
    /// use tabletheory_core::{StoreExt, store::op::ListTables};
    ///
    /// # futures_executor::block_on(async {
    /// let store = MetaStore::in_table(Db::memory(), "pages");
    /// store.create_table().await?;
    /// assert_eq!(store.db().store().list_tables(ListTables::default()).await?.tables, ["pages"]);
    /// assert!(store.get(&store.partition(&PageKey::path("/news"))?).await?.meta.is_none());
    /// # Ok::<(), facetheory::Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn in_table(db: Db, table: &str) -> Self {
        let db = db.with_table::<Meta>(table).with_table::<Lock>(table).with_table::<Version>(table);
        let db = db.with_table::<Request>(table).with_table::<Epoch>(table).with_table::<Journal>(table);
        Self::new(db.with_table::<Row>(table))
    }

    /// With other settings.
    #[must_use]
    pub fn with_settings(mut self, settings: MetaSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Its settings.
    #[must_use]
    pub fn settings(&self) -> &MetaSettings {
        &self.settings
    }

    /// The database it is in.
    #[must_use]
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Makes the table, with its time to live on `ttl`.
    ///
    /// # Errors
    /// If it is there already, or the store does not answer.
    pub async fn create_table(&self) -> Result<(), Error> {
        self.db.table::<Meta>().create().await?;
        Ok(())
    }

    /// The partition of a page's rows, which every method takes.
    ///
    /// # Errors
    /// If the scheme has no place for the key.
    pub fn partition(&self, key: &PageKey) -> Result<Partition, Error> {
        self.settings.scheme.partition(key)
    }
}

#[cfg(test)]
mod tests;
