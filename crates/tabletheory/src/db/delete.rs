//! Deleting one item.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::store::op::{DeleteItem, ReturnValues, WriteOutput};
use tabletheory_core::{Item, Number};

use super::Db;
use super::condition::{both, joined, returns};
use super::guard::Guard;
use super::settle::{Settled, Verdict, once, settle};
use super::target::{Aim, Target};
use crate::error::Error;
use crate::explain::Plan;
use crate::field::Filter;
use crate::model::Model;

/// Deletes one item. An item that is not there is deleted already, unless a condition asks for it.
///
/// If the answer is lost and the item of a value (`delete(&value)`) is gone, gone is enough: the delete is done, whoever did
/// it. With a [`when`](Self::when) the error [is ambiguous](Error::is_ambiguous) then.
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
/// db.delete(&ada).await?;
/// assert_eq!(db.get(User::key("1")).await?, None);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a delete happens when it is awaited"]
pub struct Delete<M> {
    db: Db,
    aim: Aim,
    guard: Option<Guard>,
    when: Option<Filter<M>>,
}

impl Db {
    /// Deletes an item, given by its key or by the value that was read. With a value, its version must still be the same.
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
    /// db.delete(&ada).await?;
    /// assert_eq!(db.get(User::key("1")).await?, None);
    /// db.delete(User::key("1")).await?;
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn delete<T: Target>(&self, target: T) -> Delete<T::Model> {
        Delete::new(self.clone(), target.into_aim())
    }
}

impl<M: Model> Delete<M> {
    pub(super) fn new(db: Db, aim: Aim) -> Self {
        let guard = aim.guard::<M>();
        Self { db, aim, guard, when: None }
    }

    /// Only if the item says so. Given twice, both must hold.
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
    /// let refused = db.delete(User::key("1")).when(User::LOGINS.gt(3)).await;
    /// assert!(refused.unwrap_err().is_condition_failed());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn when(mut self, condition: Filter<M>) -> Self {
        self.when = Some(joined(self.when, condition));
        self
    }

    /// Only if the item has this version. Without effect if the model has none.
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
    /// assert!(db.delete(User::key("1")).version(7).await.unwrap_err().is_version_conflict());
    /// db.delete(User::key("1")).version(0).await?;
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn version(mut self, version: impl Into<Number>) -> Self {
        self.guard = M::SCHEMA.version.map(|attribute| Guard::expecting(attribute, version.into()));
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
    /// let plan = db.delete(&User { rev: 3, ..ada }).explain().await?;
    /// assert_eq!(plan.expressions, [("condition", "rev = :v0".to_owned())]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the request.
    pub async fn explain(self) -> Result<Plan, Error<M>> {
        self.request().map(Plan::of)
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
    /// assert_eq!(db.delete(User::key("1")).request()?.condition, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the key or the condition is none.
    pub fn request(self) -> Result<DeleteItem, Error<M>> {
        self.ready().map(|(delete, _)| delete)
    }

    pub(super) fn ready(self) -> Result<(DeleteItem, Option<Guard>), Error<M>> {
        let table = self.db.table_of::<M>().into_owned();
        let unfit = |source| Error::Model { table: table.clone(), source };
        self.aim.value.map_err(unfit)?;
        let key = self.aim.key.map_err(unfit)?;
        self.db.sealer(&M::SCHEMA, &table)?;
        let asked = self.when.map(Filter::into_condition).transpose().map_err(unfit)?;
        let condition = both(self.guard.as_ref().map(Guard::condition), asked);
        let returns = returns(&condition);
        Ok((DeleteItem { table, key, condition, returns }, self.guard))
    }

    /// Deletes the item and gives it as it was.
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
    /// assert_eq!(db.delete(User::key("1")).old().await?, Some(ada));
    /// assert_eq!(db.delete(User::key("1")).old().await?, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the delete itself; also if the item was deleted but does not fit the model. An answer that was lost is not asked
    /// for again: the second would not have the item.
    pub async fn old(self) -> Result<Option<M>, Error<M>> {
        let db = self.db.clone();
        let output = self.send(ReturnValues::AllOld).await?;
        db.read_maybe(output.attributes).await
    }

    async fn send(self, values: ReturnValues) -> Result<WriteOutput, Error<M>> {
        let db = self.db.clone();
        let is_asked = self.when.is_some();
        let (mut delete, guard) = self.ready()?;
        delete.returns.values = values;
        let table = delete.table.clone();
        // What is gone is deleted, by us or by others; what is there again was perhaps made after our delete. Whether an
        // item that is gone was once as the condition asks, nobody knows.
        let judge = |_: &DeleteItem, current: Option<&Item>| match (current, &guard) {
            (None, _) if is_asked => Verdict::Unknown,
            (None, _) => Verdict::Ours,
            (Some(_), Some(guard)) if guard.holds(current) => Verdict::Others,
            (Some(_), _) => Verdict::Unknown,
        };
        // The item as it was is told only once.
        let settled = match values {
            ReturnValues::None => settle(&**db.store(), delete, judge).await?.0,
            _ => once(&**db.store(), delete).await?,
        };
        match settled {
            Settled::Done(output) => Ok(output),
            Settled::DoneBefore(_) => Ok(WriteOutput::default()),
            Settled::Refused(item) => Err(db.refused(table, guard, item).await),
        }
    }
}

impl<M: Model> IntoFuture for Delete<M> {
    type Output = Result<(), Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { self.send(ReturnValues::None).await.map(drop) })
    }
}

/// Without the key and the values: what is written down here may end up in a log.
impl<M: Model> fmt::Debug for Delete<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Delete");
        shown.field("model", &M::NAME).field("table", &self.db.table_of::<M>()).field("aim", &self.aim);
        shown.finish_non_exhaustive()
    }
}
