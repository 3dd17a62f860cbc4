//! `ConsumedCapacity` and `ItemCollectionMetrics`, which many answers carry when they are asked for.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use tabletheory_core::Item;
use tabletheory_core::store::capacity::{ConsumedCapacity, ItemCollectionMetrics, Units};

use super::list::{List, Map};

/// The costs of an operation on several tables.
pub(super) type Costs<'a> = List<'a, ConsumedCapacity, Cost<'a>>;

pub(super) fn costs(capacity: &[ConsumedCapacity]) -> Costs<'_> {
    List(capacity, Cost::from)
}

/// The cost of an operation on one table.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Cost<'a> {
    capacity_units: f64,
    #[serde(skip_serializing_if = "Shares::is_empty")]
    global_secondary_indexes: Shares<'a>,
    #[serde(skip_serializing_if = "Shares::is_empty")]
    local_secondary_indexes: Shares<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_capacity_units: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<Share>,
    table_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_capacity_units: Option<f64>,
}

impl<'a> From<&'a ConsumedCapacity> for Cost<'a> {
    fn from(capacity: &'a ConsumedCapacity) -> Self {
        let split = capacity.split;
        let whole = Share::new(&capacity.units, split);
        Self {
            capacity_units: whole.capacity_units,
            global_secondary_indexes: Shares { indexes: &capacity.global_indexes, split },
            local_secondary_indexes: Shares { indexes: &capacity.local_indexes, split },
            read_capacity_units: whole.read_capacity_units,
            table: capacity.table_units.as_ref().map(|units| Share::new(units, split)),
            table_name: &capacity.table,
            write_capacity_units: whole.write_capacity_units,
        }
    }
}

/// The units of a table or of an index.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Share {
    capacity_units: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_capacity_units: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write_capacity_units: Option<f64>,
}

impl Share {
    fn new(units: &Units, split: bool) -> Self {
        // A transaction names only the kind that it used: a write has no `ReadCapacityUnits`, unless it was a replay.
        let apart = |used: f64| (split && used > 0.0).then_some(used);
        Self {
            capacity_units: units.total,
            read_capacity_units: apart(units.read),
            write_capacity_units: apart(units.write),
        }
    }
}

/// The units of indexes by name.
struct Shares<'a> {
    indexes: &'a [(String, Units)],
    split: bool,
}

impl Shares<'_> {
    fn is_empty(&self) -> bool {
        self.indexes.is_empty()
    }
}

impl Serialize for Shares<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.indexes.iter().map(|(name, units)| (name, Share::new(units, self.split))))
    }
}

/// The size of the items of one partition key.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Collection<'a> {
    item_collection_key: &'a Item,
    #[serde(rename = "SizeEstimateRangeGB")]
    size_estimate_range_gb: &'a [f64; 2],
}

impl<'a> From<&'a ItemCollectionMetrics> for Collection<'a> {
    fn from(metrics: &'a ItemCollectionMetrics) -> Self {
        Self { item_collection_key: &metrics.key, size_estimate_range_gb: &metrics.size_gb }
    }
}

/// The sizes of collections by table.
pub(super) type Collections<'a> =
    Map<'a, Vec<ItemCollectionMetrics>, List<'a, ItemCollectionMetrics, Collection<'a>>>;

pub(super) fn collections(metrics: &BTreeMap<String, Vec<ItemCollectionMetrics>>) -> Collections<'_> {
    Map(metrics, |metrics| List(metrics, Collection::from))
}
