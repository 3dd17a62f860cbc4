//! Item collections: the items of one partition in a table with local indexes. Their size is kept, because the service
//! bounds it and reports it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tabletheory_core::size::item_bytes;
use tabletheory_core::store::capacity::ItemCollectionMetrics;
use tabletheory_core::{Item, StoreError};

use crate::group::Group;
use crate::kv::Bytes;
use crate::table::{Index, Rows, Table};

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

/// Where the size of a collection is kept, and what it is.
struct Kept {
    key: Bytes,
    stored: Option<Bytes>,
}

impl Kept {
    fn bytes(&self) -> u64 {
        let stored = self.stored.as_ref().and_then(|stored| (**stored).try_into().ok());
        stored.map_or(0, u64::from_le_bytes)
    }
}

fn kept(group: &Group<'_>, table: &Table, collections: &Rows, item: &Item) -> Result<Kept, StoreError> {
    let key = table.shape.partition_key(item).expect("an item has its key");
    let stored = group.read(collections, &key)?;
    Ok(Kept { key, stored })
}

/// The collection that a change is in, and its size after the change.
fn after(
    group: &Group<'_>,
    table: &Table,
    collections: &Rows,
    old: Option<&Item>,
    new: Option<&Item>,
) -> Result<Option<(Kept, u64)>, StoreError> {
    let Some(either) = new.or(old) else { return Ok(None) };
    let kept = kept(group, table, collections, either)?;
    let size = |item: Option<&Item>| item.map_or(0, |item| bytes_in_collection(table, item));
    let bytes = (kept.bytes() + size(new)).saturating_sub(size(old));
    Ok(Some((kept, bytes)))
}

/// Checks that the collection has room for a change.
///
/// # Errors
/// If the collection would become larger than the service allows.
pub(crate) fn check_room(
    group: &Group<'_>,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
) -> Result<(), StoreError> {
    let Some(collections) = &table.collections else { return Ok(()) };
    match after(group, table, collections, old, new)? {
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
pub(crate) fn resize(
    group: &mut Group<'_>,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
) -> Result<(), StoreError> {
    let Some(collections) = &table.collections else { return Ok(()) };
    match after(group, table, collections, old, new)? {
        None => {}
        Some((kept, 0)) => {
            if let Some(stored) = &kept.stored {
                group.delete_row(collections, kept.key, stored);
            }
        }
        Some((kept, bytes)) => {
            let size = bytes.to_le_bytes().to_vec();
            group.put_row(collections, kept.key, kept.stored.as_deref(), size.into());
        }
    }
    Ok(())
}

/// How large the collection of `item` is, to the gigabyte.
pub(crate) fn metrics(
    group: &Group<'_>,
    table: &Table,
    item: &Item,
) -> Result<Option<ItemCollectionMetrics>, StoreError> {
    let Some(collections) = &table.collections else { return Ok(None) };
    let bytes = kept(group, table, collections, item)?.bytes();
    let low = f64::from(u32::try_from(bytes / GIGABYTE).unwrap_or(u32::MAX));
    let names = table.shape.partition.iter();
    let key =
        names.map(|name| (name.clone(), item.get(name).cloned().expect("an item has its key"))).collect();
    Ok(Some(ItemCollectionMetrics { key, size_gb: [low, low + 1.0] }))
}

/// How large the collections of these items are, each collection once.
pub(crate) fn metrics_by_table(
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
