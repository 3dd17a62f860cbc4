//! A page in a store that can be told to misbehave.

use std::sync::Arc;

use tabletheory::db::Backoff;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::store::op::PutItem;
use tabletheory_core::{Clock, Item, ManualClock, Seconds, StoreExt, Timestamp, Value};

use crate::key::{PageKey, Partition};
use crate::meta::{
    Acquire, Claimed, Commit, Draft, Ground, Guards, Intent, Lease, MetaSettings, MetaStore, SecondLook,
};
use crate::record::{Epoch, Lock, Meta, Request};

pub(super) const TERM: Seconds = Seconds(30);

/// One page, and everything around it.
pub(super) struct World {
    pub(super) store: TestStore,
    pub(super) meta: MetaStore,
    pub(super) page: Partition,
}

impl World {
    pub(super) async fn new() -> Self {
        Self::with(Guards::default()).await
    }

    pub(super) async fn with(guards: Guards) -> Self {
        let store = TestStore::new();
        let meta =
            MetaStore::new(store.db()).with_settings(MetaSettings { guards, ..MetaSettings::default() });
        meta.create_table().await.expect("a table");
        let page = meta.partition(&PageKey::path("/news")).expect("a partition");
        store.forget_calls();
        Self { store, meta, page }
    }

    /// Another worker whose clock is off.
    pub(super) fn skewed(&self, span: Seconds) -> MetaStore {
        let clock = Arc::new(ManualClock::at(self.now() + span));
        let db = self.store.db().with_clock(clock);
        MetaStore::new(db).with_settings(self.meta.settings().clone())
    }

    /// Another worker that does not wait.
    pub(super) fn impatient(&self) -> MetaStore {
        let db = self.store.db().with_backoff(Backoff { attempts: 1, ..Backoff::default() });
        MetaStore::new(db).with_settings(self.meta.settings().clone())
    }

    pub(super) fn now(&self) -> Timestamp {
        self.store.clock().now()
    }

    pub(super) fn trouble(&self, operation: &str, trouble: Trouble) {
        self.store.trouble(operation, trouble);
    }

    /// How many calls there were since the last time this was asked.
    pub(super) fn calls(&self) -> usize {
        let calls = self.store.calls().len();
        self.store.forget_calls();
        calls
    }

    pub(super) async fn acquire(&self) -> Lease {
        match self.meta.try_acquire(&self.page, TERM).await.expect("an answer") {
            Acquire::Granted(lease) => lease,
            other => panic!("not granted: {other:?}"),
        }
    }

    pub(super) async fn claim(&self, intent: &Intent) -> Lease {
        match self.meta.claim(&self.page, intent, TERM).await.expect("an answer") {
            Claimed::Granted(lease) => lease,
            other => panic!("not granted: {other:?}"),
        }
    }

    pub(super) async fn ground(&self, lease: &Lease) -> Ground {
        self.second_look(lease).await.ground
    }

    pub(super) async fn second_look(&self, lease: &Lease) -> SecondLook {
        self.meta.look_again(lease).await.expect("an answer")
    }

    pub(super) fn draft(&self, s3_key: &str) -> Draft {
        Draft::new(s3_key, self.now(), Seconds(60))
    }

    /// Renders and publishes once, as a worker does.
    pub(super) async fn publish(&self, s3_key: &str) -> Meta {
        let lease = self.acquire().await;
        let ground = self.ground(&lease).await;
        published(self.meta.commit(&lease, &ground, &self.draft(s3_key)).await.expect("an answer"))
    }

    /// As [`publish`](Self::publish), with a version.
    pub(super) async fn publish_version(&self, s3_key: &str) -> Meta {
        let lease = self.acquire().await;
        let ground = self.ground(&lease).await;
        published(self.meta.commit_version(&lease, &ground, &self.draft(s3_key)).await.expect("an answer"))
    }

    pub(super) async fn row(&self) -> Option<Meta> {
        self.store.db().get(Meta::key(self.page.as_str())).consistent().await.expect("an answer")
    }

    pub(super) async fn lock(&self) -> Option<Lock> {
        self.store.db().get(Lock::key(self.page.as_str())).consistent().await.expect("an answer")
    }

    pub(super) async fn epoch(&self) -> Option<u64> {
        let epoch =
            self.store.db().get(Epoch::key(self.page.as_str())).consistent().await.expect("an answer");
        epoch.map(|epoch| epoch.epoch)
    }

    pub(super) async fn request(&self, intent: &Intent) -> Option<Request> {
        let key = Request::key(self.page.as_str(), intent.key());
        self.store.db().get(key).consistent().await.expect("an answer")
    }

    /// Writes a row as somebody else would.
    pub(super) async fn write<const N: usize>(&self, pk: &str, sk: &str, attributes: [(&str, Value); N]) {
        let mut item = Item::from([("pk", Value::s(pk)), ("sk", Value::s(sk))]);
        for (name, value) in attributes {
            item.insert(name, value);
        }
        let put = PutItem { table: "facetheory-cache".into(), item, ..PutItem::default() };
        self.store.put_item(put).await.expect("a row");
        self.store.forget_calls();
    }
}

#[track_caller]
pub(super) fn published(commit: Commit) -> Meta {
    match commit {
        Commit::Published(meta) => *meta,
        other => panic!("not published: {other:?}"),
    }
}
