//! Writing and deleting many items, each by itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::limits::BATCH_WRITE_REQUESTS_MAX;
use tabletheory_core::store::op::{BatchWrite as One, BatchWriteItem, BatchWriteItemOutput};

use super::work::{Fate, Manner, Work, perform, requests};
use crate::db::Db;
use crate::db::identity::{Identity, KeyNames, places};
use crate::error::Error;
use crate::explain::Plan;
use crate::key::Key;
use crate::model::Model;

/// Writes and deletes many items of any models, each by itself. Awaited, it gives nothing, or says which are left:
/// [`Error::Incomplete`].
///
/// What the store leaves because it is busy is sent again, as often as the database's [`Backoff`](crate::db::Backoff) says.
/// Items are encrypted once, however often they are sent.
///
/// DynamoDB takes no conditions in a batch. What is put replaces whatever is there, and the version is written as it is; use
/// [`save_all`](Db::save_all) for values whose version is to be respected.
#[must_use = "a batch happens when it is awaited"]
pub struct BatchWrite {
    db: Db,
    writes: Vec<Preparing>,
    manner: Manner,
}

/// A write that will be ready: values may have to be encrypted first.
type Preparing = Pin<Box<dyn Future<Output = Result<Prepared, Error>> + Send>>;

struct Prepared {
    model: &'static str,
    table: String,
    write: One,
    names: KeyNames,
}

/// What came of one write.
///
/// ```
/// use tabletheory::db::WriteOutcome;
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<User>().await?;
/// let batch = db.batch_write().put(&User { id: "1".into() }).delete(User::key("x".repeat(3000)));
/// let outcomes = batch.each().await?;
/// assert!(matches!(&outcomes[..], [WriteOutcome::Written, WriteOutcome::Failed(Error::Validation(_))]));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub enum WriteOutcome {
    /// It was written or deleted.
    Written,
    /// The store left it each time it was sent.
    Unprocessed,
    /// It was not done. If the error [is ambiguous](Error::is_ambiguous), it may have been.
    Failed(Error),
}

impl BatchWrite {
    pub(super) fn new(db: Db) -> Self {
        Self { db, writes: Vec::new(), manner: Manner::default() }
    }

    /// Also writes this item, in place of whatever is there.
    pub fn put<M: Model>(mut self, model: &M) -> Self {
        let put = self.db.put(model);
        self.writes.push(Box::pin(async {
            let put = put.request().await?;
            let (model, names) = (M::NAME, KeyNames::of::<M>());
            Ok(Prepared { model, table: put.table, write: One::Put(put.item), names })
        }));
        self
    }

