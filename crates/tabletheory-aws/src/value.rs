//! Values and items, ours into the SDK's and back. The two clients of the SDK have a type of their own for the same
//! value, so reading is written once and made twice.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::Blob;
use tabletheory_core::{Item, StoreError, Value};

/// A map from names to values as the SDK has it.
pub(crate) type Attributes = HashMap<String, AttributeValue>;

/// A value for the SDK.
pub(crate) fn write(value: Value) -> AttributeValue {
    match value {
        Value::S(text) => AttributeValue::S(text),
        Value::N(number) => AttributeValue::N(number.to_string()),
        Value::B(bytes) => AttributeValue::B(Blob::new(bytes)),
        Value::Bool(flag) => AttributeValue::Bool(flag),
        Value::Null => AttributeValue::Null(true),
        Value::L(values) => AttributeValue::L(values.into_iter().map(write).collect()),
        Value::M(map) => AttributeValue::M(write_item(map)),
        Value::Ss(texts) => AttributeValue::Ss(texts.into_iter().collect()),
        Value::Ns(numbers) => AttributeValue::Ns(numbers.iter().map(ToString::to_string).collect()),
        Value::Bs(all) => AttributeValue::Bs(all.into_iter().map(Blob::new).collect()),
    }
}

/// An item, or a map inside one, for the SDK.
pub(crate) fn write_item(item: Item) -> Attributes {
    item.into_iter().map(|(name, value)| (name.into_string(), write(value))).collect()
}

macro_rules! reading {
    ($read:ident, $read_item:ident, $attribute_value:ty) => {
        fn $read(value: $attribute_value) -> Result<Value, StoreError> {
            use $attribute_value as Theirs;
            Ok(match value {
                Theirs::S(text) => Value::S(text),
                Theirs::N(text) => Value::N(number(&text)?),
                Theirs::B(bytes) => Value::B(bytes.into_inner()),
                Theirs::Bool(flag) => Value::Bool(flag),
                Theirs::Null(_) => Value::Null,
                Theirs::L(values) => Value::L(values.into_iter().map($read).collect::<Result<_, _>>()?),
                Theirs::M(map) => Value::M($read_item(map)?),
                Theirs::Ss(texts) => Value::Ss(texts.into_iter().collect()),
                Theirs::Ns(texts) => {
                    Value::Ns(texts.iter().map(|text| number(text)).collect::<Result<_, _>>()?)
                }
                Theirs::Bs(all) => Value::Bs(all.into_iter().map(Blob::into_inner).collect()),
                _ => return Err(unreadable("an attribute value of a type that is not known")),
            })
        }

        /// An item, or a map inside one, from the SDK.
        ///
        /// # Errors
        /// If it holds a number or a type that DynamoDB does not have.
        pub(crate) fn $read_item(map: HashMap<String, $attribute_value>) -> Result<Item, StoreError> {
            map.into_iter().map(|(name, value)| Ok((name, $read(value)?))).collect()
        }
    };
}

reading!(read, read_item, AttributeValue);
reading!(read_of_stream, read_item_of_stream, aws_sdk_dynamodbstreams::types::AttributeValue);

/// An item that may be absent.
pub(crate) fn read_optional(map: Option<Attributes>) -> Result<Option<Item>, StoreError> {
    map.map(read_item).transpose()
}

/// A list of items that may be absent.
pub(crate) fn read_items(maps: Option<Vec<Attributes>>) -> Result<Option<Vec<Item>>, StoreError> {
    maps.map(|maps| maps.into_iter().map(read_item).collect()).transpose()
}

fn number(text: &str) -> Result<tabletheory_core::Number, StoreError> {
    // The text is data, and data stays out of messages.
    text.parse().map_err(|_| unreadable("a number that is none"))
}

/// The answers to `count` parts of a request, one each.
///
/// # Errors
/// [`StoreError::Internal`] if there are fewer or more: then nobody knows which of them belongs to which part.
pub(crate) fn one_each<T>(answers: Option<Vec<T>>, count: usize) -> Result<Vec<T>, StoreError> {
    let answers = answers.unwrap_or_default();
    if answers.len() == count {
        return Ok(answers);
    }
    Err(unreadable(&format!("{} answers to {count} questions", answers.len())))
}

/// The service answered what it should not; the request itself may have been carried out.
pub(crate) fn unreadable(what: &str) -> StoreError {
    StoreError::Internal(format!("the answer of the service holds {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_type() -> Item {
        let inner = Item::from([("deep", Value::L(vec![Value::Null, Value::Bool(false)]))]);
        Item::from([
            ("s", Value::s("")),
            ("n", Value::N("-1.5E-120".parse().unwrap())),
            ("b", Value::B(vec![0, 255])),
            ("bool", Value::Bool(true)),
            ("null", Value::Null),
            ("l", Value::L(vec![Value::s("a"), Value::M(Item::new())])),
            ("m", Value::M(inner)),
            ("ss", Value::Ss(["b".to_owned(), "a".to_owned()].into())),
            (
                "ns",
                Value::Ns(
                    ["1".parse().unwrap(), "99999999999999999999999999999999999999".parse().unwrap()].into(),
                ),
            ),
            ("bs", Value::Bs([vec![], vec![7]].into())),
        ])
    }

    #[test]
    fn every_type_comes_back_as_it_went() {
        assert_eq!(read_item(write_item(every_type())), Ok(every_type()));
    }

    #[test]
    fn a_number_that_is_none_is_an_error_without_the_number() {
        let answer = Attributes::from([("n".to_owned(), AttributeValue::N("canary".to_owned()))]);
        let error = read_item(answer).unwrap_err();
        assert!(error.is_ambiguous() && !error.to_string().contains("canary"), "{error}");
    }
}
