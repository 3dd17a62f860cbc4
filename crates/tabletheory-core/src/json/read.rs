//! Reading DynamoDB JSON. The texts of wrong types name the classes of the service's own reader, as it does.
//!
//! `ValueSeed` reads `{"N":"12"}`; `Member` reads what stands behind the type's name.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::{invalid, unreadable};
use crate::item::Item;
use crate::limits::NESTING_MAX;
use crate::number::Number;
use crate::validate::{EMPTY_BINARY_SET, EMPTY_NUMBER_SET, EMPTY_STRING_SET, NESTED_TOO_DEEP};
use crate::value::{Value, ValueType};

const NO_TYPE: &str = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
const MANY_TYPES: &str = "Supplied AttributeValue has more than one datatypes set, \
     must contain exactly one of the supported datatypes";
const NOT_TRUE: &str =
    "One or more parameter values were invalid: Null attribute value types must have the value of true";
const NULL_STRING: &str =
    "One or more parameter values were invalid: An string set may not have a null string as a member";
const NULL_BINARY: &str =
    "One or more parameter values were invalid: Binary sets may not contain null or empty values";
const NULL_NUMBER: &str = "The parameter cannot be converted to a numeric value";
const DUPLICATE_NUMBERS: &str = "Input collection contains duplicates";
const UNEXPECTED_FIELD: &str = "Unexpected field type";

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ValueSeed { level: 1 }.deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let member = Member { kind: ValueType::M, level: 0 }.deserialize(deserializer)?;
        match member {
            Some(Value::M(item)) => Ok(item),
            _ => Err(unreadable(UNEXPECTED_FIELD)),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let member = Member { kind: ValueType::N, level: 0 }.deserialize(deserializer)?;
        match member {
            Some(Value::N(number)) => Ok(number),
            _ => Err(invalid(NULL_NUMBER)),
        }
    }
}

/// Reads a value with its type. An attribute's value is at level one, what it contains at level two.
#[derive(Clone, Copy)]
struct ValueSeed {
    level: usize,
}

