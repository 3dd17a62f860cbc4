//! Changing one item in place: what is asked for. How it is sent, and what the answer says, is `send`'s.

mod send;

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use tabletheory_core::expr::{Action, Path, SetOperand, SetValue};
use tabletheory_core::store::op::{ReturnValues, UpdateItem};
use tabletheory_core::{Item, Number};

use super::Db;
use super::condition::joined;
use super::guard::Guard;
use super::target::{Aim, ByKey, ByValue, Target};
use crate::error::Error;
use crate::explain::Plan;
use crate::field::{Change, Changeable, Field, Filter};
use crate::model::{Model, ModelError};
pub(super) use send::Ready;

/// Changes one item. Awaited, it gives the item as it is afterwards.
///
/// An item that does not exist is not made, unless [`or_create`](Self::or_create) says so. The version is counted up and
/// `updated_at` says now, whatever else changes.
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
/// let update = db.update(User::key("1")).change(User::NAME.set("Bob")).change(User::LOGINS.add(2));
/// let user = update.when(User::NAME.eq("Ada")).await?;
/// assert_eq!((user.name.as_str(), user.logins, user.rev), ("Bob", 2, 1));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "an update happens when it is awaited"]
pub struct Update<M, By = ByKey> {
    db: Db,
    aim: Aim,
    guard: Option<Guard>,
    changes: Vec<Result<Action, ModelError>>,
    when: Option<Filter<M>>,
    or_create: bool,
    by: PhantomData<fn() -> By>,
}

impl Db {
    /// Changes an item, given by its key or by the value that was read. With a value, its version must still be the same.
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
    /// let user = db.update(User::key("1")).change(User::LOGINS.add(1)).await?;
    /// assert_eq!((user.logins, user.rev), (1, 1));
    /// let late = db.update(&ada).change(User::LOGINS.add(1)).await.unwrap_err();
    /// assert!(late.is_version_conflict());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn update<T: Target>(&self, target: T) -> Update<T::Model, T::By> {
        Update::new(self.clone(), target.into_aim())
    }
}

impl<M: Model, By> Update<M, By> {
    pub(super) fn new(db: Db, aim: Aim) -> Self {
        let guard = aim.guard::<M>();
        Self { db, aim, guard, changes: Vec::new(), when: None, or_create: false, by: PhantomData }
    }

    /// What is to change. Given more than once, all of it.
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
    /// let user = db.update(&ada).change(User::LOGINS.add(2)).await?;
    /// assert_eq!(user.logins, 2);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn change(mut self, change: Change<M>) -> Self {
        self.changes.push(change.into_action());
        self
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
    /// let update = db.update(User::key("1")).change(User::LOGINS.add(1)).when(User::LOGINS.gt(3));
    /// assert_eq!(update.await.unwrap_err().into_current(), Some(ada));
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
    /// let update = |rev: u64| db.update(User::key("1")).change(User::LOGINS.add(1)).version(rev);
    /// assert_eq!(update(0).await?.rev, 1);
    /// assert!(update(0).await.unwrap_err().is_version_conflict());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn version(mut self, version: impl Into<Number>) -> Self {
        self.guard = M::SCHEMA.version.map(|attribute| Guard::expecting(attribute, version.into()));
        self
    }

    /// Makes the item if there is none. It has then only its key and what the changes set, which must be enough for the
    /// model if the item is to be read. With a version other than 0, which no new item has, the update is refused.
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
    /// let update = db.update(User::key("2")).change(User::NAME.set("Bob")).change(User::LOGINS.add(1));
    /// assert_eq!(update.or_create().await?.logins, 1);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn or_create(mut self) -> Self {
        self.or_create = true;
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
    /// let plan = db.update(&ada).change(User::LOGINS.add(1)).explain().await?;
    /// assert_eq!(plan.expressions[0], ("change", "ADD logins :v0, rev :v0".to_owned()));
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
    /// let request = db.update(&ada).change(User::LOGINS.add(1)).request().await?;
    /// assert_eq!(request.update.map(|update| update.actions.len()), Some(2));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the key, a value or the condition is none, or nothing is to change.
    pub async fn request(self) -> Result<UpdateItem, Error<M>> {
        self.ready().await.map(|ready| ready.update)
    }

    /// Changes the item and gives it as it was before.
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
    /// let old = db.update(User::key("1")).change(User::LOGINS.add(1)).old().await?;
    /// assert_eq!(old, Some(ada));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself. An answer that was lost is not asked for again: the second would show the changed item.
    pub async fn old(self) -> Result<Option<M>, Error<M>> {
        let db = self.db.clone();
        let old = self.send(ReturnValues::AllOld).await?;
        db.read_maybe(old).await
    }

    /// Changes the item and gives only the attributes that changed, as they are afterwards.
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
    /// let changed = db.update(User::key("1")).change(User::LOGINS.add(1)).changed().await?;
    /// assert_eq!(changed.names().collect::<Vec<_>>(), ["logins", "rev"]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself.
    pub async fn changed(self) -> Result<Item, Error<M>> {
        self.send(ReturnValues::UpdatedNew).await.map(Option::unwrap_or_default)
    }

    /// Changes the item and gives only the attributes that changed, as they were before.
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
    /// use tabletheory_core::Value;
    ///
    /// let from = db.update(User::key("1")).change(User::LOGINS.add(1)).changed_from().await?;
    /// assert_eq!(from.get("logins"), Some(&Value::n(0)));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself.
    pub async fn changed_from(self) -> Result<Item, Error<M>> {
        self.send(ReturnValues::UpdatedOld).await.map(Option::unwrap_or_default)
    }

    /// Changes the item and reads nothing back.
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
    /// db.update(User::key("2")).change(User::LOGINS.add(1)).or_create().silently().await?;
    /// assert!(db.get(User::key("2")).await.is_err(), "there is such an item, without a name");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As the update itself, but for an item that does not fit the model.
    pub async fn silently(self) -> Result<(), Error<M>> {
        self.send(ReturnValues::None).await.map(drop)
    }
}

impl<M: Model> Update<M, ByValue> {
    /// Writes this field as it is in the value. An empty one that the model leaves out is removed.
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
    /// let edited = User { name: "Bob".into(), logins: 9, ..ada };
    /// let user = db.update(&edited).field(User::NAME).await?;
    /// assert_eq!((user.name.as_str(), user.logins), ("Bob", 0));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn field<T, R: Changeable>(mut self, field: Field<M, T, R>) -> Self {
        let path = Path::attribute(field.name());
        let value = self.aim.value.as_ref().ok().and_then(Option::as_ref);
        self.changes.push(Ok(match value.and_then(|value| value.get(field.name())) {
            Some(value) => Action::Set(path, SetValue::Operand(SetOperand::Value(value.clone()))),
            None => Action::Remove(path),
        }));
        self
    }
}

impl<M: Model, By: 'static> IntoFuture for Update<M, By> {
    type Output = Result<M, Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<M, By> std::fmt::Debug for Update<M, By> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Update").field("changes", &self.changes.len()).finish_non_exhaustive()
    }
}
