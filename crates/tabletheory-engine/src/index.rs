//! The rows of indexes that a change of an item makes, moves and removes.

use tabletheory_core::schema::Projection;
use tabletheory_core::size::item_bytes;
use tabletheory_core::{Item, StoreError};

use crate::capacity::{Charge, Tally, write_units};
use crate::group::Group;
use crate::kv::Bytes;
use crate::table::{Index, KeyPart, Table};
use crate::{codec, validate};

/// The row of an index that belongs to an item.
struct IndexRow {
    key: Bytes,
    projected: Item,
}

/// The row that `item` has in `index`, or `None` if it lacks a key of the index: such indexes are sparse.
fn row(table: &Table, index: &Index, item: &Item) -> Option<IndexRow> {
    // Items written before the index was made may have anything in its key attributes. They are not in the index.
    let fits = |part: &KeyPart| {
        item.get(&part.name).is_some_and(|value| validate::index_key(index, part, value).is_ok())
    };
    if !index.keys.iter().all(fits) {
        return None;
    }
    let key = index.shape.row_key(item)?;
    let projected = match &index.spec.projection {
        Projection::All => item.clone(),
        Projection::KeysOnly | Projection::Include(_) => item
            .iter()
            .filter(|(name, _)| index.carries(table, name))
            .map(|(name, value)| (name, value.clone()))
            .collect(),
    };
    Some(IndexRow { key, projected })
}

/// Brings every index of the table from `old` to `new`.
///
/// # Errors
/// If the storage fails; the group must then be given up.
pub(crate) fn maintain(
    group: &mut Group<'_>,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
    cost: &mut Cost<'_>,
) -> Result<(), StoreError> {
    for index in &table.indexes {
        let before = old.and_then(|item| row(table, index, item));
        let after = new.and_then(|item| row(table, index, item));
        match (before, after) {
            (None, None) => {}
            (None, Some(after)) => {
                cost.write(index, &after);
                put(group, index, after, None)?;
            }
            (Some(before), None) => {
                cost.write(index, &before);
                remove(group, index, before)?;
            }
            (Some(before), Some(after)) if before.key == after.key => {
                if before.projected != after.projected {
                    cost.write(index, if before.size() > after.size() { &before } else { &after });
                    put(group, index, after, Some(&before))?;
                }
            }
            (Some(before), Some(after)) => {
                cost.write(index, &before);
                cost.write(index, &after);
                remove(group, index, before)?;
                put(group, index, after, None)?;
            }
        }
    }
    Ok(())
}

impl IndexRow {
    fn size(&self) -> usize {
        item_bytes(&self.projected)
    }
}

/// Writes a row. While an index is being filled, a row may or may not be there yet, so it is asked for.
fn put(
    group: &mut Group<'_>,
    index: &Index,
    row: IndexRow,
    replaced: Option<&IndexRow>,
) -> Result<(), StoreError> {
    let bytes = codec::encode(&row.projected);
    if index.spec.backfilling {
        let old = group.read(&index.rows, &row.key)?;
        group.put_row(&index.rows, row.key, old.as_deref(), bytes);
    } else {
        let replaced_bytes = replaced.map(|old| codec::encode(&old.projected).len());
        group.put_index_row(&index.rows, row.key, replaced_bytes, bytes);
    }
    Ok(())
}

fn remove(group: &mut Group<'_>, index: &Index, row: IndexRow) -> Result<(), StoreError> {
    if index.spec.backfilling {
        if let Some(old) = group.read(&index.rows, &row.key)? {
            group.delete_row(&index.rows, row.key, &old);
        }
    } else {
        let bytes = codec::encode(&row.projected).len();
        group.delete_index_row(&index.rows, row.key, bytes);
    }
    Ok(())
}

/// Puts the row of one item into an index that is being filled.
///
/// # Errors
/// If the storage fails; the group must then be given up.
pub(crate) fn backfill(
    group: &mut Group<'_>,
    table: &Table,
    index: &Index,
    item: &Item,
) -> Result<(), StoreError> {
    match row(table, index, item) {
        Some(row) => put(group, index, row, None),
        None => Ok(()),
    }
}

/// Counts the units of index writes, if anybody asked.
#[derive(Debug)]
pub(crate) struct Cost<'t> {
    pub tally: &'t mut Tally,
    pub charge: Charge,
}

impl Cost<'_> {
    fn write(&mut self, index: &Index, row: &IndexRow) {
        if self.tally.is_wanted() {
            self.tally.add_index(index, write_units(row.size(), self.charge));
        }
    }
}
