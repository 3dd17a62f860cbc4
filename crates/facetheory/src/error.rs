//! Why something was not done. Losing a race is no error: it is an outcome.

use tabletheory_core::{Seconds, StoreError};

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A tenant's name cannot stand in a key.
    #[error("a tenant of {length} bytes is not 1 to 64 letters, digits, `-` and `_`")]
    Tenant {
        /// Its length.
        length: usize,
    },
    /// A key made of parts has no text, and the table's keys are texts.
    #[error("the key has no text, which the raw scheme needs; make it with `PageKey::raw`")]
    KeyWithoutText,
    /// The key is longer than DynamoDB takes.
    #[error("the partition key has {bytes} bytes, more than {bytes_max}; use the hashed scheme")]
    KeyTooLong {
        /// Its length.
        bytes: usize,
        /// What DynamoDB takes.
        bytes_max: usize,
    },
    /// A window of a policy cannot be kept.
    #[error("{seconds} seconds cannot be `{name}`")]
    Window {
        /// Which.
        name: &'static str,
        /// Its length.
        seconds: i64,
    },
    /// The table would forget a page while it is still served.
    #[error("pages are served for {} seconds and would be forgotten after {}; `retention` must be longer", served.0, retention.0)]
    RetentionTooShort {
        /// After how long they would be forgotten.
        retention: Seconds,
        /// For how long they are served.
        served: Seconds,
    },
    /// The store did not do it.
    #[error(transparent)]
    Table(#[from] tabletheory::Error),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Table(error.into())
    }
}
