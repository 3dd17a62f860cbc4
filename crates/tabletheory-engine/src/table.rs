//! A table ready to be used: its definition as stored, and what follows from it: where its rows are, how their keys are
//! written, which indexes a write must keep.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, KeyElement, KeyRole, KeyType, Projection, Tag, Throughput,
};
use tabletheory_core::{Item, Timestamp};

use crate::kv::Space;
use crate::layout::RowShape;

/// A table's definition, as the catalog stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TableSpec {
    pub name: String,
    /// Never reused, so a table made again under the same name is another table.
    pub id: String,
    /// Names the space that holds the rows.
    pub number: u64,
    pub created_at: Timestamp,
    pub attributes: Vec<AttributeDefinition>,
    pub keys: Vec<KeyElement>,
    pub local_indexes: Vec<IndexSpec>,
    pub global_indexes: Vec<IndexSpec>,
    /// Names the space that holds the sizes of item collections; only tables with local indexes have them.
    pub collections: Option<u64>,
    pub billing: BillingMode,
    pub throughput: Throughput,
    /// The stream that records now.
    pub stream: Option<u64>,
    /// The newest stream, recording or not.
    pub latest_stream: Option<u64>,
    pub ttl: Option<String>,
    pub deletion_protection: bool,
    pub table_class: Option<String>,
    pub tags: Vec<Tag>,
}

/// An index's definition, as the catalog stores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct IndexSpec {
    pub name: String,
    /// Names the space that holds the rows.
    pub number: u64,
    pub keys: Vec<KeyElement>,
    pub projection: Projection,
    pub throughput: Throughput,
    /// Still being filled from a table that is older than the index.
    pub backfilling: bool,
}

impl TableSpec {
    /// The table's resource name.
    pub(crate) fn arn(&self) -> String {
        table_arn(&self.name)
    }

    /// The type of a key attribute.
    pub(crate) fn kind(&self, name: &str) -> KeyType {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name)
            .map(|attribute| attribute.kind)
            .expect("a table is made only if every key attribute is defined")
    }
}

/// What stands before a table's name in its resource name.
pub(crate) const TABLE_ARN_PREFIX: &str = "arn:aws:dynamodb:local:000000000000:table/";

/// The resource name of the table called `name`.
pub(crate) fn table_arn(name: &str) -> String {
    format!("{TABLE_ARN_PREFIX}{name}")
}

/// Where the rows of a table or of an index are, and how many there are.
#[derive(Debug)]
pub(crate) struct Rows {
    pub number: u64,
    pub space: Space,
    pub counts: Counts,
}

/// How many rows there are and how many bytes they take.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    items: AtomicU64,
    bytes: AtomicU64,
}

impl Counts {
    /// Counts as they were stored.
    pub(crate) fn from_stored(stored: &[u8]) -> Option<Self> {
        let (items, bytes) = stored.split_at_checked(8)?;
        let word = |bytes: &[u8]| Some(AtomicU64::new(u64::from_le_bytes(bytes.try_into().ok()?)));
        Some(Self { items: word(items)?, bytes: word(bytes)? })
    }

    /// Counts as they are stored, after these changes.
    pub(crate) fn stored_after(&self, items: i64, bytes: i64) -> [u8; 16] {
        let mut stored = [0; 16];
        stored[..8].copy_from_slice(&self.items().saturating_add_signed(items).to_le_bytes());
        stored[8..].copy_from_slice(&self.bytes().saturating_add_signed(bytes).to_le_bytes());
        stored
    }

    /// Makes the changes. Only the writer does.
    pub(crate) fn change(&self, items: i64, bytes: i64) {
        self.items.store(self.items().saturating_add_signed(items), Ordering::Relaxed);
        self.bytes.store(self.bytes().saturating_add_signed(bytes), Ordering::Relaxed);
    }

