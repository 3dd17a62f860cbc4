//! From a request's JSON to the typed request, in the order in which the service looks at its parts.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use tabletheory_core::expr::{Condition, ExpressionKind, Placeholders, ProjectionExpression};
use tabletheory_core::store::op::*;
use tabletheory_core::{Item, Request, StoreError};

use super::body::{Body, item};

/// The typed request that this JSON means.
pub(super) fn read(operation: &str, body: Body<'_>) -> Result<Request, StoreError> {
    Ok(match operation {
        "PutItem" => put(body)?.into(),
        "UpdateItem" => update(body)?.into(),
        "DeleteItem" => delete(body)?.into(),
        "GetItem" => get(body)?.into(),
        "Query" => query(body)?.into(),
        "Scan" => scan(body)?.into(),
        "BatchGetItem" => batch_get(body)?.into(),
        "BatchWriteItem" => batch_write(body)?.into(),
        "TransactWriteItems" => transact_write(body)?.into(),
        "TransactGetItems" => transact_get(body)?.into(),
        other => unreachable!("the generator makes no {other}"),
    })
}

fn put(body: Body<'_>) -> Result<PutItem, StoreError> {
    let mut placeholders =
        body.placeholders(&[ExpressionKind::Condition], &["Expected", "ConditionalOperator"])?;
    let item = body.item("Item")?;
    let condition = condition(body, &mut placeholders)?;
    placeholders.finish()?;
    Ok(PutItem { table: body.owned("TableName"), item, condition, returns: returns(body) })
}

fn delete(body: Body<'_>) -> Result<DeleteItem, StoreError> {
    let mut placeholders =
        body.placeholders(&[ExpressionKind::Condition], &["Expected", "ConditionalOperator"])?;
    let key = body.item("Key")?;
    let condition = condition(body, &mut placeholders)?;
    placeholders.finish()?;
    Ok(DeleteItem { table: body.owned("TableName"), key, condition, returns: returns(body) })
}

fn update(body: Body<'_>) -> Result<UpdateItem, StoreError> {
    let expressions = [ExpressionKind::Update, ExpressionKind::Condition];
    let mut placeholders =
        body.placeholders(&expressions, &["AttributeUpdates", "Expected", "ConditionalOperator"])?;
    let key = body.item("Key")?;
    let update = match body.text("UpdateExpression") {
        Some(text) => Some(placeholders.update(text)?),
        None => body.attribute_updates()?,
    };
    let condition = condition(body, &mut placeholders)?;
    placeholders.finish()?;
    Ok(UpdateItem { table: body.owned("TableName"), key, update, condition, returns: returns(body) })
}

fn condition(body: Body<'_>, placeholders: &mut Placeholders) -> Result<Option<Condition>, StoreError> {
    match body.text("ConditionExpression") {
        Some(text) => placeholders.condition(text).map(Some),
        None => body.expected(),
    }
}

fn returns(body: Body<'_>) -> WriteReturns {
    let values = match body.text("ReturnValues") {
        None | Some("NONE") => ReturnValues::None,
        Some("ALL_OLD") => ReturnValues::AllOld,
        Some("UPDATED_OLD") => ReturnValues::UpdatedOld,
        Some("ALL_NEW") => ReturnValues::AllNew,
        Some("UPDATED_NEW") => ReturnValues::UpdatedNew,
        Some(other) => unreachable!("the generator does not write {other}"),
    };
    WriteReturns { values, on_condition_failure: on_condition_failure(body), ..WriteReturns::default() }
}

fn on_condition_failure(body: Body<'_>) -> OnConditionFailure {
    match body.text("ReturnValuesOnConditionCheckFailure") {
        Some("ALL_OLD") => OnConditionFailure::AllOld,
        _ => OnConditionFailure::None,
    }
}

fn projection(
    body: Body<'_>,
    placeholders: &mut Placeholders,
) -> Result<Option<ProjectionExpression>, StoreError> {
    match body.text("ProjectionExpression") {
        Some(text) => placeholders.projection(text).map(Some),
        None => body.attributes_to_get(),
    }
}

