//! Rules for values and items that hold in every table, with the service's words for breaking them. What a table's key
//! asks of an item is left to the stores.

use crate::error::StoreError;
use crate::item::Item;
use crate::limits::{ATTRIBUTE_NAME_BYTES_MAX, ITEM_BYTES_MAX, NESTING_MAX};
use crate::number::NumberError;
use crate::size;
use crate::value::Value;

pub(crate) const EMPTY_STRING_SET: &str =
    "One or more parameter values were invalid: An string set  may not be empty";
pub(crate) const EMPTY_NUMBER_SET: &str =
    "One or more parameter values were invalid: An number set  may not be empty";
pub(crate) const EMPTY_BINARY_SET: &str =
    "One or more parameter values were invalid: Binary sets should not be empty";
pub(crate) const NESTED_TOO_DEEP: &str = "Nesting Levels have exceeded supported limits: \
     Attributes in the item have nested levels beyond supported limit";
const EMPTY_NAME: &str = "Empty attribute name";
const NAME_TOO_LONG: &str = "Attribute name is too large, must be less than 65536 bytes";

impl From<NumberError> for StoreError {
    fn from(error: NumberError) -> Self {
        Self::Validation(error.to_string())
    }
}

/// Checks an item that is to be stored as it is, and returns its size in bytes.
///
/// # Errors
///
/// [`StoreError::Validation`] if a name is empty or longer than 65535 bytes, if a set is empty, if values are nested in more
/// than 32 levels (an attribute's value is the first), or if the item is larger than 400 KB.
///
/// ```
/// use tabletheory_core::{Item, Value, validate};
///
/// assert_eq!(validate::item(&Item::from([("pk", "page")])), Ok(6));
/// let refused = validate::item(&Item::from([("pk", "p".repeat(400 * 1024))]));
/// assert_eq!(refused.unwrap_err().to_string(), "Item size has exceeded the maximum allowed size");
/// ```
pub fn item(item: &Item) -> Result<usize, StoreError> {
    sized(item, "Item size has exceeded the maximum allowed size")
}

/// Checks an item as an update leaves it, and returns its size in bytes. The same rules as [`item`]; the service has
/// other words for an item that an update made too large.
///
/// # Errors
///
/// [`StoreError::Validation`] as [`item`].
pub fn updated_item(item: &Item) -> Result<usize, StoreError> {
    sized(item, "Item size to update has exceeded the maximum allowed size")
}

fn sized(item: &Item, too_large: &str) -> Result<usize, StoreError> {
    check_attributes(item, 1)?;
    let bytes = size::item_bytes(item);
    if bytes > ITEM_BYTES_MAX {
        return Err(StoreError::validation(too_large));
    }
    Ok(bytes)
}

fn check_attributes(item: &Item, level: usize) -> Result<(), StoreError> {
    item.iter().try_for_each(|(name, value)| {
        if name.is_empty() {
            return Err(StoreError::validation(EMPTY_NAME));
        }
        if name.len() > ATTRIBUTE_NAME_BYTES_MAX {
            return Err(StoreError::validation(NAME_TOO_LONG));
        }
        check_value(value, level)
    })
}

// The level is checked before descending, so the stack stays small however deep the value is.
fn check_value(value: &Value, level: usize) -> Result<(), StoreError> {
    if level > NESTING_MAX {
        return Err(StoreError::validation(NESTED_TOO_DEEP));
    }
    match value {
        Value::Ss(set) if set.is_empty() => Err(StoreError::validation(EMPTY_STRING_SET)),
        Value::Ns(set) if set.is_empty() => Err(StoreError::validation(EMPTY_NUMBER_SET)),
        Value::Bs(set) if set.is_empty() => Err(StoreError::validation(EMPTY_BINARY_SET)),
        Value::L(list) => list.iter().try_for_each(|value| check_value(value, level + 1)),
        Value::M(map) => check_attributes(map, level + 1),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn nested(levels: usize, wrap: fn(Value) -> Value) -> Value {
        (1..levels).fold(Value::Null, |value, _| wrap(value))
    }

    #[test]
    fn values_are_refused_in_the_services_words() {
        let check = |checked: Value, expected: Result<(), &str>| {
            assert_eq!(check_value(&checked, 1), expected.map_err(StoreError::validation));
        };
        check(Value::s(""), Ok(()));
        check(Value::B(vec![]), Ok(()));
        check(Value::L(vec![]), Ok(()));
        check(Value::M(Item::new()), Ok(()));
        check(Value::Ss([String::new()].into()), Ok(()));
        check(Value::Ss(BTreeSet::new()), Err(EMPTY_STRING_SET));
        check(Value::Ns(BTreeSet::new()), Err(EMPTY_NUMBER_SET));
        check(Value::Bs(BTreeSet::new()), Err(EMPTY_BINARY_SET));
        check(Value::L(vec![Value::Null, Value::Ss(BTreeSet::new())]), Err(EMPTY_STRING_SET));
        check(Item::from([("", Value::Null)]).into(), Err(EMPTY_NAME));
        check(Item::from([("n".repeat(65535), Value::Null)]).into(), Ok(()));
        check(Item::from([("n".repeat(65536), Value::Null)]).into(), Err(NAME_TOO_LONG));
        for wrap in [|value| Value::L(vec![value]), |value| Item::from([("n", value)]).into()] {
            check(nested(32, wrap), Ok(()));
            check(nested(33, wrap), Err(NESTED_TOO_DEEP));
            check(nested(500, wrap), Err(NESTED_TOO_DEEP));
        }
    }

    #[test]
    fn items_are_refused_in_the_services_words() {
        let check = |checked: Item, expected: Result<usize, &str>| {
            assert_eq!(item(&checked), expected.map_err(StoreError::validation));
        };
        let largest = "p".repeat(ITEM_BYTES_MAX - 2);
        check(Item::new(), Ok(0));
        check(Item::from([("pk", Value::n(1))]), Ok(4));
        check(Item::from([("", Value::n(1))]), Err(EMPTY_NAME));
        check(Item::from([("pk", nested(33, |value| Value::L(vec![value])))]), Err(NESTED_TOO_DEEP));
        check(Item::from([("pk", largest.as_str())]), Ok(ITEM_BYTES_MAX));
        check(
            Item::from([("pk1", largest.as_str())]),
            Err("Item size has exceeded the maximum allowed size"),
        );
        assert_eq!(
            updated_item(&Item::from([("pk1", largest)])),
            Err(StoreError::validation("Item size to update has exceeded the maximum allowed size"))
        );
    }

    #[test]
    fn a_refused_number_is_a_validation_error() {
        let error: StoreError = "many".parse::<crate::Number>().unwrap_err().into();
        assert_eq!(
            error,
            StoreError::validation("The parameter cannot be converted to a numeric value: many")
        );
    }
}
