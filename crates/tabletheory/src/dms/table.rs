//! The table that a model of a document needs.

use tabletheory_core::schema::{AttributeDefinition, BillingMode, GlobalIndex, KeyElement, LocalIndex};
use tabletheory_core::store::op::CreateTable;

use super::document::{IndexDefinition, KeyDefinition, ModelDefinition};
use crate::model::IndexScope;

impl ModelDefinition {
    /// The request that makes its table, paid by request. Time to live is a request of its own.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory::dms::Document;
    ///
    /// #[derive(Model)]
    /// #[model(table = "users", index(name = "by_city", pk = city))]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    ///     city: String,
    /// }
    ///
    /// let document = Document::of::<User>()?;
    /// assert_eq!(document.models[0].create_table(), User::SCHEMA.create_table("users"));
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    #[must_use]
    pub fn create_table(&self) -> CreateTable {
        let of = |scope| self.indexes.iter().filter(move |index| index.scope == scope);
        let local = |index: &IndexDefinition| LocalIndex {
            name: index.name.clone(),
            keys: keys(&index.partition, index.sort.as_ref()),
            projection: index.projection.clone(),
        };
        let global = |index: &IndexDefinition| GlobalIndex {
            name: index.name.clone(),
            keys: keys(&index.partition, index.sort.as_ref()),
            projection: index.projection.clone(),
            throughput: None,
        };
        CreateTable {
            table: self.table.clone(),
            attributes: self.definitions(),
            keys: keys(&self.partition, self.sort.as_ref()),
            local_indexes: of(IndexScope::Local).map(local).collect(),
            global_indexes: of(IndexScope::Global).map(global).collect(),
            billing: BillingMode::PayPerRequest,
            ..CreateTable::default()
        }
    }

    /// The attribute by which its items expire.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory::dms::Document;
    ///
    /// #[derive(Model)]
    /// #[model(table = "sessions")]
    /// struct Session {
    ///     #[model(pk)]
    ///     id: String,
    ///     #[model(ttl)]
    ///     ends: u64,
    /// }
    ///
    /// assert_eq!(Document::of::<Session>()?.models[0].time_to_live(), Some("ends"));
    /// # Ok::<(), tabletheory::dms::DmsError>(())
    /// ```
    #[must_use]
    pub fn time_to_live(&self) -> Option<&str> {
        let expires =
            self.attributes.iter().find(|attribute| attribute.roles.iter().any(|role| role == "ttl"));
        expires.map(|attribute| attribute.attribute.as_str())
    }

    /// The attributes of all keys, each once: the service refuses one that is defined twice.
    fn definitions(&self) -> Vec<AttributeDefinition> {
        let own = std::iter::once(&self.partition).chain(&self.sort);
        let indexes =
            self.indexes.iter().flat_map(|index| std::iter::once(&index.partition).chain(&index.sort));
        let mut definitions: Vec<AttributeDefinition> = Vec::new();
        for key in own.chain(indexes) {
            if definitions.iter().all(|known| known.name != key.attribute) {
                definitions.push(AttributeDefinition { name: key.attribute.clone(), kind: key.kind });
            }
        }
        definitions
    }
}

fn keys(partition: &KeyDefinition, sort: Option<&KeyDefinition>) -> Vec<KeyElement> {
    let sort = sort.map(|sort| KeyElement::range(&sort.attribute));
    std::iter::once(KeyElement::hash(&partition.attribute)).chain(sort).collect()
}
