//! Saving many values against their versions, which a batch cannot do: in transactions, one after the other.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::limits::{TRANSACT_BYTES_MAX, TRANSACT_ITEMS_MAX};
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{TransactAction, TransactWriteItems};
use tabletheory_core::{Item, StoreError};

use super::operation::{Operation, Prepared};
use super::ready::{Ready, check_distinct};
use crate::db::persist::persist;
use crate::db::{Db, Put};
use crate::error::Error;
use crate::explain::Plan;
use crate::model::Model;

/// What the items of one transaction have together at most. A quarter is left for conditions and names.
const BYTES_MAX: usize = TRANSACT_BYTES_MAX / 4 * 3;

impl Db {
    /// Saves many items of one model as [`save`](Self::save) does, each against its version, in transactions of up to 100.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "docs")]
    /// struct Doc {
    ///     #[model(pk)]
    ///     id: u64,
    ///     #[model(version)]
    ///     rev: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Doc>().await?;
    /// let docs: Vec<Doc> = (0..3).map(|id| Doc { id, rev: 0 }).collect();
    /// let saved = db.save_all(&docs).await?;
    /// assert!(saved.iter().all(|doc| doc.rev == 1));
    /// // Somebody who still has the old versions is refused.
    /// db.save_all(&saved).await?;
    /// assert!(db.save_all(&saved).await.unwrap_err().is_version_conflict());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn save_all<'m, M: Model>(&self, models: impl IntoIterator<Item = &'m M>) -> SaveAll<M> {
        SaveAll { db: self.clone(), puts: models.into_iter().map(|model| self.save(model)).collect() }
    }
}

/// Saves many values of one model. Awaited, it gives them as they were written, with their versions and moments.
///
/// Up to 100 values (less if they are large) are one transaction: all or none of them are written. More are several
/// transactions, one after the other; if one is refused, those before it stay, and those after it are tried too.
/// [`each`](Self::each) tells what came of each value.
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
/// let saved = db.save_all(&[User { id: 1 }, User { id: 2 }]).await?;
/// assert_eq!(saved, [User { id: 1 }, User { id: 2 }]);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "values are saved when it is awaited"]
pub struct SaveAll<M> {
    db: Db,
    puts: Vec<Put<M>>,
}

/// What came of one value.
///
/// ```
/// use tabletheory::db::SaveOutcome;
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model, Debug, Clone, PartialEq)]
/// #[model(table = "docs")]
/// struct Doc {
///     #[model(pk)]
///     id: u64,
///     #[model(version)]
///     rev: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<Doc>().await?;
/// let docs = db.save_all(&[Doc { id: 1, rev: 0 }, Doc { id: 2, rev: 0 }]).await?;
/// db.save(&docs[1]).await?;
///
/// let outcomes = db.save_all(&docs).each().await?;
/// assert!(matches!(&outcomes[0], SaveOutcome::HeldBack));
/// assert!(matches!(&outcomes[1], SaveOutcome::Failed(error) if error.is_version_conflict()));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub enum SaveOutcome<M> {
    /// It was written, and this is how it is stored.
    Saved(M),
    /// It was not written because another value of its transaction could not be.
    HeldBack,
    /// It was not written, and this is why. If the error [is ambiguous](Error::is_ambiguous), it may have been.
    Failed(Error<M>),
}

