//! Expressions and their placeholders. They come as texts and leave as trees.

use std::collections::BTreeMap;

use tabletheory_core::expr::{ExpressionKind, Placeholders};
use tabletheory_core::{StoreError, Value, legacy};

use super::attribute;
use crate::shape::{Map, Raw, Text};

/// `ExpressionAttributeNames` of a request.
pub(super) type NameMap<'a> = Option<Map<'a, Text<'a>>>;
/// `ExpressionAttributeValues` of a request.
pub(super) type ValueMap<'a> = Option<Map<'a, Raw<'a>>>;

/// The expressions that an operation can carry, present or not, in the order in which the service names them.
pub(super) type Texts<'t> = [(ExpressionKind, Option<&'t str>)];

/// Checks that expressions and the parameters they replaced are not mixed, and takes the placeholders. `replaced` are
/// those parameters, and whether each is there.
pub(super) fn placeholders(
    names: NameMap<'_>,
    values: ValueMap<'_>,
    texts: &Texts<'_>,
    replaced: &[(&str, bool)],
) -> Result<Placeholders, StoreError> {
    refuse_mixed(texts, replaced)?;
    if names.is_none() && values.is_none() {
        return Placeholders::new(None, None);
    }
    // A parameter that the operation does not have is not looked at.
    let values = values.filter(|_| texts.iter().any(|(kind, _)| *kind != ExpressionKind::Projection));
    let names = names.map(name_map);
    // What the values are does not matter to this check, only whether there are any.
    let some_values = values.as_ref().map(|_| BTreeMap::new());
    Placeholders::require_expressions(names.as_ref(), some_values.as_ref(), texts)?;
    let Some(values) = values else { return Placeholders::new(names, None) };
    match value_map(&values) {
        Ok(values) => Placeholders::new(names, Some(values)),
        Err(refusal) => {
            // Names and placeholders are looked at before values.
            let marks = values.0.iter().map(|(mark, _)| (mark.as_str().to_owned(), Value::Null)).collect();
            Placeholders::new(names, Some(marks))?;
            Err(refusal)
        }
    }
}

fn refuse_mixed(texts: &Texts<'_>, replaced: &[(&str, bool)]) -> Result<(), StoreError> {
    if replaced.iter().all(|(_, is_there)| !is_there) {
        return Ok(());
    }
    let expressions: Vec<&str> =
        texts.iter().filter(|(_, text)| text.is_some()).map(|(kind, _)| kind.name()).collect();
    let has_key_condition = expressions.contains(&ExpressionKind::KeyCondition.name());
    let others: Vec<&str> = replaced
        .iter()
        .filter(|(name, is_there)| *is_there && (*name != "KeyConditions" || has_key_condition))
        .map(|(name, _)| *name)
        .collect();
    legacy::refuse_mixed(&others, &expressions)
}

fn name_map(names: Map<'_, Text<'_>>) -> BTreeMap<String, String> {
    names.0.into_iter().map(|(mark, name)| (mark.into_string(), name.into_string())).collect()
}

fn value_map(values: &Map<'_, Raw<'_>>) -> Result<BTreeMap<String, Value>, StoreError> {
    let read = |(mark, raw): &(Text<'_>, Raw<'_>)| match attribute::value(raw) {
        Ok(value) => Ok((mark.as_str().to_owned(), value)),
        Err(StoreError::Validation(message)) => Err(StoreError::validation(format!(
            "ExpressionAttributeValues contains invalid value: {message} for key {}",
            mark.as_str()
        ))),
        Err(other) => Err(other),
    };
    values.0.iter().map(read).collect()
}