impl<'de> DeserializeSeed<'de> for ValueSeed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.level > NESTING_MAX {
            return Err(invalid(NESTED_TOO_DEEP));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueSeed {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an attribute value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut found: Option<Value> = None;
        let mut many = false;
        // A value of two types is refused at its end, because the service would rather speak of a bad number in it.
        while let Some(kind) = map.next_key_seed(KindSeed)? {
            let Some(kind) = kind else {
                // The service passes over members it does not know.
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let Some(value) = map.next_value_seed(Member { kind, level: self.level })? else { continue };
            if found.as_ref().is_some_and(|first| first.kind() == kind) {
                return Err(unreadable(format_args!("Duplicate field {}", kind.name())));
            }
            many |= found.replace(value).is_some();
        }
        if many {
            return Err(invalid(MANY_TYPES));
        }
        found.ok_or_else(|| invalid(NO_TYPE))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Err(invalid(NO_TYPE))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Value, A::Error> {
        Err(unreadable("Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Value, E> {
        Err(unreadable("Unexpected value type in payload"))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Value, E> {
        self.visit_str("")
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Value, E> {
        self.visit_str("")
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Value, E> {
        self.visit_str("")
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Value, E> {
        self.visit_str("")
    }
}

/// Reads the name of a type, or that it is none.
struct KindSeed;

impl<'de> DeserializeSeed<'de> for KindSeed {
    type Value = Option<ValueType>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KindSeed {
    type Value = Option<ValueType>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a type")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(ValueType::from_name(name))
    }
}

/// Reads a value whose type is known. A JSON null is no value.
#[derive(Clone, Copy)]
struct Member {
    kind: ValueType,
    level: usize,
}

impl<'de> DeserializeSeed<'de> for Member {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Member {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of type {}", self.kind.name())
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        match self.kind {
            ValueType::S => Ok(Some(Value::S(text.to_owned()))),
            ValueType::N => text.parse().map(|number| Some(Value::N(number))).map_err(invalid),
            ValueType::B => read_base64(text).map(|bytes| Some(Value::B(bytes))),
            ValueType::Bool => Err(unreadable("Unexpected token received from parser")),
            ValueType::Null => Err(invalid(NOT_TRUE)),
            _ => Err(unreadable(UNEXPECTED_FIELD)),
        }
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        match self.kind {
            ValueType::S => Ok(Some(Value::S(text))),
            _ => self.visit_str(&text),
        }
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        match self.kind {
            ValueType::Bool => Ok(Some(Value::Bool(flag))),
            ValueType::Null if flag => Ok(Some(Value::Null)),
            ValueType::Null => Err(invalid(NOT_TRUE)),
            _ => Err(self.wrong_scalar(if flag { "TRUE_VALUE" } else { "FALSE_VALUE" })),
        }
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Err(self.wrong_scalar("NUMBER_VALUE"))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Err(self.wrong_scalar("NUMBER_VALUE"))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Err(self.wrong_scalar("DECIMAL_VALUE"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        match self.kind {
            ValueType::L => read_list(seq, self.level + 1).map(|list| Some(Value::L(list))),
            ValueType::Ss => read_string_set(seq).map(|set| Some(Value::Ss(set))),
            ValueType::Ns => read_number_set(seq).map(|set| Some(Value::Ns(set))),
            ValueType::Bs => read_binary_set(seq).map(|set| Some(Value::Bs(set))),
            _ => Err(self.wrong_collection()),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        match self.kind {
            ValueType::M => read_item(map, self.level + 1).map(|item| Some(Value::M(item))),
            _ => Err(unreadable("Start of structure or map found where not expected")),
        }
    }
}

impl Member {
    fn wrong_scalar<E: Error>(self, token: &str) -> E {
        match self.kind {
            ValueType::S | ValueType::N => unreadable(format_args!("{token} cannot be converted to String")),
            ValueType::B => unreadable("only base-64-encoded strings are convertible to bytes"),
            ValueType::Bool | ValueType::Null => {
                unreadable(format_args!("{token} cannot be converted to Boolean"))
            }
            _ => unreadable(UNEXPECTED_FIELD),
        }
    }

    fn wrong_collection<E: Error>(self) -> E {
        let class = match self.kind {
            ValueType::B => "class java.nio.ByteBuffer",
            ValueType::Bool | ValueType::Null => "class java.lang.Boolean",
            ValueType::M => {
                "java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"
            }
            _ => "class java.lang.String",
        };
        unreadable(format_args!("Unrecognized collection type {class}"))
    }
}

fn read_list<'de, A: SeqAccess<'de>>(mut seq: A, level: usize) -> Result<Vec<Value>, A::Error> {
    let mut list = Vec::new();
    while let Some(value) = seq.next_element_seed(ValueSeed { level })? {
        list.push(value);
    }
    Ok(list)
}

fn read_item<'de, A: MapAccess<'de>>(mut map: A, level: usize) -> Result<Item, A::Error> {
    let mut attributes: Vec<(String, Value)> = Vec::new();
    while let Some(name) = map.next_key()? {
        attributes.push((name, map.next_value_seed(ValueSeed { level })?));
    }
    // An item takes names in order at no cost, but would move everything for each name that comes too early.
    attributes.sort_by(|(left, _), (right, _)| left.cmp(right));
    let mut item = Item::with_capacity(attributes.len());
    for pair in attributes.windows(2) {
        if pair[0].0 == pair[1].0 {
            return Err(unreadable(format_args!("Duplicate attribute name {}", pair[0].0)));
        }
    }
    for (name, value) in attributes {
        item.insert(name, value);
    }
    Ok(item)
}

fn read_string_set<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<BTreeSet<String>, A::Error> {
    let mut members = Vec::new();
    while let Some(member) = seq.next_element_seed(Member { kind: ValueType::S, level: 0 })? {
        let Some(Value::S(text)) = member else { return Err(invalid(NULL_STRING)) };
        members.push(text);
    }
    if members.is_empty() {
        return Err(invalid(EMPTY_STRING_SET));
    }
    if has_duplicates(&members) {
        return Err(invalid(format_args!(
            "One or more parameter values were invalid: Input collection [{}] contains duplicates.",
            members.join(", ")
        )));
    }
    Ok(members.into_iter().collect())
}

fn read_number_set<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<BTreeSet<Number>, A::Error> {
    let mut members = Vec::new();
    while let Some(member) = seq.next_element_seed(Member { kind: ValueType::N, level: 0 })? {
        let Some(Value::N(number)) = member else { return Err(invalid(NULL_NUMBER)) };
        members.push(number);
    }
    if members.is_empty() {
        return Err(invalid(EMPTY_NUMBER_SET));
    }
    if has_duplicates(&members) {
        return Err(invalid(DUPLICATE_NUMBERS));
    }
    Ok(members.into_iter().collect())
}

fn read_binary_set<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<BTreeSet<Vec<u8>>, A::Error> {
    let mut members = Vec::new();
    while let Some(member) = seq.next_element_seed(Member { kind: ValueType::B, level: 0 })? {
        let Some(Value::B(bytes)) = member else { return Err(invalid(NULL_BINARY)) };
        members.push(bytes);
    }
    if members.is_empty() {
        return Err(invalid(EMPTY_BINARY_SET));
    }
    if has_duplicates(&members) {
        let members: Vec<String> = members.iter().map(|bytes| STANDARD.encode(bytes)).collect();
        // The missing blank is the service's.
        return Err(invalid(format_args!(
            "One or more parameter values were invalid: Input collection [{}]of type BS contains duplicates.",
            members.join(", ")
        )));
    }
    Ok(members.into_iter().collect())
}

fn has_duplicates<T: Ord>(members: &[T]) -> bool {
    let mut sorted: Vec<&T> = members.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

fn read_base64<E: Error>(text: &str) -> Result<Vec<u8>, E> {
    if !text.len().is_multiple_of(4) {
        return Err(unreadable(format_args!(
            "Base64 encoded length is expected a multiple of 4 bytes but found: {}",
            text.len()
        )));
    }
    // The misspelling is the service's, and it says so of any other fault.
    STANDARD.decode(text).map_err(|_| unreadable("Invalid last non-pad Base64 character dectected"))
}
