//! What can go wrong between a program and its store, and how each looks from the program.

use std::collections::BTreeMap;
use std::time::Duration;

use tabletheory_core::error::{CancellationCode, CancellationReason};
use tabletheory_core::store::op::{BatchGetItemOutput, BatchWriteItemOutput, KeysAndProjection};
use tabletheory_core::{Request, Response, Store, StoreError, StoreExt};

/// What goes wrong with one call.
///
/// ```
/// use tabletheory::testing::{TestStore, Trouble};
/// use tabletheory_core::{StoreError, StoreExt, store::op::ListTables};
///
/// # futures_executor::block_on(async {
/// let store = TestStore::new();
/// store.trouble("ListTables", Trouble::NotReached);
/// let error = store.list_tables(ListTables::default()).await.unwrap_err();
/// assert!(matches!(error, StoreError::Unavailable(_)) && !error.is_ambiguous());
/// # });
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Trouble {
    /// The service asks to slow down; nothing happens.
    Throttled,
    /// The store is not reached; nothing happens.
    NotReached,
    /// The call never arrives, and nobody knows.
    LostRequest,
    /// The call is performed, and its answer is lost.
    LostAnswer,
    /// Another transaction is working on the item; nothing happens. Of a transaction, the first operation is in conflict.
    Conflict,
    /// This error, and nothing happens.
    Refused(StoreError),
    /// Of a batch, as many operations at its end are left for another call, and the others are performed. Any other call is
    /// throttled.
    Unprocessed(usize),
    /// The call takes this long, and is then performed. Needs a tokio runtime with time.
    Slow(Duration),
}

impl Trouble {
    /// Answers the call as this trouble does.
    pub(super) async fn befall(self, store: &dyn Store, request: Request) -> Result<Response, StoreError> {
        match self {
            Self::Throttled => Err(throttled()),
            Self::NotReached => Err(StoreError::Unavailable("the connection was refused".to_owned())),
            Self::LostRequest => Err(lost()),
            Self::LostAnswer => {
                // Done or refused: the caller learns neither.
                let _ = store.call(request).await;
                Err(lost())
            }
            Self::Conflict => Err(conflict(&request)),
            Self::Refused(error) => Err(error),
            Self::Unprocessed(left) => unprocessed(store, request, left).await,
            Self::Slow(span) => {
                tokio::time::sleep(span).await;
                store.call(request).await
            }
        }
    }
}

fn throttled() -> StoreError {
    StoreError::Throttling("Rate of requests exceeds the allowed throughput".to_owned())
}

/// Performs a batch without the last operations, which are left. The order is that of the tables.
async fn unprocessed(store: &dyn Store, request: Request, mut left: usize) -> Result<Response, StoreError> {
    match request {
        Request::BatchGetItem(mut batch) => {
            let mut rest = BTreeMap::new();
            for (table, wanted) in batch.tables.iter_mut().rev() {
                let keys = cut(&mut wanted.keys, &mut left);
                if !keys.is_empty() {
                    rest.insert(table.clone(), KeysAndProjection { keys, ..wanted.clone() });
                }
            }
            batch.tables.retain(|_, wanted| !wanted.keys.is_empty());
            let mut output = BatchGetItemOutput::default();
            if !batch.tables.is_empty() {
                output = store.batch_get_item(*batch).await?;
            }
            output.unprocessed = rest;
            Ok(Response::BatchGetItem(Box::new(output)))
        }
        Request::BatchWriteItem(mut batch) => {
            let mut rest = BTreeMap::new();
            for (table, writes) in batch.tables.iter_mut().rev() {
                let writes = cut(writes, &mut left);
                if !writes.is_empty() {
                    rest.insert(table.clone(), writes);
                }
            }
            batch.tables.retain(|_, writes| !writes.is_empty());
            let mut output = BatchWriteItemOutput::default();
            if !batch.tables.is_empty() {
                output = store.batch_write_item(*batch).await?;
            }
            output.unprocessed = rest;
            Ok(Response::BatchWriteItem(Box::new(output)))
        }
        _ => Err(throttled()),
    }
}

/// Takes up to `left` operations from the end, and counts them.
fn cut<T>(operations: &mut Vec<T>, left: &mut usize) -> Vec<T> {
    let rest = operations.split_off(operations.len().saturating_sub(*left));
    *left -= rest.len();
    rest
}

fn lost() -> StoreError {
    StoreError::Internal("the answer was lost".to_owned())
}

fn conflict(request: &Request) -> StoreError {
    let operations = match request {
        Request::TransactWriteItems(transaction) => transaction.writes.len(),
        Request::TransactGetItems(transaction) => transaction.gets.len(),
        Request::ExecuteTransaction(transaction) => transaction.statements.len(),
        _ => return StoreError::TransactionConflict("Transaction is ongoing for the item".to_owned()),
    };
    let mut reasons = vec![CancellationReason::default(); operations];
    if let Some(first) = reasons.first_mut() {
        first.code = CancellationCode::TransactionConflict;
        first.message = Some("Transaction is ongoing for the item".to_owned());
    }
    StoreError::TransactionCanceled { reasons }
}
