//! Writing items together or not at all.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::StoreError;
use tabletheory_core::limits::CLIENT_REQUEST_TOKEN_LENGTH_MAX;
use tabletheory_core::store::op::TransactWriteItems;

use super::operation::{Check, Operation, Preparing, TransactOperation};
use super::ready::{Ready, check_count, check_distinct};
use crate::db::Db;
use crate::db::persist::{Unanswered, persist};
use crate::error::{BulkFault, Error, TransactionFailure};
use crate::explain::Plan;
use crate::field::Filter;
use crate::key::Key;
use crate::model::Model;

impl Db {
    /// Writes up to 100 items, of any models, together or not at all.
    ///
    /// Each operation is one of the builders of this database that is not awaited, on another item. The transaction is sent
    /// with a token that it keeps when it is sent again: what was done once is not done twice, though its answer is lost.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "app", pk = "PAGE#{path}", sk = "META")]
    /// struct Page {
    ///     path: String,
    ///     body: String,
    /// }
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "app", pk = "PAGE#{path}", sk = "LOCK")]
    /// struct Lock {
    ///     path: String,
    ///     token: String,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Page>().await?;
    /// db.create(&Lock { path: "news".into(), token: "ours".into() }).await?;
    ///
    /// let page = Page { path: "news".into(), body: "new".into() };
    /// let release = || db.delete(Lock::key("news"));
    ///
    /// let late = db.transact().with(db.put(&page)).with(release().when(Lock::TOKEN.eq("theirs"))).await;
    /// let Err(Error::TransactionFailed(failure)) = late else { panic!("{late:?}") };
    /// assert_eq!(failure.first().map(|(place, _)| place), Some(1));
    /// assert_eq!(failure.current::<Lock>(1).map(|lock| lock.token).as_deref(), Some("ours"));
    /// assert_eq!(db.get(Page::key("news")).await?, None);
    ///
    /// db.transact().with(db.put(&page)).with(release().when(Lock::TOKEN.eq("ours"))).await?;
    /// assert_eq!(db.get(Page::key("news")).await?, Some(page));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn transact(&self) -> Transact {
        Transact { db: self.clone(), operations: Vec::new(), token: None }
    }
}

/// Writes items together or not at all. Awaited, it gives nothing, or says for each operation what stood in its way:
/// [`Error::TransactionFailed`].
///
/// Conflicts with other transactions, throttling and lost answers are waited out, as often as the database's
/// [`Backoff`](crate::db::Backoff) says.
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
/// let transaction = db.transact().with(db.create(&User { id: 1 })).with(db.create(&User { id: 2 }));
/// transaction.await?;
/// assert!(db.get(User::key(2)).await?.is_some());
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a transaction happens when it is awaited"]
pub struct Transact {
    db: Db,
    operations: Vec<Preparing>,
    token: Option<String>,
}

impl Transact {
    /// Also does this: a put, create, save, update or delete.
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
    /// db.transact().with(db.create(&User { id: 1 })).with(db.delete(User::key(2))).await?;
    /// assert!(db.get(User::key(1)).await?.is_some());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn with(mut self, operation: impl TransactOperation) -> Self {
        self.operations.push(operation.prepare());
        self
    }

    /// Only if this is true of an item that the transaction does not change.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// #[derive(Model)]
    /// #[model(table = "users")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    ///     is_active: bool,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// let guest = User { id: "bob".into(), is_active: true };
    /// let invite = || db.transact().check(User::key("ada"), User::IS_ACTIVE.eq(true)).with(db.put(&guest));
    /// assert!(invite().await.unwrap_err().is_condition_failed());
    /// db.create(&User { id: "ada".into(), is_active: true }).await?;
    /// invite().await?;
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn check<M: Model>(self, key: Key<M>, condition: Filter<M>) -> Self {
        let table = self.db.table_of::<M>().into_owned();
        self.with(Check { table, key, condition })
    }

    /// With this token, of 1 to 36 bytes, instead of one that is drawn: the same transaction with the same token happens once
    /// in ten minutes, also if another process sends it. Another transaction with it is [`Error::TokenReused`].
    ///
    /// Writes that differ are another transaction, and moments such as `updated_at` differ each time.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// #[derive(Model)]
    /// #[model(table = "counters")]
    /// struct Counter {
    ///     #[model(pk)]
    ///     name: String,
    ///     count: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Counter>().await?;
    /// db.create(&Counter { name: "visits".into(), count: 0 }).await?;
    /// let visit = |by| db.update(Counter::key("visits")).change(Counter::COUNT.add(by));
    /// db.transact().with(visit(1)).token("request-17").await?;
    /// db.transact().with(visit(1)).token("request-17").await?;
    /// assert_eq!(db.get(Counter::key("visits")).required().await?.count, 1);
    ///
    /// let other = db.transact().with(visit(5)).token("request-17").await;
    /// assert!(matches!(other, Err(Error::TokenReused(_))));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// What will happen and what it costs at least. Nothing is sent.
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
    /// let plan = db.transact().with(db.create(&User { id: 1 })).explain().await?;
    /// assert_eq!((plan.operation, plan.write_units), ("TransactWriteItems", 2.0));
    /// assert_eq!(plan.expressions[1], ("condition", "attribute_not_exists(id)".into()));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the request.
    pub async fn explain(self) -> Result<Plan, Error> {
        self.request().await.map(Plan::of)
    }

    /// The request as the store gets it.
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
    /// let request = db.transact().with(db.create(&User { id: 1 })).request().await?;
    /// assert_eq!(request.writes.len(), 1);
    /// assert!(request.client_request_token.is_some());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If an operation cannot be sent, two of them are about one item, or there are none or too many.
    pub async fn request(self) -> Result<TransactWriteItems, Error> {
        self.ready().await.map(|ready| ready.request)
    }

    async fn ready(self) -> Result<Ready, Error> {
        check_count(self.operations.len())?;
        let length = self.token.as_ref().map_or(1, String::len);
        if !(1..=CLIENT_REQUEST_TOKEN_LENGTH_MAX).contains(&length) {
            return Err(BulkFault::Token { length }.into());
        }
        let mut prepared = Vec::with_capacity(self.operations.len());
        for operation in self.operations {
            prepared.push(operation.0.await?);
        }
        check_distinct(&prepared)?;
        Ok(Ready::of(&self.db, prepared, self.token))
    }

    async fn run(self) -> Result<(), Error> {
        let db = self.db.clone();
        let Ready { request, operations } = self.ready().await?;
        match persist(&db, request).await {
            Ok(_) => Ok(()),
            Err(unanswered) => Err(refused(&db, unanswered, operations).await),
        }
    }
}

impl IntoFuture for Transact {
    type Output = Result<(), Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl fmt::Debug for Transact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transact").field("operations", &self.operations.len()).finish_non_exhaustive()
    }
}

/// The error of a transaction, operation by operation if the store says so.
async fn refused(db: &Db, unanswered: Unanswered, operations: Vec<Operation>) -> Error {
    let reasons = match unanswered.error {
        // Without reasons nobody knows which operation it was.
        StoreError::TransactionCanceled { reasons } if !reasons.is_empty() => reasons,
        error => return error.into(),
    };
    let mut reasons = reasons.into_iter();
    let mut refusals = Vec::with_capacity(operations.len());
    for operation in operations {
        refusals.push(operation.refusal(db, reasons.next().unwrap_or_default()).await);
    }
    Error::TransactionFailed(Box::new(TransactionFailure::new(refusals, unanswered.after_a_lost_answer)))
}
