//! A table in a store that can be told to misbehave, and those who claim requests in it.

use std::sync::Arc;

use idempotent::{Attempt, Claim, Idempotency, IdempotencyKey, Intent, Replay, Response, Scope, Settings};
use tabletheory::db::Backoff;
use tabletheory::testing::TestStore;
use tabletheory_core::store::op::{PutItem, Scan};
use tabletheory_core::{Clock, Item, ManualClock, Seconds, StoreExt, Value};

pub(crate) struct World {
    pub(crate) store: TestStore,
    /// The first process.
    pub(crate) requests: Idempotency,
}

impl World {
    pub(crate) async fn new() -> Self {
        let store = TestStore::new();
        let requests = Idempotency::new(store.db());
        requests.create_table().await.expect("it works");
        store.forget_calls();
        Self { store, requests }
    }

    /// Another process, which remembers nothing.
    pub(crate) fn other(&self) -> Idempotency {
        Idempotency::new(self.store.db())
    }

    /// Another process with other settings.
    pub(crate) fn set(&self, change: impl FnOnce(&mut Settings)) -> Idempotency {
        let mut settings = Settings::default();
        change(&mut settings);
        self.other().with_settings(settings).expect("it works")
    }

    /// Another process whose clock is off.
    pub(crate) fn skewed(&self, span: Seconds) -> Idempotency {
        let clock = Arc::new(ManualClock::at(self.store.clock().now() + span));
        Idempotency::new(self.store.db().with_clock(clock))
    }

    /// Another process that does not wait for a store that is busy.
    pub(crate) fn impatient(&self) -> Idempotency {
        Idempotency::new(self.store.db().with_backoff(Backoff { attempts: 1, ..Backoff::default() }))
    }

    /// Moves the clock; time to live removes nothing.
    pub(crate) fn pass(&self, seconds: i64) {
        self.store.clock().advance(Seconds(seconds));
    }

    /// All rows of the table.
    pub(crate) async fn rows(&self) -> Vec<Item> {
        let scan = Scan { table: self.requests.table_name(), consistent: true, ..Scan::default() };
        self.store.scan(scan).await.expect("it works").items.unwrap_or_default()
    }

    /// The one record.
    pub(crate) async fn record(&self) -> Item {
        let is_record = |row: &Item| row.get("SK").and_then(Value::as_s) == Some("IDEMPOTENCY");
        let mut records: Vec<Item> = self.rows().await.into_iter().filter(is_record).collect();
        assert_eq!(records.len(), 1);
        records.remove(0)
    }

    /// Writes a row as another service would.
    pub(crate) async fn put(&self, item: Item) {
        let put = PutItem { table: self.requests.table_name(), item, ..PutItem::default() };
        self.store.put_item(put).await.expect("it works");
    }

    /// Changes the one record behind everybody's back.
    pub(crate) async fn tamper(&self, change: impl FnOnce(&mut Item)) {
        let mut record = self.record().await;
        change(&mut record);
        self.put(record).await;
    }
}

pub(crate) fn scope(principal: &str) -> Scope {
    Scope::route("POST", "/orders").tenant("acme").principal(principal)
}

pub(crate) fn intent(key: &str, body: &str) -> Intent {
    Intent::of_bytes(scope("ada"), IdempotencyKey::parse(key).expect("it works"), body.as_bytes())
}

pub(crate) fn answer(body: &str) -> Response {
    Response::new(201, body.to_owned()).expect("it works").with_header("content-type", "text/plain")
}

#[track_caller]
pub(crate) fn granted(claim: Claim) -> Attempt {
    match claim {
        Claim::Granted(attempt) => attempt,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub(crate) fn replayed(claim: Claim) -> Replay {
    match claim {
        Claim::Replay(replay) => *replay,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
pub(crate) fn is_running(claim: Claim) {
    assert!(matches!(claim, Claim::Running { .. }), "{claim:?}");
}
