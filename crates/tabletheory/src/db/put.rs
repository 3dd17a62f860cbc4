//! Writing whole items: put, create and save.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::Item;
use tabletheory_core::expr::{Condition, Path};
use tabletheory_core::store::op::PutItem;

use super::condition::{both, joined, returns};
use super::guard::Guard;
use super::settle::{Settled, Verdict, settle};
use super::{Db, stamp};
use crate::error::Error;
use crate::explain::Plan;
use crate::field::Filter;
use crate::model::{Model, ModelError};

/// What the item may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Whatever there is.
    Put,
    /// Nothing.
    Create,
    /// The version that was read.
    Save,
}

/// Writes a whole item. Awaited, it gives the value as it was written, with its version and its moments.
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
/// let put = db.put(&User { logins: 7, ..ada }).await?;
/// assert_eq!(put.logins, 7);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a write happens when it is awaited"]
pub struct Put<M> {
    db: Db,
    item: Result<Item, ModelError>,
    mode: Mode,
    when: Option<Filter<M>>,
}

/// A write that is ready to be sent.
pub(super) struct Ready {
    pub(super) put: PutItem,
    pub(super) guard: Option<Guard>,
    /// The item as it was before it was sealed, if the model has encrypted fields.
    pub(super) plain: Option<Item>,
}

impl Db {
    /// Writes an item, whether or not there is one already. What was there is replaced.
    ///
    /// The version is written as it is. [`save`](Self::save) respects it.
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
    /// let bob = db.put(&User { name: "Bob".into(), ..ada }).await?;
    /// assert_eq!(db.get(User::key("1")).await?, Some(bob));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn put<M: Model>(&self, model: &M) -> Put<M> {
        Put::new(self.clone(), model, Mode::Put)
    }

    /// Writes an item that must not be there yet.
    ///
    /// If the answer is lost and the item that is there is the same, attribute by attribute, the create is taken as done. A
    /// model whose values can be equal for two callers should have an owner or a `created_at` if it is used as a claim.
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
    /// let error = db.create(&User { name: "Bob".into(), ..ada }).await.unwrap_err();
    /// assert_eq!(error.into_current().map(|user| user.name).as_deref(), Some("Ada"));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn create<M: Model>(&self, model: &M) -> Put<M> {
        Put::new(self.clone(), model, Mode::Create)
    }

    /// Writes an item that was read before, or is new. If the model has a version, it must still be the one that was read,
    /// and it is counted up; a version of 0 may also be that of a new item.
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
    /// let saved = db.save(&User { name: "Bob".into(), ..ada.clone() }).await?;
    /// assert_eq!(saved.rev, ada.rev + 1);
    /// let late = db.save(&User { name: "Eve".into(), ..ada }).await.unwrap_err();
    /// assert!(late.is_version_conflict());
    /// assert_eq!(late.into_current(), Some(saved));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn save<M: Model>(&self, model: &M) -> Put<M> {
        Put::new(self.clone(), model, Mode::Save)
    }
}

impl<M: Model> Put<M> {
    pub(super) fn new(db: Db, model: &M, mode: Mode) -> Self {
        Self { db, item: model.to_item(), mode, when: None }
    }

