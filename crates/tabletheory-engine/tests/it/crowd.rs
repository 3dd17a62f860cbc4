//! As many tables as a folder may have.

use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, Projection,
};
use tabletheory_core::store::op::{
    CreateTable, DeleteTable, GetItem, GlobalIndexUpdate, PutItem, UpdateTable,
};
use tabletheory_core::{Item, StoreError, Value};
use tabletheory_engine::{Durability, Engine, Settings};
use tempfile::TempDir;

/// Tables with an index each that fill a folder, but for one place.
const TABLES: usize = 494;

fn open(folder: &TempDir) -> Engine {
    let settings = Settings { durability: Durability::Memory, upkeep_every: None, ..Settings::default() };
    Engine::open(folder.path(), settings).unwrap()
}

fn index(name: &str) -> GlobalIndex {
    GlobalIndex {
        name: name.to_owned(),
        keys: vec![KeyElement::hash("other")],
        projection: Projection::KeysOnly,
        throughput: None,
    }
}

fn attributes() -> Vec<AttributeDefinition> {
    ["pk", "other"].map(|name| AttributeDefinition { name: name.to_owned(), kind: KeyType::S }).into()
}

fn create(engine: &Engine, table: &str) -> Result<(), StoreError> {
    let request = CreateTable {
        table: table.to_owned(),
        attributes: attributes(),
        keys: vec![KeyElement::hash("pk")],
        global_indexes: vec![index("by_other")],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    engine.run(request).map(drop)
}

fn add_index(engine: &Engine, table: &str) -> Result<(), StoreError> {
    let request = UpdateTable {
        table: table.to_owned(),
        attributes: attributes(),
        global_indexes: vec![GlobalIndexUpdate::Create(index("by_other_again"))],
        ..UpdateTable::default()
    };
    engine.run(request).map(drop)
}

fn item() -> Item {
    Item::from([("pk", Value::s("key")), ("other", Value::s("value"))])
}

fn is_full<T>(outcome: Result<T, StoreError>) -> bool {
    matches!(outcome, Err(StoreError::LimitExceeded(why)) if why.contains("tables and indexes"))
}

/// With more, the next opening of the folder would wait for ever.
#[test]
fn a_folder_with_as_many_tables_as_it_takes_opens_again() {
    let folder = TempDir::new().unwrap();
    let engine = open(&folder);
    for n in 0..TABLES {
        let table = format!("table-{n}");
        create(&engine, &table).unwrap();
        engine.run(PutItem { table, item: item(), ..PutItem::default() }).unwrap();
    }
    assert!(is_full(create(&engine, "one-more")), "there is room for one, and it needs two");
    add_index(&engine, "table-0").unwrap();
    assert!(is_full(add_index(&engine, "table-1")));
    drop(engine);

    let engine = open(&folder);
    let key = Item::from([("pk", Value::s("key"))]);
    for n in [0, TABLES / 2, TABLES - 1] {
        let get = GetItem { table: format!("table-{n}"), key: key.clone(), ..GetItem::default() };
        assert_eq!(engine.run(get).unwrap().item, Some(item()));
    }
    assert!(is_full(create(&engine, "one-more")));
    engine.run(DeleteTable { table: "table-1".to_owned() }).unwrap();
    create(&engine, "one-more").unwrap();
    assert!(is_full(add_index(&engine, "table-2")));
}
