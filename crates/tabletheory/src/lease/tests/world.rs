//! The engine behind a store that misbehaves as it is told, and clocks that do too.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::GetItem;
use tabletheory_core::{
    Clock, Item, ManualClock, Request, Seconds, SeededEntropy, Store, StoreError, Timestamp,
};
use tabletheory_engine::{Engine, Settings};
use tokio::time::Instant;

use crate::lease::{Acquire, Lease, LeaseManager, LeaseSettings};

/// When every test begins.
pub(super) const START: Timestamp = Timestamp::from_seconds(1_700_000_000);
pub(super) const PAGE: &str = "CACHE#1";

/// What happens to one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is done and answered.
    None,
    /// It is done, and the answer is lost.
    AnswerLost,
    /// It is not done, and nobody can tell.
    RequestLost,
    /// The store cannot be reached.
    Down,
    /// It is done, and the answer never comes.
    Stall,
}

/// The engine, with faults for the next calls. It answers inside the call, so that paused time stands still meanwhile.
#[derive(Debug)]
pub(super) struct Faulty {
    pub(super) engine: Engine,
    /// Every request, in order.
    pub(super) sent: Mutex<Vec<Request>>,
    next: Mutex<VecDeque<Fault>>,
    after: Mutex<Fault>,
}

impl Faulty {
    /// The next calls meet these faults, and those after them none.
    pub(super) fn will<const COUNT: usize>(&self, faults: [Fault; COUNT]) {
        *self.next.lock().unwrap() = faults.into();
    }

    /// Every call from now on meets this fault.
    pub(super) fn always(&self, fault: Fault) {
        *self.after.lock().unwrap() = fault;
    }

    fn fault(&self) -> Fault {
        let next = self.next.lock().unwrap().pop_front();
        next.unwrap_or_else(|| *self.after.lock().unwrap())
    }
}

impl Store for Faulty {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        self.sent.lock().unwrap().push(request.clone());
        Box::pin(async move {
            match self.fault() {
                Fault::None => self.engine.apply(request),
                Fault::AnswerLost => {
                    self.engine.apply(request).ok();
                    Err(StoreError::Internal("the answer was lost".into()))
                }
                Fault::RequestLost => Err(StoreError::Internal("the request was lost".into())),
                Fault::Down => Err(StoreError::Unavailable("connection refused".into())),
                Fault::Stall => {
                    self.engine.apply(request).ok();
                    std::future::pending().await
                }
            }
        })
    }
}

/// A wall clock that runs with tokio's time, and can be set wrong on top of that.
#[derive(Debug)]
pub(super) struct RunningClock {
    began: Instant,
    pub(super) set: ManualClock,
}

impl RunningClock {
    pub(super) fn start() -> Arc<Self> {
        Arc::new(Self { began: Instant::now(), set: ManualClock::at(START) })
    }
}

impl Clock for RunningClock {
    fn now(&self) -> Timestamp {
        let ran_ms = i64::try_from(self.began.elapsed().as_millis()).unwrap();
        Timestamp::from_millis(self.set.now().millis() + ran_ms)
    }
}

/// A table on an engine, and managers that share it.
pub(super) struct World {
    pub(super) clock: Arc<ManualClock>,
    pub(super) store: Arc<Faulty>,
    pub(super) ours: LeaseManager,
    pub(super) theirs: LeaseManager,
}

impl World {
    pub(super) fn new() -> Self {
        let clock = Arc::new(ManualClock::at(START));
        let entropy = Arc::new(SeededEntropy::new(0));
        let engine = Engine::memory_with(Settings::default(), clock.clone(), entropy);
        engine.run(LeaseSettings::default().create_table("cache")).unwrap();
        let (next, after) = (Mutex::default(), Mutex::new(Fault::None));
        let store = Arc::new(Faulty { engine, sent: Mutex::default(), next, after });
        let manager = |seed| {
            LeaseManager::new(store.clone(), "cache")
                .with_clock(clock.clone())
                .with_entropy(Arc::new(SeededEntropy::new(seed)))
        };
        Self { ours: manager(1), theirs: manager(2), clock, store }
    }

    /// With one running wall clock for both managers.
    pub(super) fn running(clock: &Arc<RunningClock>) -> Self {
        let Self { ours, theirs, clock: still, store } = Self::new();
        Self {
            ours: ours.with_clock(clock.clone()),
            theirs: theirs.with_clock(clock.clone()),
            clock: still,
            store,
        }
    }

    /// The row as it is, whatever faults there are.
    pub(super) fn row(&self) -> Option<Item> {
        let key = Item::from([("pk", PAGE), ("sk", "LOCK")]);
        let get = GetItem { table: "cache".into(), key, consistent: true, ..GetItem::default() };
        self.store.engine.run(get).unwrap().item
    }

    /// Who holds the row.
    pub(super) fn holder(&self) -> Option<String> {
        self.row().map(|row| row.get("lease_token").unwrap().as_s().unwrap().to_owned())
    }
}

pub(super) async fn granted(manager: &LeaseManager, term: i64) -> Lease {
    match manager.try_acquire(PAGE, Seconds(term)).await.unwrap() {
        Acquire::Granted(lease) => lease,
        Acquire::HeldUntil(until) => panic!("held until {until:?}"),
    }
}

pub(super) async fn held_until(manager: &LeaseManager, term: i64) -> Timestamp {
    match manager.try_acquire(PAGE, Seconds(term)).await.unwrap() {
        Acquire::Granted(lease) => panic!("granted: {lease:?}"),
        Acquire::HeldUntil(until) => until,
    }
}
