//! The engine behind the protocol: lines of requests, each the name of an operation, a space and JSON. Afterwards the index and the
//! stream of the table must tell the same story as the table.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Request;
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, Projection, StreamView,
};
use tabletheory_core::store::op::{
    CreateTable, DescribeStream, GetRecords, GetShardIterator, IteratorStart, ListStreams, Scan,
};
use tabletheory_core::{Item, ManualClock, SeededEntropy, Timestamp, Value};
use tabletheory_engine::{Engine, Settings};
use tabletheory_wire::Endpoint;

use crate::input::Input;

/// What changes tables and streams themselves would need another story.
const OPERATIONS: [&str; 13] = [
    "GetItem",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "ExecuteStatement",
    "BatchExecuteStatement",
    "ExecuteTransaction",
];
/// As many requests as one input makes.
const REQUESTS_MAX: usize = 12;

pub(crate) fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let engine = engine();
    let endpoint = Endpoint::unsigned(Arc::new(engine.clone()));
    for _ in 0..REQUESTS_MAX {
        let line = input.line();
        let space = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        let name = str::from_utf8(&line[..space]).unwrap_or_default();
        if OPERATIONS.contains(&name) {
            ask(&endpoint, name, &line[space..]);
        }
    }
    let items = all(&engine, None);
    let keyed: BTreeMap<_, _> =
        items.clone().into_iter().filter(|(_, item)| matches!(item.get("g"), Some(Value::S(_)))).collect();
    assert_eq!(all(&engine, Some("byG")), keyed, "the index has what the table has");
    assert_eq!(replayed(&engine), items, "the stream tells how the table became what it is");
}

fn engine() -> Engine {
    let settings = Settings { upkeep_every: None, ..Settings::default() };
    let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_800_000_000)));
    let engine = Engine::memory_with(settings, clock, Arc::new(SeededEntropy::new(1)));
    let attribute = |name: &str, kind| AttributeDefinition { name: name.to_owned(), kind };
    let index = GlobalIndex {
        name: "byG".to_owned(),
        keys: vec![KeyElement::hash("g")],
        projection: Projection::All,
        throughput: None,
    };
    let table = CreateTable {
        table: "tab".to_owned(),
        attributes: vec![attribute("p", KeyType::S), attribute("s", KeyType::N), attribute("g", KeyType::S)],
        keys: vec![KeyElement::hash("p"), KeyElement::range("s")],
        global_indexes: vec![index],
        billing: BillingMode::PayPerRequest,
        stream: Some(StreamView::NewAndOldImages),
        ..CreateTable::default()
    };
    engine.run(table).expect("the table is a good one");
    engine
}

fn ask(endpoint: &Endpoint, name: &str, body: &[u8]) {
    let request = Request::post("/")
        .header("host", "localhost")
        .header("x-amz-target", format!("DynamoDB_20120810.{name}"));
    let head = request.body(()).expect("the head is a good one").into_parts().0;
    let answer = futures_executor::block_on(endpoint.answer(&head, body));
    let told = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(matches!(answer.status.as_u16(), 200 | 400), "{name} is answered with {} {told}", answer.status);
    let json: serde_json::Value = serde_json::from_str(&told).expect("an answer is JSON");
    assert_eq!(answer.status.is_success(), json.get("__type").is_none(), "{told}");
}

/// The items of the table or of its index, by their keys.
fn all(engine: &Engine, index: Option<&str>) -> BTreeMap<String, Item> {
    let mut items = BTreeMap::new();
    let mut start_key = None;
    loop {
        let scan =
            Scan { table: "tab".to_owned(), index: index.map(str::to_owned), start_key, ..Scan::default() };
        let page = engine.run(scan).expect("a table can be read");
        for item in page.items.unwrap_or_default() {
            assert_eq!(items.insert(key(&item), item), None, "a scan gives an item once");
        }
        start_key = page.last_evaluated_key;
        if start_key.is_none() {
            return items;
        }
    }
}

fn key(item: &Item) -> String {
    format!("{:?} {:?}", item.get("p"), item.get("s"))
}

/// The table as one would know it who has seen nothing but its stream.
fn replayed(engine: &Engine) -> BTreeMap<String, Item> {
    let mut items = BTreeMap::new();
    for stream in engine.run(ListStreams::default()).expect("streams can be listed").streams {
        let arn = stream.arn;
        let described = engine.run(DescribeStream { arn: arn.clone(), ..DescribeStream::default() });
        for shard in described.expect("a stream can be described").shards {
            let start =
                GetShardIterator { arn: arn.clone(), shard: shard.id, start: IteratorStart::TrimHorizon };
            let mut iterator = Some(engine.run(start).expect("a shard can be read").iterator);
            while let Some(at) = iterator.take() {
                let read = engine.run(GetRecords { iterator: at, limit: None }).expect("a shard can be read");
                // The end of a shard that is open is where nothing more comes.
                iterator = read.next_iterator.filter(|_| !read.records.is_empty());
                for record in read.records {
                    let key = key(&record.keys);
                    let before = match &record.new_image {
                        Some(image) => items.insert(key, image.clone()),
                        None => items.remove(&key),
                    };
                    assert_eq!(before, record.old_image, "a record says what was there before");
                }
            }
        }
    }
    items
}
