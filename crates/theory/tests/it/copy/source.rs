//! A folder with a table of many small items.

use std::path::Path;

use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, Projection,
};
use tabletheory_core::store::op::{BatchWrite, BatchWriteItem, CreateTable, UpdateTimeToLive};
use tabletheory_core::{Item, Value};
use tabletheory_engine::{Durability, Engine, Settings};

/// A table to be made and filled.
pub(super) struct Source {
    table: String,
    is_bare: bool,
}

impl Source {
    pub(super) fn new(table: &str) -> Self {
        Self { table: table.to_owned(), is_bare: false }
    }

    /// Without index and time to live.
    pub(super) fn bare(mut self) -> Self {
        self.is_bare = true;
        self
    }

    /// Makes the folder with the table and so many items.
    pub(super) fn fill(&self, folder: &Path, items: u64) {
        let settings = Settings { durability: Durability::Interval(1000), ..Settings::default() };
        let engine = Engine::open(folder, settings).expect("a folder can be made");
        engine.run(self.request()).expect("a table can be made");
        if !self.is_bare {
            let (table, attribute) = (self.table.clone(), "ends".to_owned());
            engine.run(UpdateTimeToLive { table, attribute, enabled: true }).expect("items may expire");
        }
        let numbers: Vec<u64> = (0..items).collect();
        for batch in numbers.chunks(25) {
            let writes = batch.iter().map(|number| BatchWrite::Put(self.item(*number))).collect();
            let tables = [(self.table.clone(), writes)].into();
            engine.run(BatchWriteItem { tables, ..BatchWriteItem::default() }).expect("items are written");
        }
        engine.close().expect("everything is on disk");
    }

    fn request(&self) -> CreateTable {
        let attribute = |name: &str, kind| AttributeDefinition { name: name.to_owned(), kind };
        let mut request = CreateTable {
            table: self.table.clone(),
            attributes: vec![attribute("id", KeyType::S), attribute("n", KeyType::N)],
            keys: vec![KeyElement::hash("id")],
            global_indexes: vec![GlobalIndex {
                name: "by_n".to_owned(),
                keys: vec![KeyElement::hash("n")],
                projection: Projection::KeysOnly,
                throughput: None,
            }],
            billing: BillingMode::PayPerRequest,
            ..CreateTable::default()
        };
        if self.is_bare {
            request.attributes.truncate(1);
            request.global_indexes.clear();
        }
        request
    }

    fn item(&self, number: u64) -> Item {
        Item::from([
            ("id", Value::s(format!("user-{number}"))),
            ("n", Value::n(number % 1000)),
            ("name", Value::s(format!("name of {number} é"))),
        ])
    }
}
