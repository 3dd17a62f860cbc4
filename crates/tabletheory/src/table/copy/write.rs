//! Writing a batch into the target until all of it is durable.

use std::collections::BTreeMap;

use tabletheory_core::expr::{Condition, Path};
use tabletheory_core::store::op::{BatchWrite, BatchWriteItem, OnConditionFailure, PutItem, WriteReturns};
use tabletheory_core::{Item, StoreError, StoreExt};
use tokio::time::Instant;

use super::error::CopyFault;
use super::progress::CopyProgress;
use crate::flight::together;
use crate::model::{KeyNames, Schema};
use crate::table::site::{Refusal, Site};

/// Writes items in place of what is there.
pub(super) async fn replace(
    site: &Site,
    schema: &Schema,
    items: Vec<Item>,
) -> Result<CopyProgress, CopyFault> {
    let written = u64::try_from(items.len()).unwrap_or(u64::MAX);
    put(site, last_of_each_key(schema, items)).await?;
    Ok(CopyProgress { written, ..CopyProgress::default() })
}

/// Writes a batch, each of whose items has another key, until nothing of it is left.
pub(super) async fn put(site: &Site, mut left: Vec<BatchWrite>) -> Result<(), CopyFault> {
    let mut pauses = site.pauses(site.patience.table);
    while !left.is_empty() {
        let tables = BTreeMap::from([(site.table.clone(), left.clone())]);
        let asked_at = Instant::now();
        let answer =
            site.store.batch_write_item(BatchWriteItem { tables, ..BatchWriteItem::default() }).await;
        // A store that writes no faster than it is told lets a batch wait for its turn, which is no trouble. Only pauses count.
        pauses.forgive(asked_at.elapsed());
        let fault = match answer {
            Ok(mut output) => {
                left = output.unprocessed.remove(&site.table).unwrap_or_default();
                CopyFault::Unprocessed { left: left.len() }
            }
            Err(source) if source.is_retryable() => CopyFault::Store { operation: "BatchWriteItem", source },
            Err(source) => return Err(CopyFault::Store { operation: "BatchWriteItem", source }),
        };
        if !left.is_empty() && !pauses.wait().await {
            return Err(fault);
        }
    }
    Ok(())
}

/// A batch may name each key once. The last item of a key is the one that would stay.
fn last_of_each_key(schema: &Schema, items: Vec<Item>) -> Vec<BatchWrite> {
    let mut keyed: Vec<(Item, Item)> = Vec::new();
    for item in items {
        let key = KeyNames::of(schema).key(&item);
        match keyed.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = item,
            None => keyed.push((key, item)),
        }
    }
    keyed.into_iter().map(|(_, item)| BatchWrite::Put(item)).collect()
}

/// Writes items whose keys are not there.
pub(super) async fn add(site: &Site, schema: &Schema, items: Vec<Item>) -> Result<CopyProgress, CopyFault> {
    let puts = items.into_iter().map(|item| add_one(site, schema.partition.name, item));
    let mut progress = CopyProgress::default();
    for written in together(puts.collect()).await? {
        if written { progress.written += 1 } else { progress.kept += 1 }
    }
    Ok(progress)
}

/// Writes an item if its key is not there, and says whether it was written.
async fn add_one(site: &Site, partition: &str, item: Item) -> Result<bool, CopyFault> {
    let on_condition_failure = OnConditionFailure::AllOld;
    let put = PutItem {
        table: site.table.clone(),
        item: item.clone(),
        condition: Some(Condition::AttributeNotExists(Path::attribute(partition))),
        returns: WriteReturns { on_condition_failure, ..WriteReturns::default() },
    };
    match site.send(put).await {
        Ok(_) => Ok(true),
        // An answer was lost: what is there is ours if it is the same.
        Err(Refusal { error: StoreError::ConditionalCheckFailed { item: found }, in_doubt }) => {
            Ok(in_doubt && found.is_some_and(|found| *found == item))
        }
        Err(Refusal { error: source, .. }) => Err(CopyFault::Store { operation: "PutItem", source }),
    }
}
