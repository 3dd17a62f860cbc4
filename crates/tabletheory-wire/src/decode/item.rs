//! Requests about one item: get, put, update, delete.

use tabletheory_core::StoreError;
use tabletheory_core::expr::{Condition, ExpressionKind, Placeholders, ProjectionExpression};
use tabletheory_core::store::op::{DeleteItem, GetItem, PutItem, UpdateItem, WriteReturns};

use super::expression::placeholders;
use super::legacy::{self, AttributeUpdateShape, ExpectedShape};
use super::{attribute, name};
use crate::constraint::Constraints;
use crate::shape::{Flag, List, Map, Raw, Text, structure};

structure! {
    /// The members of `GetItem`.
    GetShape {
        table: Text<'a> = "TableName",
        key: Raw<'a> = "Key",
        projection: Text<'a> = "ProjectionExpression",
        names: Map<'a, Text<'a>> = "ExpressionAttributeNames",
        attributes_to_get: List<Text<'a>> = "AttributesToGet",
        consistent: Flag = "ConsistentRead",
        capacity: Text<'a> = "ReturnConsumedCapacity",
    }
}

/// Reads a `GetItem`.
pub(super) fn get(shape: GetShape<'_>) -> Result<GetItem, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table);
    let key = constraints.required("key", shape.key.map(Some));
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    constraints.finish()?;
    let text = shape.projection.as_ref().map(Text::as_str);
    let replaced = [("AttributesToGet", shape.attributes_to_get.is_some())];
    let mut placeholders = placeholders(shape.names, None, &[(ExpressionKind::Projection, text)], &replaced)?;
    let key = attribute::required(key)?;
    let projection = projection(&mut placeholders, text, shape.attributes_to_get)?;
    placeholders.finish()?;
    Ok(GetItem {
        table: table.into_string(),
        key,
        projection,
        consistent: shape.consistent.is_some_and(|Flag(flag)| flag),
        return_capacity: return_capacity.unwrap_or_default(),
    })
}

/// What a read returns, by either parameter.
pub(super) fn projection(
    placeholders: &mut Placeholders,
    text: Option<&str>,
    attributes_to_get: Option<List<Text<'_>>>,
) -> Result<Option<ProjectionExpression>, StoreError> {
    match text {
        Some(text) => placeholders.projection(text).map(Some),
        None => legacy::projection(attributes_to_get),
    }
}

structure! {
    /// The members of `PutItem`, `UpdateItem` and `DeleteItem` together; each looks at its own.
    WriteShape {
        table: Text<'a> = "TableName",
        item: Raw<'a> = "Item",
        key: Raw<'a> = "Key",
        update: Text<'a> = "UpdateExpression",
        condition: Text<'a> = "ConditionExpression",
        names: Map<'a, Text<'a>> = "ExpressionAttributeNames",
        values: Map<'a, Raw<'a>> = "ExpressionAttributeValues",
        attribute_updates: Map<'a, AttributeUpdateShape<'a>> = "AttributeUpdates",
        expected: Map<'a, ExpectedShape<'a>> = "Expected",
        conditional_operator: Text<'a> = "ConditionalOperator",
        return_values: Text<'a> = "ReturnValues",
        on_condition_failure: Text<'a> = "ReturnValuesOnConditionCheckFailure",
        capacity: Text<'a> = "ReturnConsumedCapacity",
        collection_metrics: Text<'a> = "ReturnItemCollectionMetrics",
    }
}

/// Reads a `PutItem`.
pub(super) fn put(mut shape: WriteShape<'_>) -> Result<PutItem, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table.take());
    let item = constraints.required("item", shape.item.take().map(Some));
    let returns = returns(&mut constraints, &mut shape);
    let condition = ConditionParts::take(&mut constraints, &mut shape);
    constraints.finish()?;
    let texts = [(ExpressionKind::Condition, condition.text())];
    let mut placeholders = placeholders(shape.names, shape.values, &texts, &condition.replaced)?;
    let item = attribute::required(item)?;
    let condition = condition.read(&mut placeholders)?;
    placeholders.finish()?;
    Ok(PutItem { table: table.into_string(), item, condition, returns })
}

