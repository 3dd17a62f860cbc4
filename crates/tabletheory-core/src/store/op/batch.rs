//! Operations on many items that are independent of each other.

use std::collections::BTreeMap;

use crate::expr::ProjectionExpression;
use crate::item::Item;
use crate::store::capacity::{ConsumedCapacity, ItemCollectionMetrics, ReturnCapacity};

/// Keys to read from one table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeysAndProjection {
    /// The keys, each once.
    pub keys: Vec<Item>,
    /// What to return; everything if absent.
    pub projection: Option<ProjectionExpression>,
    /// Whether the reads must see every write acknowledged before them.
    pub consistent: bool,
}

/// Reads up to 100 items.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchGetItem {
    /// The keys by table.
    pub tables: BTreeMap<String, KeysAndProjection>,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

/// The items found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchGetItemOutput {
    /// The items by table, in no particular order.
    pub items: BTreeMap<String, Vec<Item>>,
    /// What was left for another call.
    pub unprocessed: BTreeMap<String, KeysAndProjection>,
    /// The cost for each table, if asked for.
    pub capacity: Vec<ConsumedCapacity>,
}

/// One write of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchWrite {
    /// Writes a whole item.
    Put(Item),
    /// Removes the item with this key.
    Delete(Item),
}

/// Writes up to 25 items, each by itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchWriteItem {
    /// The writes by table.
    pub tables: BTreeMap<String, Vec<BatchWrite>>,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
    /// Whether to report the sizes of the items' collections.
    pub collection_metrics: bool,
}

/// What came of a batch of writes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchWriteItemOutput {
    /// What was left for another call.
    pub unprocessed: BTreeMap<String, Vec<BatchWrite>>,
    /// The cost for each table, if asked for.
    pub capacity: Vec<ConsumedCapacity>,
    /// Sizes of the items' collections by table, if asked for.
    pub collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>>,
}
