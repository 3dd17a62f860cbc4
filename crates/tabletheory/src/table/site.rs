//! A table's name on a store, asked with patience: what may pass is waited out.

use std::sync::Arc;
use std::time::Duration;

use tabletheory_core::schema::{TableDescription, TableStatus};
use tabletheory_core::store::op::{DescribeTable, DescribeTimeToLive};
use tabletheory_core::{Entropy, Operation, Store, StoreError, StoreExt};

use super::error::TableError;
use super::options::Patience;
use crate::pause::Pauses;

/// The first pause between two attempts.
const PAUSE_FIRST: Duration = Duration::from_millis(50);
/// No pause is longer.
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// A table's name on a store.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) store: Arc<dyn Store>,
    pub(super) table: String,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) patience: Patience,
}

/// The store's last word on a request.
pub(super) struct Refusal {
    pub(super) error: StoreError,
    /// Whether an earlier attempt may have happened after all.
    pub(super) in_doubt: bool,
}

impl Site {
    pub(super) fn pauses(&self, total: Duration) -> Pauses<'_> {
        Pauses::new(PAUSE_FIRST, PAUSE_MAX, total, &*self.entropy)
    }

    /// Sends a request until it is answered, or refused for a reason that does not pass.
    pub(super) async fn send<O: Operation + Clone>(&self, operation: O) -> Result<O::Output, Refusal> {
        let mut pauses = self.pauses(self.patience.table);
        let mut in_doubt = false;
        loop {
            let error = match self.store.send(operation.clone()).await {
                Ok(output) => return Ok(output),
                Err(error) => error,
            };
            // Too many changes at once pass; what passes nowhere is told when patience ends.
            let passes = error.is_retryable() || matches!(error, StoreError::LimitExceeded(_));
            if !passes || !pauses.wait().await {
                return Err(Refusal { error, in_doubt });
            }
            in_doubt |= error.is_ambiguous();
        }
    }

    /// The table, if it is there.
    pub(super) async fn describe(&self) -> Result<Option<TableDescription>, TableError> {
        match self.send(DescribeTable { table: self.table.clone() }).await {
            Ok(output) => Ok(Some(output.table)),
            Err(Refusal { error: StoreError::ResourceNotFound(_), .. }) => Ok(None),
            Err(Refusal { error, .. }) => Err(self.failed("DescribeTable", error)),
        }
    }

    /// The attribute by which items expire.
    pub(super) async fn time_to_live(&self) -> Result<Option<String>, TableError> {
        let asked = self.send(DescribeTimeToLive { table: self.table.clone() }).await;
        let output = asked.map_err(|refusal| self.failed("DescribeTimeToLive", refusal.error))?;
        Ok(output.attribute)
    }

    pub(super) fn failed(&self, operation: &'static str, source: StoreError) -> TableError {
        TableError::Store { table: self.table.clone(), operation, source }
    }

    /// The error of a wait that took too long.
    pub(super) fn still(&self, status: Option<TableStatus>, waited: Duration) -> TableError {
        let doing = match status {
            Some(TableStatus::Creating) | None => "being made",
            Some(TableStatus::Deleting) => "being deleted",
            Some(TableStatus::Updating | TableStatus::Active) => "being changed",
        };
        TableError::StillBusy { table: self.table.clone(), doing, waited }
    }
}
