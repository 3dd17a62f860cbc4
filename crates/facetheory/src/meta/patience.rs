//! Waiting out what passes: a store that is busy, or a transaction on the same row. Transactions and batches of the toolkit
//! wait by themselves; writes of one item do not.

use std::future::IntoFuture;

use tabletheory::{Db, Error};
use tabletheory_core::StoreError;
use tokio::runtime::Handle;

/// The attempts at one thing, as many as the database's back-off allows.
#[derive(Debug)]
pub(super) struct Patience<'d> {
    db: &'d Db,
    failures: u32,
}

impl<'d> Patience<'d> {
    pub(super) fn new(db: &'d Db) -> Self {
        Self { db, failures: 0 }
    }

    /// After a failure: waits and says `true`, or says `false` if that was the last attempt or nothing can wait.
    pub(super) async fn again(&mut self) -> bool {
        self.failures += 1;
        let backoff = self.db.backoff();
        if self.failures >= backoff.attempts || Handle::try_current().is_err() {
            return false;
        }
        tokio::time::sleep(backoff.pause(self.failures, self.db.entropy().as_ref())).await;
        true
    }
}

/// Sends a write of one item until something other than "busy" is answered. Each attempt is the same write, made anew.
pub(super) async fn patiently<M, T, W>(db: &Db, write: impl Fn() -> W) -> Result<T, Error<M>>
where
    W: IntoFuture<Output = Result<T, Error<M>>>,
{
    let mut patience = Patience::new(db);
    loop {
        match write().into_future().await {
            Err(error) if passes(&error) && patience.again().await => {}
            answer => return answer,
        }
    }
}

/// Whether nothing happened, and the same write may succeed later.
fn passes<M>(error: &Error<M>) -> bool {
    let unreached = matches!(error, Error::Store(StoreError::Unavailable(_)));
    error.is_throttled() || error.is_conflict() || unreached
}
