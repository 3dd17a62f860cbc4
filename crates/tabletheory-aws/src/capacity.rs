//! What an operation cost and what its collections hold: how requests ask for it, and how answers tell it.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::{self, ReturnConsumedCapacity, ReturnItemCollectionMetrics};
use tabletheory_core::StoreError;
use tabletheory_core::store::capacity::{ConsumedCapacity, ItemCollectionMetrics, ReturnCapacity, Units};

use crate::value;

/// How much of the cost is asked for; nothing is what the service tells unasked.
pub(crate) fn wanted(wanted: ReturnCapacity) -> Option<ReturnConsumedCapacity> {
    match wanted {
        ReturnCapacity::None => None,
        ReturnCapacity::Total => Some(ReturnConsumedCapacity::Total),
        ReturnCapacity::Indexes => Some(ReturnConsumedCapacity::Indexes),
    }
}

/// Whether collections are to be measured.
pub(crate) fn wanted_metrics(wanted: bool) -> Option<ReturnItemCollectionMetrics> {
    wanted.then_some(ReturnItemCollectionMetrics::Size)
}

/// The cost on one table.
pub(crate) fn read(cost: types::ConsumedCapacity) -> ConsumedCapacity {
    ConsumedCapacity {
        split: cost.read_capacity_units.is_some() || cost.write_capacity_units.is_some(),
        units: units(cost.capacity_units, cost.read_capacity_units, cost.write_capacity_units),
        table_units: cost.table.as_ref().map(share),
        local_indexes: shares(cost.local_secondary_indexes),
        global_indexes: shares(cost.global_secondary_indexes),
        table: cost.table_name.unwrap_or_default(),
    }
}

/// The cost on each of several tables, by name.
pub(crate) fn read_all(costs: Option<Vec<types::ConsumedCapacity>>) -> Vec<ConsumedCapacity> {
    costs.unwrap_or_default().into_iter().map(read).collect()
}

fn shares(indexes: Option<HashMap<String, types::Capacity>>) -> Vec<(String, Units)> {
    // Sorted, so that the same answer is always told in the same way.
    let sorted: BTreeMap<_, _> = indexes.unwrap_or_default().into_iter().collect();
    sorted.into_iter().map(|(name, capacity)| (name, share(&capacity))).collect()
}

fn share(capacity: &types::Capacity) -> Units {
    units(capacity.capacity_units, capacity.read_capacity_units, capacity.write_capacity_units)
}

fn units(total: Option<f64>, read: Option<f64>, write: Option<f64>) -> Units {
    let (read, write) = (read.unwrap_or_default(), write.unwrap_or_default());
    Units { total: total.unwrap_or(read + write), read, write }
}

/// The size of one collection.
pub(crate) fn read_metrics(
    metrics: types::ItemCollectionMetrics,
) -> Result<ItemCollectionMetrics, StoreError> {
    let range = metrics.size_estimate_range_gb.unwrap_or_default();
    let bound = |at: usize| range.get(at).copied().unwrap_or_default();
    let size_gb = [bound(0), bound(1)];
    Ok(ItemCollectionMetrics {
        key: value::read_item(metrics.item_collection_key.unwrap_or_default())?,
        size_gb,
    })
}

/// The sizes of collections, by table.
pub(crate) fn read_metrics_by_table(
    tables: Option<HashMap<String, Vec<types::ItemCollectionMetrics>>>,
) -> Result<BTreeMap<String, Vec<ItemCollectionMetrics>>, StoreError> {
    let tables = tables.unwrap_or_default().into_iter();
    tables
        .map(|(table, all)| Ok((table, all.into_iter().map(read_metrics).collect::<Result<_, _>>()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_keeps_its_table_index_and_kind() {
        let share = |total, read| {
            types::Capacity::builder().capacity_units(total).set_read_capacity_units(read).build()
        };
        let cost = types::ConsumedCapacity::builder()
            .table_name("t")
            .capacity_units(6.0)
            .read_capacity_units(6.0)
            .table(share(3.0, Some(3.0)))
            .local_secondary_indexes("local", share(1.0, None))
            .global_secondary_indexes("b", share(0.5, None))
            .global_secondary_indexes("a", share(1.5, None))
            .build();
        let plain = |total| Units { total, read: 0.0, write: 0.0 };
        let expected = ConsumedCapacity {
            table: "t".to_owned(),
            units: Units { total: 6.0, read: 6.0, write: 0.0 },
            table_units: Some(Units { total: 3.0, read: 3.0, write: 0.0 }),
            local_indexes: vec![("local".to_owned(), plain(1.0))],
            global_indexes: vec![("a".to_owned(), plain(1.5)), ("b".to_owned(), plain(0.5))],
            split: true,
        };
        assert_eq!(read(cost), expected);
    }

    #[test]
    fn an_answer_without_any_field_is_read() {
        assert_eq!(read(types::ConsumedCapacity::builder().build()), ConsumedCapacity::default());
        let metrics = read_metrics(types::ItemCollectionMetrics::builder().build()).unwrap();
        assert_eq!(metrics.size_gb, [0.0, 0.0]);
    }
}
