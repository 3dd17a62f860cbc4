//! Operations on many items that happen together or not at all.

use std::collections::BTreeMap;

use crate::expr::{Condition, ProjectionExpression, Update};
use crate::item::Item;
use crate::store::capacity::{ConsumedCapacity, ItemCollectionMetrics, ReturnCapacity};
use crate::store::op::item::OnConditionFailure;

/// One read of a transaction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransactGet {
    /// The table.
    pub table: String,
    /// The item's key.
    pub key: Item,
    /// What to return; everything if absent.
    pub projection: Option<ProjectionExpression>,
}

/// Reads up to 100 items as of one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransactGetItems {
    /// The reads.
    pub gets: Vec<TransactGet>,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

/// The items read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransactGetItemsOutput {
    /// One entry for each read, in order; `None` where there is no item.
    pub items: Vec<Option<Item>>,
    /// The cost for each table, if asked for.
    pub capacity: Vec<ConsumedCapacity>,
}

/// What one write of a transaction does.
#[derive(Debug, Clone, PartialEq)]
pub enum TransactAction {
    /// Writes a whole item.
    Put {
        /// The item.
        item: Item,
    },
    /// Changes attributes of an item.
    Update {
        /// The item's key.
        key: Item,
        /// The changes.
        update: Update,
    },
    /// Removes an item.
    Delete {
        /// The item's key.
        key: Item,
    },
    /// Changes nothing, and requires the condition.
    ConditionCheck {
        /// The item's key.
        key: Item,
    },
}

/// One write of a transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactWrite {
    /// The table.
    pub table: String,
    /// What to do.
    pub action: TransactAction,
    /// What must be true of the item that is there; a condition check cannot do without.
    pub condition: Option<Condition>,
    /// What a failed condition returns.
    pub on_condition_failure: OnConditionFailure,
}

/// Writes up to 100 items together or not at all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransactWriteItems {
    /// The writes, each on another item.
    pub writes: Vec<TransactWrite>,
    /// Makes the request safe to repeat for ten minutes.
    pub client_request_token: Option<String>,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
    /// Whether to report the sizes of the items' collections.
    pub collection_metrics: bool,
}

/// What came of the writes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransactWriteItemsOutput {
    /// The cost for each table, if asked for.
    pub capacity: Vec<ConsumedCapacity>,
    /// Sizes of the items' collections by table, if asked for.
    pub collection_metrics: BTreeMap<String, Vec<ItemCollectionMetrics>>,
}
