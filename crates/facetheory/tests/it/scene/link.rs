//! A worker's way to the store: it counts the calls, and can be cut.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tabletheory::testing::TestStore;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::{Request, Store, StoreError};
use tokio::time::sleep;

use super::tally::Tally;

/// No scene needs more calls: a worker that goes round and round without time passing is found here.
const CALLS_MAX: u64 = 10_000;

/// The way of one worker.
#[derive(Debug)]
pub(crate) struct Link {
    store: TestStore,
    tally: Tally,
    mine: String,
    cut: AtomicBool,
    latency: Duration,
}

impl Link {
    pub(crate) fn new(store: TestStore, tally: Tally, worker: &str, latency: Duration) -> Self {
        Self { store, tally, mine: format!("store.{worker}"), cut: AtomicBool::new(false), latency }
    }

    pub(crate) fn cut(&self, cut: bool) {
        self.cut.store(cut, Ordering::Relaxed);
    }
}

impl Store for Link {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        self.tally.count("store");
        self.tally.count(&self.mine);
        self.tally.count(request.name());
        assert!(self.tally.get("store") < CALLS_MAX, "calls without end");
        if self.cut.load(Ordering::Relaxed) {
            let error = StoreError::Unavailable("the connection was refused".to_owned());
            return Box::pin(std::future::ready(Err(error)));
        }
        if self.latency.is_zero() {
            return self.store.call(request);
        }
        Box::pin(async move {
            // Half on the way there, half on the way back.
            sleep(self.latency / 2).await;
            let answer = self.store.call(request).await;
            sleep(self.latency / 2).await;
            answer
        })
    }
}
