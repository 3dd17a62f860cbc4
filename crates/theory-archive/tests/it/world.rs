//! A table in memory whose items expire, an archive, and what is checked of both in the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::ObjectStore;
use object_store::memory::InMemory;
use tabletheory::testing::TestStore;
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::Scan;
use tabletheory_core::{Clock as _, Item, Seconds, Store, StoreExt, Value};
use theory_archive::{
    Archive, Days, Entry, Error, Follower, Outcome, Restore, RestoreSettings, Restored, Shelf, Ttl,
};

use crate::items::{self, TABLE};

/// A minute after the store's clock begins.
pub(crate) const ENDS: i64 = 1_704_067_260;

/// A table in memory, and objects in memory.
pub(crate) struct World {
    pub(crate) store: Arc<TestStore>,
    pub(crate) objects: Arc<dyn ObjectStore>,
}

impl World {
    /// With an empty table that has a stream and time to live.
    pub(crate) async fn new() -> Self {
        Self::with_view(StreamView::NewAndOldImages).await
    }

    pub(crate) async fn with_view(view: StreamView) -> Self {
        let store = Arc::new(TestStore::new());
        items::make(&*store, view).await;
        Self { store, objects: Arc::new(InMemory::new()) }
    }

    /// So many items expire.
    pub(crate) async fn expire(&self, items: std::ops::Range<usize>) {
        for number in items {
            items::put(&*self.store, items::item(number, ENDS)).await;
        }
        self.store.advance(Seconds(3600));
    }

    pub(crate) fn archive(&self) -> Archive {
        archive_in(Arc::clone(&self.objects))
    }

    pub(crate) async fn follow(&self, archive: Archive) -> Result<Follower, Error> {
        Follower::open(archive, self.store.clone(), TABLE).await
    }

    /// Archives everything so far.
    pub(crate) async fn archive_all(&self) -> Outcome {
        drain(&mut self.follow(self.archive()).await.unwrap()).await.unwrap()
    }

    pub(crate) async fn restore(&self, settings: RestoreSettings) -> Result<Restored, Error> {
        restore_into(self.archive(), self.store.clone(), settings).await
    }
}

pub(crate) fn archive_in(objects: Arc<dyn ObjectStore>) -> Archive {
    Archive::new(objects, "ttl-archive")
}

pub(crate) async fn restore_into(
    archive: Archive,
    store: Arc<TestStore>,
    settings: RestoreSettings,
) -> Result<Restored, Error> {
    let clock = store.clock();
    Restore::open(archive, store, settings, &*clock).await?.run(&mut |_| {}).await
}

/// Archives until there is nothing more, and adds up what came of it.
pub(crate) async fn drain(follower: &mut Follower) -> Result<Outcome, Error> {
    let mut sum = Outcome::default();
    while let Some(progress) = follower.try_next().await? {
        sum.archived += progress.outcome.archived;
        sum.present += progress.outcome.present;
        sum.passed += progress.outcome.passed;
        sum.dead += progress.outcome.dead;
    }
    follower.note().await?;
    Ok(sum)
}

/// The names of everything in an object store, with its bytes.
pub(crate) async fn everything(objects: &dyn ObjectStore) -> BTreeMap<String, Vec<u8>> {
    use object_store::ObjectStoreExt as _;
    let mut all = BTreeMap::new();
    let mut metas = objects.list(None);
    while let Some(meta) = metas.try_next().await.unwrap() {
        let bytes = objects.get(&meta.location).await.unwrap().bytes().await.unwrap();
        all.insert(meta.location.to_string(), bytes.to_vec());
    }
    all
}

/// All archived items.
pub(crate) async fn entries(archive: &Archive) -> Vec<Entry> {
    let mut entries = Vec::new();
    for day in archive.days(Shelf::Items, &Days::default()).await.unwrap() {
        let listed: Vec<_> = archive.list(Shelf::Items, day).try_collect().await.unwrap();
        let read = futures_util::stream::iter(&listed).map(|listed| archive.read(listed)).buffered(25);
        entries.extend(read.try_collect::<Vec<Entry>>().await.unwrap());
    }
    entries
}

/// All items of a table.
pub(crate) async fn scanned(store: &dyn Store, table: &str) -> BTreeMap<String, Item> {
    let (mut items, mut start_key) = (BTreeMap::new(), None);
    loop {
        let scan = Scan { table: table.to_owned(), start_key, consistent: true, ..Scan::default() };
        let page = store.scan(scan).await.unwrap();
        let named = |item: Item| (item.get("id").and_then(Value::as_s).unwrap().to_owned(), item);
        items.extend(page.items.unwrap_or_default().into_iter().map(named));
        start_key = page.last_evaluated_key;
        if start_key.is_none() {
            return items;
        }
    }
}

/// The law: each of the items is archived once, there is nothing else, and restored into an empty table they are what they were.
pub(crate) async fn check_all_archived_once(archive: &Archive, originals: &BTreeMap<String, Item>) {
    let entries = entries(archive).await;
    assert_eq!(entries.len(), originals.len(), "one object an item");
    let archived: BTreeMap<String, Item> = entries
        .into_iter()
        .map(|entry| (entry.item.get("id").and_then(Value::as_s).unwrap().to_owned(), entry.item))
        .collect();
    assert!(archived == *originals, "every item is archived as it was");

    let empty = Arc::new(TestStore::new());
    empty.create_table(items::table("again")).await.unwrap();
    let settings = RestoreSettings {
        source: Some(TABLE.to_owned()),
        ttl: Some(Ttl::Keep),
        ..RestoreSettings::new("again")
    };
    let restored = restore_into(archive.clone(), Arc::clone(&empty), settings).await.unwrap();
    assert_eq!(restored.restored, u64::try_from(originals.len()).unwrap(), "{restored:?}");
    assert!(scanned(&*empty, "again").await == *originals, "restored items are the originals");
}

/// What so many items are, by their names.
pub(crate) fn originals(items: std::ops::Range<usize>, ends: i64) -> BTreeMap<String, Item> {
    items.map(|number| (format!("item-{number}"), items::item(number, ends))).collect()
}

/// The second that the store's clock shows.
pub(crate) fn now(store: &TestStore) -> i64 {
    store.clock().now().seconds()
}
