//! Where a case takes place: the store under test, names for its tables, patience for stores that settle later, and
//! what is known to differ there.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::Location;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::words::{Shape, Table};
use crate::error::StoreError;
use crate::item::Item;
use crate::schema::TableStatus;
use crate::store::Store;
use crate::store::ext::StoreExt;
use crate::store::op::{DeleteTable, DescribeTable, PageOutput, UpdateTable};
use crate::store::request::Operation;

/// A future that can be stored.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Waits for a while.
pub type Pause = Arc<dyn Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync>;

const STEP: Duration = Duration::from_millis(250);
const PATIENCE_STEPS: u32 = 480;

/// A case that a store is known to answer differently. The case must fail: one that passes has outlived its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirk {
    /// The case's name, such as `items::an_empty_string_is_a_value`.
    pub case: &'static str,
    /// What the store does instead.
    pub why: &'static str,
}

/// Where a case takes place. Each case gets its own, on a store that others may be using.
#[derive(Clone)]
pub struct World {
    store: Arc<dyn Store>,
    prefix: String,
    pause: Pause,
    quirks: &'static [Quirk],
    compares_messages: bool,
    guard: Option<Arc<dyn Any + Send + Sync>>,
    tables: Arc<Mutex<Vec<String>>>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("store", &self.store)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl World {
    /// A world on a store that settles at once, such as the embedded engine. Tables are named `contract…`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            prefix: "contract".to_owned(),
            pause: Arc::new(|_| Box::pin(std::future::ready(()))),
            quirks: &[],
            compares_messages: true,
            guard: None,
            tables: Arc::default(),
        }
    }

    /// Names tables with this prefix, at most 100 letters: for stores that outlive a run.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Waits with `pause` while the store settles: tables become active, global indexes follow.
    #[must_use]
    pub fn with_pause(
        mut self,
        pause: impl Fn(Duration) -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        self.pause = Arc::new(pause);
        self
    }

    /// Expects these cases to fail.
    #[must_use]
    pub fn with_quirks(mut self, quirks: &'static [Quirk]) -> Self {
        self.quirks = quirks;
        self
    }

    /// Compares the codes of errors and not their messages: for stores that word them in their own way.
    #[must_use]
    pub fn without_messages(mut self) -> Self {
        self.compares_messages = false;
        self
    }

    /// Keeps `guard`, such as a temporary folder, until the case has ended.
    #[must_use]
    pub fn with_guard(mut self, guard: impl Any + Send + Sync) -> Self {
        self.guard = Some(Arc::new(guard));
        self
    }

    pub(super) fn in_case(mut self, case: &str) -> Self {
        self.prefix = format!("{}.{}", self.prefix, case.replace("::", "."));
        self
    }

    pub(super) fn quirk(&self, case: &str) -> Option<&'static Quirk> {
        self.quirks.iter().find(|quirk| quirk.case == case)
    }

    /// A table name that nobody has used yet; the table is removed after the case.
    pub(super) fn name(&self) -> String {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{}.{}", self.prefix, tables.len());
        tables.push(name.clone());
        name
    }

    /// A ClientRequestToken of this case alone; a store remembers tokens of all tables together.
    pub(super) fn token(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.prefix.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Makes a table and waits until it can be used.
    pub(super) async fn table(&self, shape: Shape) -> Table {
        let table = Table { name: self.name() };
        self.ok(crate::store::op::CreateTable { table: table.name.clone(), ..shape.0 }).await;
        self.active(&table).await;
        table
    }

    /// A table whose key is the string `pk`.
    pub(super) async fn plain_table(&self) -> Table {
        self.table(Shape::plain()).await
    }

    /// A table whose keys are the strings `pk` and `sk`.
    pub(super) async fn sorted_table(&self) -> Table {
        self.table(Shape::sorted(crate::schema::KeyType::S)).await
    }

    /// Waits until the table and its global indexes can be used.
    pub(super) async fn active(&self, table: &Table) {
        self.settled(table.describe(), |output| {
            let indexes = &output.table.global_indexes;
            output.table.status == TableStatus::Active
                && indexes.iter().all(|index| index.status.is_none_or(|status| status == TableStatus::Active))
        })
        .await;
    }

    /// Performs an operation that must succeed.
    #[track_caller]
    pub(super) fn ok<O: Operation>(&self, operation: O) -> impl Future<Output = O::Output> + Send {
        let caller = Location::caller();
        let answer = self.store.send(operation);
        async move {
            match answer.await {
                Ok(output) => output,
                Err(error) => panic!("{}: {} was refused: {}: {error}", caller, O::NAME, error.code()),
            }
        }
    }

    /// Performs operations of one kind that must succeed, one after the other.
    pub(super) async fn all<O: Operation>(&self, operations: impl IntoIterator<Item = O>) {
        for operation in operations.into_iter().collect::<Vec<_>>() {
            self.ok(operation).await;
        }
    }

    /// Performs an operation that must be refused with this code.
    #[track_caller]
    pub(super) fn refused<O: Operation>(
        &self,
        operation: O,
        code: &'static str,
    ) -> impl Future<Output = StoreError> + Send {
        let caller = Location::caller();
        let answer = self.store.send(operation);
        async move {
            match answer.await {
                Ok(_) => panic!("{caller}: {} was accepted, not refused with {code}", O::NAME),
                Err(error) if error.code() == code => error,
                Err(error) => {
                    panic!("{caller}: {} was refused with {}, not {code}: {error}", O::NAME, error.code())
                }
            }
        }
    }

    /// Performs an operation that must be refused with this code and a message that contains these words.
    #[track_caller]
    pub(super) fn refused_saying<O: Operation>(
        &self,
        operation: O,
        code: &'static str,
        words: impl Into<String>,
    ) -> impl Future<Output = StoreError> + Send {
        let caller = Location::caller();
        let words = words.into();
        let compares_messages = self.compares_messages;
        let refused = self.refused(operation, code);
        async move {
            let error = refused.await;
            let message = error.to_string();
            assert!(
                !compares_messages || message.contains(&words),
                "{caller}: {} was refused with {message:?}, not {words:?}",
                O::NAME
            );
            error
        }
    }

    /// Checks the words of a message inside an answer, where words are compared.
    #[track_caller]
    pub(super) fn says(&self, message: Option<&str>, words: &str) {
        assert!(!self.compares_messages || message == Some(words), "{message:?} is not {words:?}");
    }

    /// Repeats a read until it answers as hoped, for stores whose indexes, tables and streams follow later.
    ///
    /// # Panics
    /// If it never does.
    pub(super) async fn settled<O: Operation + Clone>(
        &self,
        operation: O,
        hoped: impl Fn(&O::Output) -> bool + Send,
    ) -> O::Output {
        for _ in 0..PATIENCE_STEPS {
            let output = self.ok(operation.clone()).await;
            if hoped(&output) {
                return output;
            }
            (self.pause)(STEP).await;
        }
        panic!("{} never answered as hoped", O::NAME);
    }

    /// Waits before something is tried again.
    pub(super) fn wait(&self) -> BoxFuture<'static, ()> {
        (self.pause)(STEP)
    }

    /// Whether the operation is refused because its table is gone; other errors and answers are not that.
    pub(super) async fn gone(&self, table: &str) -> bool {
        for _ in 0..PATIENCE_STEPS {
            let described = self.store.describe_table(DescribeTable { table: table.to_owned() }).await;
            if matches!(described, Err(StoreError::ResourceNotFound(_))) {
                return true;
            }
            self.wait().await;
        }
        false
    }

    /// The item with this key, by a consistent read.
    pub(super) async fn item(&self, table: &Table, key: Item) -> Option<Item> {
        self.ok(table.get(key)).await.item
    }

    /// Performs an operation whatever the answer.
    pub(super) fn attempt<O: Operation>(
        &self,
        operation: O,
    ) -> impl Future<Output = Result<O::Output, StoreError>> + Send {
        self.store.send(operation)
    }

    /// Removes the tables the case made, protected or not.
    pub(super) async fn clear(&self) {
        let names = std::mem::take(&mut *self.tables.lock().unwrap_or_else(PoisonError::into_inner));
        for table in names {
            let removed = self.store.delete_table(DeleteTable { table: table.clone() }).await;
            if matches!(removed, Err(StoreError::Validation(_))) {
                let unprotect = UpdateTable {
                    table: table.clone(),
                    deletion_protection: Some(false),
                    ..UpdateTable::default()
                };
                // Clearing up is a courtesy to stores that outlive the run; the case has said what it had to say.
                let _ = self.store.update_table(unprotect).await;
                let _ = self.store.delete_table(DeleteTable { table }).await;
            }
        }
    }
}

/// The items of a page.
///
/// # Panics
/// If the page only counts.
pub(super) fn items(page: PageOutput) -> Vec<Item> {
    page.items.expect("the page carries items")
}
