//! Tables as they are asked for ([`Shape`], [`Index`]) and, once made, as the sender of requests ([`Table`]).

use crate::expr::{Action, KeyCondition, Update};
use crate::item::Item;
use crate::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, LocalIndex, Projection, StreamView,
};
use crate::store::op::{
    CreateTable, DeleteItem, DescribeTable, GetItem, OnConditionFailure, PutItem, Query, Scan,
    TransactAction, TransactGet, TransactWrite, UpdateItem,
};

/// A table to be made: paid by request unless the case says otherwise. The world gives it its name.
#[derive(Debug, Clone)]
pub(in crate::store::contract) struct Shape(pub(in crate::store::contract) CreateTable);

impl Shape {
    /// A table whose partition key is the string `pk`.
    pub(in crate::store::contract) fn plain() -> Self {
        Self::partition("pk", KeyType::S)
    }

    /// A table whose keys are the string `pk` and `sk` of this type.
    pub(in crate::store::contract) fn sorted(kind: KeyType) -> Self {
        Self::plain().sort("sk", kind)
    }

    /// A table with this partition key.
    pub(in crate::store::contract) fn partition(name: &str, kind: KeyType) -> Self {
        Self(CreateTable {
            attributes: vec![AttributeDefinition { name: name.to_owned(), kind }],
            keys: vec![KeyElement::hash(name)],
            billing: BillingMode::PayPerRequest,
            ..CreateTable::default()
        })
    }

    /// And this sort key.
    pub(in crate::store::contract) fn sort(mut self, name: &str, kind: KeyType) -> Self {
        self.0.keys.push(KeyElement::range(name));
        self.define(name, kind)
    }

    /// And this attribute's type.
    pub(in crate::store::contract) fn define(mut self, name: &str, kind: KeyType) -> Self {
        if self.0.attributes.iter().all(|known| known.name != name) {
            self.0.attributes.push(AttributeDefinition { name: name.to_owned(), kind });
        }
        self
    }

    /// And this global index.
    pub(in crate::store::contract) fn global(mut self, index: Index) -> Self {
        self.0.global_indexes.push(index.global());
        index.attributes.into_iter().fold(self, |shape, known| shape.define(&known.name, known.kind))
    }

    /// And this local index.
    pub(in crate::store::contract) fn local(mut self, index: Index) -> Self {
        self.0.local_indexes.push(LocalIndex {
            name: index.name,
            keys: index.keys,
            projection: index.projection,
        });
        index.attributes.into_iter().fold(self, |shape, known| shape.define(&known.name, known.kind))
    }

    /// And a stream.
    pub(in crate::store::contract) fn stream(mut self, view: StreamView) -> Self {
        self.0.stream = Some(view);
        self
    }
}

/// An index to be made, carrying everything unless the case says otherwise.
#[derive(Debug, Clone)]
pub(in crate::store::contract) struct Index {
    name: String,
    keys: Vec<KeyElement>,
    projection: Projection,
    /// The types of its keys.
    pub(in crate::store::contract) attributes: Vec<AttributeDefinition>,
}

impl Index {
    /// An index called so, as yet without keys.
    pub(in crate::store::contract) fn named(name: &str) -> Self {
        Self { name: name.to_owned(), keys: Vec::new(), projection: Projection::All, attributes: Vec::new() }
    }

    /// And this partition attribute.
    pub(in crate::store::contract) fn hash(mut self, name: &str, kind: KeyType) -> Self {
        self.keys.push(KeyElement::hash(name));
        self.attributes.push(AttributeDefinition { name: name.to_owned(), kind });
        self
    }

    /// And this sort attribute.
    pub(in crate::store::contract) fn range(mut self, name: &str, kind: KeyType) -> Self {
        self.keys.push(KeyElement::range(name));
        self.attributes.push(AttributeDefinition { name: name.to_owned(), kind });
        self
    }

    /// Carrying only the keys.
    pub(in crate::store::contract) fn keys_only(mut self) -> Self {
        self.projection = Projection::KeysOnly;
        self
    }

