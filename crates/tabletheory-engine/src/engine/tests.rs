//! What closing an engine tells.

use std::path::Path;

use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
use tabletheory_core::store::op::{CreateTable, ListTables};

use super::Engine;
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
