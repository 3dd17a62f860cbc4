//! Operations that read many items: query, scan.

use crate::expr::{Condition, KeyCondition, ProjectionExpression};
use crate::item::Item;
use crate::store::capacity::{ConsumedCapacity, ReturnCapacity};

/// What a query or scan returns of each item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    /// Every attribute of the item.
    AllAttributes,
    /// Every attribute that the index carries.
    AllProjectedAttributes,
    /// The attributes named by the projection.
    SpecificAttributes,
    /// Only how many there are.
    Count,
}

/// One segment of a parallel scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Which one, from 0.
    pub segment: u32,
    /// How many there are.
    pub total: u32,
}

/// Reads items of one partition in the order of the sort key.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The table.
    pub table: String,
    /// The index, if not the table itself.
    pub index: Option<String>,
    /// Which keys to visit.
    pub key_condition: KeyCondition,
    /// Which of the visited items to return.
    pub filter: Option<Condition>,
    /// What to return of them.
    pub projection: Option<ProjectionExpression>,
    /// What to return of them, in other words.
    pub select: Option<Select>,
    /// Ascending order.
    pub forward: bool,
    /// Visit at most this many items.
    pub limit: Option<u32>,
    /// Start after this key.
    pub start_key: Option<Item>,
    /// Whether the read must see every write acknowledged before it.
    pub consistent: bool,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            table: String::new(),
            index: None,
            key_condition: KeyCondition::default(),
            filter: None,
            projection: None,
            select: None,
            forward: true,
            limit: None,
            start_key: None,
            consistent: false,
            return_capacity: ReturnCapacity::None,
        }
    }
}

/// Reads all items of a table or index, or of a segment of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scan {
    /// The table.
    pub table: String,
    /// The index, if not the table itself.
    pub index: Option<String>,
    /// Which of the visited items to return.
    pub filter: Option<Condition>,
    /// What to return of them.
    pub projection: Option<ProjectionExpression>,
    /// What to return of them, in other words.
    pub select: Option<Select>,
    /// Visit at most this many items.
    pub limit: Option<u32>,
    /// Start after this key.
    pub start_key: Option<Item>,
    /// The segment to read.
    pub segment: Option<Segment>,
    /// Whether the read must see every write acknowledged before it.
    pub consistent: bool,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

/// A page of a query or scan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageOutput {
    /// The items; `None` if only their number was asked for.
    pub items: Option<Vec<Item>>,
    /// How many items the filter let through.
    pub count: u64,
    /// How many items were visited.
    pub scanned_count: u64,
    /// Where to go on, if the end was not reached.
    pub last_evaluated_key: Option<Item>,
    /// The cost, if asked for.
    pub capacity: Option<ConsumedCapacity>,
}
