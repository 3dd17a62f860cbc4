//! Reading many items by their keys.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::store::op::BatchGetItem;

use super::reads::Reads;
use super::work::{Fate, Manner, perform, requests};
use crate::db::Db;
use crate::error::Error;
use crate::explain::Plan;
use crate::key::Key;
use crate::model::{Model, ModelError};

impl Db {
    /// Reads many items of one model by their keys, a hundred in one request.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "users")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<User>().await?;
    /// db.batch_write().put_all(&[User { id: 1 }, User { id: 3 }]).await?;
    /// let users = db.batch_get([3, 2, 1, 3].map(User::key)).await?;
    /// assert_eq!(users, [Some(User { id: 3 }), None, Some(User { id: 1 }), Some(User { id: 3 })]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn batch_get<M: Model>(&self, keys: impl IntoIterator<Item = Key<M>>) -> BatchGet<M> {
        let keys = keys.into_iter().collect();
        BatchGet { db: self.clone(), keys, consistent: false, manner: Manner::default() }
    }
}

/// Reads many items of one model. Awaited, it gives an `Option` for each key, in the order of the keys.
///
/// A key may be there twice; it is asked for once. What the store leaves because it is busy is asked for again, as often as the
/// database's [`Backoff`](crate::db::Backoff) says; if keys are left then, it is [`Error::Incomplete`].
/// [`each`](Self::each) gives what was found all the same.
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
/// let users = db.batch_get([1, 2].map(User::key));
/// assert_eq!(users.await?, [Some(User { id: 1 }), None]);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a read happens when it is awaited"]
pub struct BatchGet<M> {
    db: Db,
    keys: Vec<Key<M>>,
    consistent: bool,
    manner: Manner,
}

/// What came of one key.
///
/// ```
/// use tabletheory::db::Got;
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "users", pk = "USER#{id}")]
/// struct User {
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<User>().await?;
/// db.create(&User { id: "1".into() }).await?;
/// let got = db.batch_get([User::key("1"), User::key("2"), User::key("a#b")]).each().await;
/// assert!(matches!(&got[..], [Got::Found(user), Got::Missing, Got::Failed(_)] if user.id == "1"));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub enum Got<M> {
    /// The item.
    Found(M),
    /// There is no such item.
    Missing,
    /// The store left the key each time it was asked.
    Unprocessed,
    /// It could not be read, or what was read is none of the model.
    Failed(Error<M>),
}

impl<M: Model> BatchGet<M> {
    /// Sees every write that was acknowledged before. Costs twice as much.
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
    /// assert_eq!(db.batch_get([User::key(1)]).consistent().await?, [Some(User { id: 1 })]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
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
    /// let users = db.batch_get((0..1000).map(User::key)).concurrency(8).await?;
    /// assert_eq!(users.len(), 1000);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn concurrency(mut self, requests: usize) -> Self {
        self.manner.concurrency = requests;
        self
    }

    /// Calls this whenever more keys are settled, with how many are and how many there are, each counted once.
    ///
    /// ```
    /// # use std::sync::{Arc, Mutex};
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let note = Arc::clone(&seen);
    /// let users = db.batch_get((0..150).map(User::key)).concurrency(1);
    /// users.on_progress(move |done, total| note.lock().unwrap().push((done, total))).await?;
    /// assert_eq!(*seen.lock().unwrap(), [(100, 150), (150, 150)]);
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
    /// let plans = db.batch_get((0..150).map(User::key)).explain().await?;
    /// assert_eq!(plans[0].place, "of 100 in `users`");
    /// assert_eq!(plans[1].read_units, 25.0);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the requests.
    pub async fn explain(self) -> Result<Vec<Plan>, Error<M>> {
        Ok(self.requests()?.into_iter().map(Plan::of).collect())
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
    /// let requests = db.batch_get((0..150).map(User::key)).requests()?;
    /// assert_eq!(requests[1].tables["users"].keys.len(), 50);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a key is none.
    pub fn requests(self) -> Result<Vec<BatchGetItem>, Error<M>> {
        let Asked { keys, reads } = self.ask();
        match keys.into_iter().find_map(Result::err) {
            Some(source) => Err(Error::Model { table: reads.table, source }),
            None => Ok(requests(&reads)),
        }
    }

    /// Reads the items, and tells what came of each key, in their order.
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
    /// use tabletheory::db::Got;
    ///
    /// db.create(&User { id: 1 }).await?;
    /// for got in db.batch_get([1, 1].map(User::key)).each().await {
    ///     assert!(matches!(got, Got::Found(user) if user.id == 1));
    /// }
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn each(mut self) -> Vec<Got<M>> {
        let (db, manner) = (self.db.clone(), std::mem::take(&mut self.manner));
        let Asked { keys, mut reads } = self.ask();
        let fates = perform(&db, &mut reads, manner).await;
        let mut got = Vec::with_capacity(keys.len());
        for key in keys {
            got.push(match key {
                Ok(place) => outcome(&db, &reads, place, &fates[place]).await,
                Err(source) => Got::Failed(Error::Model { table: reads.table.clone(), source }),
            });
        }
        got
    }

    fn ask(self) -> Asked {
        let mut reads = Reads::new::<M>(&self.db, self.consistent);
        let keys = self.keys.into_iter().map(|key| key.into_item().map(|key| reads.place(key))).collect();
        Asked { keys, reads }
    }

    async fn run(self) -> Result<Vec<Option<M>>, Error<M>> {
        let got = self.each().await;
        let (mut models, mut left) = (Vec::with_capacity(got.len()), Vec::new());
        let total = got.len();
        for (place, got) in got.into_iter().enumerate() {
            match got {
                Got::Found(model) => models.push(Some(model)),
                Got::Missing => models.push(None),
                Got::Unprocessed => left.push(place),
                Got::Failed(error) => return Err(error),
            }
        }
        match left.is_empty() {
            true => Ok(models),
            false => Err(Error::Incomplete { done: total - left.len(), left, cause: None }),
        }
    }
}

impl<M: Model> IntoFuture for BatchGet<M> {
    type Output = Result<Vec<Option<M>>, Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<M> fmt::Debug for BatchGet<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchGet").field("keys", &self.keys.len()).finish_non_exhaustive()
    }
}

async fn outcome<M: Model>(db: &Db, reads: &Reads, place: usize, fate: &Fate) -> Got<M> {
    match (fate, &reads.found[place]) {
        (Fate::Done, Some(item)) => match db.read(&reads.table, item.clone()).await {
            Ok(model) => Got::Found(model),
            Err(error) => Got::Failed(error),
        },
        (Fate::Done, None) => Got::Missing,
        (Fate::Left, _) => Got::Unprocessed,
        (Fate::Failed(error), _) => Got::Failed(error.clone().into()),
    }
}

/// The keys as they were given, by their places among the reads.
struct Asked {
    keys: Vec<Result<usize, ModelError>>,
    reads: Reads,
}
