//! Item collections: the items of one partition in a table with local indexes. Their size is kept, because the service
//! bounds it and reports it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tabletheory_core::size::item_bytes;
use tabletheory_core::store::capacity::ItemCollectionMetrics;
use tabletheory_core::{Item, StoreError};

use crate::group::{Group, Noted};
use crate::table::{Index, Table};

const GIGABYTE: u64 = 1 << 30;
const COLLECTION_BYTES_MAX: u64 = 10 * GIGABYTE;

/// What an item takes in its collection: itself, and its rows in the local indexes.
fn bytes_in_collection(table: &Table, item: &Item) -> u64 {
    let local = table.indexes.iter().filter(|index| !index.global);
    let projected = |index: &Index| -> usize {
        if !index.keys.iter().all(|part| item.contains(&part.name)) {
            return 0;
        }
        let carried = item.iter().filter(|(name, _)| index.carries(table, name));
        carried.map(|(name, value)| tabletheory_core::size::attribute_bytes(name, value)).sum()
    };
    let bytes = item_bytes(item) + local.map(projected).sum::<usize>();
    u64::try_from(bytes).expect("an item is small")
}

fn collection_key(table: &Table, item: &Item) -> Vec<u8> {
    let partition = table.shape.partition_key(item).expect("an item has its key");
    let mut key = table.rows.number.to_be_bytes().to_vec();
    key.extend_from_slice(&partition);
    key
}

fn stored_bytes(group: &Group<'_>, key: &[u8]) -> Result<u64, StoreError> {
    let stored = group.read_noted(Noted::Collection, key)?;
    Ok(stored.and_then(|bytes| Some(u64::from_le_bytes((*bytes).try_into().ok()?))).unwrap_or(0))
}

/// The key of the collection that a change is in, and its size after the change.
fn size_after(
    group: &Group<'_>,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
) -> Result<Option<(Vec<u8>, u64)>, StoreError> {
    let Some(either) = new.or(old) else { return Ok(None) };
    let key = collection_key(table, either);
    let size = |item: Option<&Item>| item.map_or(0, |item| bytes_in_collection(table, item));
    let bytes = (stored_bytes(group, &key)? + size(new)).saturating_sub(size(old));
    Ok(Some((key, bytes)))
}

/// Checks that the collection has room for a change.
///
/// # Errors
/// If the collection would become larger than the service allows.
pub fn check_room(
    group: &Group<'_>,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
) -> Result<(), StoreError> {
    match size_after(group, table, old, new)? {
        Some((_, bytes)) if bytes > COLLECTION_BYTES_MAX && new.is_some() => {
            Err(StoreError::ItemCollectionSizeLimitExceeded("Item collection size limit exceeded".to_owned()))
        }
        _ => Ok(()),
    }
}

/// Brings the collection's size from `old` to `new`.
///
/// # Errors
/// If the storage fails; the group must then be given up.
pub fn resize(
    group: &mut Group<'_>,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
) -> Result<(), StoreError> {
    match size_after(group, table, old, new)? {
        None => {}
        Some((key, 0)) => group.forget(Noted::Collection, key),
        Some((key, bytes)) => group.note(Noted::Collection, key, bytes.to_le_bytes().to_vec()),
    }
    Ok(())
}

/// How large the collection of `item` is, to the gigabyte.
pub fn metrics(group: &Group<'_>, table: &Table, item: &Item) -> Result<Option<ItemCollectionMetrics>, StoreError> {
    if !table.has_local_indexes() {
        return Ok(None);
    }
    let bytes = stored_bytes(group, &collection_key(table, item))?;
    let low = f64::from(u32::try_from(bytes / GIGABYTE).unwrap_or(u32::MAX));
    let names = table.shape.partition.iter();
    let key = names.map(|name| (name.clone(), item.get(name).cloned().expect("an item has its key"))).collect();
    Ok(Some(ItemCollectionMetrics { key, size_gb: [low, low + 1.0] }))
}

/// How large the collections of these items are, each collection once.
pub fn metrics_by_table(
    group: &Group<'_>,
    items: &[(Arc<Table>, Item)],
) -> Result<BTreeMap<String, Vec<ItemCollectionMetrics>>, StoreError> {
    let mut tables: BTreeMap<String, Vec<ItemCollectionMetrics>> = BTreeMap::new();
    for (table, item) in items {
        let Some(metrics) = metrics(group, table, item)? else { continue };
        let known = tables.entry(table.spec.name.clone()).or_default();
        if !known.iter().any(|other| other.key == metrics.key) {
            known.push(metrics);
        }
    }
    Ok(tables)
}
