//! The rows of the shop. Customers and their orders share a partition, so one query reads both; products have their own.

use jiff::Timestamp;
use tabletheory::{Attribute, Entities, Model};

/// A customer.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "shop", table_env = "SHOP_TABLE", pk = "CUSTOMER#{id}", sk = "PROFILE")]
pub struct Customer {
    /// Who it is.
    pub id: String,
    /// How to address them.
    pub name: String,
    /// Since when they are a customer.
    #[model(created_at)]
    pub since: Timestamp,
}

/// Something that can be bought.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "shop", table_env = "SHOP_TABLE", pk = "PRODUCT#{sku}", sk = "PRODUCT")]
pub struct Product {
    /// Its number.
    pub sku: String,
    /// What it says on the box.
    pub title: String,
    /// What one costs.
    pub price_cents: u64,
    /// How many are there.
    pub stock: u64,
}

/// An order. Its id is in its key, so that an order that is placed twice is one; an index has them by time.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "shop", table_env = "SHOP_TABLE", pk = "CUSTOMER#{customer}", sk = "ORDER#{id}")]
#[model(index(name = "by_time", pk = "CUSTOMER#{customer}", sk = "{placed_at}"))]
#[model(index(name = "by_state", pk = "STATE#{state}", sk = "AT#{placed_at}"))]
pub struct Order {
    /// Who ordered.
    pub customer: String,
    /// Which order it is.
    pub id: String,
    /// When.
    pub placed_at: Timestamp,
    /// How far it is.
    pub state: State,
    /// What was ordered.
    pub lines: Vec<Line>,
    /// What all of it costs.
    pub total_cents: u64,
    /// Counts the changes, so that two clerks do not overwrite each other.
    #[model(version)]
    pub version: u64,
}

/// One product of an order, as it was when it was ordered.
#[derive(Attribute, Debug, Clone, PartialEq)]
pub struct Line {
    /// Which product.
    pub sku: String,
    /// How many.
    pub quantity: u64,
    /// What one cost.
    pub price_cents: u64,
}

/// How far an order is.
#[derive(Attribute, Debug, Clone, Copy, PartialEq, Eq)]
#[attribute(rename_all = "snake_case")]
pub enum State {
    /// Paid, and waiting in the warehouse.
    Placed,
    /// On its way.
    Shipped,
}

/// What stands in the partition of a customer.
#[derive(Entities, Debug, Clone, PartialEq)]
pub enum Record {
    /// Who they are.
    Customer(Customer),
    /// What they ordered.
    Order(Order),
}
