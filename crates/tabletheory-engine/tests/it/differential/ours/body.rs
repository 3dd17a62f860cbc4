//! A request's JSON as the driver reads it: fields, items, and expressions with their placeholders.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use tabletheory_core::expr::{ExpressionKind, Placeholders};
use tabletheory_core::legacy::{
    self, AttributeUpdate, ConditionalOperator, Expected, Filter, LegacyOperator, UpdateAction,
};
use tabletheory_core::{Item, StoreError, Value, json};

/// The body of a request, or of one part of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'b>(pub &'b Json);

impl<'b> Body<'b> {
    pub(super) fn get(self, field: &str) -> Option<&'b Json> {
        self.0.get(field)
    }

    fn has(self, field: &str) -> bool {
        self.get(field).is_some()
    }

    pub(super) fn text(self, field: &str) -> Option<&'b str> {
        self.get(field).map(|value| value.as_str().expect("the generator writes texts here"))
    }

    pub(super) fn owned(self, field: &str) -> String {
        self.text(field).expect("the generator writes this field").to_owned()
    }

    pub(super) fn flag(self, field: &str) -> Option<bool> {
        self.get(field).and_then(Json::as_bool)
    }

    pub(super) fn number(self, field: &str) -> Option<u32> {
        let number = self.get(field).and_then(Json::as_u64)?;
        Some(u32::try_from(number).expect("the generator writes small numbers"))
    }

    pub(super) fn item(self, field: &str) -> Result<Item, StoreError> {
        item(self.get(field).expect("the generator writes this field"))
    }

    /// Reads the placeholders; `expressions` are those the operation knows, `others` the parameters they replaced.
    pub(super) fn placeholders(
        self,
        expressions: &[ExpressionKind],
        others: &[&str],
    ) -> Result<Placeholders, StoreError> {
        let used: Vec<&str> =
            expressions.iter().map(|kind| kind.name()).filter(|name| self.has(name)).collect();
        let key_conditions_alone = !self.has(ExpressionKind::KeyCondition.name());
        let others: Vec<&str> = others
            .iter()
            .copied()
            .filter(|name| self.has(name) && !(*name == "KeyConditions" && key_conditions_alone))
            .collect();
        legacy::refuse_mixed(&others, &used)?;
        let names = self.get("ExpressionAttributeNames").map(names);
        // A parameter that the operation does not have is not looked at.
        let takes_values = expressions.iter().any(|kind| *kind != ExpressionKind::Projection);
        let raw_values = self.get("ExpressionAttributeValues").filter(|_| takes_values);
        let texts: Vec<(ExpressionKind, Option<&str>)> =
            expressions.iter().map(|kind| (*kind, self.text(kind.name()))).collect();
        // What the values are does not matter to this check, only whether there are any.
        Placeholders::require_expressions(
            names.as_ref(),
            raw_values.map(|_| BTreeMap::new()).as_ref(),
            &texts,
        )?;
        // Names and placeholders are looked at before values.
        Placeholders::new(names.clone(), raw_values.map(placeholders_alone))?;
        let values = raw_values.map(values).transpose()?;
        Placeholders::new(names, values)
    }

    fn conditional_operator(self) -> Option<ConditionalOperator> {
        self.text("ConditionalOperator").and_then(ConditionalOperator::from_name)
    }

    /// `Expected` with its operator, as a condition.
    pub(super) fn expected(self) -> Result<Option<tabletheory_core::expr::Condition>, StoreError> {
        let expected = self.get("Expected").map(|map| each(map, expected)).transpose()?.unwrap_or_default();
        legacy::condition(&expected, self.conditional_operator())
    }

    /// `QueryFilter` or `ScanFilter` with its operator, as a condition.
    pub(super) fn filter(self, field: &str) -> Result<Option<tabletheory_core::expr::Condition>, StoreError> {
        let filter = self.get(field).map(|map| each(map, filter)).transpose()?.unwrap_or_default();
        legacy::filter(&filter, self.conditional_operator())
    }

    /// `KeyConditions`, if it is there.
    pub(super) fn key_conditions(self) -> Result<Option<tabletheory_core::expr::KeyCondition>, StoreError> {
        let conditions = self.get("KeyConditions").map(|map| each(map, filter)).transpose()?;
        conditions.map(|conditions| legacy::key_condition(&conditions)).transpose()
    }

    /// `AttributeUpdates`, if it is there and names an attribute.
    pub(super) fn attribute_updates(self) -> Result<Option<tabletheory_core::expr::Update>, StoreError> {
        let updates = self.get("AttributeUpdates").map(|map| each(map, attribute_update)).transpose()?;
        updates.map_or(Ok(None), |updates| legacy::update(&updates))
    }

    /// `AttributesToGet`, if it is there.
    pub(super) fn attributes_to_get(
        self,
    ) -> Result<Option<tabletheory_core::expr::ProjectionExpression>, StoreError> {
        let Some(names) = self.get("AttributesToGet").and_then(Json::as_array) else { return Ok(None) };
        let names: Vec<String> =
            names.iter().map(|name| name.as_str().expect("names are texts").to_owned()).collect();
        legacy::projection(&names).map(Some)
    }
}

