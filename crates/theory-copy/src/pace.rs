//! A store that writes no faster than it is told: each write waits for its turn, and everything else passes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tabletheory_core::size::item_bytes;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::BatchWrite;
use tabletheory_core::{Item, Request, Store};
use tokio::time::{Instant, sleep_until};

/// A write unit pays for so many bytes.
const UNIT_BYTES: usize = 1024;

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
pub struct Paced {
    store: Arc<dyn Store>,
    rate: Rate,
    /// When the next write may begin.
    free: Mutex<Option<Instant>>,
}

impl Paced {
    /// This store, no faster than that.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, rate: Rate) -> Self {
        Self { store, rate, free: Mutex::new(None) }
    }

    /// When a write of this weight may begin. It takes its turn with that.
    fn turn(&self, weight: Weight) -> Instant {
        let spans = [
            self.rate.items.map(|rate| span(weight.items, rate)),
            self.rate.units.map(|rate| span(weight.units, rate)),
        ];
        let span = spans.into_iter().flatten().max().unwrap_or_default();
        let now = Instant::now();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = free.map_or(now, |free| free.max(now));
        *free = Some(turn + span);
        turn
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
            Request::BatchWriteItem(batch) => {
                batch.tables.values().flatten().fold(Self::default(), |weight, write| match write {
                    BatchWrite::Put(item) | BatchWrite::Delete(item) => weight.and(item),
                })
            }
            Request::PutItem(put) => Self::default().and(&put.item),
            Request::UpdateItem(update) => Self::default().and(&update.key),
            Request::DeleteItem(delete) => Self::default().and(&delete.key),
            _ => Self::default(),
        }
    }

    fn and(self, item: &Item) -> Self {
        let units = item_bytes(item).div_ceil(UNIT_BYTES).max(1);
        Self { items: self.items + 1, units: self.units + u32::try_from(units).unwrap_or(u32::MAX) }
    }
}

/// How long so much takes at this rate.
fn span(amount: u32, rate: u32) -> Duration {
    Duration::from_secs(1) * amount / rate.max(1)
}

impl Store for Paced {
    fn call(&self, request: Request) -> StoreFuture<'_> {
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
    use std::collections::BTreeMap;

    use tabletheory::testing::TestStore;
    use tabletheory_core::store::op::{BatchWriteItem, ListTables};
    use tabletheory_core::{StoreExt as _, Value};

    use super::*;

    fn batch(items: usize, bytes: usize) -> BatchWriteItem {
        let item = |number: usize| {
            let number = i64::try_from(number).expect("a small number");
            Item::from([("pk", Value::n(number)), ("text", Value::s("x".repeat(bytes)))])
        };
        let writes = (0..items).map(|number| BatchWrite::Put(item(number))).collect();
        BatchWriteItem { tables: BTreeMap::from([("t".to_owned(), writes)]), ..BatchWriteItem::default() }
    }

    async fn took(rate: Rate, batches: &[BatchWriteItem]) -> Duration {
        let paced = Paced::new(Arc::new(TestStore::new()), rate);
        let began = Instant::now();
        for batch in batches {
            // There is no such table; whoever is refused has waited all the same.
            let _ = paced.batch_write_item(batch.clone()).await;
        }
        // The last write has had its turn; that it is paid for is told by the next one.
        let _ = paced.batch_write_item(batch(1, 1)).await;
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

    #[tokio::test(start_paused = true)]
    async fn reads_do_not_wait() {
        let paced = Paced::new(Arc::new(TestStore::new()), Rate { items: Some(1), units: None });
        let _ = paced.batch_write_item(batch(25, 1)).await;
        let began = Instant::now();
        paced.list_tables(ListTables::default()).await.unwrap();
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