fn get(body: Body<'_>) -> Result<GetItem, StoreError> {
    let mut placeholders = body.placeholders(&[ExpressionKind::Projection], &["AttributesToGet"])?;
    let key = body.item("Key")?;
    let projection = projection(body, &mut placeholders)?;
    placeholders.finish()?;
    let consistent = body.flag("ConsistentRead").unwrap_or_default();
    Ok(GetItem { table: body.owned("TableName"), key, projection, consistent, ..GetItem::default() })
}

fn query(body: Body<'_>) -> Result<Query, StoreError> {
    let expressions = [ExpressionKind::Projection, ExpressionKind::Filter, ExpressionKind::KeyCondition];
    let others = ["AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"];
    let mut placeholders = body.placeholders(&expressions, &others)?;
    let legacy_filter =
        if body.text("FilterExpression").is_none() { body.filter("QueryFilter")? } else { None };
    let start_key = start_key(body)?;
    let legacy_keys = body.key_conditions()?;
    let filter = filter(body, &mut placeholders)?.or(legacy_filter);
    let key_condition = match body.text("KeyConditionExpression") {
        Some(text) => Some(placeholders.key_condition(text)?),
        None => legacy_keys,
    };
    let projection = projection(body, &mut placeholders)?;
    placeholders.finish()?;
    Ok(Query {
        table: body.owned("TableName"),
        index: body.text("IndexName").map(str::to_owned),
        key_condition: key_condition.ok_or_else(|| {
            StoreError::validation(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
            )
        })?,
        filter,
        projection,
        select: select(body),
        forward: body.flag("ScanIndexForward").unwrap_or(true),
        limit: body.number("Limit"),
        start_key,
        consistent: body.flag("ConsistentRead").unwrap_or_default(),
        ..Query::default()
    })
}

fn scan(body: Body<'_>) -> Result<Scan, StoreError> {
    let expressions = [ExpressionKind::Projection, ExpressionKind::Filter];
    let others = ["AttributesToGet", "ScanFilter", "ConditionalOperator"];
    let mut placeholders = body.placeholders(&expressions, &others)?;
    let legacy_filter =
        if body.text("FilterExpression").is_none() { body.filter("ScanFilter")? } else { None };
    let start_key = start_key(body)?;
    let filter = filter(body, &mut placeholders)?.or(legacy_filter);
    let projection = projection(body, &mut placeholders)?;
    placeholders.finish()?;
    let segment = match (body.number("Segment"), body.number("TotalSegments")) {
        (Some(segment), Some(total)) => Some(Segment { segment, total }),
        (None, None) => None,
        _ => {
            return Err(StoreError::validation(
                "The TotalSegments parameter is required but was not present in the request when Segment parameter is \
                 present",
            ));
        }
    };
    Ok(Scan {
        table: body.owned("TableName"),
        index: body.text("IndexName").map(str::to_owned),
        filter,
        projection,
        select: select(body),
        limit: body.number("Limit"),
        start_key,
        segment,
        consistent: body.flag("ConsistentRead").unwrap_or_default(),
        ..Scan::default()
    })
}

fn filter(body: Body<'_>, placeholders: &mut Placeholders) -> Result<Option<Condition>, StoreError> {
    body.text("FilterExpression").map(|text| placeholders.filter(text)).transpose()
}

fn start_key(body: Body<'_>) -> Result<Option<Item>, StoreError> {
    body.get("ExclusiveStartKey").map(item).transpose()
}

fn select(body: Body<'_>) -> Option<Select> {
    body.text("Select").map(|name| match name {
        "ALL_ATTRIBUTES" => Select::AllAttributes,
        "ALL_PROJECTED_ATTRIBUTES" => Select::AllProjectedAttributes,
        "SPECIFIC_ATTRIBUTES" => Select::SpecificAttributes,
        "COUNT" => Select::Count,
        other => unreachable!("the generator does not write {other}"),
    })
}

