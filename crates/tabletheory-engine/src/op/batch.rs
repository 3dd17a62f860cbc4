//! Operations on many items that are independent of each other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use tabletheory_core::expr::check;
use tabletheory_core::limits::{
    BATCH_GET_BYTES_MAX, BATCH_GET_KEYS_MAX, BATCH_WRITE_BYTES_MAX, BATCH_WRITE_REQUESTS_MAX,
};
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{
    BatchGetItem, BatchGetItemOutput, BatchWrite, BatchWriteItem, BatchWriteItemOutput, KeysAndProjection,
};
use tabletheory_core::{Item, Response, StoreError};

use crate::capacity::{Charge, Kind, Tally, read_units};
use crate::commit::Work;
use crate::group::Group;
use crate::kv::Bytes;
use crate::table::Table;
use crate::view::View;
use crate::write::Write;
use crate::{collection, validate};

/// `BatchGetItem`.
pub(crate) fn get(view: &View<'_>, request: BatchGetItem) -> Result<BatchGetItemOutput, StoreError> {
    check_get(&request)?;
    let mut output = BatchGetItemOutput::default();
    let mut reads: Vec<(Arc<Table>, Vec<Bytes>)> = Vec::new();
    for (name, wanted) in &request.tables {
        let table = view.catalog.table(name)?;
        let row_keys =
            wanted.keys.iter().map(|key| validate::key(table, key)).collect::<Result<Vec<_>, _>>()?;
        if row_keys.iter().collect::<HashSet<_>>().len() != row_keys.len() {
            return Err(StoreError::validation("Provided list of item keys contains duplicates"));
        }
        validate::paths(table, wanted.projection.iter().flat_map(|projection| &projection.paths))?;
        reads.push((Arc::clone(table), row_keys));
    }
    let mut bytes_returned = 0;
    for ((name, wanted), (table, row_keys)) in request.tables.into_iter().zip(reads) {
        let mut tally = Tally::new(&table, request.return_capacity, Kind::Read, false);
        let mut found = Vec::new();
        let mut unprocessed = Vec::new();
        for (key, row_key) in wanted.keys.into_iter().zip(row_keys) {
            let item = view.item(&table, &row_key)?;
            let bytes = item.as_ref().map_or(0, item_bytes);
            if bytes_returned + bytes > BATCH_GET_BYTES_MAX {
                unprocessed.push(key);
                continue;
            }
            bytes_returned += bytes;
            tally.add_table(read_units(bytes, Charge::read(wanted.consistent)));
            found.extend(item.map(|item| match &wanted.projection {
                Some(projection) => projection.apply(&item),
                None => item,
            }));
        }
        if !unprocessed.is_empty() {
            let (projection, consistent) = (wanted.projection, wanted.consistent);
            output
                .unprocessed
                .insert(name.clone(), KeysAndProjection { keys: unprocessed, projection, consistent });
        }
        output.items.insert(name, found);
        output.capacity.extend(tally.into_capacity());
    }
    Ok(output)
}

fn check_get(request: &BatchGetItem) -> Result<(), StoreError> {
    let keys: usize = request.tables.values().map(|wanted| wanted.keys.len()).sum();
    if request.tables.is_empty() || request.tables.values().any(|wanted| wanted.keys.is_empty()) {
        return Err(StoreError::validation("The batch get request list for a table cannot be null or empty"));
    }
    if keys > BATCH_GET_KEYS_MAX {
        return Err(StoreError::validation("Too many items requested for the BatchGetItem call"));
    }
    request.tables.values().filter_map(|wanted| wanted.projection.as_ref()).try_for_each(check::projection)
}

/// `BatchWriteItem`.
pub(crate) fn write(view: &View<'_>, request: BatchWriteItem) -> Result<impl Work + use<>, StoreError> {
    check_write(&request)?;
    let mut writes = Vec::new();
    let mut seen: HashMap<u64, HashSet<Bytes>> = HashMap::new();
    for (name, requests) in request.tables {
        let table = view.catalog.table(&name)?;
        for request in requests {
            let write = match request {
                BatchWrite::Put(item) => Write::put(table, item, None)?,
                BatchWrite::Delete(key) => Write::delete(table, key, None)?,
            };
            if !seen.entry(table.rows.number).or_default().insert(write.row_key.clone()) {
                return Err(StoreError::validation("Provided list of item keys contains duplicates"));
            }
            writes.push(write);
        }
    }
    let (wanted, wants_metrics) = (request.return_capacity, request.collection_metrics);
    Ok(move |group: &mut Group<'_>| {
        let keyed = |write: &Write| (Arc::clone(&write.table), write.key());
        let keys: Vec<(Arc<Table>, Item)> = writes.iter().filter(|_| wants_metrics).map(keyed).collect();
        let mut changes =
            writes.into_iter().map(|write| write.evaluate(group)).collect::<Result<Vec<_>, _>>()?;
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        group.apply(|group| {
            changes.iter_mut().try_for_each(|change| {
                let tally = tallies
                    .entry(change.table.spec.name.clone())
                    .or_insert_with(|| Tally::new(&change.table, wanted, Kind::Write, false));
                change.apply(group, Charge::Full, tally)
            })
        })?;
        let mut output = BatchWriteItemOutput {
            capacity: tallies.into_values().filter_map(Tally::into_capacity).collect(),
            ..BatchWriteItemOutput::default()
        };
        if wants_metrics {
            output.collection_metrics = collection::metrics_by_table(group, &keys)?;
        }
        Ok(Response::BatchWriteItem(Box::new(output)))
    })
}

fn check_write(request: &BatchWriteItem) -> Result<(), StoreError> {
    let count: usize = request.tables.values().map(Vec::len).sum();
    if request.tables.is_empty() || request.tables.values().any(Vec::is_empty) {
        return Err(StoreError::validation(
            "The batch write request list for a table cannot be null or empty",
        ));
    }
    if count > BATCH_WRITE_REQUESTS_MAX {
        return Err(StoreError::validation("Too many items requested for the BatchWriteItem call"));
    }
    let size = |write: &BatchWrite| match write {
        BatchWrite::Put(item) | BatchWrite::Delete(item) => item_bytes(item),
    };
    if request.tables.values().flatten().map(size).sum::<usize>() > BATCH_WRITE_BYTES_MAX {
        return Err(StoreError::validation("The batch write request exceeds the maximum size of 16 MB"));
    }
    Ok(())
}
