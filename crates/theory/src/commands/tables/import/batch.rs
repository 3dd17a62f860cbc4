//! Items on their way into a table: several batches of twenty-five at a time, so that a store that waits for its disk waits once for
//! all of them. A batch that is refused is sent again item by item, so that the line that is to blame is found.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::future::join_all;
use tabletheory_core::limits::BATCH_WRITE_REQUESTS_MAX;
use tabletheory_core::schema::TableDescription;
use tabletheory_core::store::op::{BatchWrite, BatchWriteItem, PutItem};
use tabletheory_core::{Item, StoreError, StoreExt as _, ValueType};

use crate::store::Opened;

/// How many items wait at most: eight batches.
const ITEMS_MAX: usize = 8 * BATCH_WRITE_REQUESTS_MAX;
/// How much waits at most; the service's bound on a batch is 16 MB.
const BYTES_MAX: usize = 8 << 20;
/// A batch that makes no progress is tried so many times.
const ATTEMPTS_MAX: u32 = 10;
const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Items on their way.
pub(super) struct Batch<'a> {
    opened: &'a Opened,
    table: &'a str,
    /// The attributes of the table's key, and their types.
    keys: Vec<(String, ValueType)>,
    is_dry: bool,
    waiting: Vec<(u64, Item)>,
    /// The keys of those that wait.
    waiting_keys: HashSet<String>,
    bytes: usize,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub(super) struct Flushed {
    pub(super) written: u64,
    pub(super) refused: Vec<(u64, String)>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(opened: &'a Opened, table: &'a TableDescription, is_dry: bool) -> Self {
        let kind = |name: &str| table.attributes.iter().find(|attribute| attribute.name == name);
        let keys =
            table.keys.iter().filter_map(|key| Some((key.name.clone(), kind(&key.name)?.kind.value_type())));
        let (keys, waiting_keys) = (keys.collect(), HashSet::new());
        Self { opened, table: &table.name, keys, is_dry, waiting: Vec::new(), waiting_keys, bytes: 0 }
    }

    /// Adds an item, and sends what waits if there is enough of it.
    pub(super) async fn add(&mut self, line: u64, item: Item) -> anyhow::Result<Flushed> {
        let mut flushed = Flushed::default();
        let key = match self.key(&item) {
            Ok(key) => key,
            Err(reason) => {
                flushed.refused.push((line, reason));
                return Ok(flushed);
            }
        };
        let bytes = tabletheory_core::size::item_bytes(&item);
        let is_full = self.waiting.len() == ITEMS_MAX || self.bytes + bytes > BYTES_MAX;
        // A batch names each key once; of two lines with the same one the later counts.
        if is_full || self.waiting_keys.contains(&key) {
            flushed = self.flush().await?;
        }
        self.bytes += bytes;
        self.waiting_keys.insert(key);
        self.waiting.push((line, item));
        Ok(flushed)
    }

    /// Sends what waits.
    pub(super) async fn flush(&mut self) -> anyhow::Result<Flushed> {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_keys.clear();
        self.bytes = 0;
        let mut flushed = Flushed::default();
        if self.is_dry {
            flushed.written = u64::try_from(waiting.len())?;
            return Ok(flushed);
        }
        for sent in join_all(waiting.chunks(BATCH_WRITE_REQUESTS_MAX).map(|items| self.write(items))).await {
            let sent = sent?;
            flushed.written += sent.written;
            flushed.refused.extend(sent.refused);
        }
        Ok(flushed)
    }

    /// Writes the items of one batch.
    async fn write(&self, items: &[(u64, Item)]) -> anyhow::Result<Flushed> {
        let writes = items.iter().map(|(_, item)| BatchWrite::Put(item.clone())).collect();
        match self.send(writes).await {
            Ok(()) => Ok(Flushed { written: u64::try_from(items.len())?, refused: Vec::new() }),
            Err(StoreError::Validation(_)) => self.one_by_one(items).await,
            Err(error) => {
                let line = items.first().map_or(0, |(line, _)| *line);
                Err(error).with_context(|| format!("cannot write {} from line {line} on", self.table))
            }
        }
    }

    /// Sends a batch until nothing of it is left.
    async fn send(&self, mut writes: Vec<BatchWrite>) -> Result<(), StoreError> {
        let (mut pause, mut attempts) = (PAUSE_FIRST, 0);
        loop {
            let before = writes.len();
            let tables = BTreeMap::from([(self.table.to_owned(), writes.clone())]);
            let sent = self
                .opened
                .store
                .batch_write_item(BatchWriteItem { tables, ..BatchWriteItem::default() })
                .await;
            let last = match sent {
                Ok(mut output) => {
                    writes = output.unprocessed.remove(self.table).unwrap_or_default();
                    StoreError::Throttling(format!("{} items were left over again and again", writes.len()))
                }
                Err(error) if error.is_retryable() => error,
                Err(error) => return Err(error),
            };
            if writes.is_empty() {
                return Ok(());
            }
            attempts = if writes.len() < before { 0 } else { attempts + 1 };
            if attempts == ATTEMPTS_MAX {
                return Err(last);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    async fn one_by_one(&self, items: &[(u64, Item)]) -> anyhow::Result<Flushed> {
        let mut flushed = Flushed::default();
        for (line, item) in items {
            let put = PutItem { table: self.table.to_owned(), item: item.clone(), ..PutItem::default() };
            match self.opened.store.put_item(put).await {
                Ok(_) => flushed.written += 1,
                Err(StoreError::Validation(reason)) => flushed.refused.push((*line, reason)),
                Err(error) => bail!("cannot write line {line} into {}: {error}", self.table),
            }
        }
        Ok(flushed)
    }

    /// The item's key as text, or why it has none.
    fn key(&self, item: &Item) -> Result<String, String> {
        let mut text = String::new();
        for (name, kind) in &self.keys {
            match item.get(name) {
                Some(value) if value.kind() == *kind => text.push_str(&format!("{value:?};")),
                Some(value) => {
                    let (found, wanted) = (value.kind().name(), kind.name());
                    return Err(format!("the key attribute {name} is {found}, and has to be {wanted}"));
                }
                None => return Err(format!("the key attribute {name} is missing")),
            }
        }
        Ok(text)
    }
}
