//! Operations on many items that are independent of each other.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::{DeleteRequest, KeysAndAttributes, PutRequest, WriteRequest};
use tabletheory_core::StoreError;
use tabletheory_core::expr::ProjectionExpression;
use tabletheory_core::store::op::{
    BatchGetItem, BatchGetItemOutput, BatchWrite, BatchWriteItem, BatchWriteItemOutput, KeysAndProjection,
};

use crate::call::{Call, send_to_tables};
use crate::expression::Expressions;
use crate::schema::COMPLETE;
use crate::{capacity, value};

pub(super) async fn get(call: &Call<'_>, request: BatchGetItem) -> Result<BatchGetItemOutput, StoreError> {
    // What is left for another call comes back without its tree, which is the one that was sent.
    let mut projections: BTreeMap<String, Option<ProjectionExpression>> = BTreeMap::new();
    let mut tables = HashMap::new();
    for (table, wanted) in request.tables {
        projections.insert(table.clone(), wanted.projection.clone());
        tables.insert(table, keys(wanted));
    }
    let asked = call
        .tables
        .batch_get_item()
        .set_request_items(Some(tables))
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked)?;
    let mut output =
        BatchGetItemOutput { capacity: capacity::read_all(answer.consumed_capacity), ..Default::default() };
    for (table, items) in answer.responses.unwrap_or_default() {
        let items = items.into_iter().map(value::read_item).collect::<Result<_, _>>()?;
        output.items.insert(table, items);
    }
    for (table, left) in answer.unprocessed_keys.unwrap_or_default() {
        let left = KeysAndProjection {
            keys: left.keys.into_iter().map(value::read_item).collect::<Result<_, _>>()?,
            projection: projections.remove(&table).flatten(),
            consistent: left.consistent_read.unwrap_or_default(),
        };
        output.unprocessed.insert(table, left);
    }
    Ok(output)
}

fn keys(wanted: KeysAndProjection) -> KeysAndAttributes {
    let mut expressions = Expressions::default();
    KeysAndAttributes::builder()
        .set_keys(Some(wanted.keys.into_iter().map(value::write_item).collect()))
        .set_projection_expression(expressions.projection(wanted.projection.as_ref()))
        .set_expression_attribute_names(expressions.into_names())
        .consistent_read(wanted.consistent)
        .build()
        .expect(COMPLETE)
}

pub(super) async fn write(
    call: &Call<'_>,
    request: BatchWriteItem,
) -> Result<BatchWriteItemOutput, StoreError> {
    let tables = request.tables.into_iter();
    let tables = tables.map(|(table, writes)| (table, writes.into_iter().map(written).collect())).collect();
    let asked = call
        .tables
        .batch_write_item()
        .set_request_items(Some(tables))
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity))
        .set_return_item_collection_metrics(capacity::wanted_metrics(request.collection_metrics));
    let answer = send_to_tables!(call, asked)?;
    let mut unprocessed = BTreeMap::new();
    for (table, writes) in answer.unprocessed_items.unwrap_or_default() {
        let writes = writes.into_iter().map(left).collect::<Result<_, _>>()?;
        unprocessed.insert(table, writes);
    }
    Ok(BatchWriteItemOutput {
        unprocessed,
        capacity: capacity::read_all(answer.consumed_capacity),
        collection_metrics: capacity::read_metrics_by_table(answer.item_collection_metrics)?,
    })
}

fn written(write: BatchWrite) -> WriteRequest {
    let request = WriteRequest::builder();
    match write {
        BatchWrite::Put(item) => {
            let put = PutRequest::builder().set_item(Some(value::write_item(item))).build().expect(COMPLETE);
            request.put_request(put)
        }
        BatchWrite::Delete(key) => {
            let delete = DeleteRequest::builder().set_key(Some(value::write_item(key))).build();
            request.delete_request(delete.expect(COMPLETE))
        }
    }
    .build()
}

fn left(write: WriteRequest) -> Result<BatchWrite, StoreError> {
    match (write.put_request, write.delete_request) {
        (Some(put), _) => Ok(BatchWrite::Put(value::read_item(put.item)?)),
        (None, Some(delete)) => Ok(BatchWrite::Delete(value::read_item(delete.key)?)),
        (None, None) => Err(value::unreadable("a write that neither puts nor deletes")),
    }
}
