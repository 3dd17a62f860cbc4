//! [`Db`]: typed operations on items, over any [`Store`]. Every operation is a builder that is awaited; what it sends can be
//! seen before it is sent.

#[cfg(feature = "aws")]
mod aws;
mod backoff;
mod batch;
mod condition;
mod delete;
mod get;
mod guard;
mod identity;
mod naming;
mod persist;
mod put;
mod read;
mod repeat;
mod settle;
mod stamp;
mod target;
mod transact;
mod update;
mod within;

use std::sync::Arc;

use tabletheory_core::sys::{SystemClock, SystemEntropy};
use tabletheory_core::{Clock, Entropy, Item, Store, StoreExt};
#[cfg(feature = "embedded")]
use tabletheory_engine::{Engine, EngineError, Settings};

use crate::cursor::CursorKey;
use crate::encryption::{KeyProvider, Sealer};
use crate::error::Error;
use crate::lease::LeaseManager;
use crate::meter::{Meter, Metered};
use crate::model::{FromItem, Model, Schema};
use crate::renamed::Renamed;
use crate::table::Table;

pub use backoff::{Attempts, Backoff};
pub use batch::{BatchGet, BatchWrite, Got, WriteOutcome};
pub use delete::Delete;
pub use get::Get;
pub use put::Put;
pub use read::{
    Groups, Items, Keys, Page, ParallelScan, Query, Read, Resumable, Scan, Segments, Source, Summary, Whole,
};
pub use target::{ByKey, ByValue, Target};
pub use transact::{SaveAll, SaveOutcome, Transact, TransactGet, TransactKeys, TransactOperation};
pub use update::Update;

/// A database of models. Clones share everything, and cost next to nothing.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model, Debug, Clone, PartialEq)]
/// #[model(table = "app", pk = "TENANT#{tenant}#PAGE#{path}", sk = "META")]
/// struct Page {
///     tenant: String,
///     path: String,
///     hits: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<Page>().await?;
///
/// let page = Page { tenant: "acme".into(), path: "news".into(), hits: 3 };
/// db.create(&page).await?;
/// assert_eq!(db.get(Page::key("acme", "news")).await?, Some(page));
///
/// let page = db.update(Page::key("acme", "news")).change(Page::HITS.add(1)).await?;
/// assert_eq!(page.hits, 4);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Db {
    inner: Arc<Inner>,
}

#[derive(Debug, Clone)]
struct Inner {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    keys: Option<Arc<dyn KeyProvider>>,
    backoff: Backoff,
    cursor_key: Option<CursorKey>,
    renamed: Renamed,
}

impl Db {
    /// A database over any store, with the machine's clock and randomness.
    ///
    /// ```
    /// use tabletheory::Db;
    /// use tabletheory_core::StoreExt;
    /// use tabletheory_engine::Engine;
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::new(Engine::memory());
    /// assert!(db.store().list_tables(Default::default()).await?.tables.is_empty());
    /// # Ok::<(), tabletheory_core::StoreError>(()) }).unwrap();
    /// ```
    pub fn new(store: impl Store + 'static) -> Self {
        let (clock, entropy) = (Arc::new(SystemClock), Arc::new(SystemEntropy));
        let (store, backoff) = (Arc::new(store), Backoff::default());
        let renamed = Renamed::default();
        let inner = Inner { store, clock, entropy, keys: None, backoff, cursor_key: None, renamed };
        Self { inner: Arc::new(inner) }
    }

    /// The embedded engine on a folder, which it makes if need be. Every acknowledged write is on the disk.
    ///
    /// ```
    /// use tabletheory::Db;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let db = Db::embedded(folder.path())?;
    /// assert!(Db::embedded(folder.path()).is_err(), "one process at a time");
    /// # drop(db);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the folder cannot be used, is in use, or holds damaged data.
    #[cfg(feature = "embedded")]
    pub fn embedded(folder: impl AsRef<std::path::Path>) -> Result<Self, EngineError> {
        Engine::open(folder, Settings::default()).map(Self::new)
    }

    /// The embedded engine in memory. It forgets everything when the last clone is dropped.
    ///
    /// ```
    /// let db = tabletheory::Db::memory();
    /// assert!(format!("{db:?}").starts_with("Db"));
    /// ```
    #[cfg(feature = "embedded")]
    #[must_use]
    pub fn memory() -> Self {
        Self::new(Engine::memory())
    }

