//! Items on their way into a table, twenty-five at a time. A batch that is refused is sent again item by item, so that the line
//! that is to blame is found.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, bail};
use tabletheory_core::store::op::{BatchWrite, BatchWriteItem, PutItem};
use tabletheory_core::{Item, StoreError, StoreExt as _, Value};

use crate::store::Opened;

/// The service's own bound.
const ITEMS_MAX: usize = 25;
/// The service's bound on a batch is 16 MB.
const BYTES_MAX: usize = 8 << 20;
/// A batch that makes no progress is tried so many times.
const ATTEMPTS_MAX: u32 = 10;
const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Items on their way.
pub(super) struct Batch<'a> {
    opened: &'a Opened,
    table: &'a str,
    keys: Vec<String>,
    is_dry: bool,
    waiting: Vec<(u64, Item)>,
    bytes: usize,
}

/// What came of a batch.
#[derive(Debug, Default)]
pub(super) struct Flushed {
    pub(super) written: u64,
    pub(super) refused: Vec<(u64, String)>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(opened: &'a Opened, table: &'a str, keys: Vec<String>, is_dry: bool) -> Self {
        Self { opened, table, keys, is_dry, waiting: Vec::new(), bytes: 0 }
    }

    /// Adds an item, and sends the batch if it is full.
    pub(super) async fn add(&mut self, line: u64, item: Item) -> anyhow::Result<Flushed> {
        let mut flushed = Flushed::default();
        let bytes = tabletheory_core::size::item_bytes(&item);
        let is_full = self.waiting.len() == ITEMS_MAX || self.bytes + bytes > BYTES_MAX;
        // A batch names each key once; of two lines with the same one the later counts.
        if is_full || self.waiting.iter().any(|(_, other)| self.key(other) == self.key(&item)) {
            flushed = self.flush().await?;
        }
        self.bytes += bytes;
        self.waiting.push((line, item));
        Ok(flushed)
    }

    /// Sends what waits.
    pub(super) async fn flush(&mut self) -> anyhow::Result<Flushed> {
        let waiting = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        if waiting.is_empty() || self.is_dry {
            return Ok(Flushed { written: u64::try_from(waiting.len())?, refused: Vec::new() });
        }
        let writes = waiting.iter().map(|(_, item)| BatchWrite::Put(item.clone())).collect();
        match self.send(writes).await {
            Ok(()) => Ok(Flushed { written: u64::try_from(waiting.len())?, refused: Vec::new() }),
            Err(StoreError::Validation(_)) => self.one_by_one(waiting).await,
            Err(error) => {
                let line = waiting.first().map_or(0, |(line, _)| *line);
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

    async fn one_by_one(&self, waiting: Vec<(u64, Item)>) -> anyhow::Result<Flushed> {
        let mut flushed = Flushed::default();
        for (line, item) in waiting {
            let put = PutItem { table: self.table.to_owned(), item, ..PutItem::default() };
            match self.opened.store.put_item(put).await {
                Ok(_) => flushed.written += 1,
                Err(StoreError::Validation(reason)) => flushed.refused.push((line, reason)),
                Err(error) => bail!("cannot write line {line} into {}: {error}", self.table),
            }
        }
        Ok(flushed)
    }

    fn key<'i>(&self, item: &'i Item) -> Vec<Option<&'i Value>> {
        self.keys.iter().map(|name| item.get(name)).collect()
    }
}