    /// Carrying the keys and these attributes.
    pub(in crate::store::contract) fn include(mut self, names: &[&str]) -> Self {
        self.projection = Projection::Include(names.iter().map(|name| (*name).to_owned()).collect());
        self
    }

    /// The index as a global one.
    pub(in crate::store::contract) fn global(&self) -> GlobalIndex {
        GlobalIndex {
            name: self.name.clone(),
            keys: self.keys.clone(),
            projection: self.projection.clone(),
            throughput: None,
        }
    }
}

/// A table that exists, and the requests to it. Reads of the table itself are consistent.
#[derive(Debug, Clone)]
pub(in crate::store::contract) struct Table {
    /// Its name.
    pub(in crate::store::contract) name: String,
}

impl Table {
    /// Tells of it.
    pub(in crate::store::contract) fn describe(&self) -> DescribeTable {
        DescribeTable { table: self.name.clone() }
    }

    /// Writes an item.
    pub(in crate::store::contract) fn put(&self, item: Item) -> PutItem {
        PutItem { table: self.name.clone(), item, ..PutItem::default() }
    }

    /// Reads an item.
    pub(in crate::store::contract) fn get(&self, key: Item) -> GetItem {
        GetItem { table: self.name.clone(), key, consistent: true, ..GetItem::default() }
    }

    /// Removes an item.
    pub(in crate::store::contract) fn delete(&self, key: Item) -> DeleteItem {
        DeleteItem { table: self.name.clone(), key, ..DeleteItem::default() }
    }

    /// Changes an item.
    pub(in crate::store::contract) fn update(
        &self,
        key: Item,
        actions: impl IntoIterator<Item = Action>,
    ) -> UpdateItem {
        let update = Some(Update { actions: actions.into_iter().collect() });
        UpdateItem { table: self.name.clone(), key, update, ..UpdateItem::default() }
    }

    /// Reads the items of a partition.
    pub(in crate::store::contract) fn query(&self, key_condition: KeyCondition) -> Query {
        Query { table: self.name.clone(), key_condition, consistent: true, ..Query::default() }
    }

    /// Reads items through an index.
    pub(in crate::store::contract) fn query_index(&self, index: &str, key_condition: KeyCondition) -> Query {
        let index = Some(index.to_owned());
        Query { table: self.name.clone(), index, key_condition, ..Query::default() }
    }

    /// Reads all items.
    pub(in crate::store::contract) fn scan(&self) -> Scan {
        Scan { table: self.name.clone(), consistent: true, ..Scan::default() }
    }

    /// Reads all items of an index.
    pub(in crate::store::contract) fn scan_index(&self, index: &str) -> Scan {
        Scan { table: self.name.clone(), index: Some(index.to_owned()), ..Scan::default() }
    }

    /// One read of a transaction.
    pub(in crate::store::contract) fn transact_get(&self, key: Item) -> TransactGet {
        TransactGet { table: self.name.clone(), key, projection: None }
    }

    /// One put of a transaction.
    pub(in crate::store::contract) fn transact_put(&self, item: Item) -> TransactWrite {
        self.transact(TransactAction::Put { item })
    }

    /// One update of a transaction.
    pub(in crate::store::contract) fn transact_update(
        &self,
        key: Item,
        actions: impl IntoIterator<Item = Action>,
    ) -> TransactWrite {
        let update = Update { actions: actions.into_iter().collect() };
        self.transact(TransactAction::Update { key, update })
    }

    /// One delete of a transaction.
    pub(in crate::store::contract) fn transact_delete(&self, key: Item) -> TransactWrite {
        self.transact(TransactAction::Delete { key })
    }

    /// One condition check of a transaction; the condition is still to be given.
    pub(in crate::store::contract) fn transact_check(&self, key: Item) -> TransactWrite {
        self.transact(TransactAction::ConditionCheck { key })
    }

    fn transact(&self, action: TransactAction) -> TransactWrite {
        TransactWrite {
            table: self.name.clone(),
            action,
            condition: None,
            on_condition_failure: OnConditionFailure::None,
        }
    }
}
