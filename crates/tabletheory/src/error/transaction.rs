//! A transaction that was refused: which of its operations stood in the way, why, and what is there instead.

use std::fmt;

use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::{Item, StoreError};

use super::Error;
use crate::model::Model;

/// Why a transaction was refused, operation by operation. Nothing of it was written.
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
/// db.create(&User { id: 2 }).await?;
/// let transaction = db.transact().with(db.create(&User { id: 1 })).with(db.create(&User { id: 2 }));
/// let Err(Error::TransactionFailed(failure)) = transaction.await else { panic!("it is there") };
/// assert_eq!(
///     failure.to_string(),
///     "the transaction was refused; operation 1, a User in the table `users`: ConditionalCheckFailed"
/// );
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Clone, PartialEq)]
pub struct TransactionFailure {
    refusals: Vec<Refusal>,
    after_a_lost_answer: bool,
}

/// What one operation of a refused transaction has to do with the refusal. Operations that were fine have the code
/// [`CancellationCode::None`].
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
/// db.create(&User { id: 2 }).await?;
/// let transaction = db.transact().with(db.create(&User { id: 1 })).with(db.create(&User { id: 2 }));
/// let Err(Error::TransactionFailed(failure)) = transaction.await else { panic!("it is there") };
/// let (_, refusal) = failure.first().expect("one stood in the way");
/// assert_eq!((refusal.model, refusal.table.as_str(), refusal.version_conflict), ("User", "users", false));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Clone, PartialEq)]
pub struct Refusal {
    /// The model of the operation.
    pub model: &'static str,
    /// Its table.
    pub table: String,
    /// What went wrong.
    pub code: CancellationCode,
    /// Whether it was the version that did not fit.
    pub version_conflict: bool,
    /// The store's words for it.
    pub message: Option<String>,
    item: Option<Box<Item>>,
}

impl Refusal {
    pub(crate) fn new(
        model: &'static str,
        table: String,
        reason: CancellationReason,
        version_conflict: bool,
    ) -> Self {
        let CancellationReason { code, message, item } = reason;
        Self { model, table, code, version_conflict, message, item }
    }

    /// The refusal as the error of its operation alone.
    pub(crate) fn into_error<M: Model>(self) -> Error<M> {
        let Self { model, table, code, version_conflict, message, item } = self;
        let message = message.unwrap_or_else(|| code.name().to_owned());
        let current = || item.and_then(|item| M::from_item(*item).ok()).map(Box::new);
        match code {
            CancellationCode::ConditionalCheckFailed if version_conflict => {
                Error::VersionConflict { model, table, current: current() }
            }
            CancellationCode::ConditionalCheckFailed => {
                Error::ConditionFailed { model, table, current: current() }
            }
            CancellationCode::TransactionConflict => StoreError::TransactionConflict(message).into(),
            CancellationCode::ProvisionedThroughputExceeded => {
                StoreError::ProvisionedThroughputExceeded(message).into()
            }
            CancellationCode::ThrottlingError => StoreError::Throttling(message).into(),
            CancellationCode::ItemCollectionSizeLimitExceeded => {
                StoreError::ItemCollectionSizeLimitExceeded(message).into()
            }
            CancellationCode::DuplicateItem => StoreError::DuplicateItem(message).into(),
            CancellationCode::AccessDenied => StoreError::AccessDenied(message).into(),
            _ => Error::Validation(message),
        }
    }
}

impl TransactionFailure {
    pub(crate) fn new(refusals: Vec<Refusal>, after_a_lost_answer: bool) -> Self {
        Self { refusals, after_a_lost_answer }
    }

    /// Whether an earlier sending of the same transaction was not answered. It was not performed before this refusal, but may
    /// still arrive, and be performed if what was refused becomes possible.
    ///
    /// ```
    /// use tabletheory::testing::{TestStore, Trouble};
    /// # use tabletheory::{Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let store = TestStore::new();
    /// let db = store.db();
    /// # db.create_table::<User>().await?;
    /// db.create(&User { id: 1 }).await?;
    /// store.trouble("TransactWriteItems", Trouble::LostRequest);
    /// let Err(Error::TransactionFailed(failure)) = db.transact().with(db.create(&User { id: 1 })).await else {
    ///     panic!("it is there")
    /// };
    /// assert!(failure.is_after_a_lost_answer());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_after_a_lost_answer(&self) -> bool {
        self.after_a_lost_answer
    }

    /// One entry for each operation, in order.
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
    /// db.create(&User { id: 2 }).await?;
    /// let transaction = db.transact().with(db.create(&User { id: 1 })).with(db.create(&User { id: 2 }));
    /// let Err(Error::TransactionFailed(failure)) = transaction.await else { panic!("it is there") };
    /// use tabletheory_core::error::CancellationCode::{ConditionalCheckFailed, None as Fine};
    ///
    /// let codes: Vec<_> = failure.refusals().iter().map(|refusal| refusal.code).collect();
    /// assert_eq!(codes, [Fine, ConditionalCheckFailed]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The first operation that stood in the way, by its place in the transaction.
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
    /// db.create(&User { id: 2 }).await?;
    /// let transaction = db.transact().with(db.create(&User { id: 1 })).with(db.create(&User { id: 2 }));
    /// let Err(Error::TransactionFailed(failure)) = transaction.await else { panic!("it is there") };
    /// assert_eq!(failure.first().map(|(place, _)| place), Some(1));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn first(&self) -> Option<(usize, &Refusal)> {
        self.refusals.iter().enumerate().find(|(_, refusal)| refusal.code != CancellationCode::None)
    }

    /// The item that the operation at `place` met when its condition failed, as the model `M`. `None` if there is none, or
    /// if it is not one of that model.
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
    /// db.create(&User { id: 2 }).await?;
    /// let transaction = db.transact().with(db.create(&User { id: 1 })).with(db.create(&User { id: 2 }));
    /// let Err(Error::TransactionFailed(failure)) = transaction.await else { panic!("it is there") };
    /// assert_eq!(failure.current::<User>(1), Some(User { id: 2 }));
    /// assert_eq!(failure.current::<User>(0), None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn current<M: Model>(&self, place: usize) -> Option<M> {
        let item = self.refusals.get(place)?.item.as_deref()?;
        M::from_item(item.clone()).ok()
    }

    pub(super) fn is_condition_failed(&self) -> bool {
        self.refusals.iter().any(|refusal| refusal.code == CancellationCode::ConditionalCheckFailed)
    }

    pub(super) fn is_version_conflict(&self) -> bool {
        self.refusals.iter().any(|refusal| refusal.version_conflict)
    }

    pub(super) fn is_conflict(&self) -> bool {
        self.refusals.iter().any(|refusal| refusal.code == CancellationCode::TransactionConflict)
    }

    pub(super) fn is_throttled(&self) -> bool {
        use CancellationCode::{ProvisionedThroughputExceeded, ThrottlingError};
        self.refusals
            .iter()
            .any(|refusal| matches!(refusal.code, ProvisionedThroughputExceeded | ThrottlingError))
    }
}

impl fmt::Display for TransactionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the transaction was refused")?;
        for (at, refusal) in self.refusals.iter().enumerate() {
            if refusal.code != CancellationCode::None {
                let Refusal { model, table, code, .. } = refusal;
                write!(f, "; operation {at}, a {model} in the table `{table}`: {}", code.name())?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for TransactionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.refusals).finish()
    }
}

/// Without the item: errors end up in logs.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusal")
            .field("model", &self.model)
            .field("table", &self.table)
            .field("code", &self.code)
            .field("version_conflict", &self.version_conflict)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for TransactionFailure {}
