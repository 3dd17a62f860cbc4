//! The meta store: one method for each transaction of the cache. It sends what `transaction` builds, reads what came of it,
//! and settles answers that were lost. It renders nothing and knows no bodies.

pub(crate) mod rule;
pub(crate) mod transaction;

use tabletheory::Db;
use tabletheory_core::Seconds;

use crate::error::Error;
use crate::key::{KeyScheme, PageKey, Partition};

pub use rule::{Ground, Guards};
pub use transaction::Purge;

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

    /// The partition of a page's rows, which every method takes.
    ///
    /// # Errors
    /// If the scheme has no place for the key.
    pub fn partition(&self, key: &PageKey) -> Result<Partition, Error> {
        self.settings.scheme.partition(key)
    }
}