/// Reads a `DeleteItem`.
pub(super) fn delete(mut shape: WriteShape<'_>) -> Result<DeleteItem, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table.take());
    let key = constraints.required("key", shape.key.take().map(Some));
    let returns = returns(&mut constraints, &mut shape);
    let condition = ConditionParts::take(&mut constraints, &mut shape);
    constraints.finish()?;
    let texts = [(ExpressionKind::Condition, condition.text())];
    let mut placeholders = placeholders(shape.names, shape.values, &texts, &condition.replaced)?;
    let key = attribute::required(key)?;
    let condition = condition.read(&mut placeholders)?;
    placeholders.finish()?;
    Ok(DeleteItem { table: table.into_string(), key, condition, returns })
}

/// Reads an `UpdateItem`.
pub(super) fn update(mut shape: WriteShape<'_>) -> Result<UpdateItem, StoreError> {
    let mut constraints = Constraints::default();
    let table = constraints.required("tableName", shape.table.take());
    let key = constraints.required("key", shape.key.take().map(Some));
    let returns = returns(&mut constraints, &mut shape);
    let has_updates = shape.attribute_updates.is_some();
    let updates = legacy::attribute_updates(&mut constraints, shape.attribute_updates.take());
    let condition = ConditionParts::take(&mut constraints, &mut shape);
    constraints.finish()?;
    let update = shape.update.as_ref().map(Text::as_str);
    let texts = [(ExpressionKind::Update, update), (ExpressionKind::Condition, condition.text())];
    let [expected, operator] = condition.replaced;
    let replaced = [("AttributeUpdates", has_updates), expected, operator];
    let mut placeholders = placeholders(shape.names, shape.values, &texts, &replaced)?;
    let key = attribute::required(key)?;
    let update = match update {
        Some(text) => Some(placeholders.update(text)?),
        None => legacy::update(updates)?,
    };
    let condition = condition.read(&mut placeholders)?;
    placeholders.finish()?;
    Ok(UpdateItem { table: table.into_string(), key, update, condition, returns })
}

fn returns(constraints: &mut Constraints, shape: &mut WriteShape<'_>) -> WriteReturns {
    let metrics = shape.collection_metrics.take();
    let on_failure = shape.on_condition_failure.take();
    WriteReturns {
        values: constraints
            .one_of("returnValues", shape.return_values.take(), name::RETURN_VALUES)
            .unwrap_or_default(),
        capacity: constraints
            .one_of("returnConsumedCapacity", shape.capacity.take(), name::CAPACITY)
            .unwrap_or_default(),
        collection_metrics: constraints
            .one_of("returnItemCollectionMetrics", metrics, name::COLLECTION_METRICS)
            .unwrap_or_default(),
        on_condition_failure: constraints
            .one_of("returnValuesOnConditionCheckFailure", on_failure, name::ON_CONDITION_FAILURE)
            .unwrap_or_default(),
    }
}

/// The condition of a write, by either parameter.
struct ConditionParts<'a> {
    text: Option<Text<'a>>,
    expected: legacy::Comparisons<(ExpectedShape<'a>, Option<tabletheory_core::legacy::LegacyOperator>)>,
    replaced: [(&'static str, bool); 2],
}

impl<'a> ConditionParts<'a> {
    fn take(constraints: &mut Constraints, shape: &mut WriteShape<'a>) -> Self {
        let replaced = [
            ("Expected", shape.expected.is_some()),
            ("ConditionalOperator", shape.conditional_operator.is_some()),
        ];
        let (expected, joined_by) = (shape.expected.take(), shape.conditional_operator.take());
        Self {
            text: shape.condition.take(),
            expected: legacy::expected(constraints, expected, joined_by),
            replaced,
        }
    }

    fn text(&self) -> Option<&str> {
        self.text.as_ref().map(Text::as_str)
    }

    fn read(self, placeholders: &mut Placeholders) -> Result<Option<Condition>, StoreError> {
        match self.text {
            Some(text) => placeholders.condition(text.as_str()).map(Some),
            None => self.expected.condition(),
        }
    }
}
