//! Waiting out what passes: a store that is busy, or a transaction on the same row. Transactions and batches of the toolkit
//! wait by themselves; writes of one item do not.

use std::future::IntoFuture;
use std::sync::Arc;

use tabletheory::db::Attempts;
use tabletheory::{Db, Error};
use tabletheory_core::StoreError;

/// The attempts at one thing, as many as the database's back-off allows.
pub(super) fn attempts(db: &Db) -> Attempts {
    Attempts::new(db.backoff(), Arc::clone(db.entropy()))
}

/// Sends a write of one item until something other than "busy" is answered. Each attempt is the same write, made anew.
pub(super) async fn patiently<M, T, W>(db: &Db, write: impl Fn() -> W) -> Result<T, Error<M>>
where
    W: IntoFuture<Output = Result<T, Error<M>>>,
{
    let mut attempts = attempts(db);
    loop {
        match write().into_future().await {
            Err(error) if passes(&error) && attempts.again().await => {}
            answer => return answer,
        }
    }
}

/// Whether nothing happened, and the same write may succeed later.
fn passes<M>(error: &Error<M>) -> bool {
    let unreached = matches!(error, Error::Store(StoreError::Unavailable(_)));
    error.is_throttled() || error.is_conflict() || unreached
}
