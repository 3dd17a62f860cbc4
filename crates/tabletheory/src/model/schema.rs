//! The keys, indexes and roles of a model as constants, and the table they describe.

use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, LocalIndex, Projection,
};
use tabletheory_core::store::op::CreateTable;

use super::attribute_info::AttributeInfo;

/// What a model says about its table.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app", index(name = "by_city", pk = city))]
/// struct User {
///     #[model(pk)]
///     id: String,
///     city: String,
///     #[model(ttl)]
///     ends: Option<u64>,
/// }
///
/// assert_eq!(User::SCHEMA.partition.name, "id");
/// assert_eq!(User::SCHEMA.indexes[0].partition[0].name, "city");
/// assert_eq!(User::SCHEMA.ttl, Some("ends"));
/// let table = User::SCHEMA.create_table("app");
/// assert_eq!(table.attributes.len(), 2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// The name of the model.
    pub model: &'static str,
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key, if items have one.
    pub sort: Option<KeyAttribute>,
    /// The indexes.
    pub indexes: &'static [Index],
    /// The attribute that says until when an item lives.
    pub ttl: Option<&'static str>,
    /// The attribute that counts updates.
    pub version: Option<&'static str>,
    /// The attribute that says when an item was made.
    pub created_at: Option<&'static str>,
    /// The attribute that says when an item was changed.
    pub updated_at: Option<&'static str>,
    /// The attributes that the table keeps encrypted.
    pub encrypted: &'static [&'static str],
    /// All attributes of the items.
    pub attributes: &'static [AttributeInfo],
}

/// An attribute that is part of a key.
///
/// ```
/// use tabletheory::model::KeyAttribute;
/// use tabletheory_core::schema::KeyType;
///
/// let id = KeyAttribute { name: "id", kind: KeyType::S };
/// assert_eq!(id.kind.name(), "S");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: KeyType,
}

/// An index of a model's table.
///
/// ```
/// use tabletheory::model::{Index, IndexProjection, IndexScope, KeyAttribute};
/// use tabletheory_core::schema::KeyType;
///
/// const BY_CITY: Index = Index {
///     name: "by_city",
///     scope: IndexScope::Global,
///     partition: &[KeyAttribute { name: "city", kind: KeyType::S }],
///     sort: &[],
///     projection: IndexProjection::Keys,
/// };
/// assert_eq!(BY_CITY.partition.len(), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    /// Over the whole table or inside each partition.
    pub scope: IndexScope,
    /// One to four partition attributes.
    pub partition: &'static [KeyAttribute],
    /// None to four sort attributes.
    pub sort: &'static [KeyAttribute],
    /// What it carries.
    pub projection: IndexProjection,
}

/// How far an index reaches.
///
/// ```
/// assert_ne!(tabletheory::model::IndexScope::Global, tabletheory::model::IndexScope::Local);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexScope {
    /// Over the whole table.
    Global,
    /// Inside each partition of the table.
    Local,
}

/// Which attributes an index carries besides the keys.
///
/// ```
/// use tabletheory::model::IndexProjection;
/// use tabletheory_core::schema::Projection;
///
/// assert_eq!(Projection::from(IndexProjection::Include(&["a"])), Projection::Include(vec!["a".into()]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexProjection {
    /// Every attribute.
    All,
    /// Only the keys of the index and of the table.
    Keys,
    /// The keys and these attributes.
    Include(&'static [&'static str]),
}

impl From<IndexProjection> for Projection {
    fn from(projection: IndexProjection) -> Self {
        match projection {
            IndexProjection::All => Self::All,
            IndexProjection::Keys => Self::KeysOnly,
            IndexProjection::Include(names) => {
                Self::Include(names.iter().map(|name| (*name).into()).collect())
            }
        }
    }
}

impl Index {
    fn keys(&self) -> Vec<KeyElement> {
        let partition = self.partition.iter().map(|key| KeyElement::hash(key.name));
        partition.chain(self.sort.iter().map(|key| KeyElement::range(key.name))).collect()
    }
}

impl Schema {
    /// The request that makes the table, paid by request. Time to live is a request of its own.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
    /// # struct Profile { id: String }
    /// let request = Profile::SCHEMA.create_table("app");
    /// assert_eq!((request.table.as_str(), request.keys.len()), ("app", 2));
    /// ```
    #[must_use]
    pub fn create_table(&self, table: &str) -> CreateTable {
        let mut keys = vec![KeyElement::hash(self.partition.name)];
        keys.extend(self.sort.map(|sort| KeyElement::range(sort.name)));
        let of = |scope| self.indexes.iter().filter(move |index| index.scope == scope);
        let local = |index: &Index| LocalIndex {
            name: index.name.into(),
            keys: index.keys(),
            projection: index.projection.into(),
        };
        let global = |index: &Index| GlobalIndex {
            name: index.name.into(),
            keys: index.keys(),
            projection: index.projection.into(),
            throughput: None,
        };
        CreateTable {
            table: table.into(),
            attributes: self.definitions(),
            keys,
            local_indexes: of(IndexScope::Local).map(local).collect(),
            global_indexes: of(IndexScope::Global).map(global).collect(),
            billing: BillingMode::PayPerRequest,
            ..CreateTable::default()
        }
    }

    /// The attributes of all keys, each once: the service refuses one that is defined twice.
    fn definitions(&self) -> Vec<AttributeDefinition> {
        let own = [Some(self.partition), self.sort].into_iter().flatten();
        let indexes = self.indexes.iter().flat_map(|index| index.partition.iter().chain(index.sort)).copied();
        let mut definitions: Vec<AttributeDefinition> = Vec::new();
        for key in own.chain(indexes) {
            if definitions.iter().all(|known| known.name != key.name) {
                definitions.push(AttributeDefinition { name: key.name.into(), kind: key.kind });
            }
        }
        definitions
    }
}
