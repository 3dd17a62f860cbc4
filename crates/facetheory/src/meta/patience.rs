//! Waiting out what passes: a store that is busy, or a transaction on the same row. Transactions and batches of the toolkit
//! wait by themselves; writes of one item do not.

use std::future::IntoFuture;
use std::time::Duration;

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
        let whole = backoff.first.saturating_mul(1 << (self.failures - 1).min(16)).min(backoff.longest);
        // Half is left to chance, so that those who were refused together do not come back together.
        let half_us = whole.as_micros() / 2;
        let extra_us = u64::try_from(self.db.entropy().bits() % (half_us + 1)).unwrap_or(0);
        tokio::time::sleep(whole / 2 + Duration::from_micros(extra_us)).await;
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