    pub(crate) fn items(&self) -> u64 {
        self.items.load(Ordering::Relaxed)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// A key attribute with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyPart {
    pub name: String,
    pub kind: KeyType,
    pub role: KeyRole,
}

/// An index of a table.
#[derive(Debug)]
pub(crate) struct Index {
    pub spec: IndexSpec,
    pub global: bool,
    pub keys: Vec<KeyPart>,
    pub shape: RowShape,
    pub rows: Arc<Rows>,
}

impl Index {
    /// Those of the attributes that rows of the index do not carry.
    pub(crate) fn lacks<'a>(&self, table: &Table, names: &[&'a str]) -> Vec<&'a str> {
        names.iter().copied().filter(|name| !self.carries(table, name)).collect()
    }

    /// Whether rows of the index carry this attribute.
    pub(crate) fn carries(&self, table: &Table, name: &str) -> bool {
        let is_key =
            self.shape.attributes().any(|key| key == name) || table.keys.iter().any(|key| key.name == name);
        is_key
            || match &self.spec.projection {
                Projection::All => true,
                Projection::KeysOnly => false,
                Projection::Include(names) => names.iter().any(|included| included == name),
            }
    }
}

/// A table, ready to be used. Changing a table makes a new value; readers keep the one they have.
#[derive(Debug)]
pub(crate) struct Table {
    pub spec: TableSpec,
    pub keys: Vec<KeyPart>,
    pub shape: RowShape,
    pub rows: Arc<Rows>,
    pub indexes: Vec<Index>,
    /// The sizes of item collections by partition, if the table has local indexes.
    pub collections: Option<Arc<Rows>>,
}

impl Table {
    /// The table that `spec` defines; `rows` gives the rows of a numbered space.
    pub(crate) fn new<E>(
        spec: TableSpec,
        mut rows: impl FnMut(u64) -> Result<Arc<Rows>, E>,
    ) -> Result<Self, E> {
        let parts = |keys: &[KeyElement]| -> Vec<KeyPart> {
            keys.iter()
                .map(|key| KeyPart { name: key.name.clone(), kind: spec.kind(&key.name), role: key.role })
                .collect()
        };
        let keys = parts(&spec.keys);
        let mut indexes = Vec::new();
        let local = spec.local_indexes.iter().map(|index| (index, false));
        let global = spec.global_indexes.iter().map(|index| (index, true));
        for (index, global) in local.chain(global) {
            let index_keys = parts(&index.keys);
            indexes.push(Index {
                spec: index.clone(),
                global,
                shape: shape(&index_keys, &keys),
                keys: index_keys,
                rows: rows(index.number)?,
            });
        }
        Ok(Self {
            shape: shape(&keys, &[]),
            rows: rows(spec.number)?,
            collections: spec.collections.map(rows).transpose()?,
            keys,
            indexes,
            spec,
        })
    }

    /// The index called `name`.
    pub(crate) fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.spec.name == name)
    }

    /// The key attributes of an item, which was checked to have them.
    pub(crate) fn key_of(&self, item: &Item) -> Item {
        let value = |name: &str| item.get(name).cloned().expect("the item was checked to have its key");
        self.keys.iter().map(|key| (key.name.clone(), value(&key.name))).collect()
    }

    /// Everything that holds rows of the table: its own, its indexes', its collections' sizes.
    pub(crate) fn all_rows(&self) -> impl Iterator<Item = &Arc<Rows>> {
        let indexes = self.indexes.iter().map(|index| &index.rows);
        std::iter::once(&self.rows).chain(indexes).chain(&self.collections)
    }
}

/// How rows with these keys are written; a key of an index is made unique by the rest of the table's.
fn shape(keys: &[KeyPart], table_keys: &[KeyPart]) -> RowShape {
    let named =
        |role: KeyRole| keys.iter().filter(move |key| key.role == role).map(|key| key.name.clone()).collect();
    let rest = table_keys.iter().filter(|part| keys.iter().all(|key| key.name != part.name));
    RowShape {
        partition: named(KeyRole::Hash),
        sort: named(KeyRole::Range),
        rest: rest.map(|part| part.name.clone()).collect(),
    }
}