    /// Also writes these items.
    pub fn put_all<'m, M: Model>(self, models: impl IntoIterator<Item = &'m M>) -> Self {
        models.into_iter().fold(self, Self::put)
    }

    /// Also deletes the item with this key, if there is one.
    pub fn delete<M: Model>(mut self, key: Key<M>) -> Self {
        self.writes.push(Box::pin(async {
            let table = M::table().into_owned();
            let (model, names) = (M::NAME, KeyNames::of::<M>());
            match key.into_item() {
                Ok(key) => Ok(Prepared { model, table, write: One::Delete(key), names }),
                Err(source) => Err(Error::Model { table, source }),
            }
        }));
        self
    }

    /// Also deletes the items with these keys.
    pub fn delete_all<M: Model>(self, keys: impl IntoIterator<Item = Key<M>>) -> Self {
        keys.into_iter().fold(self, Self::delete)
    }

    /// How many requests are under way at once; 4 unless told otherwise. They run inside the future that is awaited.
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.manner.concurrency = requests;
        self
    }

    /// Calls this whenever more writes are settled, with how many are and how many there are.
    pub fn on_progress(mut self, progress: impl FnMut(usize, usize) + Send + 'static) -> Self {
        self.manner.progress = Some(Box::new(progress));
        self
    }

    /// What will happen and what it costs at least, request by request. Nothing is sent.
    ///
    /// # Errors
    /// As for the requests.
    pub async fn explain(self) -> Result<Vec<Plan>, Error> {
        Ok(self.requests().await?.into_iter().map(Plan::of).collect())
    }

    /// The requests as the store gets them.
    ///
    /// # Errors
    /// If a value cannot be stored or a key is none, or two writes are about the same item.
    pub async fn requests(self) -> Result<Vec<BatchWriteItem>, Error> {
        Writes::prepare(self.writes).await.map(|writes| requests(&writes))
    }

    /// Writes and deletes the items, and tells what came of each, in their order.
    ///
    /// # Errors
    /// If a value cannot be stored or a key is none, or two writes are about the same item: then nothing was sent.
    pub async fn each(self) -> Result<Vec<WriteOutcome>, Error> {
        let fates = self.fates().await?;
        let outcome = |fate| match fate {
            Fate::Done => WriteOutcome::Written,
            Fate::Left => WriteOutcome::Unprocessed,
            Fate::Failed(error) => WriteOutcome::Failed(error.into()),
        };
        Ok(fates.into_iter().map(outcome).collect())
    }

    async fn fates(self) -> Result<Vec<Fate>, Error> {
        let mut writes = Writes::prepare(self.writes).await?;
        Ok(perform(&self.db, &mut writes, self.manner).await)
    }

    async fn run(self) -> Result<(), Error> {
        let (mut left, mut cause, mut done) = (Vec::new(), None, 0);
        for (place, fate) in self.fates().await?.into_iter().enumerate() {
            match fate {
                Fate::Done => done += 1,
                Fate::Left => left.push(place),
                Fate::Failed(error) => {
                    left.push(place);
                    // That something may have been written is the worse news.
                    if cause.is_none() || error.is_ambiguous() {
                        cause = Some(error);
                    }
                }
            }
        }
        if left.is_empty() { Ok(()) } else { Err(Error::Incomplete { done, left, cause }) }
    }
}

impl IntoFuture for BatchWrite {
    type Output = Result<(), Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl fmt::Debug for BatchWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchWrite").field("writes", &self.writes.len()).finish_non_exhaustive()
    }
}

/// The writes, built once: what is sent again is the same.
struct Writes {
    writes: Vec<(String, One)>,
    places: HashMap<Identity, usize>,
    names: HashMap<String, KeyNames>,
}

impl Writes {
    async fn prepare(preparing: Vec<Preparing>) -> Result<Self, Error> {
        let (mut writes, mut names) = (Vec::with_capacity(preparing.len()), HashMap::new());
        let mut identities = Vec::with_capacity(preparing.len());
        for write in preparing {
            let Prepared { model, table, write, names: own } = write.await?;
            identities.push((model, identity(&table, &write, own)));
            names.insert(table.clone(), own);
            writes.push((table, write));
        }
        let known = identities.iter().enumerate();
        let places = places(known.map(|(place, (model, identity))| (place, *model, identity)))?;
        let places = places.into_iter().map(|(identity, place)| (identity.clone(), place)).collect();
        Ok(Self { writes, places, names })
    }
}

fn identity(table: &str, write: &One, names: KeyNames) -> Identity {
    match write {
        One::Put(item) => Identity::of_item(table, item, names),
        One::Delete(key) => Identity::of_key(table, key),
    }
}

impl Work for Writes {
    type Request = BatchWriteItem;
    const REQUEST_MAX: usize = BATCH_WRITE_REQUESTS_MAX;

    fn count(&self) -> usize {
        self.writes.len()
    }

    fn request(&self, places: &[usize]) -> BatchWriteItem {
        let mut tables: BTreeMap<String, Vec<One>> = BTreeMap::new();
        for (table, write) in places.iter().map(|place| &self.writes[*place]) {
            tables.entry(table.clone()).or_default().push(write.clone());
        }
        BatchWriteItem { tables, ..BatchWriteItem::default() }
    }

    fn take(&mut self, answer: BatchWriteItemOutput) -> HashSet<usize> {
        let mut left = HashSet::new();
        for (table, writes) in answer.unprocessed {
            let Some(names) = self.names.get(&table) else { continue };
            let identities = writes.iter().map(|write| identity(&table, write, *names));
            left.extend(identities.filter_map(|identity| self.places.get(&identity)));
        }
        left
    }
}
