//! The models whose tables the tests make, compare and extend.

use std::sync::Arc;

use tabletheory::Model;
use tabletheory::table::Table;
use tabletheory::testing::TestStore;

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
#[model(index(name = "gsi1", pk = city, project = "include(age)"))]
pub(crate) struct User {
    pub(crate) id: String,
    pub(crate) city: String,
    pub(crate) age: u8,
}

/// Shares the table and the index with users, carries other attributes, and expires.
#[derive(Model)]
#[model(table = "app", pk = "USER#{user}", sk = "SESSION#{id}")]
#[model(index(name = "gsi1", pk = city, project = "include(ends)"), index(name = "gsi2", pk = state))]
#[model(local_index(name = "lsi1", sk = ends))]
pub(crate) struct Session {
    pub(crate) user: String,
    pub(crate) id: String,
    pub(crate) city: String,
    pub(crate) state: String,
    #[model(ttl)]
    pub(crate) ends: u64,
}

/// The users of an earlier release.
#[derive(Model)]
#[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
pub(crate) struct FirstUser {
    pub(crate) id: String,
}

/// The users of a later release: two more indexes and a life time.
#[derive(Model)]
#[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
#[model(index(name = "by_city", pk = city), index(name = "by_age", pk = city, sk = age, project = "keys"))]
pub(crate) struct LaterUser {
    pub(crate) id: String,
    pub(crate) city: String,
    pub(crate) age: u8,
    #[model(ttl)]
    pub(crate) ends: u64,
}

#[derive(Model)]
#[model(table = "app")]
#[model(index(name = "gsi1", pk = city, project = "keys"), index(name = "lsi1", pk = city))]
pub(crate) struct Stranger {
    #[model(pk)]
    pub(crate) pk: u64,
    pub(crate) city: u64,
}

/// `city` is a plain number here, and the key of an index elsewhere.
#[derive(Model)]
#[model(table = "app", pk = "PLACE#{id}", sk = "META")]
pub(crate) struct Place {
    pub(crate) id: String,
    pub(crate) city: u64,
}

/// The same index with another key, in another table, expiring by another attribute.
#[derive(Model)]
#[model(table = "elsewhere", pk = "USER#{id}", sk = "OTHER")]
#[model(index(name = "gsi1", pk = id))]
pub(crate) struct Elsewhere {
    pub(crate) id: String,
    #[model(ttl)]
    pub(crate) until: u64,
}

pub(crate) fn table<M: Model>(store: &TestStore) -> Table<M> {
    Table::new(Arc::new(store.clone()))
}
