//! Which item an operation is about: its table and its key, so that an answer finds its question, and two operations on one
//! item are noticed before they are sent.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use tabletheory_core::item::Name;
use tabletheory_core::{Item, Number, Value};

use crate::error::BulkFault;
use crate::model::KeyNames;

/// The table and the key of an item.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    table: String,
    key: Vec<(Name, Part)>,
}

/// A value as it can stand in a key.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Part {
    S(String),
    N(Number),
    B(Vec<u8>),
    /// No key has it; the store will say so.
    Other,
}

impl Identity {
    /// That of the item with this key.
    pub(super) fn of_key(table: &str, key: &Item) -> Self {
        let key = key.iter().map(|(name, value)| (name.into(), Part::from(value))).collect();
        Self { table: table.to_owned(), key }
    }

    /// That of a whole item in a table with these keys.
    pub(super) fn of_item(table: &str, item: &Item, keys: KeyNames) -> Self {
        Self::of_key(table, &keys.key(item))
    }
}

impl From<&Value> for Part {
    fn from(value: &Value) -> Self {
        match value {
            Value::S(text) => Self::S(text.clone()),
            Value::N(number) => Self::N(*number),
            Value::B(bytes) => Self::B(bytes.clone()),
            _ => Self::Other,
        }
    }
}

/// Where each item stands, of operations given with their places.
///
/// # Errors
/// If two operations are about the same item.
pub(super) fn places<'a>(
    operations: impl IntoIterator<Item = (usize, &'static str, &'a Identity)>,
) -> Result<HashMap<&'a Identity, usize>, BulkFault> {
    let mut places = HashMap::new();
    for (second, model, identity) in operations {
        if let Some(first) = places.insert(identity, second) {
            return Err(BulkFault::SameItem { model, table: identity.table.clone(), first, second });
        }
    }
    Ok(places)
}

/// Without the key: it is a value.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("table", &self.table).finish_non_exhaustive()
    }
}
