//! What a new folder is not given before somebody needs it: the catalog, the records of streams, the tokens of transactions.

use std::fs;
use std::path::Path;

use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType, StreamView};
use tabletheory_core::store::op::{
    CreateTable, DescribeStream, GetItem, GetRecords, GetShardIterator, IteratorStart, ListStreams,
    ListTables, OnConditionFailure, PutItem, StreamUpdate, TransactAction, TransactWrite, TransactWriteItems,
    UpdateTable,
};
use tabletheory_core::{Item, StoreError, Value};
use tabletheory_engine::{Engine, Settings};
use tempfile::TempDir;

use crate::faults::copy_folder;

const TABLE: &str = "table";

fn open(folder: &Path) -> Engine {
    Engine::open(folder, Settings { upkeep_every: None, ..Settings::default() }).unwrap()
}

fn make_table(engine: &Engine) {
    let request = CreateTable {
        table: TABLE.to_owned(),
        attributes: vec![AttributeDefinition { name: "pk".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("pk")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    engine.run(request).unwrap();
}

fn item(key: &str) -> Item {
    Item::from([("pk", Value::s(key))])
}

fn put(engine: &Engine, key: &str) -> Result<(), StoreError> {
    engine.run(PutItem { table: TABLE.to_owned(), item: item(key), ..PutItem::default() }).map(drop)
}

fn has(engine: &Engine, key: &str) -> bool {
    let get = GetItem { table: TABLE.to_owned(), key: item(key), ..GetItem::default() };
    engine.run(get).unwrap().item.is_some()
}

/// Puts an item in a transaction with the token `token`.
fn transact(engine: &Engine, key: &str) -> Result<(), StoreError> {
    let write = TransactWrite {
        table: TABLE.to_owned(),
        action: TransactAction::Put { item: item(key) },
        condition: None,
        on_condition_failure: OnConditionFailure::default(),
    };
    let client_request_token = Some("token".to_owned());
    engine
        .run(TransactWriteItems {
            writes: vec![write],
            client_request_token,
            ..TransactWriteItems::default()
        })
        .map(drop)
}

fn start_stream(engine: &Engine) -> Result<(), StoreError> {
    let stream = Some(StreamUpdate::Enable(StreamView::KeysOnly));
    engine.run(UpdateTable { table: TABLE.to_owned(), stream, ..UpdateTable::default() }).map(drop)
}

/// How many records the streams of the table have.
fn records(engine: &Engine) -> usize {
    let streams = engine.run(ListStreams::default()).unwrap().streams;
    let count = |arn: String| {
        let described = engine.run(DescribeStream { arn: arn.clone(), ..DescribeStream::default() }).unwrap();
        let shard = described.shards[0].id.clone();
        let start = IteratorStart::TrimHorizon;
        let iterator = engine.run(GetShardIterator { arn, shard, start }).unwrap().iterator;
        engine.run(GetRecords { iterator, ..GetRecords::default() }).unwrap().records.len()
    };
    streams.into_iter().map(|stream| count(stream.arn)).sum()
}

/// How many trees the folder has.
fn trees(folder: &Path) -> usize {
    fs::read_dir(folder.join("keyspaces")).unwrap().count()
}

/// The folder as a process that is killed now would leave it.
fn killed(folder: &Path) -> TempDir {
    let left = TempDir::new().unwrap();
    copy_folder(folder, left.path());
    left
}

#[test]
fn a_folder_is_given_what_it_needs_when_it_needs_it() {
    let folder = TempDir::new().unwrap();
    let mut counts = Vec::new();
    let mut count = || counts.push(trees(folder.path()));
    for _ in 0..2 {
        let engine = open(folder.path());
        assert!(engine.run(ListTables::default()).unwrap().tables.is_empty());
        engine.upkeep().unwrap();
        engine.close().unwrap();
        count();
    }
    let engine = open(folder.path());
    make_table(&engine);
    count();
    put(&engine, "plain").unwrap();
    count();
    start_stream(&engine).unwrap();
    count();
    transact(&engine, "first").unwrap();
    count();
    // Two are fjall's list and ours; then the catalog and the table's rows, the records, the tokens.
    assert_eq!(counts, [2, 2, 4, 4, 5, 6]);
    let left = killed(folder.path());
    let engine = open(left.path());
    assert!(has(&engine, "plain") && has(&engine, "first"));
    assert_eq!(records(&engine), 1);
    transact(&engine, "first").unwrap();
    assert!(matches!(transact(&engine, "second"), Err(StoreError::IdempotentParameterMismatch(_))));
    assert_eq!((records(&engine), has(&engine, "second")), (1, false), "the tokens are known");
}

/// No room for a space is the trouble of whoever needs it, and of nobody else.
#[test]
fn a_request_whose_space_cannot_be_made_fails_alone() {
    let folder = TempDir::new().unwrap();
    let engine = open(folder.path());
    make_table(&engine);
    let (trees, away) = (folder.path().join("keyspaces"), folder.path().join("away"));
    fs::rename(&trees, &away).unwrap();
    fs::write(&trees, "no folder").unwrap();
    assert!(matches!(transact(&engine, "transacted"), Err(StoreError::Internal(_))));
    assert!(matches!(start_stream(&engine), Err(StoreError::Internal(_))));
    put(&engine, "meanwhile").unwrap();
    assert!(has(&engine, "meanwhile") && !has(&engine, "transacted"));
    fs::remove_file(&trees).unwrap();
    fs::rename(&away, &trees).unwrap();
    start_stream(&engine).unwrap();
    transact(&engine, "transacted").unwrap();
    engine.close().unwrap();
    let engine = open(folder.path());
    assert!(has(&engine, "meanwhile") && has(&engine, "transacted"));
    assert_eq!(records(&engine), 1);
}
