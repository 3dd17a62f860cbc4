//! What a store answers, as the JSON of the service: DynamoDB 2012-08-10 and DynamoDB Streams 2012-08-10. Each operation
//! has a view that borrows from its output and writes its fields in the order of their names, as the service does;
//! the files are named like those of `tabletheory_core::store::op`. Refusals are left to [`crate::error`].

mod batch;
mod capacity;
mod description;
mod item;
mod list;
mod read;
mod statement;
mod stream;
mod table;
#[cfg(test)]
mod tests;
mod timestamp;
mod transact;

use serde::Serialize;
use tabletheory_core::{Item, Response, size};

/// Room for an answer that carries no items.
const SMALL_BYTES: usize = 128;
/// Room for the description of a table or a stream.
const DESCRIPTION_BYTES: usize = 1024;
/// Room for what stands around the items of an answer.
const FRAME_BYTES: usize = 96;
/// The most that is set aside on a guess.
const GUESS_BYTES_MAX: usize = 1 << 20;

/// The body of the answer: JSON in UTF-8, or nothing at all for the operations that answer nothing.
///
/// ```
/// use tabletheory_core::store::op::GetItemOutput;
/// use tabletheory_core::{Item, Response, Value};
///
/// let item = Item::from([("pk", Value::s("CACHE#1")), ("hits", Value::n(12))]);
/// let output = GetItemOutput { item: Some(item), capacity: None };
/// let body = tabletheory_wire::encode::body(&Response::GetItem(Box::new(output)));
/// assert_eq!(body, br#"{"Item":{"hits":{"N":"12"},"pk":{"S":"CACHE#1"}}}"#);
/// ```
#[must_use]
pub fn body(response: &Response) -> Vec<u8> {
    match response {
        Response::CreateTable(output) => json(DESCRIPTION_BYTES, &table::changed(&output.table)),
        Response::UpdateTable(output) => json(DESCRIPTION_BYTES, &table::changed(&output.table)),
        Response::DeleteTable(output) => json(DESCRIPTION_BYTES, &table::changed(&output.table)),
        Response::DescribeTable(output) => json(DESCRIPTION_BYTES, &table::described(&output.table)),
        Response::ListTables(output) => json(DESCRIPTION_BYTES, &table::listed(output)),
        Response::UpdateTimeToLive(output) => json(SMALL_BYTES, &table::time_to_live_set(output)),
        Response::DescribeTimeToLive(output) => json(SMALL_BYTES, &table::time_to_live(output)),
        // The service answers these two with an empty body.
        Response::TagResource(_) | Response::UntagResource(_) => Vec::new(),
        Response::ListTagsOfResource(output) => json(DESCRIPTION_BYTES, &table::tags(output)),
        Response::GetItem(output) => json(room_for(output.item.as_slice()), &item::got(output)),
        Response::PutItem(output) | Response::UpdateItem(output) | Response::DeleteItem(output) => {
            json(room_for(output.attributes.as_slice()), &item::written(output))
        }
        Response::Query(output) | Response::Scan(output) => {
            json(room_for(output.items.as_deref().unwrap_or_default()), &read::page(output))
        }
        Response::BatchGetItem(output) => {
            json(output.items.values().map(|items| room_for(items)).sum(), &batch::got(output))
        }
        Response::BatchWriteItem(output) => json(SMALL_BYTES, &batch::written(output)),
        Response::TransactGetItems(output) => {
            json(room_for_some(&output.items), &transact::got(&output.items, &output.capacity))
        }
        Response::TransactWriteItems(output) => json(SMALL_BYTES, &transact::written(output)),
        Response::ListStreams(output) => json(DESCRIPTION_BYTES, &stream::listed(output)),
        Response::DescribeStream(output) => json(DESCRIPTION_BYTES, &stream::described(output)),
        Response::GetShardIterator(output) => json(DESCRIPTION_BYTES, &stream::iterator(output)),
        Response::GetRecords(output) => json(stream::room_for(output), &stream::records(output)),
        Response::ExecuteStatement(output) => json(room_for(&output.items), &statement::executed(output)),
        Response::BatchExecuteStatement(output) => json(DESCRIPTION_BYTES, &statement::batch(output)),
        Response::ExecuteTransaction(output) => {
            json(room_for_some(&output.items), &transact::got(&output.items, &output.capacity))
        }
    }
}

fn json(room: usize, view: &impl Serialize) -> Vec<u8> {
    let mut body = Vec::with_capacity(room.min(GUESS_BYTES_MAX));
    serde_json::to_writer(&mut body, view).expect("views have string keys, and a vector takes every byte");
    body
}

/// A guess at the bytes of `items` as JSON, so that the body seldom moves while it grows. Items of one answer are
/// usually alike: the first stands for all.
fn room_for(items: &[Item]) -> usize {
    FRAME_BYTES + items.first().map_or(0, |first| items.len() * room_for_one(first))
}

fn room_for_some(items: &[Option<Item>]) -> usize {
    FRAME_BYTES + items.iter().flatten().next().map_or(0, |first| items.len() * room_for_one(first))
}

/// Quotes, braces and the type take twelve bytes of each attribute; the rest is for escapes, for Base64, and for
/// numbers, which the service counts at half their digits.
fn room_for_one(item: &Item) -> usize {
    let bytes = size::item_bytes(item);
    bytes + bytes / 4 + 16 * item.len() + 8
}
