//! Values of any type that serde knows: [`Json`] as a structure of DynamoDB's own types, [`JsonText`] as a text. Both read
//! what the other one wrote, because the older toolkits wrote texts.

mod key;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod unfit;
mod write;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tabletheory_core::{Value, ValueType};

use super::Attribute;
use super::error::{AttributeError, Fault};
use super::form::Form;

/// A value that serde writes, stored as a map, a list, a text, a number, a truth or the null value. It is the form of a
/// field with `#[model(json)]`.
///
/// Numbers keep every digit. A text is also read as JSON if the Rust type is not a text itself, for what the older
/// toolkits wrote; of a type that takes anything, such as `serde_json::Value`, that holds for objects, arrays and
/// quoted texts.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use tabletheory::attribute::{Attribute, Json};
/// use tabletheory_core::{Item, Value};
///
/// #[derive(Serialize, Deserialize, Debug, PartialEq)]
/// struct Size {
///     width: u64,
/// }
///
/// let stored = Json(Size { width: 3 }).to_value()?;
/// assert_eq!(stored, Value::M(Item::from([("width", 3)])));
/// assert_eq!(Json::<Size>::from_value(stored)?.0, Size { width: 3 });
/// assert_eq!(Json::<Size>::from_value(Value::s(r#"{"width":3}"#))?.0, Size { width: 3 });
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// A value that serde writes, stored as a text: compact JSON whose objects have their members in the order of the names. It
/// is the form of a field with `#[model(json = "text")]`, and holds the same values as [`Json`].
///
/// ```
/// use std::collections::HashMap;
/// use tabletheory::attribute::{Attribute, JsonText};
/// use tabletheory_core::Value;
///
/// let sizes = JsonText(HashMap::from([("width".to_owned(), 3), ("height".to_owned(), 2)]));
/// let stored = sizes.to_value()?;
/// assert_eq!(stored, Value::s(r#"{"height":2,"width":3}"#));
/// assert_eq!(JsonText::from_value(stored)?, sizes);
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JsonText<T>(pub T);

impl<T: Serialize + DeserializeOwned> Attribute for Json<T> {
    fn to_value(&self) -> Result<Value, AttributeError> {
        Self::store(&self.0)
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        read_any(value).map(Self)
    }

    fn is_omitted(&self) -> bool {
        Self::omits(&self.0)
    }
}

impl<T: Serialize + DeserializeOwned> Form<T> for Json<T> {
    fn store(value: &T) -> Result<Value, AttributeError> {
        match write::write(value)? {
            // A type that takes anything would read this text as JSON. Quoted, it comes back as the text it is.
            Value::S(plain) if text::looks_like_json(&plain) && !comes_back::<T>(&plain) => {
                text::write(&Value::S(plain)).map(Value::S)
            }
            stored => Ok(stored),
        }
    }

    fn omits(value: &T) -> bool {
        is_empty(value)
    }

    fn of(value: T) -> Self {
        Self(value)
    }

    fn into_inner(self) -> T {
        self.0
    }
}

impl<T: Serialize + DeserializeOwned> Attribute for JsonText<T> {
    const TYPE: Option<ValueType> = Some(ValueType::S);

    fn to_value(&self) -> Result<Value, AttributeError> {
        Self::store(&self.0)
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        match value {
            Value::S(text) => read_text(&text).map_err(|error| match error.is_data() {
                true => Fault::Shape.into(),
                false => Fault::Malformed { expected: "JSON" }.into(),
            }),
            structure => read::read(structure),
        }
        .map(Self)
    }

    fn is_omitted(&self) -> bool {
        Self::omits(&self.0)
    }
}

impl<T: Serialize + DeserializeOwned> Form<T> for JsonText<T> {
    fn store(value: &T) -> Result<Value, AttributeError> {
        write::write(value).and_then(|value| text::write(&value)).map(Value::S)
    }

    fn omits(value: &T) -> bool {
        is_empty(value)
    }

    fn of(value: T) -> Self {
        Self(value)
    }

    fn into_inner(self) -> T {
        self.0
    }
}

/// Nothing, no text, zero, `false`, or nothing in it. What cannot be written is not empty: writing it tells why.
fn is_empty<T: Serialize>(value: &T) -> bool {
    match write::write(value) {
        Ok(Value::Null) => true,
        Ok(Value::S(text)) => text.is_empty(),
        Ok(Value::N(number)) => number.is_zero(),
        Ok(Value::Bool(flag)) => !flag,
        Ok(Value::L(list)) => list.is_empty(),
        Ok(Value::M(map)) => map.is_empty(),
        _ => false,
    }
}

/// The value as it is stored, or as the text of JSON that an older toolkit stored.
fn read_any<T: DeserializeOwned>(value: Value) -> Result<T, AttributeError> {
    let Value::S(text) = value else { return read::read(value) };
    let again = text.clone();
    read::read(Value::S(text)).or_else(|native| {
        read_text(&again).map_err(|error| if error.is_data() { Fault::Shape.into() } else { native })
    })
}

fn read_text<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

fn comes_back<T: Serialize + DeserializeOwned>(plain: &str) -> bool {
    let stored = || Value::s(plain);
    read_any::<T>(stored()).and_then(|read| write::write(&read)) == Ok(stored())
}
