//! What a contender must be able to do. Workloads are written against this alone, so that the same script drives all.

use std::future::Future;
use std::pin::Pin;

use anyhow::Result;

use crate::record::{Key, Record};

/// One request of a workload.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// GetItem.
    Get(Key),
    /// PutItem.
    Put(Record),
    /// Query of a whole partition.
    Query(String),
    /// TransactWriteItems: puts one item, and deletes another if its owner is who it should be.
    Replace { put: Record, delete: Key },
    /// UpdateItem: adds one to `hits` if that is below a limit, and returns the new value, which should be `becomes`.
    Count { key: Key, becomes: i64 },
}

/// Counting stops here; no run gets that far.
pub(crate) const HITS_LIMIT: i64 = 1_000_000_000;

/// What came of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// A write was acknowledged.
    Written,
    /// A read found this many items.
    Found(u64),
    /// A counter was changed; whether to the value it should have.
    Counted { right: bool },
}

/// An answer to come.
pub(crate) type Pending<'a> = Pin<Box<dyn Future<Output = Result<Answer>> + Send + 'a>>;

/// A store with one table, open and ready.
pub(crate) trait Contender: Send + Sync {
    /// Writes many items as fast as the contender can.
    fn load(&self, records: &mut dyn Iterator<Item = Record>) -> Result<()>;

    /// Performs one operation and waits for it.
    fn call(&self, operation: Operation) -> Result<Answer>;

    /// The same for contenders whose natural interface is async. Many writers are then tasks, and threads otherwise.
    fn async_face(&self) -> Option<&dyn AsyncContender> {
        None
    }
}

/// A contender with an async interface.
pub(crate) trait AsyncContender: Send + Sync {
    /// Performs one operation.
    fn submit(&self, operation: Operation) -> Pending<'_>;
}
