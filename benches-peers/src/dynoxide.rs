//! `dynoxide-rs` through its Rust interface: DynamoDB's operations on one SQLite connection, in memory or in a file. Its
//! file mode is SQLite's WAL with the default `synchronous = FULL`, so an acknowledged write is synced, as ours is.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ::dynoxide::actions::create_table::CreateTableRequest;
use ::dynoxide::actions::get_item::GetItemRequest;
use ::dynoxide::actions::put_item::PutItemRequest;
use ::dynoxide::actions::query::QueryRequest;
use ::dynoxide::actions::transact_write_items::{
    TransactDelete, TransactPut, TransactWriteItem, TransactWriteItemsRequest,
};
use ::dynoxide::actions::update_item::UpdateItemRequest;
use ::dynoxide::types::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use ::dynoxide::{AttributeValue, Database, ImportOptions, Item};
use anyhow::{Context, Result};

use crate::contender::{Answer, Contender, HITS_LIMIT, Operation};
use crate::record::{self, Key, Record};

const TABLE: &str = "pages";
const LOAD_BATCH: usize = 10_000;

/// The file in a folder.
pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("dynoxide.db")
}

pub(crate) struct Dynoxide {
    database: Database,
}

impl Dynoxide {
    /// Nothing survives.
    pub(crate) fn memory() -> Result<Self> {
        Self::with_table(Database::memory()?)
    }

    /// Opens a file in a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        Self::with_table(Database::new(file(folder).to_str().context("the path is text")?)?)
    }

    fn with_table(database: Database) -> Result<Self> {
        if database.get_table_metadata(TABLE)?.is_none() {
            database.create_table(table())?;
        }
        Ok(Self { database })
    }
}

impl Contender for Dynoxide {
    // Its mode for bulk loading is left alone: leaving that mode sets `synchronous = NORMAL`, and file writes would no
    // longer be synced afterwards.
    fn load(&self, records: &mut dyn Iterator<Item = Record>) -> Result<()> {
        loop {
            let items: Vec<Item> = (&mut *records).take(LOAD_BATCH).map(item).collect();
            if items.is_empty() {
                return Ok(());
            }
            self.database.import_items(TABLE, items, ImportOptions::default())?;
        }
    }

    fn call(&self, operation: Operation) -> Result<Answer> {
        match operation {
            Operation::Get(wanted) => {
                let request =
                    GetItemRequest { table_name: TABLE.to_owned(), key: key(wanted), ..Default::default() };
                Ok(Answer::Found(u64::from(self.database.get_item(request)?.item.is_some())))
            }
            Operation::Put(record) => {
                let request =
                    PutItemRequest { table_name: TABLE.to_owned(), item: item(record), ..Default::default() };
                self.database.put_item(request)?;
                Ok(Answer::Written)
            }
            Operation::Query(pk) => {
                let page = self.database.query(query(pk))?;
                Ok(Answer::Found(page.items.map_or(0, |items| items.len() as u64)))
            }
            Operation::Replace { put, delete } => {
                self.database.transact_write_items(replace(put, delete))?;
                Ok(Answer::Written)
            }
            Operation::Count { key, becomes } => {
                let changed = self.database.update_item(count(key))?.attributes;
                let hits = changed.as_ref().and_then(|attributes| attributes.get("hits"));
                let right = matches!(hits, Some(AttributeValue::N(hits)) if *hits == becomes.to_string());
                Ok(Answer::Counted { right })
            }
        }
    }
}

fn text(value: String) -> AttributeValue {
    AttributeValue::S(value)
}

fn key(key: Key) -> Item {
    HashMap::from([("pk".to_owned(), text(key.pk)), ("sk".to_owned(), text(key.sk))])
}

fn item(record: Record) -> Item {
    let mut item = key(record.key);
    item.insert("owner".to_owned(), text(record.owner));
    item.insert("title".to_owned(), text(record.title));
    item.insert("body".to_owned(), text(record.body));
    item.insert("hits".to_owned(), AttributeValue::N(record.hits.to_string()));
    item
}

fn query(pk: String) -> QueryRequest {
    QueryRequest {
        table_name: TABLE.to_owned(),
        key_condition_expression: Some("pk = :pk".to_owned()),
        expression_attribute_values: Some(HashMap::from([(":pk".to_owned(), text(pk))])),
        scan_index_forward: true,
        ..Default::default()
    }
}

fn replace(put: Record, delete: Key) -> TransactWriteItemsRequest {
    let owner = text(record::owner(&delete));
    // `owner` is a reserved word, so it stands behind a placeholder.
    let delete = TransactDelete {
        table_name: TABLE.to_owned(),
        key: key(delete),
        condition_expression: Some("#owner = :owner".to_owned()),
        expression_attribute_names: Some(HashMap::from([("#owner".to_owned(), "owner".to_owned())])),
        expression_attribute_values: Some(HashMap::from([(":owner".to_owned(), owner)])),
        ..Default::default()
    };
    let put = TransactPut { table_name: TABLE.to_owned(), item: item(put), ..Default::default() };
    TransactWriteItemsRequest {
        transact_items: vec![
            TransactWriteItem { put: Some(put), ..Default::default() },
            TransactWriteItem { delete: Some(delete), ..Default::default() },
        ],
        ..Default::default()
    }
}

fn count(counter: Key) -> UpdateItemRequest {
    let number = |value: i64| AttributeValue::N(value.to_string());
    UpdateItemRequest {
        table_name: TABLE.to_owned(),
        key: key(counter),
        update_expression: Some("SET hits = hits + :one".to_owned()),
        condition_expression: Some("hits < :limit".to_owned()),
        expression_attribute_values: Some(HashMap::from([
            (":one".to_owned(), number(1)),
            (":limit".to_owned(), number(HITS_LIMIT)),
        ])),
        return_values: Some("UPDATED_NEW".to_owned()),
        ..Default::default()
    }
}

fn table() -> CreateTableRequest {
    let attribute = |name: &str| AttributeDefinition {
        attribute_name: name.to_owned(),
        attribute_type: ScalarAttributeType::S,
    };
    let element =
        |name: &str, key_type: KeyType| KeySchemaElement { attribute_name: name.to_owned(), key_type };
    CreateTableRequest {
        table_name: TABLE.to_owned(),
        key_schema: vec![element("pk", KeyType::HASH), element("sk", KeyType::RANGE)],
        attribute_definitions: vec![attribute("pk"), attribute("sk")],
        billing_mode: Some("PAY_PER_REQUEST".to_owned()),
        ..Default::default()
    }
}
