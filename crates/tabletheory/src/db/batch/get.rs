//! Reading many items by their keys.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::Item;
use tabletheory_core::limits::BATCH_GET_KEYS_MAX;
use tabletheory_core::store::op::{BatchGetItem, BatchGetItemOutput, KeysAndProjection};

use super::work::{Fate, Manner, Work, perform, requests};
use crate::db::Db;
use crate::db::identity::{Identity, KeyNames};
use crate::error::Error;
use crate::explain::Plan;
use crate::key::Key;
use crate::model::{Model, ModelError};

/// Reads many items of one model. Awaited, it gives an `Option` for each key, in the order of the keys.
///
/// A key may be there twice; it is asked for once. What the store leaves because it is busy is asked for again, as often as the
/// database's [`Backoff`](crate::db::Backoff) says; if keys are left then, it is [`Error::Incomplete`].
/// [`each`](Self::each) gives what was found all the same.
#[derive(Debug)]
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
    pub(super) fn new(db: Db, keys: Vec<Key<M>>) -> Self {
        Self { db, keys, consistent: false, manner: Manner::default() }
    }

    /// Sees every write that was acknowledged before. Costs twice as much.
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// How many requests are under way at once; 4 unless told otherwise. They run inside the future that is awaited.
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
    /// # Errors
    /// As for the requests.
    pub async fn explain(self) -> Result<Vec<Plan>, Error<M>> {
        Ok(self.requests()?.into_iter().map(Plan::of).collect())
    }

    /// The requests as the store gets them.
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
        let mut reads = Reads {
            table: M::table().into_owned(),
            names: KeyNames::of::<M>(),
            consistent: self.consistent,
            keys: Vec::new(),
            places: HashMap::new(),
            found: Vec::new(),
        };
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

/// The keys to read, each once, and what was found.
struct Reads {
    table: String,
    names: KeyNames,
    consistent: bool,
    keys: Vec<Item>,
    places: HashMap<Identity, usize>,
    found: Vec<Option<Item>>,
}

impl Reads {
    /// The place of a key, which may be there already.
    fn place(&mut self, key: Item) -> usize {
        *self.places.entry(Identity::of_key(&self.table, &key)).or_insert_with(|| {
            self.keys.push(key);
            self.found.push(None);
            self.keys.len() - 1
        })
    }
}

impl Work for Reads {
    type Request = BatchGetItem;
    const REQUEST_MAX: usize = BATCH_GET_KEYS_MAX;

    fn count(&self) -> usize {
        self.keys.len()
    }

    fn request(&self, places: &[usize]) -> BatchGetItem {
        let keys = places.iter().map(|place| self.keys[*place].clone()).collect();
        let keys = KeysAndProjection { keys, projection: None, consistent: self.consistent };
        let tables = BTreeMap::from([(self.table.clone(), keys)]);
        BatchGetItem { tables, ..BatchGetItem::default() }
    }

    fn take(&mut self, answer: BatchGetItemOutput) -> HashSet<usize> {
        for item in answer.items.into_values().flatten() {
            if let Some(place) = self.places.get(&Identity::of_item(&self.table, &item, self.names)) {
                self.found[*place] = Some(item);
            }
        }
        let left = answer.unprocessed.into_values().flat_map(|left| left.keys);
        left.filter_map(|key| self.places.get(&Identity::of_key(&self.table, &key)).copied()).collect()
    }
}
