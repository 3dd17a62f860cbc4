//! Requests that read many items: query, scan.

use tabletheory_core::StoreError;
use tabletheory_core::expr::ExpressionKind;
use tabletheory_core::store::op::{Query, Scan, Segment};

use super::expression::placeholders;
use super::item::projection;
use super::legacy::{self, FilterShape};
use super::{attribute, name};
use crate::constraint::Constraints;
use crate::shape::{Flag, Integer, List, Map, Raw, Text, structure};

structure! {
    /// The members of `Query` and `Scan` together; each looks at its own.
    ReadShape {
        table: Text<'a> = "TableName",
        index: Text<'a> = "IndexName",
        key_condition: Text<'a> = "KeyConditionExpression",
        filter: Text<'a> = "FilterExpression",
        projection: Text<'a> = "ProjectionExpression",
        names: Map<'a, Text<'a>> = "ExpressionAttributeNames",
        values: Map<'a, Raw<'a>> = "ExpressionAttributeValues",
        key_conditions: Map<'a, FilterShape<'a>> = "KeyConditions",
        query_filter: Map<'a, FilterShape<'a>> = "QueryFilter",
        scan_filter: Map<'a, FilterShape<'a>> = "ScanFilter",
        conditional_operator: Text<'a> = "ConditionalOperator",
        attributes_to_get: List<Text<'a>> = "AttributesToGet",
        select: Text<'a> = "Select",
        forward: Flag = "ScanIndexForward",
        limit: Integer = "Limit",
        start_key: Raw<'a> = "ExclusiveStartKey",
        segment: Integer = "Segment",
        total_segments: Integer = "TotalSegments",
        consistent: Flag = "ConsistentRead",
        capacity: Text<'a> = "ReturnConsumedCapacity",
    }
}

/// Reads a `Query`.
pub(super) fn query(shape: ReadShape<'_>) -> Result<Query, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table);
    let limit = constraints.count("limit", 1, shape.limit);
    let select = constraints.one_of("select", shape.select, name::SELECT);
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    let replaced = [
        ("AttributesToGet", shape.attributes_to_get.is_some()),
        ("QueryFilter", shape.query_filter.is_some()),
        ("ConditionalOperator", shape.conditional_operator.is_some()),
        ("KeyConditions", shape.key_conditions.is_some()),
    ];
    let legacy_filter =
        legacy::filter(&mut constraints, "queryFilter", shape.query_filter, shape.conditional_operator);
    let legacy_keys = legacy::filter(&mut constraints, "keyConditions", shape.key_conditions, None);
    constraints.finish()?;
    let filter = shape.filter.as_ref().map(Text::as_str);
    let key_condition = shape.key_condition.as_ref().map(Text::as_str);
    let projected = shape.projection.as_ref().map(Text::as_str);
    let texts = [
        (ExpressionKind::Projection, projected),
        (ExpressionKind::Filter, filter),
        (ExpressionKind::KeyCondition, key_condition),
    ];
    let mut placeholders = placeholders(shape.names, shape.values, &texts, &replaced)?;
    let legacy_filter = if filter.is_none() { legacy_filter.filter()? } else { None };
    let start_key = shape.start_key.map(attribute::item).transpose()?;
    let legacy_keys = legacy_keys.key_condition()?;
    let filter = filter.map(|text| placeholders.filter(text)).transpose()?.or(legacy_filter);
    let key_condition = match key_condition {
        Some(text) => Some(placeholders.key_condition(text)?),
        None => legacy_keys,
    };
    let projection = projection(&mut placeholders, projected, shape.attributes_to_get)?;
    placeholders.finish()?;
    let key_condition = key_condition.ok_or_else(|| {
        StoreError::validation(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
        )
    })?;
    Ok(Query {
        table: table.into_string(),
        index: shape.index.map(Text::into_string),
        key_condition,
        filter,
        projection,
        select,
        forward: shape.forward.is_none_or(|Flag(flag)| flag),
        limit,
        start_key,
        consistent: shape.consistent.is_some_and(|Flag(flag)| flag),
        return_capacity: return_capacity.unwrap_or_default(),
    })
}

/// Reads a `Scan`.
pub(super) fn scan(shape: ReadShape<'_>) -> Result<Scan, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table);
    let limit = constraints.count("limit", 1, shape.limit);
    let select = constraints.one_of("select", shape.select, name::SELECT);
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    let segment = constraints.count("segment", 0, shape.segment);
    let total_segments = constraints.count("totalSegments", 1, shape.total_segments);
    let replaced = [
        ("AttributesToGet", shape.attributes_to_get.is_some()),
        ("ScanFilter", shape.scan_filter.is_some()),
        ("ConditionalOperator", shape.conditional_operator.is_some()),
    ];
    let legacy_filter =
        legacy::filter(&mut constraints, "scanFilter", shape.scan_filter, shape.conditional_operator);
    constraints.finish()?;
    let filter = shape.filter.as_ref().map(Text::as_str);
    let projected = shape.projection.as_ref().map(Text::as_str);
    let texts = [(ExpressionKind::Projection, projected), (ExpressionKind::Filter, filter)];
    let mut placeholders = placeholders(shape.names, shape.values, &texts, &replaced)?;
    let legacy_filter = if filter.is_none() { legacy_filter.filter()? } else { None };
    let start_key = shape.start_key.map(attribute::item).transpose()?;
    let filter = filter.map(|text| placeholders.filter(text)).transpose()?.or(legacy_filter);
    let projection = projection(&mut placeholders, projected, shape.attributes_to_get)?;
    placeholders.finish()?;
    Ok(Scan {
        table: table.into_string(),
        index: shape.index.map(Text::into_string),
        filter,
        projection,
        select,
        limit,
        start_key,
        segment: segments(segment, total_segments)?,
        consistent: shape.consistent.is_some_and(|Flag(flag)| flag),
        return_capacity: return_capacity.unwrap_or_default(),
    })
}

fn segments(segment: Option<u32>, total: Option<u32>) -> Result<Option<Segment>, StoreError> {
    let missing = |missing: &str, present: &str| {
        Err(StoreError::validation(format!(
            "The {missing} parameter is required but was not present in the request when {present} parameter is \
             present"
        )))
    };
    match (segment, total) {
        (Some(segment), Some(total)) => Ok(Some(Segment { segment, total })),
        (None, None) => Ok(None),
        (Some(_), None) => missing("TotalSegments", "Segment"),
        (None, Some(_)) => missing("Segment", "TotalSegments"),
    }
}