impl<M: Model> SaveAll<M> {
    /// What each request will do and what it costs at least. Nothing is sent.
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
    /// let users: Vec<User> = (0..150).map(|id| User { id }).collect();
    /// let plans = db.save_all(&users).explain().await?;
    /// assert_eq!(plans[0].place, "of 100 items");
    /// assert_eq!(plans[1].write_units, 100.0);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the requests.
    pub async fn explain(self) -> Result<Vec<Plan>, Error<M>> {
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
    /// let users: Vec<User> = (0..150).map(|id| User { id }).collect();
    /// let requests = db.save_all(&users).requests().await?;
    /// assert_eq!(requests.iter().map(|request| request.writes.len()).collect::<Vec<_>>(), [100, 50]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a value cannot be stored, or two are the same item.
    pub async fn requests(self) -> Result<Vec<TransactWriteItems>, Error<M>> {
        let db = self.db.clone();
        let chunks = self.ready().await?;
        Ok(chunks.into_iter().map(|chunk| Ready::of(&db, chunk, None).request).collect())
    }

    /// Saves the values, and tells what came of each, in their order.
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
    /// use tabletheory::db::SaveOutcome;
    ///
    /// let outcomes = db.save_all(&[User { id: 1 }]).each().await?;
    /// assert!(matches!(&outcomes[..], [SaveOutcome::Saved(user)] if user.id == 1));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a value cannot be stored, or two are the same item: then nothing was sent.
    pub async fn each(self) -> Result<Vec<SaveOutcome<M>>, Error<M>> {
        let db = self.db.clone();
        let mut outcomes = Vec::with_capacity(self.puts.len());
        for chunk in self.ready().await? {
            outcomes.extend(save(&db, chunk).await);
        }
        Ok(outcomes)
    }

    /// The writes of each transaction.
    async fn ready(self) -> Result<Vec<Vec<Prepared>>, Error<M>> {
        let mut prepared = Vec::with_capacity(self.puts.len());
        for put in self.puts {
            prepared.push(Prepared::put::<M>(put.ready().await?));
        }
        check_distinct(&prepared)?;
        let (mut chunks, mut bytes) = (Vec::<Vec<Prepared>>::new(), 0);
        for write in prepared {
            let more = item(&write).map_or(0, item_bytes);
            match chunks.last_mut() {
                Some(chunk) if chunk.len() < TRANSACT_ITEMS_MAX && bytes + more <= BYTES_MAX => {
                    bytes += more;
                    chunk.push(write);
                }
                _ => {
                    bytes = more;
                    chunks.push(vec![write]);
                }
            }
        }
        Ok(chunks)
    }

    async fn run(self) -> Result<Vec<M>, Error<M>> {
        let (mut saved, mut failed) = (Vec::with_capacity(self.puts.len()), None);
        for outcome in self.each().await? {
            match outcome {
                SaveOutcome::Saved(model) => saved.push(model),
                SaveOutcome::Failed(error) => failed = failed.or(Some(error)),
                // The one that holds it back is there too.
                SaveOutcome::HeldBack => {}
            }
        }
        match failed {
            Some(error) => Err(error),
            None => Ok(saved),
        }
    }
}

fn item(prepared: &Prepared) -> Option<&Item> {
    match &prepared.write.action {
        TransactAction::Put { item } => Some(item),
        _ => None,
    }
}

/// One transaction, and what came of each of its values.
async fn save<M: Model>(db: &Db, chunk: Vec<Prepared>) -> Vec<SaveOutcome<M>> {
    let table = db.table_of::<M>();
    // As it was before it was sealed: what is written needs no key to be told.
    let written: Vec<Item> =
        chunk.iter().filter_map(|write| write.plain.as_ref().or_else(|| item(write))).cloned().collect();
    let Ready { request, operations } = Ready::of(db, chunk, None);
    let mut outcomes = Vec::with_capacity(written.len());
    match persist(db, request).await.map_err(|unanswered| unanswered.error) {
        Ok(_) => {
            for item in written {
                outcomes.push(match M::from_item(item) {
                    Ok(model) => SaveOutcome::Saved(model),
                    Err(source) => {
                        SaveOutcome::Failed(Error::Model { table: table.clone().into_owned(), source })
                    }
                });
            }
        }
        Err(StoreError::TransactionCanceled { reasons }) if reasons.len() == operations.len() => {
            let told = operations.into_iter().zip(reasons);
            for (operation, reason) in told {
                outcomes.push(outcome(db, operation, reason).await);
            }
        }
        Err(error) => outcomes.extend(written.iter().map(|_| SaveOutcome::Failed(error.clone().into()))),
    }
    outcomes
}

async fn outcome<M: Model>(db: &Db, operation: Operation, reason: CancellationReason) -> SaveOutcome<M> {
    if reason.code == CancellationCode::None {
        return SaveOutcome::HeldBack;
    }
    SaveOutcome::Failed(operation.refusal(db, reason).await.into_error())
}

impl<M: Model> IntoFuture for SaveAll<M> {
    type Output = Result<Vec<M>, Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<M> fmt::Debug for SaveAll<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveAll").field("values", &self.puts.len()).finish_non_exhaustive()
    }
}
