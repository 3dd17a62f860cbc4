//! Several models in one table: which one an item is, by its keys or by an attribute, and what happens to strangers.

use futures_executor::block_on;
use tabletheory::model::{FromItem, ModelError};
use tabletheory::testing::TestStore;
use tabletheory::{Entities, Model};
use tabletheory_core::store::op::{PutItem, Query};
use tabletheory_core::{Item, StoreExt, Value};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "PAGE#{path}", sk = "META")]
struct Page {
    path: String,
    #[model(version)]
    rev: u64,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "PAGE#{path}", sk = "LOCK")]
struct Lease {
    path: String,
    token: String,
}

/// An edition, among them the first one, which is another model.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "PAGE#{path}", sk = "ED#{edition}")]
struct Edition {
    path: String,
    #[model(key_only)]
    edition: String,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "PAGE#{path}", sk = "ED#first")]
struct First {
    path: String,
}

#[derive(Entities, Debug, Clone, PartialEq)]
enum Row {
    Edition(Edition),
    Page(Page),
    Lease(Lease),
    First(First),
}

#[derive(Entities, Debug, PartialEq)]
enum Open {
    Page(Page),
    #[entities(other)]
    Rest(Item),
}

#[derive(Entities, Debug, PartialEq)]
#[entities(tag = "type")]
enum Tagged {
    #[entities(name = "page")]
    Fresh(Page),
    #[entities(name = "old page")]
    Stale(Page),
    Lease(Lease),
}

fn rows() -> Vec<Row> {
    let path = || "news".to_owned();
    vec![
        First { path: path() }.into(),
        Edition { path: path(), edition: "second".into() }.into(),
        Lease { path: path(), token: "t".into() }.into(),
        Page { path: path(), rev: 3 }.into(),
    ]
}

fn item(row: &Row) -> Item {
    let item = match row {
        Row::Edition(edition) => edition.to_item(),
        Row::Page(page) => page.to_item(),
        Row::Lease(lease) => lease.to_item(),
        Row::First(first) => first.to_item(),
    };
    item.unwrap()
}

fn with(sk: &str) -> Item {
    Item::from([("pk", Value::s("PAGE#news")), ("sk", Value::s(sk)), ("path", Value::s("canary"))])
}

#[test]
fn a_partition_is_read_as_the_models_in_it() {
    let found = block_on(async {
        let store = TestStore::new();
        store.create_table(Page::SCHEMA.create_table("app")).await.unwrap();
        for item in rows().iter().map(item) {
            store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await.unwrap();
        }
        let (_, key_condition) = Page::partition("news").into_parts().unwrap();
        let query = Query { table: "app".into(), key_condition, ..Query::default() };
        store.query(query).await.unwrap().items.unwrap()
    });
    let found: Result<Vec<Row>, _> = found.into_iter().map(Row::from_item).collect();
    assert_eq!(found.unwrap(), rows(), "in the order of the sort keys");
}

#[test]
fn an_item_of_two_shapes_is_the_model_with_more_constant_text() {
    assert!(matches!(Row::from_item(with("ED#first")), Ok(Row::First(_))));
    assert!(matches!(Row::from_item(with("ED#firsts")), Ok(Row::Edition(_))));
    assert!(Edition::matches(&with("ED#first")) && !Edition::matches(&with("ED#first#x")));
}

#[test]
fn an_item_that_is_none_of_the_models_is_an_error_or_something_else() {
    for sk in ["ED#", "ED#a#b", "META#", "META2", "", "LOC"] {
        let error = Row::from_item(with(sk)).unwrap_err();
        assert_eq!(
            error,
            ModelError::Unknown { entities: "Row", known: "Edition, Page, Lease, First" },
            "{sk}"
        );
        assert_eq!(Open::from_item(with(sk)).unwrap(), Open::Rest(with(sk)), "{sk}");
    }
    let error = Row::from_item(Item::new()).unwrap_err();
    assert_eq!(error.to_string(), "an item is none of the models of Row: Edition, Page, Lease, First");
}

#[test]
fn an_item_of_a_model_that_cannot_be_read_is_an_error_of_that_model() {
    let error = Open::from_item(with("META")).unwrap_err();
    assert!(matches!(error, ModelError::Read { model: "Page", .. }), "{error}");
    assert!(!format!("{error:?}{error}").contains("canary"));
}

#[test]
fn an_attribute_can_name_the_model() {
    let tagged = |name: &str| {
        let mut item = Page { path: "news".into(), rev: 1 }.to_item().unwrap();
        item.insert("type", name);
        item
    };
    assert!(matches!(Tagged::from_item(tagged("page")), Ok(Tagged::Fresh(_))));
    assert!(matches!(Tagged::from_item(tagged("old page")), Ok(Tagged::Stale(_))));
    assert!(matches!(Tagged::from_item(tagged("Lease")), Err(ModelError::Read { model: "Lease", .. })));
    for unknown in [tagged("lease"), Item::new(), Item::from([("type", Value::n(1))])] {
        assert!(matches!(Tagged::from_item(unknown), Err(ModelError::Unknown { entities: "Tagged", .. })));
    }
}

#[test]
fn the_schema_is_that_of_the_model_an_item_is() {
    assert_eq!(Row::schema(&with("META")).and_then(|schema| schema.version), Some("rev"));
    assert_eq!(Row::schema(&with("LOCK")).map(|schema| schema.version), Some(None));
    assert_eq!(Row::schema(&with("unknown")), None);
    assert_eq!(Page::schema(&with("unknown")), Some(Page::SCHEMA));
}
