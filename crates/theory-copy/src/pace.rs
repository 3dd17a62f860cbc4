//! A store that writes no faster than it is told: each write waits for its turn, and everything else passes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tabletheory_core::limits::WRITE_UNIT_BYTES;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::{BatchWrite, BatchWriteItem, BatchWriteItemOutput};
use tabletheory_core::{Item, Request, Response, Store, StoreError, StoreExt as _};
use tokio::time::{Instant, sleep_until};

/// How fast may be written. What is not said is not bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate {
    /// Items in each second.
    pub items: Option<u32>,
    /// Write units in each second: one for each started kilobyte of an item. What indexes cost is not counted.
    pub units: Option<u32>,
}

/// A store that writes no faster than its rate.
#[derive(Debug)]
pub(crate) struct Paced {
    store: Arc<dyn Store>,
    rate: Rate,
    /// When the next write may begin.
    free: Mutex<Option<Instant>>,
}

impl Paced {
    /// This store, no faster than that.
    pub(crate) fn new(store: Arc<dyn Store>, rate: Rate) -> Self {
        Self { store, rate, free: Mutex::new(None) }
    }

    /// When a write of this weight may begin. It takes its turn with that, and has been paid for when the turn comes.
    fn turn(&self, weight: Weight) -> Instant {
        let spans = [
            self.rate.items.map(|rate| span(weight.items, rate)),
            self.rate.units.map(|rate| span(weight.units, rate)),
        ];
        let span = spans.into_iter().flatten().max().unwrap_or_default();
        let now = Instant::now();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = free.map_or(now, |free| free.max(now)) + span;
        *free = Some(turn);
        turn
    }

    /// Writes a batch in parts, of which none weighs more than a second may, unless it is one item. What one of them was refused
    /// for now, and what comes behind it, is left for another call.
    async fn write(&self, batch: BatchWriteItem) -> Result<BatchWriteItemOutput, StoreError> {
        let mut answer = BatchWriteItemOutput::default();
        let mut parts = self.rate.parts(batch).into_iter();
        let mut is_first = true;
        while let Some(part) = parts.next() {
            sleep_until(self.turn(Weight::of_batch(&part))).await;
            match self.store.batch_write_item(part.clone()).await {
                Ok(written) => add(&mut answer, written),
                Err(error) if !is_first && error.is_retryable() => {
                    for part in std::iter::once(part).chain(parts) {
                        leave(&mut answer, part.tables);
                    }
                    return Ok(answer);
                }
                Err(error) => return Err(error),
            }
            is_first = false;
        }
        Ok(answer)
    }
}

impl Rate {
    /// Cuts a batch where it would weigh more than a second may.
    fn parts(&self, batch: BatchWriteItem) -> Vec<BatchWriteItem> {
        let BatchWriteItem { tables, return_capacity, collection_metrics } = batch;
        let (mut parts, mut weight): (Vec<BatchWriteItem>, Weight) = (Vec::new(), Weight::default());
        for (table, writes) in tables {
            for write in writes {
                let heavier = weight.and_write(&write);
                if parts.is_empty() || !self.allows(heavier) {
                    parts.push(BatchWriteItem {
                        tables: BTreeMap::new(),
                        return_capacity,
                        collection_metrics,
                    });
                    weight = Weight::default().and_write(&write);
                } else {
                    weight = heavier;
                }
                if let Some(part) = parts.last_mut() {
                    part.tables.entry(table.clone()).or_default().push(write);
                }
            }
        }
        parts
    }

    /// Whether a second may have so much.
    fn allows(&self, weight: Weight) -> bool {
        self.items.is_none_or(|rate| weight.items <= rate)
            && self.units.is_none_or(|rate| weight.units <= rate)
    }
}

/// Adds what a part came to.
fn add(answer: &mut BatchWriteItemOutput, part: BatchWriteItemOutput) {
    answer.capacity.extend(part.capacity);
    for (table, metrics) in part.collection_metrics {
        answer.collection_metrics.entry(table).or_default().extend(metrics);
    }
    leave(answer, part.unprocessed);
}

fn leave(answer: &mut BatchWriteItemOutput, writes: BTreeMap<String, Vec<BatchWrite>>) {
    for (table, writes) in writes {
        answer.unprocessed.entry(table).or_default().extend(writes);
    }
}

/// What a write weighs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Weight {
    items: u32,
    units: u32,
}

impl Weight {
    fn of(request: &Request) -> Self {
        match request {
            Request::PutItem(put) => Self::default().and(&put.item),
            Request::UpdateItem(update) => Self::default().and(&update.key),
            Request::DeleteItem(delete) => Self::default().and(&delete.key),
            _ => Self::default(),
        }
    }

    fn of_batch(batch: &BatchWriteItem) -> Self {
        batch.tables.values().flatten().fold(Self::default(), Self::and_write)
    }

    fn and_write(self, write: &BatchWrite) -> Self {
        match write {
            BatchWrite::Put(item) | BatchWrite::Delete(item) => self.and(item),
        }
    }

