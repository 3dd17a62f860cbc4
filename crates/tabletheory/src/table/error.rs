//! Why a table could not be made, compared or changed.

use std::time::Duration;

use tabletheory_core::StoreError;

use super::conflict::Conflict;
use super::drift::Drift;

/// Why a table could not be made, compared or changed.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{Table, TableError};
/// use tabletheory::testing::TestStore;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let table = Table::<User>::new(Arc::new(TestStore::new()));
/// table.create().await?;
/// let again = table.create().await.unwrap_err();
/// assert_eq!(again, TableError::AlreadyExists { table: "app".into() });
/// assert_eq!(again.to_string(), "the table `app` exists already");
/// # Ok::<(), TableError>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Its models contradict each other.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// It was to be made and is there.
    #[error("the table `{table}` exists already")]
    AlreadyExists {
        /// Its name.
        table: String,
    },
    /// It is not what its models need.
    #[error("the table `{table}` is not what its models need: {drift}")]
    Drift {
        /// Its name.
        table: String,
        /// How it differs.
        drift: Drift,
    },
    /// It was to be deleted and is protected.
    #[error("the table `{table}` is protected against deletion; switch the protection off first")]
    Protected {
        /// Its name.
        table: String,
    },
    /// It was still being made, changed or deleted when the time was over. Waiting again may help.
    #[error("the table `{table}` was still {doing} after {} seconds", waited.as_secs())]
    StillBusy {
        /// Its name.
        table: String,
        /// What it was busy with.
        doing: &'static str,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The store refused, or could not be reached for as long as there was patience.
    #[error("{operation} of the table `{table}` failed: {source}")]
    Store {
        /// Its name.
        table: String,
        /// What was asked of the store.
        operation: &'static str,
        /// What the store said.
        source: StoreError,
    },
}
