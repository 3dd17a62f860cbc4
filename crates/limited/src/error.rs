//! Why a question could not be asked. That a request is denied is no error: it is a decision.

use tabletheory::table::TableError;
use tabletheory_core::StoreError;

/// Why a question could not be asked.
///
/// ```
/// use limited::{Error, Limit};
///
/// let refused = "20 per second".parse::<Limit>().expect_err("not how it is written");
/// assert!(matches!(&refused, Error::Limit { text, .. } if text == "20 per second"));
/// assert!(refused.to_string().contains("`20/s burst 60`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit that cannot be kept, or no limit at all.
    #[error("the limit `{text}` cannot be: {reason}")]
    Limit {
        /// As it was written.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A policy that cannot be kept.
    #[error("the policy `{name}` cannot be: {reason}")]
    Policy {
        /// Its name, as far as it can be shown.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A setting that makes no sense.
    #[error("the setting `{name}` cannot be: {reason}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A request that costs nothing is not counted at all.
    #[error("a cost of 0 is not counted; it must be 1 or more")]
    NoCost,
    /// A request that costs more than can ever be had would wait for ever.
    #[error("a cost of {cost} is more than the {capacity} that the limit `{limit}` ever allows at once")]
    CostAboveLimit {
        /// What it would cost.
        cost: u64,
        /// What can be had.
        capacity: u64,
        /// Of which limit.
        limit: String,
    },
    /// Nobody to count for.
    #[error("the identifier is empty; without one, leave the limit out or count by address")]
    NoIdentifier,
    /// A key of the seed's rows that the table cannot hold.
    #[error("the identifier has {bytes} bytes, more than the {bytes_max} of a partition key")]
    IdentifierTooLong {
        /// Its length.
        bytes: usize,
        /// What a key holds.
        bytes_max: usize,
    },
    /// The store did not answer, or refused.
    #[error("the store of the rate limits failed")]
    Store(#[from] StoreError),
    /// A table in which rate limits cannot be kept, or that could not be made.
    #[error("the table of the rate limits cannot be used")]
    Table(#[from] TableError),
    /// A row that is not ours, or damaged.
    #[error("the row of the rate limit cannot be read: {0}")]
    Row(String),
}

/// What the toolkit says about items, as what the limiter's callers do about it.
impl<M> From<tabletheory::Error<M>> for Error {
    fn from(error: tabletheory::Error<M>) -> Self {
        use tabletheory::Error as Of;
        match error {
            Of::Store(source) | Of::Throttled(source) | Of::Incomplete { cause: Some(source), .. } => {
                Self::Store(source)
            }
            Of::Incomplete { cause: None, .. } => {
                Self::Store(StoreError::Throttling("the store left a part of the batch undone".to_owned()))
            }
            Of::Validation(message) => Self::Store(StoreError::Validation(message)),
            other => Self::Row(other.to_string()),
        }
    }
}