    fn and(self, item: &Item) -> Self {
        let units = item_bytes(item).div_ceil(WRITE_UNIT_BYTES).max(1);
        Self { items: self.items + 1, units: self.units + u32::try_from(units).unwrap_or(u32::MAX) }
    }
}

/// How long so much takes at this rate.
fn span(amount: u32, rate: u32) -> Duration {
    Duration::from_secs(1) * amount / rate.max(1)
}

impl Store for Paced {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        let request = match request {
            Request::BatchWriteItem(batch) => {
                return Box::pin(
                    async move { Ok(Response::BatchWriteItem(Box::new(self.write(*batch).await?))) },
                );
            }
            other => other,
        };
        let weight = Weight::of(&request);
        if weight == Weight::default() {
            return self.store.call(request);
        }
        let turn = self.turn(weight);
        Box::pin(async move {
            sleep_until(turn).await;
            self.store.call(request).await
        })
    }
}

#[cfg(test)]
mod tests {
    use tabletheory::testing::{TestStore, Trouble};
    use tabletheory_core::Value;
    use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
    use tabletheory_core::store::op::{CreateTable, ListTables};

    use super::*;

    fn batch(items: usize, bytes: usize) -> BatchWriteItem {
        let item = |number: usize| {
            let number = i64::try_from(number).expect("a small number");
            Item::from([("pk", Value::n(number)), ("text", Value::s("x".repeat(bytes)))])
        };
        let writes = (0..items).map(|number| BatchWrite::Put(item(number))).collect();
        BatchWriteItem { tables: BTreeMap::from([("users".to_owned(), writes)]), ..BatchWriteItem::default() }
    }

    async fn took(rate: Rate, batches: &[BatchWriteItem]) -> Duration {
        let paced = Paced::new(Arc::new(TestStore::new()), rate);
        let began = Instant::now();
        for batch in batches {
            // There is no such table; whoever is refused has waited all the same.
            let _ = paced.batch_write_item(batch.clone()).await;
        }
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn writes_take_their_turns() {
        let items = |items| Rate { items: Some(items), units: None };
        assert_eq!(took(items(100), &[batch(25, 10), batch(25, 10)]).await.as_millis() / 10, 50);
        let units = Rate { items: None, units: Some(100) };
        assert_eq!(took(units, &[batch(25, 1500)]).await.as_millis() / 10, 50, "each has two units");
        let both = Rate { items: Some(100), units: Some(100) };
        assert_eq!(took(both, &[batch(25, 1500)]).await.as_millis() / 10, 50, "the stricter one holds");
        assert_eq!(took(Rate::default(), &[batch(25, 10)]).await, Duration::ZERO);
    }

    #[test]
    fn no_part_of_a_batch_weighs_more_than_a_second_unless_it_is_one_item() {
        let check = |items, units, batch: BatchWriteItem, expected: &[usize]| {
            let parts = Rate { items, units }.parts(batch);
            let sizes: Vec<usize> = parts.iter().map(|part| part.tables["users"].len()).collect();
            assert_eq!(sizes, expected, "{items:?} {units:?}");
        };
        check(None, None, batch(25, 1500), &[25]);
        check(None, Some(20), batch(25, 1500), &[10, 10, 5]);
        check(None, Some(1), batch(3, 5000), &[1, 1, 1]);
        check(Some(10), Some(1000), batch(25, 10), &[10, 10, 5]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_sent_is_paid_for_and_a_refused_part_is_left_for_another_call() {
        let store = TestStore::new();
        let table = CreateTable {
            table: "users".to_owned(),
            attributes: vec![AttributeDefinition { name: "pk".to_owned(), kind: KeyType::N }],
            keys: vec![KeyElement::hash("pk")],
            billing: BillingMode::PayPerRequest,
            ..CreateTable::default()
        };
        store.create_table(table).await.unwrap();
        let paced = Paced::new(Arc::new(store.clone()), Rate { items: None, units: Some(20) });
        let began = Instant::now();
        let done = paced.batch_write_item(batch(25, 1500)).await.unwrap();
        assert!(done.unprocessed.is_empty());
        assert_eq!(began.elapsed().as_millis() / 10, 250, "fifty units at twenty a second");
        store.forget_calls();
        let (left, ()) = tokio::join!(paced.batch_write_item(batch(25, 1500)), async {
            tokio::time::sleep(Duration::from_millis(1500)).await;
            store.trouble("BatchWriteItem", Trouble::Throttled);
        });
        assert_eq!(left.unwrap().unprocessed["users"].len(), 15, "the second part and what is behind it");
        assert_eq!(store.count("BatchWriteItem"), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn reads_do_not_wait() {
        let paced = Paced::new(Arc::new(TestStore::new()), Rate { items: Some(1), units: None });
        let _ = paced.batch_write_item(batch(25, 1)).await;
        let began = Instant::now();
        paced.list_tables(ListTables::default()).await.unwrap();
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
