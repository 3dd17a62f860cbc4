//! Cursors as they are used: page by page through the embedded engine, each page begun from a text alone.

use futures_executor::block_on;
use tabletheory_core::expr::KeyCondition;
use tabletheory_core::schema::{
    AttributeDefinition, BillingMode, GlobalIndex, KeyElement, KeyType, Projection,
};
use tabletheory_core::store::op::{CreateTable, PageOutput, PutItem, Query, Scan};
use tabletheory_core::{Item, StoreExt, Value};
use tabletheory_engine::Engine;

use super::super::{Cursor, CursorError, CursorKey, Sort};

const INDEX: &str = "by-score";

/// Seven items of one partition, with a number in the key of the index and bytes in that of the table.
async fn filled() -> Engine {
    let engine = Engine::memory();
    let define = |name: &str, kind| AttributeDefinition { name: name.to_owned(), kind };
    let table = CreateTable {
        table: "scores".to_owned(),
        attributes: vec![define("pk", KeyType::S), define("sk", KeyType::B), define("score", KeyType::N)],
        keys: vec![KeyElement::hash("pk"), KeyElement::range("sk")],
        global_indexes: vec![GlobalIndex {
            name: INDEX.to_owned(),
            keys: vec![KeyElement::hash("pk"), KeyElement::range("score")],
            projection: Projection::All,
            throughput: None,
        }],
        billing: BillingMode::PayPerRequest,
        ..CreateTable::default()
    };
    engine.create_table(table).await.unwrap();
    for number in 0..7u8 {
        let sk = Value::B(vec![0xf9 + number, 0xff, number]);
        let item = Item::from([
            ("pk", Value::s("a<b>&c")),
            ("sk", sk),
            ("score", Value::N(format!("-{number}.5").parse().unwrap())),
        ]);
        engine.put_item(PutItem { table: "scores".to_owned(), item, ..PutItem::default() }).await.unwrap();
    }
    engine
}

/// One page of two items, and the text for the next.
async fn query_page(engine: &Engine, text: &str, index: Option<&str>, sort: Sort) -> (Vec<Item>, String) {
    let key = CursorKey::new([3; 32]);
    let cursor = Cursor::open(text, &key, &["scores"]).unwrap();
    let query = Query {
        table: "scores".to_owned(),
        index: index.map(str::to_owned),
        key_condition: KeyCondition::partition("pk", "a<b>&c"),
        forward: sort.is_forward(),
        limit: Some(2),
        start_key: cursor.map(|cursor| {
            cursor.check(index, Some(sort)).unwrap();
            cursor.last_key
        }),
        ..Query::default()
    };
    let PageOutput { items, last_evaluated_key, .. } = engine.query(query).await.unwrap();
    let last_key = last_evaluated_key.unwrap_or_default();
    let next = Cursor { last_key, index: index.map(str::to_owned), sort: Some(sort) };
    (items.unwrap(), next.sign(&key, &["scores"]))
}

#[test]
fn pages_follow_one_another_through_texts_alone() {
    block_on(async {
        let engine = filled().await;
        for index in [None, Some(INDEX)] {
            let mut directions = Vec::new();
            for sort in [Sort::Ascending, Sort::Descending] {
                let (mut items, mut text) = query_page(&engine, "", index, sort).await;
                while !text.is_empty() {
                    let (more, next) = query_page(&engine, &text, index, sort).await;
                    items.extend(more);
                    assert!(items.len() <= 7, "pages repeat");
                    text = next;
                }
                assert_eq!(items.len(), 7);
                directions.push(items);
            }
            directions[1].reverse();
            assert_eq!(directions[0], directions[1]);
        }
    });
}

#[test]
fn a_scan_goes_on_from_a_plain_cursor() {
    block_on(async {
        let engine = filled().await;
        let mut seen = 0;
        let mut text = String::new();
        loop {
            let start_key = Cursor::decode(&text).unwrap().map(|cursor| cursor.last_key);
            let scan = Scan { table: "scores".to_owned(), limit: Some(3), start_key, ..Scan::default() };
            let page = engine.scan(scan).await.unwrap();
            seen += page.count;
            assert!(seen <= 7, "pages repeat");
            let last_key = page.last_evaluated_key.unwrap_or_default();
            text = Cursor { last_key, ..Cursor::default() }.encode();
            if text.is_empty() {
                break;
            }
        }
        assert_eq!(seen, 7);
    });
}

#[test]
fn a_page_of_an_index_does_not_go_on_in_the_table() {
    block_on(async {
        let engine = filled().await;
        let (_, text) = query_page(&engine, "", Some(INDEX), Sort::Ascending).await;
        let cursor = Cursor::open(&text, &CursorKey::new([3; 32]), &["scores"]).unwrap().unwrap();
        assert_eq!(cursor.check(None, Some(Sort::Ascending)), Err(CursorError::OtherIndex { query: None }));
        assert_eq!(
            cursor.check(Some(INDEX), Some(Sort::Descending)),
            Err(CursorError::OtherOrder { query: Sort::Descending })
        );
    });
}
