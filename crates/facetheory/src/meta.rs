//! The meta store: one method for each transaction of the cache. It sends what `transaction` builds, reads what came of it,
//! and settles answers that were lost. It renders nothing and knows no bodies.

mod group;
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

use crate::error::Error;
use crate::key::{KeyScheme, PageKey, Partition};
use crate::record::Meta;

pub use group::Group;
pub use intent::Intent;
pub use lease::{Acquire, Lease, Refresh, Release};
pub use look::{Look, SecondLook};
pub use publish::{Commit, Draft, LostTo};
pub use purge::Purged;
pub use request::{Begun, Claimed, Ended};
pub use rule::{Ground, Guards};
pub use sweep::Pages;
pub use transaction::Purge;
pub use version::{Rollback, Versions};

/// How a [`MetaStore`] keeps its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

    /// Makes the table, with its time to live on `ttl`. The table of DynamoDB is better made by whoever deploys it.
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
