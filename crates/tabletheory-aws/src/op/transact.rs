//! Operations on many items that happen together or not at all.

use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Get, Put, TransactGetItem, TransactWriteItem, Update};
use tabletheory_core::StoreError;
use tabletheory_core::store::op::{
    TransactAction, TransactGet, TransactGetItems, TransactGetItemsOutput, TransactWrite, TransactWriteItems,
    TransactWriteItemsOutput,
};

use super::item::on_failure;
use crate::call::{Call, send_to_tables};
use crate::expression::Expressions;
use crate::order::Ordered;
use crate::schema::COMPLETE;
use crate::{capacity, value};

pub(super) async fn get(
    call: &Call<'_>,
    request: TransactGetItems,
) -> Result<TransactGetItemsOutput, StoreError> {
    let count = request.gets.len();
    let asked = call
        .tables
        .transact_get_items()
        .set_transact_items(Some(request.gets.into_iter().map(read).collect()))
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked)?;
    let responses = value::one_each(answer.responses, count)?.into_iter();
    Ok(TransactGetItemsOutput {
        items: responses.map(|response| value::read_optional(response.item)).collect::<Result<_, _>>()?,
        capacity: capacity::read_all(answer.consumed_capacity),
    })
}

fn read(get: TransactGet) -> TransactGetItem {
    let mut expressions = Expressions::default();
    let get = Get::builder()
        .table_name(get.table)
        .set_key(Some(value::write_item(get.key)))
        .set_projection_expression(expressions.projection(get.projection.as_ref()))
        .set_expression_attribute_names(expressions.into_names())
        .build();
    TransactGetItem::builder().get(get.expect(COMPLETE)).build()
}

pub(super) async fn write(
    call: &Call<'_>,
    request: TransactWriteItems,
) -> Result<TransactWriteItemsOutput, StoreError> {
    let asked = call
        .tables
        .transact_write_items()
        .set_transact_items(Some(request.writes.into_iter().map(written).collect()))
        // Without one the SDK makes its own, so that its attempts are one transaction.
        .set_client_request_token(request.client_request_token)
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity))
        .set_return_item_collection_metrics(capacity::wanted_metrics(request.collection_metrics));
    let answer = send_to_tables!(call, asked, call.to_tables().interceptor(Ordered))?;
    Ok(TransactWriteItemsOutput {
        capacity: capacity::read_all(answer.consumed_capacity),
        collection_metrics: capacity::read_metrics_by_table(answer.item_collection_metrics)?,
    })
}

fn written(write: TransactWrite) -> TransactWriteItem {
    let TransactWrite { table, action, condition, on_condition_failure } = write;
    let mut expressions = Expressions::default();
    let update = match &action {
        TransactAction::Update { update, .. } => expressions.update(Some(update)),
        _ => None,
    };
    let condition = expressions.condition(condition.as_ref());
    let (names, values) = expressions.into_parts();
    // The four have the same fields and no type in common.
    macro_rules! action {
        ($builder:ident) => {
            $builder::builder()
                .table_name(table)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .set_return_values_on_condition_check_failure(on_failure(on_condition_failure))
        };
    }
    let item = TransactWriteItem::builder();
    match action {
        TransactAction::Put { item: whole } => {
            let put = action!(Put).set_item(Some(value::write_item(whole)));
            item.put(put.set_condition_expression(condition).build().expect(COMPLETE))
        }
        TransactAction::Update { key, .. } => {
            let update = action!(Update).set_key(Some(value::write_item(key))).set_update_expression(update);
            item.update(update.set_condition_expression(condition).build().expect(COMPLETE))
        }
        TransactAction::Delete { key } => {
            let delete = action!(Delete).set_key(Some(value::write_item(key)));
            item.delete(delete.set_condition_expression(condition).build().expect(COMPLETE))
        }
        TransactAction::ConditionCheck { key } => {
            let check = action!(ConditionCheck).set_key(Some(value::write_item(key)));
            // A check cannot do without a condition; the service says so of an empty one.
            item.condition_check(
                check.condition_expression(condition.unwrap_or_default()).build().expect(COMPLETE),
            )
        }
    }
    .build()
}
