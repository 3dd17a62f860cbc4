//! A store for tests: in memory, with a clock that moves when it is told to, trouble on demand, and a list of the calls it
//! got. No mock: it answers as DynamoDB does, because it is the embedded engine.

mod trouble;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tabletheory_core::store::StoreFuture;
use tabletheory_core::sys::SystemEntropy;
use tabletheory_core::{ManualClock, Request, Response, Seconds, Store, StoreError, Timestamp};
use tabletheory_engine::{Engine, Settings};

use crate::db::Db;

pub use trouble::Trouble;

/// Where the clock stands at first: 2024-01-01T00:00:00Z.
const BEGINNING: Timestamp = Timestamp::from_seconds(1_704_067_200);

/// A store in memory for tests. Clones are the same store. Its answers are there without waiting, so that tests with tokio's
/// paused time run the same way each time.
///
/// ```
/// use tabletheory::testing::{TestStore, Trouble};
/// use tabletheory_core::store::op::ListTables;
/// use tabletheory_core::{StoreError, StoreExt};
///
/// # futures_executor::block_on(async {
/// let store = TestStore::new();
/// store.trouble("ListTables", Trouble::Throttled);
///
/// let first = store.list_tables(ListTables::default()).await;
/// assert!(matches!(first, Err(StoreError::Throttling(_))));
/// assert!(store.list_tables(ListTables::default()).await.is_ok());
/// assert_eq!(store.count("ListTables"), 2);
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct TestStore {
    engine: Engine,
    clock: Arc<ManualClock>,
    script: Arc<Mutex<Script>>,
}

/// What is to come, and what was.
#[derive(Debug, Default)]
struct Script {
    troubles: Vec<(&'static str, Trouble)>,
    calls: Vec<Request>,
}

impl TestStore {
    /// An empty store. Its clock stands at the beginning of 2024.
    ///
    /// ```
    /// use tabletheory::testing::TestStore;
    /// use tabletheory_core::Clock;
    ///
    /// assert_eq!(TestStore::new().clock().now().seconds(), 1_704_067_200);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::at(BEGINNING));
        // What time brings comes when the test moves the clock, and not from a thread beside it.
        let settings = Settings { upkeep_every: None, ..Settings::default() };
        let engine = Engine::memory_with(settings, Arc::clone(&clock) as _, Arc::new(SystemEntropy));
        Self { engine, clock, script: Arc::default() }
    }

    /// A database on this store, with its clock.
    ///
    /// ```
    /// use tabletheory::testing::{TestStore, Trouble};
    /// use tabletheory::{Error, Model};
    ///
    /// #[derive(Model, Debug)]
    /// #[model(table = "users")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let store = TestStore::new();
    /// let db = store.db();
    /// db.create_table::<User>().await?;
    /// store.trouble("PutItem", Trouble::LostAnswer);
    /// db.create(&User { id: "1".into() }).await?;
    /// assert_eq!(store.count("PutItem"), 2);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn db(&self) -> Db {
        Db::new(self.clone()).with_clock(self.clock())
    }

    /// The store's clock, for whatever else needs the same time.
    ///
    /// ```
    /// use tabletheory::testing::TestStore;
    /// use tabletheory_core::{Clock, Seconds};
    ///
    /// let store = TestStore::new();
    /// let before = store.clock().now().seconds();
    /// store.advance(Seconds(60));
    /// assert_eq!(store.clock().now().seconds(), before + 60);
    /// ```
    #[must_use]
    pub fn clock(&self) -> Arc<ManualClock> {
        Arc::clone(&self.clock)
    }

    /// Moves the clock and does what time brings: items whose time to live is over are removed, new indexes are filled.
    ///
    /// ```
    /// use tabletheory::testing::TestStore;
    /// use tabletheory_core::{Clock, Seconds};
    ///
    /// let store = TestStore::new();
    /// store.advance(Seconds(60));
    /// assert_eq!(store.clock().now().seconds(), 1_704_067_260);
    /// ```
    ///
    /// # Panics
    /// If the engine fails, which memory does not.
    pub fn advance(&self, span: Seconds) {
        self.clock.advance(span);
        while self.engine.upkeep().expect("memory does not fail").more {}
    }

    /// Makes trouble for the next call of this operation that no earlier trouble waits for.
    ///
    /// ```
    /// use tabletheory::testing::{TestStore, Trouble};
    /// use tabletheory_core::{StoreExt, store::op::ListTables};
    ///
    /// # futures_executor::block_on(async {
    /// let store = TestStore::new();
    /// store.trouble("ListTables", Trouble::LostAnswer);
    /// let error = store.list_tables(ListTables::default()).await.unwrap_err();
    /// assert!(error.is_ambiguous());
    /// # });
    /// ```
    ///
    /// # Panics
    /// If there is no such operation.
    pub fn trouble(&self, operation: &str, trouble: Trouble) {
        let known = Request::NAMES.iter().find(|name| **name == operation);
        let name = known.unwrap_or_else(|| panic!("there is no operation {operation}"));
        self.script().troubles.push((name, trouble));
    }

    /// All calls so far, in the order in which they came.
    ///
    /// ```
    /// use tabletheory::testing::TestStore;
    /// use tabletheory_core::{Request, StoreExt, store::op::ListTables};
    ///
    /// # futures_executor::block_on(async {
    /// let store = TestStore::new();
    /// store.list_tables(ListTables { limit: Some(5), ..ListTables::default() }).await?;
    /// assert!(matches!(&store.calls()[..], [Request::ListTables(call)] if call.limit == Some(5)));
    /// # Ok::<(), tabletheory_core::StoreError>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn calls(&self) -> Vec<Request> {
        self.script().calls.clone()
    }

    /// How many calls of this operation there were.
    ///
    /// ```
    /// assert_eq!(tabletheory::testing::TestStore::new().count("GetItem"), 0);
    /// ```
    #[must_use]
    pub fn count(&self, operation: &str) -> usize {
        self.script().calls.iter().filter(|call| call.name() == operation).count()
    }

    /// Forgets the calls so far.
    ///
    /// ```
    /// use tabletheory::testing::TestStore;
    /// use tabletheory_core::{StoreExt, store::op::ListTables};
    ///
    /// # futures_executor::block_on(async {
    /// let store = TestStore::new();
    /// store.list_tables(ListTables::default()).await?;
    /// store.forget_calls();
    /// assert!(store.calls().is_empty());
    /// # Ok::<(), tabletheory_core::StoreError>(())
    /// # }).unwrap();
    /// ```
    pub fn forget_calls(&self) {
        self.script().calls.clear();
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the call, and takes the trouble that waits for it.
    fn next_trouble(&self, request: &Request) -> Option<Trouble> {
        let mut script = self.script();
        script.calls.push(request.clone());
        let at = script.troubles.iter().position(|(name, _)| *name == request.name())?;
        Some(script.troubles.remove(at).1)
    }

    async fn answer(&self, request: Request) -> Result<Response, StoreError> {
        match self.next_trouble(&request) {
            None => self.engine.apply(request),
            Some(trouble) => trouble.befall(&AtOnce(&self.engine), request).await,
        }
    }
}

impl Default for TestStore {
    fn default() -> Self {
        Self::new()
    }
}

/// The engine, whose answers are there at once: a runtime whose time is paused would run ahead while another thread writes.
#[derive(Debug)]
struct AtOnce<'e>(&'e Engine);

impl Store for AtOnce<'_> {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(std::future::ready(self.0.apply(request)))
    }
}

impl Store for TestStore {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(self.answer(request))
    }
}

#[cfg(test)]
mod tests;
