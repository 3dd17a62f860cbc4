//! Operations on one item: get, put, update, delete.

use crate::expr::{Condition, ProjectionExpression, Update};
use crate::item::Item;
use crate::store::capacity::{ConsumedCapacity, ItemCollectionMetrics, ReturnCapacity};

/// Reads one item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GetItem {
    /// The table.
    pub table: String,
    /// The item's key.
    pub key: Item,
    /// What to return; everything if absent.
    pub projection: Option<ProjectionExpression>,
    /// Whether the read must see every write acknowledged before it.
    pub consistent: bool,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

/// The item read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GetItemOutput {
    /// The item, or `None` if there is no such item.
    pub item: Option<Item>,
    /// The cost, if asked for.
    pub capacity: Option<ConsumedCapacity>,
}

/// Which attributes a write returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReturnValues {
    /// None.
    #[default]
    None,
    /// The item as it was.
    AllOld,
    /// The changed attributes as they were.
    UpdatedOld,
    /// The item as it is now.
    AllNew,
    /// The changed attributes as they are now.
    UpdatedNew,
}

/// Whether a failed condition returns the item as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConditionFailure {
    /// No.
    #[default]
    None,
    /// Yes.
    AllOld,
}

/// What a write can be asked to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteReturns {
    /// Attributes to return.
    pub values: ReturnValues,
    /// What a failed condition returns.
    pub on_condition_failure: OnConditionFailure,
    /// Whether to report the cost.
    pub capacity: ReturnCapacity,
    /// Whether to report the size of the item's collection.
    pub collection_metrics: bool,
}

/// What a write reports.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WriteOutput {
    /// The attributes asked for.
    pub attributes: Option<Item>,
    /// The cost, if asked for.
    pub capacity: Option<ConsumedCapacity>,
    /// The size of the item's collection, if asked for and the table has local indexes.
    pub collection_metrics: Option<ItemCollectionMetrics>,
}

/// Writes a whole item in place of what is there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PutItem {
    /// The table.
    pub table: String,
    /// The item.
    pub item: Item,
    /// What must be true of the item that is there.
    pub condition: Option<Condition>,
    /// What to report.
    pub returns: WriteReturns,
}

/// Changes attributes of an item, making it if it is not there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpdateItem {
    /// The table.
    pub table: String,
    /// The item's key.
    pub key: Item,
    /// The changes; without any the item is made if it is not there.
    pub update: Option<Update>,
    /// What must be true of the item that is there.
    pub condition: Option<Condition>,
    /// What to report.
    pub returns: WriteReturns,
}

/// Removes an item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeleteItem {
    /// The table.
    pub table: String,
    /// The item's key.
    pub key: Item,
    /// What must be true of the item that is there.
    pub condition: Option<Condition>,
    /// What to report.
    pub returns: WriteReturns,
}
