//! Writing and deleting many items, each by itself.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::store::op::{BatchWrite as One, BatchWriteItem};

use super::work::{Fate, Manner, perform, requests};
use super::writes::{Prepared, Preparing, Writes};
use crate::db::Db;
use crate::error::Error;
use crate::explain::Plan;
use crate::key::Key;
use crate::model::{KeyNames, Model};

impl Db {
    /// Writes and deletes many items of any models, 25 in one request, each by itself.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
    /// struct User {
    ///     id: u64,
    /// }
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "app", pk = "ORDER#{number}", sk = "META")]
    /// struct Order {
    ///     number: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<User>().await?;
    /// db.create(&Order { number: 7 }).await?;
    /// db.batch_write().put(&User { id: 1 }).put(&User { id: 2 }).delete(Order::key(7)).await?;
    /// assert_eq!(db.get(User::key(2)).await?, Some(User { id: 2 }));
    /// assert_eq!(db.get(Order::key(7)).await?, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn batch_write(&self) -> BatchWrite {
        BatchWrite { db: self.clone(), writes: Vec::new(), manner: Manner::default() }
    }
}

/// Writes and deletes many items of any models, each by itself. Awaited, it gives nothing, or says which are left:
/// [`Error::Incomplete`].
///
/// What the store leaves because it is busy is sent again, as often as the database's [`Backoff`](crate::db::Backoff) says.
/// Items are encrypted once, however often they are sent.
///
/// DynamoDB takes no conditions in a batch. What is put replaces whatever is there, and the version is written as it is; use
/// [`save_all`](Db::save_all) for values whose version is to be respected.
///
/// ```
/// # use tabletheory::{Db, Error, Model};
/// # #[derive(Model, Debug, PartialEq)]
/// # #[model(table = "users")]
/// # struct User {
/// #     #[model(pk)]
/// #     id: u64,
/// # }
/// # futures_executor::block_on(async {
/// # let db = Db::memory();
/// # db.create_table::<User>().await?;
/// let batch = db.batch_write().put(&User { id: 1 }).put(&User { id: 2 });
/// batch.await?;
/// assert!(db.get(User::key(2)).await?.is_some());
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a batch happens when it is awaited"]
pub struct BatchWrite {
    db: Db,
    writes: Vec<Preparing>,
    manner: Manner,
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
    /// Also writes this item, in place of whatever is there.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// db.batch_write().put(&User { id: 1 }).await?;
    /// assert!(db.get(User::key(1)).await?.is_some());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn put<M: Model>(mut self, model: &M) -> Self {
        let put = self.db.put(model);
        self.writes.push(Box::pin(async {
            let put = put.request().await?;
            let (model, names) = (M::NAME, KeyNames::of(&M::SCHEMA));
            Ok(Prepared { model, table: put.table, write: One::Put(put.item), names })
        }));
        self
    }

    /// Also writes these items.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// let users: Vec<User> = (0..60).map(|id| User { id }).collect();
    /// db.batch_write().put_all(&users).await?;
    /// assert!(db.get(User::key(59)).await?.is_some());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn put_all<'m, M: Model>(self, models: impl IntoIterator<Item = &'m M>) -> Self {
        models.into_iter().fold(self, Self::put)
    }

    /// Also deletes the item with this key, if there is one.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// db.create(&User { id: 1 }).await?;
    /// db.batch_write().delete(User::key(1)).delete(User::key(2)).await?;
    /// assert!(db.get(User::key(1)).await?.is_none());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn delete<M: Model>(mut self, key: Key<M>) -> Self {
        let table = self.db.table_of::<M>().into_owned();
        self.writes.push(Box::pin(async {
            let (model, names) = (M::NAME, KeyNames::of(&M::SCHEMA));
            match key.into_item() {
                Ok(key) => Ok(Prepared { model, table, write: One::Delete(key), names }),
                Err(source) => Err(Error::Model { table, source }),
            }
        }));
        self
    }

    /// Also deletes the items with these keys.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// db.create(&User { id: 1 }).await?;
    /// db.batch_write().delete_all((0..30).map(User::key)).await?;
    /// assert!(db.get(User::key(1)).await?.is_none());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn delete_all<M: Model>(self, keys: impl IntoIterator<Item = Key<M>>) -> Self {
        keys.into_iter().fold(self, Self::delete)
    }

    /// How many requests are under way at once; 4 unless told otherwise. They run inside the future that is awaited.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// db.batch_write().delete_all((0..100).map(User::key)).concurrency(1).await?;
    /// assert!(db.get(User::key(1)).await?.is_none());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.manner.concurrency = requests;
        self
    }

    /// Calls this whenever more writes are settled, with how many are and how many there are.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// static LEFT: AtomicUsize = AtomicUsize::new(40);
    /// let batch = db.batch_write().delete_all((0..40).map(User::key));
    /// batch.on_progress(|done, total| LEFT.store(total - done, Ordering::Relaxed)).await?;
    /// assert_eq!(LEFT.load(Ordering::Relaxed), 0);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn on_progress(mut self, progress: impl FnMut(usize, usize) + Send + 'static) -> Self {
        self.manner.progress = Some(Box::new(progress));
        self
    }

    /// What will happen and what it costs at least, request by request. Nothing is sent.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// let plans = db.batch_write().delete_all((0..40).map(User::key)).explain().await?;
    /// assert_eq!(plans[0].place, "of 25 in `users`");
    /// assert_eq!(plans[1].write_units, 15.0);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the requests.
    pub async fn explain(self) -> Result<Vec<Plan>, Error> {
        Ok(self.requests().await?.into_iter().map(Plan::of).collect())
    }

    /// The requests as the store gets them.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// let requests = db.batch_write().delete_all((0..40).map(User::key)).requests().await?;
    /// assert_eq!(requests[1].tables["users"].len(), 15);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a value cannot be stored or a key is none, or two writes are about the same item.
    pub async fn requests(self) -> Result<Vec<BatchWriteItem>, Error> {
        Writes::prepare(self.writes).await.map(|writes| requests(&writes))
    }

    /// Writes and deletes the items, and tells what came of each, in their order.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// use tabletheory::db::WriteOutcome;
    ///
    /// let outcomes = db.batch_write().put(&User { id: 1 }).each().await?;
    /// assert!(matches!(outcomes[..], [WriteOutcome::Written]));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
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
