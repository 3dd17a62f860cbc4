//! The parameters that expressions replaced, read for `tabletheory_core::legacy`, which turns them into trees.

use std::collections::BTreeMap;

use tabletheory_core::StoreError;
use tabletheory_core::expr::{Condition, KeyCondition, ProjectionExpression, Update};
use tabletheory_core::legacy::{
    self, AttributeUpdate, ConditionalOperator, Expected, Filter, LegacyOperator, UpdateAction,
};

use super::attribute;
use crate::constraint::{Constraints, Names};
use crate::shape::{Flag, List, Map, Raw, Text, structure};

structure! {
    /// What `Expected` says of one attribute.
    ExpectedShape {
        value: Raw<'a> = "Value",
        exists: Flag = "Exists",
        operator: Text<'a> = "ComparisonOperator",
        values: List<Raw<'a>> = "AttributeValueList",
    }
}

structure! {
    /// What a filter or `KeyConditions` says of one attribute.
    FilterShape {
        operator: Text<'a> = "ComparisonOperator",
        values: List<Raw<'a>> = "AttributeValueList",
    }
}

structure! {
    /// What `AttributeUpdates` does to one attribute.
    AttributeUpdateShape {
        action: Text<'a> = "Action",
        value: Raw<'a> = "Value",
    }
}

const OPERATORS: &Names<LegacyOperator> = &[
    ("IN", LegacyOperator::In),
    ("NULL", LegacyOperator::Null),
    ("BETWEEN", LegacyOperator::Between),
    ("LT", LegacyOperator::Lt),
    ("NOT_CONTAINS", LegacyOperator::NotContains),
    ("EQ", LegacyOperator::Eq),
    ("GT", LegacyOperator::Gt),
    ("NOT_NULL", LegacyOperator::NotNull),
    ("NE", LegacyOperator::Ne),
    ("LE", LegacyOperator::Le),
    ("BEGINS_WITH", LegacyOperator::BeginsWith),
    ("GE", LegacyOperator::Ge),
    ("CONTAINS", LegacyOperator::Contains),
];

const ACTIONS: &Names<UpdateAction> =
    &[("ADD", UpdateAction::Add), ("DELETE", UpdateAction::Delete), ("PUT", UpdateAction::Put)];

const CONDITIONAL_OPERATORS: &Names<ConditionalOperator> =
    &[("OR", ConditionalOperator::Or), ("AND", ConditionalOperator::And)];

/// Comparisons by attribute, and how they are joined: `Expected`, `QueryFilter` or `ScanFilter` with
/// `ConditionalOperator`.
#[derive(Debug, Default)]
pub(super) struct Comparisons<T> {
    entries: Option<Vec<(String, T)>>,
    joined_by: Option<ConditionalOperator>,
}

type Unread<'a, O> = (O, Option<List<Raw<'a>>>);

/// `Expected`, not yet with its values.
pub(super) fn expected<'a>(
    constraints: &mut Constraints,
    map: Option<Map<'a, ExpectedShape<'a>>>,
    joined_by: Option<Text<'_>>,
) -> Comparisons<(ExpectedShape<'a>, Option<LegacyOperator>)> {
    let entries = map.map(|map| {
        let mut take = |(name, mut shape): (Text<'a>, ExpectedShape<'a>)| {
            let member = format!("expected.{}.member.comparisonOperator", name.as_str());
            let operator = constraints.one_of(member, shape.operator.take(), OPERATORS);
            (name.into_string(), (shape, operator))
        };
        map.0.into_iter().map(&mut take).collect()
    });
    Comparisons {
        entries,
        joined_by: constraints.one_of("conditionalOperator", joined_by, CONDITIONAL_OPERATORS),
    }
}

impl Comparisons<(ExpectedShape<'_>, Option<LegacyOperator>)> {
    /// The condition, if there are comparisons.
    pub(super) fn condition(self) -> Result<Option<Condition>, StoreError> {
        let mut expected = BTreeMap::new();
        for (name, (shape, operator)) in self.entries.unwrap_or_default() {
            let entry = Expected {
                value: shape.value.map(attribute::value).transpose()?,
                exists: shape.exists.map(|Flag(exists)| exists),
                operator,
                values: shape.values.as_ref().map(attribute::values).transpose()?,
            };
            expected.insert(name, entry);
        }
        legacy::condition(&expected, self.joined_by)
    }
}

