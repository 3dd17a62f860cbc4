//! What closing an engine tells, and where its answers come from.

use std::ops::Bound;
use std::path::Path;

use tabletheory_core::expr::KeyCondition;
use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::{CreateTable, ListTables, PutItem, Query};
use tabletheory_core::{Item, Value};

use super::Engine;
use crate::catalog::row;
use crate::kv::{Batch, Direction, Persist};
use crate::{Durability, EngineError, Settings};

/// Opens an engine whose writes wait for its closing.
fn open(folder: &Path, durability: Durability) -> Engine {
    Engine::open(folder, Settings { durability, ..Settings::default() }).unwrap()
}

fn make_table(engine: &Engine, name: &str) {
    let request = CreateTable {
        table: name.to_owned(),
        attributes: vec![AttributeDefinition { name: "pk".to_owned(), kind: KeyType::S }],
        keys: vec![KeyElement::hash("pk")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    engine.run(request).unwrap();
}

const WAITING: [Durability; 2] = [Durability::Interval(3_600_000), Durability::Memory];

#[test]
fn the_folder_is_closed_with_its_last_handle() {
    for durability in WAITING.into_iter().chain([Durability::Sync]) {
        let folder = tempfile::TempDir::new().unwrap();
        let engine = open(folder.path(), durability);
        make_table(&engine, "first");
        engine.clone().close().unwrap();
        make_table(&engine, "second");
        engine.close().unwrap();
        let engine = open(folder.path(), durability);
        assert_eq!(engine.run(ListTables::default()).unwrap().tables, ["first", "second"]);
    }
}

#[test]
fn the_format_is_stored_with_the_first_table_and_another_one_is_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    let engine = open(folder.path(), Durability::Sync);
    let store = |engine: &Engine, format: Option<&str>| {
        let ground = engine.shared.writer.ground();
        let mut batch = Batch::default();
        match format {
            Some(format) => batch.put(&ground.spaces.catalog, row::FORMAT, format),
            None => batch.delete(&ground.spaces.catalog, row::FORMAT),
        }
        ground.kv.commit(&mut batch, Persist::Sync).unwrap();
    };
    let stored = |engine: &Engine| {
        let ground = engine.shared.writer.ground();
        ground.kv.get(&ground.spaces.catalog, row::FORMAT).unwrap()
    };
    assert_eq!(stored(&engine), None);
    make_table(&engine, "first");
    assert_eq!(stored(&engine).as_deref(), Some(b"1".as_slice()));
    store(&engine, Some("2"));
    engine.close().unwrap();
    let refused = Engine::open(folder.path(), Settings::default()).unwrap_err();
    assert!(matches!(&refused, EngineError::Format { found, .. } if found == "2"), "{refused}");

    let folder = tempfile::TempDir::new().unwrap();
    let engine = open(folder.path(), Durability::Sync);
    make_table(&engine, "first");
    store(&engine, None);
    engine.close().unwrap();
    let refused = Engine::open(folder.path(), Settings::default()).unwrap_err();
    assert!(refused.to_string().contains("the format cannot be read"), "{refused}");
}

#[test]
fn whoever_closes_is_told_of_a_disk_that_fails() {
    for durability in WAITING {
        let folder = tempfile::TempDir::new().unwrap();
        let engine = open(folder.path(), durability);
        make_table(&engine, "lost");
        // A journal that cannot be synced.
        std::fs::remove_file(folder.path().join("0.jnl")).unwrap();
        for handle in [engine.clone(), engine] {
            let failure = handle.close().unwrap_err();
            assert!(matches!(failure, EngineError::Unsettled { .. }), "{failure}");
            assert!(failure.to_string().contains(&*folder.path().to_string_lossy()), "{failure}");
        }
    }
}

/// Somebody takes the rows away behind the engine's back: a page that still shows one was not read from the storage.
#[test]
fn a_query_that_is_asked_again_reads_nothing_until_something_is_written() {
    let folder = tempfile::TempDir::new().unwrap();
    let engine = open(folder.path(), Durability::Memory);
    make_table(&engine, "table");
    let put = |hits: i64| {
        let item = Item::from([("pk", Value::s("page")), ("hits", Value::n(hits))]);
        engine.run(PutItem { table: "table".to_owned(), item, ..PutItem::default() }).unwrap();
    };
    let query = |limit| {
        let key_condition = KeyCondition::partition("pk", "page");
        let query = Query { table: "table".to_owned(), key_condition, limit, ..Query::default() };
        let page = engine.run(query).unwrap();
        (page.count, page.last_evaluated_key.is_some())
    };
    let remove_rows = || {
        let (ground, catalog) = (engine.shared.writer.ground(), engine.shared.writer.catalog());
        let space = &catalog.table("table").unwrap().rows.space;
        let mut batch = Batch::default();
        for row in ground.kv.snapshot().range(space, (Bound::Unbounded, Bound::Unbounded), Direction::Forward)
        {
            batch.delete(space, row.unwrap().0);
        }
        ground.kv.commit(&mut batch, Persist::None).unwrap();
    };
    put(1);
    for _ in 0..2 {
        assert_eq!((query(None), query(Some(1))), ((1, false), (1, true)));
    }
    remove_rows();
    assert_eq!((query(None), query(Some(1))), ((1, false), (1, true)), "both are known");
    assert_eq!(query(Some(2)), (0, false), "this one was not asked before");
    put(2);
    remove_rows();
    assert_eq!((query(None), query(Some(1))), ((0, false), (0, false)));
}
