//! What is encrypted: an attribute value as compact JSON in the toolkits' own form, such as `{"t":"S","s":"text"}`, with
//! the members of maps in the order of their names. Every member is written; a missing one is read as empty, because
//! the Go toolkit leaves empty ones out.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use tabletheory_core::limits::NESTING_MAX;
use tabletheory_core::{Item, Number, Value, ValueType};

/// The value as bytes, or nothing if it has more levels than an attribute may have: `decode` would not read it back.
pub(super) fn encode(value: &Value) -> Option<Vec<u8>> {
    serde_json::to_vec(&Form { value, level: 1 }).ok()
}

/// The value that the bytes say, if they are of the form.
pub(super) fn decode(bytes: &[u8]) -> Option<Value> {
    // The reader's error is dropped, because it may repeat what it read.
    let members: Members = serde_json::from_slice(bytes).ok()?;
    members.into_value(1)
}

struct Form<'a> {
    value: &'a Value,
    level: usize,
}

impl<'a> Form<'a> {
    fn inside(&self, value: &'a Value) -> Self {
        Self { value, level: self.level + 1 }
    }
}

impl Serialize for Form<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The level is checked before descending, so the stack stays small however deep the value is.
        if self.level > NESTING_MAX {
            return Err(S::Error::custom("nested too deep"));
        }
        let mut form = serializer.serialize_map(Some(2))?;
        form.serialize_entry("t", self.value.kind().name())?;
        match self.value {
            Value::S(text) => form.serialize_entry("s", text),
            Value::N(number) => form.serialize_entry("n", number),
            Value::B(bytes) => form.serialize_entry("b", &STANDARD.encode(bytes)),
            Value::Bool(flag) => form.serialize_entry("bool", flag),
            Value::Null => form.serialize_entry("null", &true),
            Value::L(list) => {
                let list: Vec<Self> = list.iter().map(|value| self.inside(value)).collect();
                form.serialize_entry("l", &list)
            }
            Value::M(map) => {
                let map: BTreeMap<&str, Self> =
                    map.iter().map(|(name, value)| (name, self.inside(value))).collect();
                form.serialize_entry("m", &map)
            }
            Value::Ss(set) => form.serialize_entry("ss", set),
            Value::Ns(set) => form.serialize_entry("ns", set),
            Value::Bs(set) => {
                let set: Vec<String> = set.iter().map(|bytes| STANDARD.encode(bytes)).collect();
                form.serialize_entry("bs", &set)
            }
        }?;
        form.end()
    }
}

/// The members of a form as they are read, before it is known which of them belong together.
#[derive(Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    t: String,
    s: Option<String>,
    n: Option<String>,
    b: Option<String>,
    bool: Option<bool>,
    null: Option<bool>,
    l: Option<Vec<Members>>,
    m: Option<BTreeMap<String, Members>>,
    ss: Option<Vec<String>>,
    ns: Option<Vec<String>>,
    bs: Option<Vec<String>>,
}

impl Members {
    fn into_value(mut self, level: usize) -> Option<Value> {
        if level > NESTING_MAX {
            return None;
        }
        let kind = ValueType::from_name(&std::mem::take(&mut self.t))?;
        let value = self.take(kind, level)?;
        // A member of another type would have to be ignored, and with it perhaps the value that was meant.
        (self == Self::default()).then_some(value)
    }

    fn take(&mut self, kind: ValueType, level: usize) -> Option<Value> {
        Some(match kind {
            ValueType::S => Value::S(self.s.take().unwrap_or_default()),
            ValueType::N => Value::N(self.n.take()?.parse().ok()?),
            ValueType::B => Value::B(binary(&self.b.take().unwrap_or_default())?),
            ValueType::Bool => Value::Bool(self.bool.take().unwrap_or_default()),
            ValueType::Null => self.null.take().unwrap_or(true).then_some(Value::Null)?,
            ValueType::L => Value::L(list(self.l.take().unwrap_or_default(), level + 1)?),
            ValueType::M => Value::M(map(self.m.take().unwrap_or_default(), level + 1)?),
            ValueType::Ss => Value::Ss(self.ss.take().unwrap_or_default().into_iter().collect()),
            ValueType::Ns => {
                Value::Ns(set(&self.ns.take().unwrap_or_default(), |text| text.parse::<Number>().ok())?)
            }
            ValueType::Bs => Value::Bs(set(&self.bs.take().unwrap_or_default(), binary)?),
        })
    }
}

fn binary(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

fn list(members: Vec<Members>, level: usize) -> Option<Vec<Value>> {
    members.into_iter().map(|member| member.into_value(level)).collect()
}

fn map(members: BTreeMap<String, Members>, level: usize) -> Option<Item> {
    let mut map = Item::with_capacity(members.len());
    for (name, member) in members {
        map.insert(name, member.into_value(level)?);
    }
    Some(map)
}

// A member that is there twice is there: the other toolkits do not check a set that the service never sees.
fn set<T: Ord>(texts: &[String], read: impl Fn(&str) -> Option<T>) -> Option<BTreeSet<T>> {
    texts.iter().map(|text| read(text)).collect()
}