/// `QueryFilter`, `ScanFilter` or `KeyConditions`, not yet with its values.
pub(super) fn filter<'a>(
    constraints: &mut Constraints,
    parameter: &str,
    map: Option<Map<'a, FilterShape<'a>>>,
    joined_by: Option<Text<'_>>,
) -> Comparisons<Unread<'a, LegacyOperator>> {
    let entries = map.map(|map| {
        let mut take = |(name, shape): (Text<'a>, FilterShape<'a>)| {
            let member = format!("{parameter}.{}.member.comparisonOperator", name.as_str());
            let given = constraints.required(&member, shape.operator.map(Some)).map(|text| (member, text));
            let operator = given.and_then(|(member, text)| constraints.one_of(member, Some(text), OPERATORS));
            // Without an operator the constraints refuse the request, so it does not matter which stands here.
            (name.into_string(), (operator.unwrap_or(LegacyOperator::Eq), shape.values))
        };
        map.0.into_iter().map(&mut take).collect()
    });
    Comparisons {
        entries,
        joined_by: constraints.one_of("conditionalOperator", joined_by, CONDITIONAL_OPERATORS),
    }
}

impl Comparisons<Unread<'_, LegacyOperator>> {
    /// The filter, if there are comparisons.
    pub(super) fn filter(self) -> Result<Option<Condition>, StoreError> {
        let joined_by = self.joined_by;
        legacy::filter(&self.read()?.unwrap_or_default(), joined_by)
    }

    /// The key condition, if the parameter is there.
    pub(super) fn key_condition(self) -> Result<Option<KeyCondition>, StoreError> {
        self.read()?.map(|conditions| legacy::key_condition(&conditions)).transpose()
    }

    fn read(self) -> Result<Option<BTreeMap<String, Filter>>, StoreError> {
        let Some(entries) = self.entries else { return Ok(None) };
        let read = |(name, (operator, values)): (String, Unread<'_, LegacyOperator>)| {
            let values = values.as_ref().map(attribute::values).transpose()?.unwrap_or_default();
            Ok((name, Filter { operator, values }))
        };
        entries.into_iter().map(read).collect::<Result<_, _>>().map(Some)
    }
}

/// `AttributeUpdates`, not yet with its values.
pub(super) fn attribute_updates<'a>(
    constraints: &mut Constraints,
    map: Option<Map<'a, AttributeUpdateShape<'a>>>,
) -> Option<Vec<(String, UpdateAction, Option<Raw<'a>>)>> {
    let mut take = |(name, shape): (Text<'a>, AttributeUpdateShape<'a>)| {
        let member = format!("attributeUpdates.{}.member.action", name.as_str());
        let action = constraints.one_of(member, shape.action, ACTIONS).unwrap_or_default();
        (name.into_string(), action, shape.value)
    };
    map.map(|map| map.0.into_iter().map(&mut take).collect())
}

/// The update that `AttributeUpdates` means, if it names an attribute.
pub(super) fn update(
    updates: Option<Vec<(String, UpdateAction, Option<Raw<'_>>)>>,
) -> Result<Option<Update>, StoreError> {
    let Some(updates) = updates else { return Ok(None) };
    let read = |(name, action, value): (String, UpdateAction, Option<Raw<'_>>)| {
        Ok((name, AttributeUpdate { action, value: value.map(attribute::value).transpose()? }))
    };
    let updates = updates.into_iter().map(read).collect::<Result<BTreeMap<_, _>, StoreError>>()?;
    legacy::update(&updates)
}

/// The projection that `AttributesToGet` means.
pub(super) fn projection(names: Option<List<Text<'_>>>) -> Result<Option<ProjectionExpression>, StoreError> {
    let Some(names) = names else { return Ok(None) };
    let names: Vec<String> = names.0.into_iter().map(Text::into_string).collect();
    legacy::projection(&names).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_called_what_the_refusals_call_them() {
        for (name, operator) in OPERATORS {
            assert_eq!(operator.name(), *name);
        }
    }
}
