//! Why an operation on a [`Db`](crate::Db) did not do what it was asked: one enum, which a caller can act on. The texts name
//! models, tables and attributes, never a value.

mod bulk;
mod debug;
mod transaction;

use tabletheory_core::{StoreError, Timestamp};

use crate::cursor::CursorError;
use crate::encryption::{EncryptionError, KeyError};
use crate::model::{Model, ModelError};

pub use bulk::BulkFault;
pub use transaction::{Refusal, TransactionFailure};

/// Why an operation on items of the model `M` failed.
///
/// `?` turns an `Error<M>` into the plain `Error` of a function that works with several models; only the current item is
/// left behind.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
///     name: String,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<User>().await?;
/// db.create(&User { id: "1".into(), name: "Ada".into() }).await?;
/// match db.create(&User { id: "1".into(), name: "Bob".into() }).await {
///     Err(Error::ConditionFailed { current: Some(user), .. }) => assert_eq!(user.name, "Ada"),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error<M = ()> {
    /// There is no such item.
    #[error("there is no such {model} in the table `{table}`")]
    NotFound {
        /// The model.
        model: &'static str,
        /// The table.
        table: String,
    },
    /// The condition was false, and nothing was written.
    #[error("the condition for writing a {model} to the table `{table}` was false")]
    ConditionFailed {
        /// The model.
        model: &'static str,
        /// The table.
        table: String,
        /// The item as it is. `None` if there is none, or if it is not one of this model.
        current: Option<Box<M>>,
    },
    /// Somebody else changed the item since it was read, and nothing was written. It is a condition that failed, too.
    #[error("the {model} in the table `{table}` has another version")]
    VersionConflict {
        /// The model.
        model: &'static str,
        /// The table.
        table: String,
        /// The item as it is. `None` if there is none, or if it is not one of this model.
        current: Option<Box<M>>,
    },
    /// Somebody else holds the lease.
    #[error("the lease is held until {} seconds since 1970", until.seconds())]
    LeaseHeld {
        /// Until when, unless it is refreshed or released.
        until: Timestamp,
    },
    /// The lease is not ours any more.
    #[error("the lease is not ours any more")]
    LeaseNotOwned,
    /// The transaction was refused, and nothing of it was written.
    #[error(transparent)]
    TransactionFailed(Box<TransactionFailure>),
    /// The token was used within ten minutes for another transaction. Nothing was written.
    #[error("the token of the transaction was used for another one")]
    TokenReused(#[source] StoreError),
    /// A batch or a transaction cannot be, and was not sent.
    #[error(transparent)]
    Bulk(#[from] BulkFault),
    /// The store did a part of a batch.
    #[error("the store did {done} operations of the batch, and {} are left", left.len())]
    Incomplete {
        /// How many operations it did.
        done: usize,
        /// The places of the others, counted from 0.
        left: Vec<usize>,
        /// Why, if the store said so. Without, it only asks for less at a time.
        #[source]
        cause: Option<StoreError>,
    },
    /// The store asks to be left alone for a while; nothing was written.
    #[error("{0}")]
    Throttled(#[source] StoreError),
    /// The request breaks a rule of the store. Sending it again fails again.
    #[error("{0}")]
    Validation(String),
    /// The index does not carry what is asked of it: read a part of the items, or the table.
    #[error("the index `{index}` does not carry the attribute `{attribute}` of a {model}")]
    NotProjected {
        /// The model.
        model: &'static str,
        /// The index.
        index: &'static str,
        /// The attribute that it lacks.
        attribute: String,
    },
    /// There are more groups than were allowed.
    #[error("there are more than {max} groups by `{attribute}` of a {model}")]
    TooManyGroups {
        /// The model.
        model: &'static str,
        /// The attribute that says which group an item belongs to.
        attribute: &'static str,
        /// How many were allowed.
        max: usize,
    },
    /// A sum needs more than 38 digits, and sums are not rounded.
    #[error("the sum of `{attribute}` of a {model} needs more than 38 digits")]
    InexactSum {
        /// The model.
        model: &'static str,
        /// The attribute.
        attribute: &'static str,
    },
    /// An item and the model do not fit together.
    #[error("{source} (table `{table}`)")]
    Model {
        /// The table.
        table: String,
        /// What does not fit.
        source: ModelError,
    },
    /// An attribute could not be encrypted or decrypted.
    #[error("{source} (table `{table}`)")]
    Encryption {
        /// The table.
        table: String,
        /// Why not.
        source: EncryptionError,
    },
    /// The cursor is not one of this query.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// The store failed in another way.
    #[error("{0}")]
    Store(#[source] StoreError),
}

impl<M> Error<M> {
    /// Whether a condition was false, also that of a version or a transaction.
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
    /// assert!(db.create(&ada).await.unwrap_err().is_condition_failed());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_condition_failed(&self) -> bool {
        match self {
            Self::ConditionFailed { .. } | Self::VersionConflict { .. } => true,
            Self::TransactionFailed(failure) => failure.is_condition_failed(),
            _ => false,
        }
    }

    /// Whether somebody else changed the item.
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
    /// db.save(&ada).await?;
    /// assert!(db.save(&ada).await.unwrap_err().is_version_conflict());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_version_conflict(&self) -> bool {
        match self {
            Self::VersionConflict { .. } => true,
            Self::TransactionFailed(failure) => failure.is_version_conflict(),
            _ => false,
        }
    }

    /// Whether there is no such item.
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
    /// assert!(db.get(User::key("2")).required().await.unwrap_err().is_not_found());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// Whether the store asks for less. Nothing was written, but for the part of a batch that is
    /// [told](Self::Incomplete) as done.
    ///
    /// ```
    /// # use tabletheory::Error;
    /// # use tabletheory_core::StoreError;
    /// assert!(Error::<()>::from(StoreError::Throttling("slow down".into())).is_throttled());
    /// ```
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        match self {
            Self::Throttled(_) => true,
            Self::Incomplete { cause, .. } => cause.as_ref().is_none_or(is_throttling),
            Self::TransactionFailed(failure) => failure.is_throttled(),
            _ => false,
        }
    }

    /// Whether another transaction stood in the way. The same may succeed later.
    ///
    /// ```
    /// # use tabletheory::Error;
    /// # use tabletheory_core::StoreError;
    /// assert!(Error::<()>::from(StoreError::TransactionConflict("busy".into())).is_conflict());
    /// ```
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        match self {
            Self::Store(error) => matches!(error, StoreError::TransactionConflict(_)),
            Self::TransactionFailed(failure) => failure.is_conflict(),
            _ => false,
        }
    }

    /// Whether a write may have happened all the same, because its answer was lost.
    ///
    /// ```
    /// # use tabletheory::Error;
    /// # use tabletheory_core::StoreError;
    /// assert!(Error::<()>::from(StoreError::Internal("the answer was lost".into())).is_ambiguous());
    /// ```
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        match self {
            Self::Store(error) => error.is_ambiguous(),
            Self::Incomplete { cause, .. } => cause.as_ref().is_some_and(StoreError::is_ambiguous),
            _ => false,
        }
    }

    /// Whether the deadline of [`Db::within`](crate::Db::within) came first. Whether a write may have happened all the same is
    /// told by [`is_ambiguous`](Self::is_ambiguous).
    ///
    /// ```
    /// # use tabletheory::Error;
    /// # use tabletheory_core::StoreError;
    /// assert!(Error::<()>::from(StoreError::DeadlineExceeded { sent: false }).is_deadline_exceeded());
    /// ```
    #[must_use]
    pub fn is_deadline_exceeded(&self) -> bool {
        let late = KeyError::DeadlineExceeded;
        match self {
            Self::Store(error) | Self::Incomplete { cause: Some(error), .. } => {
                matches!(error, StoreError::DeadlineExceeded { .. })
            }
            Self::Encryption { source: EncryptionError::Key { source, .. }, .. } => *source == late,
            _ => false,
        }
    }

    /// The item as it is, if a condition failed because of it.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "users")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// #     name: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<User>().await?;
    /// # db.create(&User { id: "1".into(), name: "Ada".into() }).await?;
    /// let refused = db.put(&User { id: "1".into(), name: "Bob".into() }).when(User::NAME.eq("Eve")).await;
    /// let current = refused.err().and_then(Error::into_current);
    /// assert_eq!(current.map(|user| user.name).as_deref(), Some("Ada"));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn into_current(self) -> Option<M> {
        match self {
            Self::ConditionFailed { current, .. } | Self::VersionConflict { current, .. } => {
                current.map(|current| *current)
            }
            _ => None,
        }
    }

    /// The same error of another model, without the current item.
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
    /// let error: Error = db.create(&ada).await.unwrap_err().erase();
    /// assert!(matches!(error, Error::ConditionFailed { model: "User", .. }));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn erase<N>(self) -> Error<N> {
        match self {
            Self::NotFound { model, table } => Error::NotFound { model, table },
            Self::ConditionFailed { model, table, .. } => {
                Error::ConditionFailed { model, table, current: None }
            }
            Self::VersionConflict { model, table, .. } => {
                Error::VersionConflict { model, table, current: None }
            }
            Self::LeaseHeld { until } => Error::LeaseHeld { until },
            Self::LeaseNotOwned => Error::LeaseNotOwned,
            Self::TransactionFailed(failure) => Error::TransactionFailed(failure),
            Self::TokenReused(source) => Error::TokenReused(source),
            Self::Bulk(fault) => Error::Bulk(fault),
            Self::Incomplete { done, left, cause } => Error::Incomplete { done, left, cause },
            Self::Throttled(source) => Error::Throttled(source),
            Self::Validation(message) => Error::Validation(message),
            Self::NotProjected { model, index, attribute } => Error::NotProjected { model, index, attribute },
            Self::TooManyGroups { model, attribute, max } => Error::TooManyGroups { model, attribute, max },
            Self::InexactSum { model, attribute } => Error::InexactSum { model, attribute },
            Self::Model { table, source } => Error::Model { table, source },
            Self::Encryption { table, source } => Error::Encryption { table, source },
            Self::Cursor(source) => Error::Cursor(source),
            Self::Store(source) => Error::Store(source),
        }
    }
}

impl<M: Model> From<Error<M>> for Error<()> {
    fn from(error: Error<M>) -> Self {
        error.erase()
    }
}

impl<M> From<StoreError> for Error<M> {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Validation(message) => Self::Validation(message),
            StoreError::IdempotentParameterMismatch(_) => Self::TokenReused(error),
            error if is_throttling(&error) => Self::Throttled(error),
            error => Self::Store(error),
        }
    }
}

/// Whether the store asks to be left alone for a while.
fn is_throttling(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Throttling(_)
            | StoreError::ProvisionedThroughputExceeded(_)
            | StoreError::RequestLimitExceeded(_)
    )
}
