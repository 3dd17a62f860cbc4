//! DynamoDB JSON: [`Value`], [`Item`] and [`Number`] for serde, such as `{"N":"12"}`. Reading goes straight into the types
//! and refuses what the service refuses while it reads, so nothing too deep is ever built.
//!
//! The service answers some bad JSON with a `ValidationException` and some with a `SerializationException`, but a serde
//! error is only text. So the text of a refusal is marked where it is made, by [`invalid`] or [`unreadable`], and
//! [`refusal`] turns any deserializer's error into the right [`StoreError`].

mod read;
#[cfg(test)]
mod tests;

use std::fmt::Display;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::error::StoreError;
use crate::item::Item;
use crate::number::Number;
use crate::value::Value;

// Control characters stand at both ends of a marked message: what a deserializer adds, such as a position, comes after
// the last one, and no message of its own begins with one.
const INVALID: char = '\u{1}';
const UNREADABLE: char = '\u{2}';

/// The error of a deserializer for JSON that can be read but breaks a rule: a `ValidationException`.
pub fn invalid<E: serde::de::Error>(message: impl Display) -> E {
    E::custom(format_args!("{INVALID}{message}{INVALID}"))
}

/// The error of a deserializer for JSON of the wrong shape: a `SerializationException`.
pub fn unreadable<E: serde::de::Error>(message: impl Display) -> E {
    E::custom(format_args!("{UNREADABLE}{message}{UNREADABLE}"))
}

/// The service's error for the error of a deserializer: the message of [`invalid`] as [`StoreError::Validation`], that of
/// [`unreadable`] as [`StoreError::Serialization`], and whatever else went wrong as [`StoreError::Serialization`] too.
///
/// ```
/// use tabletheory_core::{StoreError, Value, json};
///
/// let error = serde_json::from_str::<Value>(r#"{"N":"many"}"#).unwrap_err();
/// let message = "The parameter cannot be converted to a numeric value: many";
/// assert_eq!(json::refusal(&error), StoreError::validation(message));
/// ```
pub fn refusal(error: &impl Display) -> StoreError {
    let text = error.to_string();
    let marked_with = |mark| text.strip_prefix(mark).and_then(|rest| rest.rsplit_once(mark));
    if let Some((message, _)) = marked_with(INVALID) {
        return StoreError::Validation(message.to_owned());
    }
    if let Some((message, _)) = marked_with(UNREADABLE) {
        return StoreError::Serialization(message.to_owned());
    }
    StoreError::Serialization(text)
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text(&mut Number::text_buffer()))
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        let name = self.kind().name();
        match self {
            Self::S(text) => map.serialize_entry(name, text),
            Self::N(number) => map.serialize_entry(name, number),
            Self::B(bytes) => map.serialize_entry(name, &Base64(bytes)),
            Self::Bool(flag) => map.serialize_entry(name, flag),
            Self::Null => map.serialize_entry(name, &true),
            Self::L(list) => map.serialize_entry(name, list),
            Self::M(item) => map.serialize_entry(name, item),
            Self::Ss(set) => map.serialize_entry(name, set),
            Self::Ns(set) => map.serialize_entry(name, set),
            Self::Bs(set) => map.serialize_entry(name, &Base64Set(set)),
        }?;
        map.end()
    }
}

struct Base64<'a>(&'a [u8]);

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.0))
    }
}

struct Base64Set<'a>(&'a std::collections::BTreeSet<Vec<u8>>);

impl Serialize for Base64Set<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut seq = serializer.serialize_seq(Some(self.0.len()))?;
        for bytes in self.0 {
            seq.serialize_element(&Base64(bytes))?;
        }
        seq.end()
    }
}