    /// Only if the item that is there now says so. Given twice, both must hold.
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
    /// let refused = db.put(&User { logins: 7, ..ada }).when(User::LOGINS.gt(3)).await;
    /// assert!(refused.unwrap_err().is_condition_failed());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn when(mut self, condition: Filter<M>) -> Self {
        self.when = Some(joined(self.when, condition));
        self
    }

    /// What will happen and what it costs at least. Nothing is sent.
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
    /// let plan = db.create(&ada).explain().await?;
    /// assert_eq!(plan.expressions, [("condition", "attribute_not_exists(id)".to_owned())]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the request.
    pub async fn explain(self) -> Result<Plan, Error<M>> {
        self.request().await.map(Plan::of)
    }

    /// The request as the store gets it.
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
    /// let request = db.create(&ada).request().await?;
    /// assert_eq!(request.table, "users");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the value cannot be stored.
    pub async fn request(self) -> Result<PutItem, Error<M>> {
        self.ready().await.map(|ready| ready.put)
    }

    pub(super) async fn ready(self) -> Result<Ready, Error<M>> {
        let db = self.db.clone();
        sealed::<M>(&db, self.prepared()?).await
    }

    /// All but the sealing, which may have to wait.
    fn prepared(self) -> Result<Ready, Error<M>> {
        let table = self.db.table_of::<M>().into_owned();
        let unfit = |source| Error::Model { table: table.clone(), source };
        let mut item = self.item.map_err(unfit)?;
        let now = stamp::now(&self.db);
        let guard = match self.mode {
            Mode::Save => Guard::of(&M::SCHEMA, &item).map(Guard::or_new),
            Mode::Put | Mode::Create => None,
        };
        match self.mode {
            Mode::Create => stamp::new(&mut item, &M::SCHEMA, &now),
            Mode::Put | Mode::Save => stamp::changed(&mut item, &M::SCHEMA, &now),
        }
        if let (Some(guard), Some(attribute)) = (&guard, M::SCHEMA.version) {
            item.insert(attribute, guard.next());
            // A version that has no room to grow is found before anything is written.
            M::from_item(item.clone()).map_err(unfit)?;
        }
        let own = match (&guard, self.mode) {
            (Some(guard), _) => Some(guard.condition()),
            (None, Mode::Create) => {
                Some(Condition::AttributeNotExists(Path::attribute(M::SCHEMA.partition.name)))
            }
            (None, Mode::Put | Mode::Save) => None,
        };
        let asked = self.when.map(Filter::into_condition).transpose().map_err(unfit)?;
        let condition = both(own, asked);
        let returns = returns(&condition);
        Ok(Ready { put: PutItem { table, item, condition, returns }, guard, plain: None })
    }

    /// The future is made when most is done, and seals in a box: small futures cost less to make.
    fn run(self) -> impl Future<Output = Result<M, Error<M>>> {
        let (db, create) = (self.db.clone(), self.mode == Mode::Create);
        let prepared = self.prepared();
        async move {
            let Ready { put, guard, plain } = match M::SCHEMA.encrypted {
                [] => prepared?,
                _ => Box::pin(sealed::<M>(&db, prepared?)).await?,
            };
            let judge = |written: &PutItem, current: Option<&Item>| {
                verdict::<M>(&written.item, guard.as_ref(), create, current)
            };
            let (settled, PutItem { table, item: written, .. }) = settle(&**db.store(), put, judge).await?;
            match settled {
                Settled::Done(_) | Settled::DoneBefore(_) => {
                    M::from_item(plain.unwrap_or(written)).map_err(|source| Error::Model { table, source })
                }
                Settled::Refused(item) => Err(db.refused(table, guard, item).await),
            }
        }
    }
}

/// Seals what the model encrypts.
async fn sealed<M: Model>(db: &Db, mut ready: Ready) -> Result<Ready, Error<M>> {
    let PutItem { table, item, .. } = &mut ready.put;
    ready.plain = (!M::SCHEMA.encrypted.is_empty()).then(|| item.clone());
    let sealed = db.sealer(&M::SCHEMA, table)?.seal_item(item).await;
    sealed.map_err(|source| Error::Encryption { table: table.clone(), source })?;
    Ok(ready)
}

impl<M: Model> IntoFuture for Put<M> {
    type Output = Result<M, Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Without the values: what is written down here may end up in a log.
impl<M: Model> fmt::Debug for Put<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Put");
        shown.field("model", &M::NAME).field("table", &self.db.table_of::<M>()).field("mode", &self.mode);
        shown.finish_non_exhaustive()
    }
}

/// Whose write `current` shows.
fn verdict<M: Model>(written: &Item, guard: Option<&Guard>, create: bool, current: Option<&Item>) -> Verdict {
    let Some(current) = current else { return Verdict::Unknown };
    let same = |moment: Option<&str>| moment.map(|moment| current.get(moment) == written.get(moment));
    // No other write has the same moment. Without one, a put cannot be told from another of the same value.
    let is_told = create || guard.is_some();
    if same(M::SCHEMA.updated_at) == Some(true) || (is_told && current == written) {
        return Verdict::Ours;
    }
    let made_by_us = same(M::SCHEMA.created_at);
    match (guard, made_by_us) {
        // Another write took the place of ours.
        (Some(guard), _) if guard.is_next(current) || guard.holds(Some(current)) => Verdict::Others,
        // Whoever changed the item since, it was made by this write or by another.
        (None, Some(made_by_us)) if create => {
            if made_by_us {
                Verdict::Ours
            } else {
                Verdict::Others
            }
        }
        _ => Verdict::Unknown,
    }
}