/// An item or key.
pub(super) fn item(json: &Json) -> Result<Item, StoreError> {
    serde_json::from_value(json.clone()).map_err(|error| json::refusal(&error))
}

fn value(json: &Json) -> Result<Value, StoreError> {
    serde_json::from_value(json.clone()).map_err(|error| json::refusal(&error))
}

fn each<T>(
    map: &Json,
    read: impl Fn(Body<'_>) -> Result<T, StoreError>,
) -> Result<BTreeMap<String, T>, StoreError> {
    let map = map.as_object().expect("the generator writes an object here");
    map.iter().map(|(name, content)| Ok((name.clone(), read(Body(content))?))).collect()
}

fn names(map: &Json) -> BTreeMap<String, String> {
    let map = map.as_object().expect("names are an object");
    map.iter()
        .map(|(mark, name)| (mark.clone(), name.as_str().expect("a name is a text").to_owned()))
        .collect()
}

/// The placeholders of values, with nothing behind them.
fn placeholders_alone(map: &Json) -> BTreeMap<String, Value> {
    let map = map.as_object().expect("values are an object");
    map.keys().map(|mark| (mark.clone(), Value::Null)).collect()
}

fn values(map: &Json) -> Result<BTreeMap<String, Value>, StoreError> {
    let map = map.as_object().expect("values are an object");
    let read = |(mark, json): (&String, &Json)| match value(json) {
        Ok(value) => Ok((mark.clone(), value)),
        Err(StoreError::Validation(message)) => Err(StoreError::validation(format!(
            "ExpressionAttributeValues contains invalid value: {message} for key {mark}"
        ))),
        Err(other) => Err(other),
    };
    map.iter().map(read).collect()
}

fn expected(body: Body<'_>) -> Result<Expected, StoreError> {
    Ok(Expected {
        value: body.get("Value").map(value).transpose()?,
        exists: body.flag("Exists"),
        operator: body.text("ComparisonOperator").and_then(LegacyOperator::from_name),
        values: body.get("AttributeValueList").map(list).transpose()?,
    })
}

fn filter(body: Body<'_>) -> Result<Filter, StoreError> {
    let operator = body.text("ComparisonOperator").and_then(LegacyOperator::from_name);
    Ok(Filter {
        operator: operator.expect("the generator knows the operators"),
        values: body.get("AttributeValueList").map(list).transpose()?.unwrap_or_default(),
    })
}

fn attribute_update(body: Body<'_>) -> Result<AttributeUpdate, StoreError> {
    let action = body.text("Action").and_then(UpdateAction::from_name).unwrap_or_default();
    Ok(AttributeUpdate { action, value: body.get("Value").map(value).transpose()? })
}

fn list(json: &Json) -> Result<Vec<Value>, StoreError> {
    json.as_array().expect("values are a list").iter().map(value).collect()
}
