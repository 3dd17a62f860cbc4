//! Why something was not done. Losing a race is no error: it is an outcome.

use tabletheory_core::StoreError;

use crate::key::KeyError;

/// Why something was not done. No error tells keys, tokens, headers or bodies.
///
/// ```
/// use idempotent::{Error, IdempotencyKey};
///
/// let error = Error::from(IdempotencyKey::parse("").unwrap_err());
/// assert_eq!(error.to_string(), "the idempotency key is empty");
/// assert!(!error.is_ambiguous());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client's key is none.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A setting cannot be kept.
    #[error("`{setting}` must be {must_be}")]
    Setting {
        /// Which.
        setting: &'static str,
        /// What it has to be.
        must_be: &'static str,
    },
    /// A value has no JSON, or a stored JSON is not of the type that is asked for.
    #[error("the value has no JSON of this type")]
    NoJson,
    /// The request was done, and the body of its answer is gone or was altered. It is not done again.
    #[error("the request was answered with status {status}, and the body of the answer is lost")]
    ResponseLost {
        /// The status it was answered with.
        status: u16,
    },
    /// The request was done, and its answer was too large to be kept, or a stream of events. It is not done again.
    #[error(
        "the request was answered with status {status}, and its answer of {bytes} bytes or more was not kept"
    )]
    ResponseTooLarge {
        /// The status it was answered with.
        status: u16,
        /// How long the answer was, its headers included, as far as it was read.
        bytes: u64,
    },
    /// The record says something that is not understood, so nothing is done until it is over or somebody deletes it.
    #[error("the record of the request cannot be understood: its `{attribute}` is not what it should be")]
    Unreadable {
        /// Which attribute.
        attribute: &'static str,
    },
    /// Others changed the record each time it was looked at.
    #[error("others changed the record of the request each time it was tried; try again later")]
    Contended,
    /// The object store did not do it.
    #[error("the object store did not {operation} the body of an answer")]
    Objects {
        /// What it was to do.
        operation: &'static str,
        /// What it said.
        #[source]
        source: object_store::Error,
    },
    /// There is a record of the request, and the store did not tell the rest of it. The request may be done, so it must not run.
    #[error("there is a record of the request, and the store did not tell the rest of it")]
    Untold {
        /// What the store answered.
        #[source]
        source: tabletheory::Error,
    },
    /// The table was not made.
    #[error(transparent)]
    NoTable(#[from] tabletheory::table::TableError),
    /// The store did not do it.
    #[error(transparent)]
    Table(#[from] tabletheory::Error),
}

impl Error {
    /// Whether it is unknown if something was written, because an answer was lost.
    ///
    /// ```
    /// use idempotent::Error;
    /// use tabletheory_core::StoreError;
    ///
    /// assert!(Error::from(StoreError::Internal("lost".into())).is_ambiguous());
    /// assert!(!Error::Contended.is_ambiguous());
    /// ```
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        matches!(self, Self::Table(error) | Self::Untold { source: error } if error.is_ambiguous())
    }

    /// Whether the store may answer another time. A table that is missing will not.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Self::Table(tabletheory::Error::Throttled(_))
            | Self::Untold { source: tabletheory::Error::Throttled(_) } => true,
            Self::Table(tabletheory::Error::Store(error))
            | Self::Untold { source: tabletheory::Error::Store(error) } => {
                error.is_retryable()
                    || error.is_ambiguous()
                    || matches!(error, StoreError::DeadlineExceeded { .. })
            }
            _ => false,
        }
    }

    /// The same, said of a request that has a record.
    pub(crate) fn with_a_record(self) -> Self {
        match self {
            Self::Table(source) => Self::Untold { source },
            error => error,
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Table(error.into())
    }
}
