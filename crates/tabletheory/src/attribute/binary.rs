//! Bytes. A `Vec<u8>` is a list of numbers like any other list of numbers, so bytes have a type of their own, which is
//! also the form of a `Vec<u8>` with `#[model(binary)]`.

use tabletheory_core::{Value, ValueType};

use super::Attribute;
use super::error::AttributeError;
use super::form::Form;

/// Bytes, stored as a binary attribute.
///
/// ```
/// use tabletheory::attribute::{Attribute, Binary};
/// use tabletheory_core::Value;
///
/// let bytes = Binary(vec![1, 2]);
/// assert_eq!(bytes.to_value()?, Value::B(vec![1, 2]));
/// // The first Go toolkit wrote bytes as a list of numbers.
/// assert_eq!(Binary::from_value(Value::L(vec![Value::n(1), Value::n(2)]))?, bytes);
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binary(pub Vec<u8>);

impl From<Vec<u8>> for Binary {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl Attribute for Binary {
    const TYPE: Option<ValueType> = Some(ValueType::B);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Ok(Value::B(self.0.clone()))
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::B(bytes) => Ok(Self(bytes)),
            // Other toolkits store bytes that are not there as the null value.
            Value::Null => Ok(Self::default()),
            Value::L(_) => Vec::<u8>::from_value(value).map(Self),
            other => Err(AttributeError::wrong_type("B", &other)),
        }
    }

    fn is_omitted(&self) -> bool {
        self.0.is_empty()
    }
}

impl Form<Vec<u8>> for Binary {
    fn store(value: &Vec<u8>) -> Result<Value, AttributeError> {
        Ok(Value::B(value.clone()))
    }

    fn omits(value: &Vec<u8>) -> bool {
        value.is_empty()
    }

    fn of(value: Vec<u8>) -> Self {
        Self(value)
    }

    fn into_inner(self) -> Vec<u8> {
        self.0
    }
}
