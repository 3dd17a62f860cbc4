//! A table of the model: its definition, and its items in an ordered map.

use std::collections::BTreeMap;

use tabletheory_core::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use tabletheory_core::schema::{KeyElement, KeyRole, KeyType, Projection};
use tabletheory_core::size::value_bytes;
use tabletheory_core::store::op::CreateTable;
use tabletheory_core::{Item, Number, StoreError, Value};

/// A key attribute's value, in the order of the service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyValue {
    S(String),
    N(Number),
    B(Vec<u8>),
}

/// The values of several key attributes, compared one after the other.
pub(crate) type Key = Vec<KeyValue>;

impl KeyValue {
    pub(crate) fn new(value: &Value) -> Option<Self> {
        match value {
            Value::S(text) => Some(Self::S(text.clone())),
            Value::N(number) => Some(Self::N(*number)),
            Value::B(bytes) => Some(Self::B(bytes.clone())),
            _ => None,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub name: String,
    pub global: bool,
    pub keys: Vec<KeyElement>,
    pub projection: Projection,
    /// Made after its table, and not ready to be read.
    pub filling: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub keys: Vec<KeyElement>,
    pub kinds: BTreeMap<String, KeyType>,
    pub indexes: Vec<Index>,
    pub ttl: Option<String>,
    /// The stream that records, by its place in the history.
    pub stream: Option<usize>,
    pub items: BTreeMap<Key, Item>,
}

/// A refusal. Which words it comes with is not the model's business.
pub(crate) fn refused() -> StoreError {
    StoreError::validation("")
}

impl Table {
    pub(crate) fn new(request: &CreateTable) -> Self {
        let local = request.local_indexes.iter().map(|index| Index {
            name: index.name.clone(),
            global: false,
            keys: index.keys.clone(),
            projection: index.projection.clone(),
            filling: false,
        });
        let global = request.global_indexes.iter().map(|index| Index {
            name: index.name.clone(),
            global: true,
            keys: index.keys.clone(),
            projection: index.projection.clone(),
            filling: false,
        });
        Self {
            keys: request.keys.clone(),
            kinds: request.attributes.iter().map(|known| (known.name.clone(), known.kind)).collect(),
            indexes: local.chain(global).collect(),
            ttl: None,
            stream: None,
            items: BTreeMap::new(),
        }
    }

    pub(crate) fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Whether the value can be a key: of the right type, not empty, not too long.
    pub(crate) fn fits(&self, part: &KeyElement, value: &Value) -> bool {
        let limit = match part.role {
            KeyRole::Hash => PARTITION_KEY_BYTES_MAX,
            KeyRole::Range => SORT_KEY_BYTES_MAX,
        };
        value.kind() == self.kinds[&part.name].value_type() && (1..=limit).contains(&value_bytes(value))
    }

    /// The key of an item or of a request, if it has one.
    pub(crate) fn key(&self, item: &Item) -> Option<Key> {
        let value = |part: &KeyElement| item.get(&part.name).filter(|value| self.fits(part, value));
        self.keys.iter().map(|part| KeyValue::new(value(part)?)).collect()
    }

    /// The key that a request names: this and nothing else.
    pub(crate) fn named_key(&self, key: &Item) -> Result<Key, StoreError> {
        self.key(key).filter(|_| key.len() == self.keys.len()).ok_or_else(refused)
    }

    pub(crate) fn key_attributes(&self, item: &Item) -> Item {
        self.keys.iter().map(|part| (part.name.clone(), item.get(&part.name).unwrap().clone())).collect()
    }

    /// Whether these attributes have the types of the indexes whose keys they are.
    pub(crate) fn index_key_types_fit(&self, attributes: &Item) -> bool {
        self.indexes.iter().flat_map(|index| &index.keys).all(|part| {
            attributes.get(&part.name).is_none_or(|value| value.kind() == self.kinds[&part.name].value_type())
        })
    }

    /// Whether one of these attributes is there and empty.
    pub(crate) fn has_empty<'p>(mut parts: impl Iterator<Item = &'p KeyElement>, item: &Item) -> bool {
        parts.any(|part| match item.get(&part.name) {
            Some(Value::S(text)) => text.is_empty(),
            Some(Value::B(bytes)) => bytes.is_empty(),
            _ => false,
        })
    }

    /// Whether index keys that `new` has and `old` had not are fit for their indexes.
    pub(crate) fn index_keys_fit(&self, old: Option<&Item>, new: &Item) -> bool {
        self.indexes.iter().flat_map(|index| &index.keys).all(|part| {
            let value = new.get(&part.name);
            let kept = old.is_some_and(|old| old.get(&part.name) == value);
            kept || value.is_none_or(|value| self.fits(part, value))
        })
    }
}
