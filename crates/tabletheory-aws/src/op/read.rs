//! Operations that read many items: query, scan.

use aws_sdk_dynamodb::types;
use tabletheory_core::StoreError;
use tabletheory_core::store::op::{PageOutput, Query, Scan, Select};

use crate::call::{Call, send_to_tables};
use crate::expression::Expressions;
use crate::integer::integer;
use crate::value::Attributes;
use crate::{capacity, value};

pub(super) async fn query(call: &Call<'_>, request: Query) -> Result<PageOutput, StoreError> {
    let mut expressions = Expressions::default();
    let key_condition = expressions.key_condition(&request.key_condition);
    let filter = expressions.condition(request.filter.as_ref());
    let projection = expressions.projection(request.projection.as_ref());
    let (names, values) = expressions.into_parts();
    let asked = call
        .tables
        .query()
        .table_name(request.table)
        .set_index_name(request.index)
        .key_condition_expression(key_condition)
        .set_filter_expression(filter)
        .set_projection_expression(projection)
        .set_expression_attribute_names(names)
        .set_expression_attribute_values(values)
        .set_select(request.select.map(select))
        .scan_index_forward(request.forward)
        .set_limit(integer(request.limit))
        .set_exclusive_start_key(request.start_key.map(value::write_item))
        .consistent_read(request.consistent)
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked)?;
    page(
        (answer.items, answer.last_evaluated_key),
        (answer.count, answer.scanned_count),
        answer.consumed_capacity,
    )
}

pub(super) async fn scan(call: &Call<'_>, request: Scan) -> Result<PageOutput, StoreError> {
    let mut expressions = Expressions::default();
    let filter = expressions.condition(request.filter.as_ref());
    let projection = expressions.projection(request.projection.as_ref());
    let (names, values) = expressions.into_parts();
    let asked = call
        .tables
        .scan()
        .table_name(request.table)
        .set_index_name(request.index)
        .set_filter_expression(filter)
        .set_projection_expression(projection)
        .set_expression_attribute_names(names)
        .set_expression_attribute_values(values)
        .set_select(request.select.map(select))
        .set_limit(integer(request.limit))
        .set_exclusive_start_key(request.start_key.map(value::write_item))
        .set_segment(integer(request.segment.map(|segment| segment.segment)))
        .set_total_segments(integer(request.segment.map(|segment| segment.total)))
        .consistent_read(request.consistent)
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked)?;
    page(
        (answer.items, answer.last_evaluated_key),
        (answer.count, answer.scanned_count),
        answer.consumed_capacity,
    )
}

fn page(
    (items, last): (Option<Vec<Attributes>>, Option<Attributes>),
    (count, scanned_count): (i32, i32),
    cost: Option<types::ConsumedCapacity>,
) -> Result<PageOutput, StoreError> {
    Ok(PageOutput {
        items: value::read_items(items)?,
        count: u64::try_from(count).unwrap_or_default(),
        scanned_count: u64::try_from(scanned_count).unwrap_or_default(),
        last_evaluated_key: value::read_optional(last)?,
        capacity: cost.map(capacity::read),
    })
}

fn select(select: Select) -> types::Select {
    match select {
        Select::AllAttributes => types::Select::AllAttributes,
        Select::AllProjectedAttributes => types::Select::AllProjectedAttributes,
        Select::SpecificAttributes => types::Select::SpecificAttributes,
        Select::Count => types::Select::Count,
    }
}
