//! What a table is: keys, indexes, projections, and the settings around them. Checked by the stores, described by
//! `DescribeTable`.

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::value::ValueType;

/// The three types a key attribute can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyType {
    /// String, ordered by its UTF-8 bytes.
    S,
    /// Number, ordered by its value.
    N,
    /// Binary, ordered by its bytes, unsigned.
    B,
}

impl KeyType {
    /// Every type, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::S, Self::N, Self::B];

    /// The same type among all value types.
    #[must_use]
    pub fn value_type(self) -> ValueType {
        match self {
            Self::S => ValueType::S,
            Self::N => ValueType::N,
            Self::B => ValueType::B,
        }
    }

    /// `S`, `N` or `B`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.value_type().name()
    }

    /// The type called `name`, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The name and type of an attribute that a key uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeDefinition {
    /// The attribute's name.
    pub name: String,
    /// Its type.
    pub kind: KeyType,
}

/// What a key attribute does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyRole {
    /// Chooses the partition.
    Hash,
    /// Orders items inside the partition.
    Range,
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyElement {
    /// The attribute's name.
    pub name: String,
    /// Its role.
    pub role: KeyRole,
}

impl KeyElement {
    /// A partition key attribute.
    pub fn hash(name: impl Into<String>) -> Self {
        Self { name: name.into(), role: KeyRole::Hash }
    }

    /// A sort key attribute.
    pub fn range(name: impl Into<String>) -> Self {
        Self { name: name.into(), role: KeyRole::Range }
    }
}

/// Which attributes an index carries besides the keys.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Projection {
    /// Every attribute.
    #[default]
    All,
    /// Only the keys of the index and of the table.
    KeysOnly,
    /// The keys and these attributes.
    Include(Vec<String>),
}

/// Reads and writes per second that a provisioned table or index is paid for. The embedded engine records them and
/// never throttles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Throughput {
    /// Read units per second.
    pub read_units: u64,
    /// Write units per second.
    pub write_units: u64,
}

/// How a table is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BillingMode {
    /// By provisioned throughput.
    #[default]
    Provisioned,
    /// By request.
    PayPerRequest,
}

/// A global secondary index as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalIndex {
    /// Its name, unique in the table.
    pub name: String,
    /// Partition attributes (one to four), then sort attributes (none to four).
    pub keys: Vec<KeyElement>,
    /// What it carries.
    pub projection: Projection,
    /// Its provisioned throughput, when the table is provisioned.
    pub throughput: Option<Throughput>,
}

/// A local secondary index as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalIndex {
    /// Its name, unique in the table.
    pub name: String,
    /// The table's partition attribute and the index's own sort attribute.
    pub keys: Vec<KeyElement>,
    /// What it carries.
    pub projection: Projection,
}

/// Which images of an item a stream record carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum StreamView {
    /// Only the key.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before the change.
    OldImage,
    /// Both.
    NewAndOldImages,
}

impl StreamView {
    /// Every view, in the order of the enum.
    pub const ALL: [Self; 4] = [Self::KeysOnly, Self::NewImage, Self::OldImage, Self::NewAndOldImages];

    /// The name the service uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::KeysOnly => "KEYS_ONLY",
            Self::NewImage => "NEW_IMAGE",
            Self::OldImage => "OLD_IMAGE",
            Self::NewAndOldImages => "NEW_AND_OLD_IMAGES",
        }
    }

    /// The view called `name`, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// A label on a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Its key, unique on the table.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// Where a table or an index stands in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableStatus {
    /// Being made.
    Creating,
    /// Ready.
    Active,
    /// Being changed.
    Updating,
    /// Being removed.
    Deleting,
}

impl TableStatus {
    /// Every status, in the order of the enum.
    pub const ALL: [Self; 4] = [Self::Creating, Self::Active, Self::Updating, Self::Deleting];

    /// The name the service uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Creating => "CREATING",
            Self::Active => "ACTIVE",
            Self::Updating => "UPDATING",
            Self::Deleting => "DELETING",
        }
    }

    /// The status called `name`, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// An index as `DescribeTable` tells of it, global or local.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexDescription {
    /// Its name.
    pub name: String,
    /// Its keys.
    pub keys: Vec<KeyElement>,
    /// What it carries.
    pub projection: Projection,
    /// Its state; local indexes have none.
    pub status: Option<TableStatus>,
    /// Whether a new global index is still being filled.
    pub backfilling: Option<bool>,
    /// Its provisioned throughput; local indexes have none.
    pub throughput: Option<Throughput>,
    /// Its size, as of the last count.
    pub size_bytes: u64,
    /// Its items, as of the last count.
    pub item_count: u64,
    /// Its resource name.
    pub arn: String,
}

/// A table's stream as `DescribeTable` tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamDescription {
    /// What its records carry.
    pub view: StreamView,
    /// Its label, the time it was enabled.
    pub label: String,
    /// Its resource name.
    pub arn: String,
    /// Whether it still records; a stream outlives its end by a day.
    pub enabled: bool,
}

/// A table as `DescribeTable` tells of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TableDescription {
    /// Its name.
    pub name: String,
    /// Its identifier, never reused.
    pub id: String,
    /// Its resource name.
    pub arn: String,
    /// Its state.
    pub status: TableStatus,
    /// When it was made.
    pub created_at: Timestamp,
    /// The types of all key attributes.
    pub attributes: Vec<AttributeDefinition>,
    /// Its key.
    pub keys: Vec<KeyElement>,
    /// Its local indexes.
    pub local_indexes: Vec<IndexDescription>,
    /// Its global indexes.
    pub global_indexes: Vec<IndexDescription>,
    /// How it is paid for.
    pub billing: BillingMode,
    /// Its provisioned throughput; zero when it is paid by request.
    pub throughput: Throughput,
    /// Its newest stream, if it ever had one that is still kept.
    pub stream: Option<StreamDescription>,
    /// Whether `DeleteTable` is refused.
    pub deletion_protection: bool,
    /// `STANDARD` or `STANDARD_INFREQUENT_ACCESS`, as asked for.
    pub table_class: Option<String>,
    /// Its size, as of the last count.
    pub size_bytes: u64,
    /// Its items, as of the last count.
    pub item_count: u64,
}