    /// With another clock, which decides what `created_at` and `updated_at` say. The digits below a millisecond are drawn from
    /// the [entropy](Self::with_entropy): they tell apart two writes of the same millisecond.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use tabletheory::{Db, Error, Model};
    /// use tabletheory_core::{ManualClock, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[model(table = "notes")]
    /// struct Note {
    ///     #[model(pk)]
    ///     id: String,
    ///     #[model(created_at)]
    ///     made: jiff::Timestamp,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_700_000_000)));
    /// let db = Db::memory().with_clock(clock);
    /// db.create_table::<Note>().await?;
    /// let note = db.create(&Note { id: "1".into(), made: Default::default() }).await?;
    /// assert_eq!(note.made.as_second(), 1_700_000_000);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        Arc::make_mut(&mut self.inner).clock = clock;
        self
    }

    /// With another source of randomness, for tokens, jitter and the digits of moments below a millisecond.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use tabletheory::Db;
    /// use tabletheory_core::SeededEntropy;
    ///
    /// let db = Db::memory().with_entropy(Arc::new(SeededEntropy::new(7)));
    /// assert_eq!(db.entropy().bits(), Db::memory().with_entropy(Arc::new(SeededEntropy::new(7))).entropy().bits());
    /// ```
    #[must_use]
    pub fn with_entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        Arc::make_mut(&mut self.inner).entropy = entropy;
        self
    }

    /// With the keys for encrypted fields. Without them, models that have such fields are neither read nor written.
    ///
    /// ```
    /// use tabletheory::encryption::testing::DeterministicKeys;
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "patients")]
    /// struct Patient {
    ///     #[model(pk)]
    ///     id: String,
    ///     #[model(encrypted)]
    ///     diagnosis: String,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Patient>().await?;
    /// let patient = Patient { id: "7".into(), diagnosis: "influenza".into() };
    /// assert!(matches!(db.create(&patient).await, Err(Error::Encryption { .. })));
    ///
    /// let db = db.with_keys(DeterministicKeys::new("seed"));
    /// db.create(&patient).await?;
    /// assert_eq!(db.get(Patient::key("7")).await?, Some(patient));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_keys(mut self, keys: impl KeyProvider + 'static) -> Self {
        Arc::make_mut(&mut self.inner).keys = Some(Arc::new(keys));
        self
    }

    /// With another patience for a store that is busy.
    ///
    /// ```
    /// use tabletheory::Db;
    /// use tabletheory::db::Backoff;
    ///
    /// let db = Db::memory().with_backoff(Backoff { attempts: 2, ..Backoff::default() });
    /// assert_eq!(db.backoff().attempts, 2);
    /// ```
    #[must_use]
    pub fn with_backoff(mut self, backoff: Backoff) -> Self {
        Arc::make_mut(&mut self.inner).backoff = backoff;
        self
    }

    /// The same database with its calls counted, and what counts them.
    ///
    /// ```
    /// let (db, meter) = tabletheory::Db::memory().metered();
    /// assert_eq!(meter.usage().calls, 0);
    /// # drop(db);
    /// ```
    #[must_use]
    pub fn metered(mut self) -> (Self, Meter) {
        let meter = Meter::default();
        let inner = Arc::make_mut(&mut self.inner);
        inner.store = Arc::new(Metered { store: Arc::clone(&inner.store), meter: meter.clone() });
        (self, meter)
    }

    /// The store, for whatever has no typed form.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// use tabletheory_core::StoreExt;
    ///
    /// let tables = db.store().list_tables(Default::default()).await?;
    /// assert_eq!(tables.tables, ["users"]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.store
    }

    /// The clock.
    ///
    /// ```
    /// use tabletheory_core::Clock;
    ///
    /// assert!(tabletheory::Db::memory().clock().now().seconds() > 1_700_000_000);
    /// ```
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.inner.clock
    }

    /// The source of randomness.
    ///
    /// ```
    /// use tabletheory_core::Entropy;
    ///
    /// let db = tabletheory::Db::memory();
    /// assert_ne!(db.entropy().bits(), db.entropy().bits());
    /// ```
    #[must_use]
    pub fn entropy(&self) -> &Arc<dyn Entropy> {
        &self.inner.entropy
    }

    /// The patience for a store that is busy.
    ///
    /// ```
    /// use tabletheory::Db;
    /// use tabletheory::db::Backoff;
    ///
    /// assert_eq!(Db::memory().backoff(), Backoff::default());
    /// ```
    #[must_use]
    pub fn backoff(&self) -> Backoff {
        self.inner.backoff
    }

    /// Makes the table of a model, paid by request.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, Clone, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// #     logins: u64,
    /// #     #[model(version)]
    /// #     rev: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # let ada = db.create(&User { id: "1".into(), name: "Ada".into(), logins: 0, rev: 0 }).await?;
    /// assert!(db.create_table::<User>().await.is_err(), "it is there already");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If there is such a table, or the store refuses.
    pub async fn create_table<M: Model>(&self) -> Result<(), Error<M>> {
        self.inner.store.create_table(M::SCHEMA.create_table(&self.table_of::<M>())).await?;
        Ok(())
    }

    /// The table of a model, to be made, compared, extended or copied.
    ///
    /// ```
    /// use tabletheory::table::Ensured;
    /// use tabletheory::{Db, Model};
    ///
    /// #[derive(Model)]
    /// #[model(table = "users")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// assert_eq!(Db::memory().table::<User>().ensure().await?, Ensured::Created);
    /// # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn table<M: Model>(&self) -> Table<M> {
        let Inner { store, entropy, keys, renamed, .. } = &*self.inner;
        let table = Table::among(Arc::clone(store), renamed.clone()).with_entropy(Arc::clone(entropy));
        match keys {
            Some(keys) => table.with_keys(Arc::clone(keys)),
            None => table,
        }
    }

    /// The leases in a table, with this database's clock and randomness.
    ///
    /// ```
    /// use tabletheory::lease::LeaseSettings;
    /// use tabletheory::{Db, Error};
    /// use tabletheory_core::{Seconds, StoreExt};
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.store().create_table(LeaseSettings::default().create_table("locks")).await?;
    /// let lease = db.leases("locks").try_acquire("job", Seconds(30)).await?.granted()?;
    /// assert_eq!(lease.pk(), "job");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn leases(&self, table: impl Into<String>) -> LeaseManager {
        let Inner { store, clock, entropy, .. } = &*self.inner;
        LeaseManager::new(Arc::clone(store), table)
            .with_clock(Arc::clone(clock))
            .with_entropy(Arc::clone(entropy))
    }

    /// The attempts at one request.
    fn attempts(&self) -> Attempts {
        Attempts::new(self.inner.backoff, Arc::clone(&self.inner.entropy))
    }

    /// What seals and opens the encrypted fields of a model. Without keys there is none for a model that has some.
    fn sealer<M>(&self, schema: &Schema, table: &str) -> Result<Sealer<'_>, Error<M>> {
        Sealer::new(schema.model, schema.encrypted, self.inner.keys.as_deref())
            .map_err(|source| Error::Encryption { table: table.to_owned(), source })
    }

    /// An item of the model's table as a value: of the model, or of something that is read from its items. Everything that
    /// is read goes through here, and here encrypted fields are opened.
    async fn read<M: Model, T: FromItem>(&self, table: &str, mut item: Item) -> Result<T, Error<M>> {
        let sealer = match T::schema(&item) {
            Some(schema) if !schema.encrypted.is_empty() => Some(self.sealer(&schema, table)?),
            _ => None,
        };
        if let Some(sealer) = sealer {
            // In a box, because the futures of models without encrypted fields would have room for it too.
            let opened = Box::pin(sealer.open_item(&mut item)).await;
            opened.map_err(|source| Error::Encryption { table: table.to_owned(), source })?;
        }
        T::from_item(item).map_err(|source| Error::Model { table: table.to_owned(), source })
    }

    /// An item of the model's table that may not be there.
    async fn read_maybe<M: Model>(&self, item: Option<Item>) -> Result<Option<M>, Error<M>> {
        match item {
            Some(item) => self.read(&self.table_of::<M>(), item).await.map(Some),
            None => Ok(None),
        }
    }
}