fn fields(json: Option<&Json>) -> impl Iterator<Item = (&String, &Json)> {
    json.and_then(Json::as_object).expect("the generator writes an object here").iter()
}

fn batch_get(body: Body<'_>) -> Result<BatchGetItem, StoreError> {
    let mut tables = BTreeMap::new();
    for (table, request) in fields(body.get("RequestItems")) {
        let body = Body(request);
        let mut placeholders = body.placeholders(&[ExpressionKind::Projection], &["AttributesToGet"])?;
        let keys = body.get("Keys").and_then(Json::as_array).expect("the generator writes keys");
        let keys = keys.iter().map(item).collect::<Result<_, _>>()?;
        let projection = projection(body, &mut placeholders)?;
        placeholders.finish()?;
        tables.insert(table.clone(), KeysAndProjection { keys, projection, consistent: false });
    }
    Ok(BatchGetItem { tables, ..BatchGetItem::default() })
}

fn batch_write(body: Body<'_>) -> Result<BatchWriteItem, StoreError> {
    let mut tables = BTreeMap::new();
    for (table, writes) in fields(body.get("RequestItems")) {
        let writes = writes.as_array().expect("the generator writes a list");
        let write = |write: &Json| match (write.get("PutRequest"), write.get("DeleteRequest")) {
            (Some(put), _) => Body(put).item("Item").map(BatchWrite::Put),
            (None, Some(delete)) => Body(delete).item("Key").map(BatchWrite::Delete),
            (None, None) => unreachable!("the generator writes puts and deletes"),
        };
        tables.insert(table.clone(), writes.iter().map(write).collect::<Result<_, _>>()?);
    }
    Ok(BatchWriteItem { tables, ..BatchWriteItem::default() })
}

fn transact_items(body: Body<'_>) -> impl Iterator<Item = (&String, Body<'_>)> {
    let items = body.get("TransactItems").and_then(Json::as_array).expect("the generator writes a list");
    items.iter().map(|item| {
        let (kind, content) = fields(Some(item)).next().expect("an item has a kind");
        (kind, Body(content))
    })
}

fn transact_write(body: Body<'_>) -> Result<TransactWriteItems, StoreError> {
    let writes = transact_items(body).map(|(kind, body)| transact_one(kind, body));
    Ok(TransactWriteItems { writes: writes.collect::<Result<_, _>>()?, ..TransactWriteItems::default() })
}

fn transact_one(kind: &str, body: Body<'_>) -> Result<TransactWrite, StoreError> {
    let expressions: &[ExpressionKind] = match kind {
        "Update" => &[ExpressionKind::Update, ExpressionKind::Condition],
        _ => &[ExpressionKind::Condition],
    };
    let mut placeholders = body.placeholders(expressions, &[])?;
    let action = match kind {
        "Put" => TransactAction::Put { item: body.item("Item")? },
        "Update" => {
            let key = body.item("Key")?;
            TransactAction::Update { key, update: placeholders.update(&body.owned("UpdateExpression"))? }
        }
        "Delete" => TransactAction::Delete { key: body.item("Key")? },
        _ => TransactAction::ConditionCheck { key: body.item("Key")? },
    };
    let condition = body.text("ConditionExpression").map(|text| placeholders.condition(text)).transpose()?;
    placeholders.finish()?;
    let on_condition_failure = on_condition_failure(body);
    Ok(TransactWrite { table: body.owned("TableName"), action, condition, on_condition_failure })
}

fn transact_get(body: Body<'_>) -> Result<TransactGetItems, StoreError> {
    let mut gets = Vec::new();
    for (_, body) in transact_items(body) {
        let mut placeholders = body.placeholders(&[ExpressionKind::Projection], &[])?;
        let key = body.item("Key")?;
        let projection =
            body.text("ProjectionExpression").map(|text| placeholders.projection(text)).transpose()?;
        placeholders.finish()?;
        gets.push(TransactGet { table: body.owned("TableName"), key, projection });
    }
    Ok(TransactGetItems { gets, ..TransactGetItems::default() })
}
