//! A table whose items have expired when they are put: behind an endpoint, or in a folder.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tabletheory_aws::{Config, Credentials, DynamoDb};
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType, StreamView};
use tabletheory_core::store::op::{CreateTable, PutItem, Scan, UpdateTimeToLive};
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock as _, Item, Store, StoreExt as _, Value};
use tabletheory_engine::{Durability, Engine, Settings};

/// A table behind an endpoint.
pub(super) struct Table {
    pub(super) store: Arc<dyn Store>,
    /// When its items expire.
    pub(super) ends: i64,
}

impl Table {
    /// With a stream and time to live.
    pub(super) async fn make(endpoint: &str) -> Self {
        let store = connect(endpoint).await;
        create(&*store, Some(StreamView::NewAndOldImages)).await;
        Self { store, ends: SystemClock.now().seconds() - 3600 }
    }

    pub(super) async fn put(&self, numbers: Range<usize>) {
        put(&*self.store, numbers, self.ends).await;
    }

    /// Waits until upkeep has removed everything.
    pub(super) async fn wait_until_empty(&self) {
        while !self.items().await.is_empty() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub(super) async fn items(&self) -> BTreeMap<String, Item> {
        items(&*self.store).await
    }
}

pub(super) async fn connect(endpoint: &str) -> Arc<dyn Store> {
    let config = Config {
        endpoint_url: Some(endpoint.to_owned()),
        region: Some("us-east-1".to_owned()),
        credentials: Some(Credentials::new("id", "secret")),
        ..Config::default()
    };
    Arc::new(DynamoDb::connect(config).await.expect("the endpoint is there"))
}

/// Makes the table `app`.
pub(super) async fn create(store: &dyn Store, stream: Option<StreamView>) {
    let table = CreateTable {
        table: "app".to_owned(),
        attributes: vec![AttributeDefinition { name: "id".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("id")],
        billing: BillingMode::PayPerRequest,
        stream,
        ..CreateTable::default()
    };
    store.create_table(table).await.expect("the table is new");
    let ttl = UpdateTimeToLive { table: "app".to_owned(), attribute: "ends".to_owned(), enabled: true };
    store.update_time_to_live(ttl).await.expect("items of the table may expire");
}

/// A store in a folder, with a table of so many items that have expired and are still there. Gives when they did.
pub(super) async fn fill(folder: &Path, count: usize) -> i64 {
    let ends = SystemClock.now().seconds() - 3600;
    let engine = open(folder);
    create(&engine, Some(StreamView::OldImage)).await;
    put(&engine, 0..count, ends).await;
    engine.close().expect("it is written");
    ends
}

/// What the table in a folder holds.
pub(super) async fn read(folder: &Path) -> BTreeMap<String, Item> {
    let engine = open(folder);
    let found = items(&engine).await;
    engine.close().expect("nothing is to be written");
    found
}

/// The items with these numbers.
pub(super) fn expired(numbers: Range<usize>, ends: i64) -> BTreeMap<String, Item> {
    numbers.map(|number| (format!("item-{number}"), item(number, ends))).collect()
}

fn item(number: usize, ends: i64) -> Item {
    let item = serde_json::json!({
        "id": {"S": format!("item-{number}")}, "ends": {"N": ends.to_string()},
        "digits": {"N": "12345678901234567890123456789012345678"}, "bytes": {"B": "AAH/gH8="}, "none": {"NULL": true},
        "words": {"SS": ["a", "é"]}, "counts": {"NS": ["1", "-2.5"]}, "blobs": {"BS": ["AA==", "/w=="]},
        "map": {"M": {"list": {"L": [{"BOOL": true}, {"S": ""}]}}},
    });
    serde_json::from_value(item).expect("it is an item")
}

fn open(folder: &Path) -> Engine {
    let settings = Settings { upkeep_every: None, durability: Durability::Memory, ..Settings::default() };
    Engine::open(folder, settings).expect("the folder is ours")
}

async fn put(store: &dyn Store, numbers: Range<usize>, ends: i64) {
    for number in numbers {
        let put = PutItem { table: "app".to_owned(), item: item(number, ends), ..PutItem::default() };
        store.put_item(put).await.expect("the item is put");
    }
}

async fn items(store: &dyn Store) -> BTreeMap<String, Item> {
    let (mut found, mut start_key) = (BTreeMap::new(), None);
    loop {
        let scan = Scan { table: "app".to_owned(), start_key, consistent: true, ..Scan::default() };
        let page = store.scan(scan).await.expect("the table can be read");
        let named = |item: Item| (item.get("id").and_then(Value::as_s).expect("a key").to_owned(), item);
        found.extend(page.items.unwrap_or_default().into_iter().map(named));
        start_key = page.last_evaluated_key;
        if start_key.is_none() {
            return found;
        }
    }
}
