//! What a database's calls cost: a store that asks for the capacity of every call and adds it up.

use std::sync::{Arc, Mutex, PoisonError};

use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::capacity::{ConsumedCapacity, ReturnCapacity};
use tabletheory_core::store::op::Statement;
use tabletheory_core::{Request, Response, Store, StoreError, partiql};

/// Counts the calls and the capacity of one [`Db`](crate::Db). Clones count together.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let (db, meter) = Db::memory().metered();
/// db.create_table::<User>().await?;
/// db.create(&User { id: "1".into() }).await?;
/// db.get(User::key("1")).consistent().await?;
/// let usage = meter.usage();
/// assert_eq!((usage.calls, usage.read_units, usage.write_units), (3, 1.0, 1.0));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct Meter {
    usage: Arc<Mutex<Usage>>,
}

/// What was used so far.
///
/// ```
/// assert_eq!(tabletheory::meter::Usage::default().calls, 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// How many calls the store got.
    pub calls: u64,
    /// Read units.
    pub read_units: f64,
    /// Write units.
    pub write_units: f64,
}

impl Meter {
    /// What was used so far.
    ///
    /// ```
    /// use tabletheory::Db;
    /// use tabletheory_core::StoreExt;
    ///
    /// # futures_executor::block_on(async {
    /// let (db, meter) = Db::memory().metered();
    /// db.store().list_tables(Default::default()).await?;
    /// assert_eq!(meter.usage().calls, 1);
    /// # Ok::<(), tabletheory_core::StoreError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn usage(&self) -> Usage {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was used so far, and starts anew.
    ///
    /// ```
    /// let (_, meter) = tabletheory::Db::memory().metered();
    /// assert_eq!(meter.take(), meter.usage());
    /// ```
    #[must_use]
    pub fn take(&self) -> Usage {
        std::mem::take(&mut *self.usage.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, reads: f64, writes: f64) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.calls += 1;
        usage.read_units += reads;
        usage.write_units += writes;
    }
}

/// A store whose calls are counted.
#[derive(Debug)]
pub(crate) struct Metered {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) meter: Meter,
}

impl Metered {
    async fn answer(&self, mut request: Request) -> Result<Response, StoreError> {
        let writes = ask(&mut request);
        let answer = self.store.call(request).await;
        let units = answer.as_ref().map_or(0.0, units);
        if writes {
            self.meter.add(0.0, units)
        } else {
            self.meter.add(units, 0.0)
        }
        answer
    }
}

impl Store for Metered {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(self.answer(request))
    }
}

/// Asks for the capacity, and says whether it will be that of a write.
fn ask(request: &mut Request) -> bool {
    let (wanted, writes) = match request {
        Request::GetItem(get) => (&mut get.return_capacity, false),
        Request::Query(query) => (&mut query.return_capacity, false),
        Request::Scan(scan) => (&mut scan.return_capacity, false),
        Request::BatchGetItem(batch) => (&mut batch.return_capacity, false),
        Request::TransactGetItems(gets) => (&mut gets.return_capacity, false),
        Request::PutItem(put) => (&mut put.returns.capacity, true),
        Request::UpdateItem(update) => (&mut update.returns.capacity, true),
        Request::DeleteItem(delete) => (&mut delete.returns.capacity, true),
        Request::BatchWriteItem(batch) => (&mut batch.return_capacity, true),
        Request::TransactWriteItems(writes) => (&mut writes.return_capacity, true),
        Request::ExecuteStatement(execute) => {
            let writes = is_write(&execute.statement);
            (&mut execute.return_capacity, writes)
        }
        // Statements of one request are all reads or all writes.
        Request::BatchExecuteStatement(batch) => {
            let writes = batch.statements.iter().any(|batched| is_write(&batched.statement));
            (&mut batch.return_capacity, writes)
        }
        Request::ExecuteTransaction(transaction) => {
            let writes = transaction.statements.iter().any(is_write);
            (&mut transaction.return_capacity, writes)
        }
        Request::CreateTable(_)
        | Request::DescribeTable(_)
        | Request::ListTables(_)
        | Request::UpdateTable(_)
        | Request::DeleteTable(_)
        | Request::UpdateTimeToLive(_)
        | Request::DescribeTimeToLive(_)
        | Request::TagResource(_)
        | Request::UntagResource(_)
        | Request::ListTagsOfResource(_)
        | Request::ListStreams(_)
        | Request::DescribeStream(_)
        | Request::GetShardIterator(_)
        | Request::GetRecords(_) => return false,
    };
    if *wanted == ReturnCapacity::None {
        *wanted = ReturnCapacity::Total;
    }
    writes
}

/// Whether a statement belongs among writes. One that cannot be read is refused, and costs nothing.
fn is_write(statement: &Statement) -> bool {
    partiql::parse(&statement.text, &statement.parameters).is_ok_and(|command| !command.is_read())
}

fn units(response: &Response) -> f64 {
    let total = |capacity: &ConsumedCapacity| capacity.units.total;
    let one = |capacity: &Option<ConsumedCapacity>| capacity.as_ref().map_or(0.0, total);
    let all = |capacity: &[ConsumedCapacity]| capacity.iter().map(total).sum();
    match response {
        Response::GetItem(output) => one(&output.capacity),
        Response::PutItem(output) | Response::UpdateItem(output) | Response::DeleteItem(output) => {
            one(&output.capacity)
        }
        Response::Query(output) | Response::Scan(output) => one(&output.capacity),
        Response::BatchGetItem(output) => all(&output.capacity),
        Response::BatchWriteItem(output) => all(&output.capacity),
        Response::TransactGetItems(output) => all(&output.capacity),
        Response::TransactWriteItems(output) => all(&output.capacity),
        Response::ExecuteStatement(output) => one(&output.capacity),
        Response::BatchExecuteStatement(output) => all(&output.capacity),
        Response::ExecuteTransaction(output) => all(&output.capacity),
        Response::CreateTable(_)
        | Response::DescribeTable(_)
        | Response::ListTables(_)
        | Response::UpdateTable(_)
        | Response::DeleteTable(_)
        | Response::UpdateTimeToLive(_)
        | Response::DescribeTimeToLive(_)
        | Response::TagResource(_)
        | Response::UntagResource(_)
        | Response::ListTagsOfResource(_)
        | Response::ListStreams(_)
        | Response::DescribeStream(_)
        | Response::GetShardIterator(_)
        | Response::GetRecords(_) => 0.0,
    }
}
