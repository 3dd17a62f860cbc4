//! From a request's body to the typed request. One file for each group of operations, by the names of
//! `tabletheory_core::store::op`; each looks at the parts of a request in the order in which the service does, because
//! the first thing that is wrong is what the caller is told.

mod attribute;
mod batch;
mod expression;
mod item;
mod legacy;
mod name;
mod read;
mod statement;
mod stream;
mod table;
mod transact;

use serde::Deserialize;
use tabletheory_core::{Request, StoreError, json};

/// The request that `body` means as the operation called `name`.
///
/// # Errors
/// [`StoreError::UnknownOperation`] if there is no such operation, [`StoreError::Serialization`] if the body is not the
/// JSON of one, [`StoreError::Validation`] if it breaks a rule that can be seen without the store.
pub fn request(name: &str, body: &[u8]) -> Result<Request, StoreError> {
    Ok(match name {
        "GetItem" => item::get(read(body)?)?.into(),
        "PutItem" => item::put(read(body)?)?.into(),
        "UpdateItem" => item::update(read(body)?)?.into(),
        "DeleteItem" => item::delete(read(body)?)?.into(),
        "Query" => read::query(read(body)?)?.into(),
        "Scan" => read::scan(read(body)?)?.into(),
        "BatchGetItem" => batch::get(read(body)?)?.into(),
        "BatchWriteItem" => batch::write(read(body)?)?.into(),
        "TransactGetItems" => transact::get(read(body)?)?.into(),
        "TransactWriteItems" => transact::write(read(body)?)?.into(),
        "CreateTable" => table::create(read(body)?)?.into(),
        "DescribeTable" => table::describe(read(body)?)?.into(),
        "ListTables" => table::list(read(body)?)?.into(),
        "UpdateTable" => table::update(read(body)?)?.into(),
        "DeleteTable" => table::delete(read(body)?)?.into(),
        "UpdateTimeToLive" => table::time_to_live::update(read(body)?)?.into(),
        "DescribeTimeToLive" => table::time_to_live::describe(read(body)?)?.into(),
        "TagResource" => table::tags::tag(read(body)?)?.into(),
        "UntagResource" => table::tags::untag(read(body)?)?.into(),
        "ListTagsOfResource" => table::tags::list(read(body)?)?.into(),
        "ListStreams" => stream::list(read(body)?)?.into(),
        "DescribeStream" => stream::describe(read(body)?)?.into(),
        "GetShardIterator" => stream::shard_iterator(read(body)?)?.into(),
        "GetRecords" => stream::records(read(body)?)?.into(),
        "ExecuteStatement" => statement::execute(read(body)?)?.into(),
        "BatchExecuteStatement" => statement::batch(read(body)?)?.into(),
        "ExecuteTransaction" => statement::transaction(read(body)?)?.into(),
        _ => return Err(StoreError::UnknownOperation(format!("there is no operation {name} here"))),
    })
}

/// Reads the members of a request.
fn read<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, StoreError> {
    serde_json::from_slice(body).map_err(|error| json::refusal(&error))
}

#[cfg(test)]
mod tests;
