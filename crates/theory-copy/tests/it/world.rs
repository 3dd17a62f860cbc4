//! Stores with tables and items, and a copy between two of them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tabletheory::table::{Layout, Table};
use tabletheory::testing::TestStore;
use tabletheory_core::schema::{
    AttributeDefinition, GlobalIndex, KeyElement, KeyType, LocalIndex, Projection,
};
use tabletheory_core::store::op::{BatchWrite, BatchWriteItem, CreateTable, PutItem, Scan};
use tabletheory_core::{Item, Store, StoreExt as _, Value};
use theory_copy::pace::Rate;
use theory_copy::{Error, Journal, Pair, Plan, Report, Side, TableCopy};

/// The request for a table with the key (pk, n), an index of each kind, and nothing else.
pub(crate) fn request(table: &str) -> CreateTable {
    let attribute = |name: &str, kind| AttributeDefinition { name: name.to_owned(), kind };
    CreateTable {
        table: table.to_owned(),
        attributes: vec![
            attribute("pk", KeyType::S),
            attribute("n", KeyType::N),
            attribute("city", KeyType::S),
        ],
        keys: vec![KeyElement::hash("pk"), KeyElement::range("n")],
        local_indexes: vec![LocalIndex {
            name: "local".to_owned(),
            keys: vec![KeyElement::hash("pk"), KeyElement::range("city")],
            projection: Projection::KeysOnly,
        }],
        global_indexes: vec![GlobalIndex {
            name: "by_city".to_owned(),
            keys: vec![KeyElement::hash("city")],
            projection: Projection::Include(vec!["text".to_owned()]),
            throughput: None,
        }],
        ..CreateTable::default()
    }
}

/// Makes such a table, whose items expire by `ttl` if that is wanted.
pub(crate) async fn make(store: &Arc<dyn Store>, table: &str, ttl: Option<&str>) {
    let layout = Layout::of_request(request(table), ttl.map(str::to_owned));
    Table::laid_out(Arc::clone(store), &layout).ensure().await.unwrap();
}

pub(crate) async fn put(store: &dyn Store, table: &str, item: Item) {
    store.put_item(PutItem { table: table.to_owned(), item, ..PutItem::default() }).await.unwrap();
}

/// A plain item.
pub(crate) fn item(number: i64) -> Item {
    Item::from([
        ("pk", Value::s(format!("p{}", number % 50))),
        ("n", Value::n(number)),
        ("city", Value::s(format!("city {}", number % 7))),
        ("text", Value::s(format!("text {number}"))),
    ])
}

/// Puts so many plain items.
pub(crate) async fn fill(store: &dyn Store, table: &str, items: i64) {
    let numbers: Vec<i64> = (0..items).collect();
    for batch in numbers.chunks(25) {
        let writes = batch.iter().map(|number| BatchWrite::Put(item(*number))).collect();
        let tables = [(table.to_owned(), writes)].into();
        store.batch_write_item(BatchWriteItem { tables, ..BatchWriteItem::default() }).await.unwrap();
    }
}

/// Every item, sorted.
pub(crate) async fn items(store: &dyn Store, table: &str) -> Vec<String> {
    let (mut all, mut start_key) = (Vec::new(), None);
    loop {
        let scan = Scan { table: table.to_owned(), start_key, consistent: true, ..Scan::default() };
        let page = store.scan(scan).await.unwrap();
        all.extend(page.items.unwrap().iter().map(|item| serde_json::to_string(item).unwrap()));
        start_key = page.last_evaluated_key;
        if start_key.is_none() {
            all.sort();
            return all;
        }
    }
}

/// A store for tests, as a store and as a side.
pub(crate) fn side(store: &TestStore, name: &str) -> Side {
    Side::new(Arc::new(store.clone()), name).with_patience(Duration::from_secs(5))
}

pub(crate) fn arc(store: &TestStore) -> Arc<dyn Store> {
    Arc::new(store.clone())
}

pub(crate) fn pair(from: &str, to: &str) -> Pair {
    Pair { from: from.to_owned(), to: to.to_owned() }
}

pub(crate) fn copy(from: Side, to: Side) -> TableCopy {
    TableCopy { from, to, segments: 4, rate: Rate::default(), with_streams: false }
}

/// A whole copy, from a plan to the end of its journal.
pub(crate) async fn run(copy: &TableCopy, pairs: &[Pair], journal: &Path) -> Result<Vec<Report>, Error> {
    let mut journal = Journal::begin(journal, &copy.from.name, &copy.to.name)?;
    let plan = Plan::make(&copy.from, &copy.to, pairs, Some(&journal), false).await?;
    let reports = copy.run(plan, &mut journal, &|_| {}).await?;
    if reports.iter().all(Report::is_complete) {
        journal.finish()?;
    }
    Ok(reports)
}

/// Goes on with a copy.
pub(crate) async fn resume(copy: &TableCopy, journal: &Path) -> Result<Vec<Report>, Error> {
    let mut journal = Journal::resume(journal, &copy.from.name, &copy.to.name)?;
    let pairs = journal.pairs();
    let plan = Plan::make(&copy.from, &copy.to, &pairs, Some(&journal), false).await?;
    let reports = copy.run(plan, &mut journal, &|_| {}).await?;
    if reports.iter().all(Report::is_complete) {
        journal.finish()?;
    }
    Ok(reports)
}
