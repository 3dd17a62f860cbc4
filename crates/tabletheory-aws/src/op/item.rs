//! Operations on one item: get, put, update, delete.

use aws_sdk_dynamodb::types::{self, ReturnValue, ReturnValuesOnConditionCheckFailure};
use tabletheory_core::StoreError;
use tabletheory_core::store::op::{
    DeleteItem, GetItem, GetItemOutput, OnConditionFailure, PutItem, ReturnValues, UpdateItem, WriteOutput,
};

use crate::call::{Call, send_to_tables};
use crate::expression::Expressions;
use crate::{capacity, value};

/// Sends a write with its condition and what it is asked to return. A macro, since the SDK has no name for what its writes have
/// in common.
macro_rules! send_write {
    ($call:expr, $asked:expr, $condition:expr, $expressions:expr, $returns:expr) => {{
        let (names, values) = $expressions.into_parts();
        let asked = $asked
            .set_condition_expression($condition)
            .set_expression_attribute_names(names)
            .set_expression_attribute_values(values)
            .set_return_values(returned($returns.values))
            .set_return_values_on_condition_check_failure(on_failure($returns.on_condition_failure))
            .set_return_consumed_capacity(capacity::wanted($returns.capacity))
            .set_return_item_collection_metrics(capacity::wanted_metrics($returns.collection_metrics));
        let answer = send_to_tables!($call, asked)?;
        written(answer.attributes, answer.consumed_capacity, answer.item_collection_metrics)
    }};
}

pub(super) async fn get(call: &Call<'_>, request: GetItem) -> Result<GetItemOutput, StoreError> {
    let mut expressions = Expressions::default();
    let asked = call
        .tables
        .get_item()
        .table_name(request.table)
        .set_key(Some(value::write_item(request.key)))
        .set_projection_expression(expressions.projection(request.projection.as_ref()))
        .set_expression_attribute_names(expressions.into_names())
        .consistent_read(request.consistent)
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked)?;
    Ok(GetItemOutput {
        item: value::read_optional(answer.item)?,
        capacity: answer.consumed_capacity.map(capacity::read),
    })
}

pub(super) async fn put(call: &Call<'_>, request: PutItem) -> Result<WriteOutput, StoreError> {
    let mut expressions = Expressions::default();
    let condition = expressions.condition(request.condition.as_ref());
    let asked =
        call.tables.put_item().table_name(request.table).set_item(Some(value::write_item(request.item)));
    send_write!(call, asked, condition, expressions, request.returns)
}

pub(super) async fn update(call: &Call<'_>, request: UpdateItem) -> Result<WriteOutput, StoreError> {
    let mut expressions = Expressions::default();
    let update = expressions.update(request.update.as_ref());
    let condition = expressions.condition(request.condition.as_ref());
    let asked = call
        .tables
        .update_item()
        .table_name(request.table)
        .set_key(Some(value::write_item(request.key)))
        .set_update_expression(update);
    send_write!(call, asked, condition, expressions, request.returns)
}

pub(super) async fn delete(call: &Call<'_>, request: DeleteItem) -> Result<WriteOutput, StoreError> {
    let mut expressions = Expressions::default();
    let condition = expressions.condition(request.condition.as_ref());
    let asked =
        call.tables.delete_item().table_name(request.table).set_key(Some(value::write_item(request.key)));
    send_write!(call, asked, condition, expressions, request.returns)
}

fn written(
    attributes: Option<value::Attributes>,
    cost: Option<types::ConsumedCapacity>,
    metrics: Option<types::ItemCollectionMetrics>,
) -> Result<WriteOutput, StoreError> {
    Ok(WriteOutput {
        attributes: value::read_optional(attributes)?,
        capacity: cost.map(capacity::read),
        collection_metrics: metrics.map(capacity::read_metrics).transpose()?,
    })
}

fn returned(values: ReturnValues) -> Option<ReturnValue> {
    match values {
        ReturnValues::None => None,
        ReturnValues::AllOld => Some(ReturnValue::AllOld),
        ReturnValues::UpdatedOld => Some(ReturnValue::UpdatedOld),
        ReturnValues::AllNew => Some(ReturnValue::AllNew),
        ReturnValues::UpdatedNew => Some(ReturnValue::UpdatedNew),
    }
}

/// What a failed condition is asked to return.
pub(super) fn on_failure(wanted: OnConditionFailure) -> Option<ReturnValuesOnConditionCheckFailure> {
    match wanted {
        OnConditionFailure::None => None,
        OnConditionFailure::AllOld => Some(ReturnValuesOnConditionCheckFailure::AllOld),
    }
}
