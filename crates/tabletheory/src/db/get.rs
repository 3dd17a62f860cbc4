//! Reading one item.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::StoreExt;
use tabletheory_core::store::op::GetItem;

use super::Db;
use crate::error::Error;
use crate::explain::Plan;
use crate::key::Key;
use crate::model::Model;

/// Reads one item by its key. Awaited, it gives an `Option`.
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
/// assert_eq!(db.get(User::key("1")).await?, Some(ada));
/// assert_eq!(db.get(User::key("2")).await?, None);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a read happens when it is awaited"]
pub struct Get<M> {
    db: Db,
    key: Key<M>,
    consistent: bool,
}

impl Db {
    /// Reads an item by its key.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// assert!(db.get(User::key("1")).consistent().await?.is_none());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn get<M: Model>(&self, key: Key<M>) -> Get<M> {
        Get::new(self.clone(), key)
    }
}

impl<M: Model> Get<M> {
    pub(super) fn new(db: Db, key: Key<M>) -> Self {
        Self { db, key, consistent: false }
    }

    /// Sees every write that was acknowledged before. Costs twice as much.
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
    /// assert_eq!(db.get(User::key("1")).consistent().await?, Some(ada));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
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
    /// let plan = db.get(User::key("1")).consistent().explain().await?;
    /// assert_eq!(plan.read_units, 1.0);
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
    /// use tabletheory_core::StoreExt;
    ///
    /// let mut request = db.get(User::key("1")).request()?;
    /// request.consistent = true;
    /// assert!(db.store().get_item(request).await?.item.is_some());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the key is none.
    pub fn request(self) -> Result<GetItem, Error<M>> {
        let table = self.db.table_of::<M>().into_owned();
        match self.key.into_item() {
            Ok(key) => Ok(GetItem { table, key, consistent: self.consistent, ..GetItem::default() }),
            Err(source) => Err(Error::Model { table, source }),
        }
    }

    /// The item, or [`Error::NotFound`].
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
    /// assert_eq!(db.get(User::key("1")).required().await?, ada);
    /// assert!(db.get(User::key("2")).required().await.unwrap_err().is_not_found());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If there is none, it does not fit the model, or the store refuses.
    pub async fn required(self) -> Result<M, Error<M>> {
        let db = self.db.clone();
        let not_found = || Error::NotFound { model: M::NAME, table: db.table_of::<M>().into_owned() };
        self.await?.ok_or_else(not_found)
    }

    async fn run(self) -> Result<Option<M>, Error<M>> {
        let db = self.db.clone();
        let request = self.request()?;
        let found = db.store().get_item(request).await?;
        db.read_maybe(found.item).await
    }
}

impl<M: Model> IntoFuture for Get<M> {
    type Output = Result<Option<M>, Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Without the database, whose store may show what it holds.
impl<M: Model> fmt::Debug for Get<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Get");
        shown.field("model", &M::NAME).field("table", &self.db.table_of::<M>()).field("key", &self.key);
        shown.field("consistent", &self.consistent).finish_non_exhaustive()
    }
}
