//! Reading items as of one moment.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::StoreError;
use tabletheory_core::store::op::{TransactGet as One, TransactGetItems};

use super::keys::{Asked, TransactKeys};
use super::ready::check_count;
use crate::db::Db;
use crate::db::identity::{Identity, places};
use crate::db::persist::{Unanswered, persist};
use crate::error::{Error, Refusal, TransactionFailure};
use crate::explain::Plan;

impl Db {
    /// Reads up to 100 items as of one moment: a tuple of keys, also of different models, or a `Vec` of keys of one model.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq, Clone)]
    /// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
    /// struct User {
    ///     id: String,
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
    /// let ada = db.create(&User { id: "ada".into() }).await?;
    ///
    /// let (user, order) = db.transact_get((User::key("ada"), Order::key(7))).await?;
    /// assert_eq!((user.as_ref(), order), (Some(&ada), None));
    /// let users = db.transact_get(vec![User::key("bob"), User::key("ada")]).await?;
    /// assert_eq!(users, [None, Some(ada)]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn transact_get<K: TransactKeys>(&self, keys: K) -> TransactGet<K> {
        TransactGet { db: self.clone(), keys }
    }
}

/// Reads items as of one moment. Awaited, it gives an `Option` for each key, in the same form: a tuple for a tuple, a `Vec`
/// for a `Vec`.
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
/// db.create(&User { id: 1 }).await?;
/// let both = db.transact_get((User::key(1), User::key(2)));
/// assert_eq!(both.await?, (Some(User { id: 1 }), None));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a read happens when it is awaited"]
pub struct TransactGet<K> {
    db: Db,
    keys: K,
}

impl<K: TransactKeys> TransactGet<K> {
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
    /// let plan = db.transact_get((User::key(1), User::key(2))).explain().await?;
    /// assert_eq!((plan.operation, plan.read_units), ("TransactGetItems", 4.0));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the request.
    pub async fn explain(self) -> Result<Plan, Error> {
        self.request().map(Plan::of)
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
    /// let request = db.transact_get((User::key(1), User::key(2))).request()?;
    /// assert_eq!(request.gets[1].table, "users");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a key is none, two are the same, or there are none or too many.
    pub fn request(self) -> Result<TransactGetItems, Error> {
        ready(&self.db, self.keys).map(|(_, request)| request)
    }

    async fn run(self) -> Result<K::Output, Error> {
        let (models, request) = ready(&self.db, self.keys)?;
        let tables: Vec<String> = request.gets.iter().map(|get| get.table.clone()).collect();
        match persist(&self.db, request).await {
            Ok(output) => K::read(&self.db, output.items).await,
            Err(Unanswered { error: StoreError::TransactionCanceled { reasons }, .. })
                if !reasons.is_empty() =>
            {
                let asked = models.into_iter().zip(tables).zip(reasons);
                let refusals =
                    asked.map(|((model, table), reason)| Refusal::new(model, table, reason, false));
                Err(Error::TransactionFailed(Box::new(TransactionFailure::new(refusals.collect(), false))))
            }
            Err(Unanswered { error, .. }) => Err(error.into()),
        }
    }
}

/// The request, and the model of each read.
fn ready<K: TransactKeys>(db: &Db, keys: K) -> Result<(Vec<&'static str>, TransactGetItems), Error> {
    let asked = keys.into_asked(db);
    check_count(asked.len())?;
    let (mut models, mut gets) = (Vec::with_capacity(asked.len()), Vec::with_capacity(asked.len()));
    for Asked { model, table, key } in asked {
        let key = match key {
            Ok(key) => key,
            Err(source) => return Err(Error::Model { table, source }),
        };
        models.push(model);
        gets.push(One { table, key, projection: None });
    }
    let identities: Vec<Identity> = gets.iter().map(|get| Identity::of_key(&get.table, &get.key)).collect();
    let known = models.iter().zip(&identities).enumerate();
    places(known.map(|(place, (model, identity))| (place, *model, identity)))?;
    Ok((models, TransactGetItems { gets, ..TransactGetItems::default() }))
}

impl<K: TransactKeys> IntoFuture for TransactGet<K> {
    type Output = Result<K::Output, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<K> fmt::Debug for TransactGet<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactGet").finish_non_exhaustive()
    }
}
