//! Models as items: what is stored, what comes back from a real table, and what is refused when it is read.

use futures_executor::block_on;
use tabletheory::Model;
use tabletheory::attribute::{AttributeError, Fault};
use tabletheory::model::{IndexProjection, IndexScope, ModelError};
use tabletheory::testing::TestStore;
use tabletheory_core::expr::KeyCondition;
use tabletheory_core::store::op::{GetItem, PutItem, Query};
use tabletheory_core::{Item, StoreExt, Value, ValueType};

use crate::models::{Legacy, Order, Page, State};

/// Puts the value into a table of its own schema and reads it back by its key.
fn through_a_table<M: Model + Clone>(value: &M) -> M {
    block_on(async {
        let store = TestStore::new();
        let table = "round-trip".to_owned();
        store.create_table(M::SCHEMA.create_table(&table)).await.unwrap();
        let item = value.to_item().unwrap();
        store.put_item(PutItem { table: table.clone(), item, ..PutItem::default() }).await.unwrap();
        let key = value.key_of().into_item().unwrap();
        let got = store.get_item(GetItem { table, key, ..GetItem::default() }).await.unwrap();
        M::from_item(got.item.expect("the item that was just put")).unwrap()
    })
}

#[test]
fn values_come_back_from_a_table_as_they_were() {
    let page = Page::sample();
    assert_eq!(through_a_table(&page), Page { dirty: false, ..page });
    let order = Order::sample();
    let mut expected = order.clone();
    expected.ship_to.checked = false;
    assert_eq!(through_a_table(&order), expected);
    let legacy = Legacy::sample();
    assert_eq!(through_a_table(&legacy), legacy);
}

#[test]
fn an_item_has_its_keys_and_no_empty_attributes() {
    let item = Page::sample().to_item().unwrap();
    let mut names: Vec<&str> = item.names().collect();
    names.sort_unstable();
    let expected = [
        "changed",
        "etag",
        "generated_at",
        "gsi1pk",
        "gsi1sk",
        "hits",
        "labels",
        "made",
        "pk",
        "rev",
        "s3_key",
        "sk",
        "state",
        "tenant",
        "weight",
    ];
    assert_eq!(names, expected);
    assert_eq!(item.get("pk"), Some(&Value::s("TENANT#acme#CACHE#home")));
    assert_eq!(item.get("gsi1sk"), Some(&Value::s("GEN#0001700000000")));
    assert_eq!(item.get("made"), Some(&Value::s("2023-11-14T22:13:20.000000000Z")));
}

#[test]
fn names_follow_the_convention() {
    let item = Order::sample().to_item().unwrap();
    let mut names: Vec<&str> = item.names().collect();
    names.sort_unstable();
    assert_eq!(names, ["RAW", "customerId", "name", "orderNumber", "payment", "prices", "shipTo", "type"]);
    let legacy = Legacy::sample().to_item().unwrap();
    assert_eq!(legacy.get("PK"), Some(&Value::s("DAY#00042")));
    assert_eq!(legacy.get("SK"), Some(&Value::s("dead#2023-11-14T22:13:20.250000000Z#00009")));
    assert_eq!(legacy.get("someText"), Some(&Value::s("x")));
    assert_eq!(legacy.len(), 3);
}

#[test]
fn an_item_is_in_an_index_only_if_it_has_the_whole_key() {
    block_on(async {
        let store = TestStore::new();
        store.create_table(Page::SCHEMA.create_table("app")).await.unwrap();
        let plain = Page::sample();
        let tagged = Page { key: "tagged".into(), tag: Some("news".into()), ..plain.clone() };
        for page in [&plain, &tagged] {
            let item = page.to_item().unwrap();
            store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await.unwrap();
        }
        let query = |index: &str, condition| Query {
            table: "app".into(),
            index: Some(index.to_owned()),
            key_condition: condition,
            ..Query::default()
        };
        let by_tag =
            store.query(query("by_tag", KeyCondition::partition("tag_key", "TAG#news"))).await.unwrap();
        assert_eq!(by_tag.items.map(|items| items.len()), Some(1));
        let all = store.query(query("gsi1", KeyCondition::partition("gsi1pk", "TENANT#acme"))).await.unwrap();
        assert_eq!(all.items.map(|items| items.len()), Some(2));
    });
}

#[test]
fn the_schema_tells_keys_indexes_and_roles() {
    let schema = Page::SCHEMA;
    assert_eq!((schema.ttl, schema.version), (Some("expires"), Some("rev")));
    assert_eq!((schema.created_at, schema.updated_at), (Some("made"), Some("changed")));
    let [gsi1, by_tag, wide, lsi1] = schema.indexes else { panic!("four indexes were declared") };
    assert_eq!((gsi1.scope, gsi1.projection), (IndexScope::Global, IndexProjection::Keys));
    assert_eq!(by_tag.projection, IndexProjection::Include(&["s3_key", "hits"]));
    assert_eq!(wide.partition.iter().map(|key| key.name).collect::<Vec<_>>(), ["tenant", "state"]);
    assert_eq!(wide.sort.iter().map(|key| key.name).collect::<Vec<_>>(), ["hits", "s3_key"]);
    assert_eq!((lsi1.scope, lsi1.partition[0].name, lsi1.sort[0].name), (IndexScope::Local, "pk", "hits"));
    let request = schema.create_table("app");
    let mut names: Vec<&str> = request.attributes.iter().map(|definition| definition.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["gsi1pk", "gsi1sk", "hits", "pk", "s3_key", "sk", "state", "tag_key", "tenant"]);
}

#[test]
fn a_variable_names_the_table_and_the_attribute_does_otherwise() {
    assert_eq!(Page::table(), "app");
    // Cargo sets this variable for every test.
    assert_eq!(Order::table(), "tabletheory");
    assert_eq!(Legacy::table(), "legacy");
}

/// Of variables that Cargo sets for every test: one that is empty, one that is not set, and two that have a value.
#[derive(Model)]
#[model(table = "app")]
#[model(table_env(
    "CARGO_PKG_VERSION_PRE",
    "TABLETHEORY_TEST_UNSET",
    "CARGO_PKG_NAME",
    "CARGO_MANIFEST_DIR"
))]
struct Aliased {
    #[model(pk)]
    _id: String,
}

#[derive(Model)]
#[model(table = "app", table_env("CARGO_PKG_VERSION_PRE", "TABLETHEORY_TEST_UNSET",))]
struct Unnamed {
    #[model(pk)]
    _id: String,
}

#[test]
fn of_several_variables_the_first_that_is_set_and_not_empty_names_the_table() {
    assert_eq!(std::env::var("CARGO_PKG_VERSION_PRE").as_deref(), Ok(""));
    assert_eq!(Aliased::table(), "tabletheory");
    assert_eq!(Unnamed::table(), "app");
}

#[test]
fn the_trait_keeps_its_name_beside_a_field_called_name() {
    assert_eq!(<Order as Model>::NAME, "Order");
    assert_eq!(Order::NAME.name(), "name");
}

fn read_fails(change: impl FnOnce(&mut Item)) -> ModelError {
    let mut item = Page::sample().to_item().unwrap();
    change(&mut item);
    Page::from_item(item).unwrap_err()
}

#[test]
fn a_missing_attribute_is_named() {
    let error = read_fails(|item| {
        item.remove("s3_key");
    });
    let source = AttributeError::from(Fault::Missing).inside("s3_key");
    assert_eq!(error, ModelError::Read { model: "Page", source });
}

#[test]
fn a_wrong_type_is_named_and_the_value_is_not() {
    let error = read_fails(|item| {
        item.insert("hits", "canary");
    });
    let fault = Fault::WrongType { expected: "N", found: ValueType::S };
    assert_eq!(error, ModelError::Read { model: "Page", source: AttributeError::from(fault).inside("hits") });
    assert!(!format!("{error:?}{error}").contains("canary"));
}

#[test]
fn an_unknown_variant_is_refused_with_the_known_ones() {
    let error = read_fails(|item| {
        item.insert("state", "canary");
    });
    let expected = "cannot read a Page: state: the text is not one of fresh, going_stale, dead";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn unknown_attributes_are_ignored_and_optional_ones_may_be_missing() {
    let mut item = Page::sample().to_item().unwrap();
    item.insert("written_by_another_version", true);
    for optional in ["etag", "weight", "labels"] {
        item.remove(optional);
    }
    let page = Page::from_item(item).unwrap();
    assert_eq!((page.etag, page.weight, page.labels.len()), (None, 0.0, 0));
    assert_eq!(page.state, State::GoingStale);
}

#[test]
fn a_value_that_dynamodb_cannot_hold_is_named_when_it_is_stored() {
    let page = Page { weight: f64::NAN, ..Page::sample() };
    let source = AttributeError::from(Fault::NotANumber).inside("weight");
    assert_eq!(page.to_item().unwrap_err(), ModelError::Write { model: "Page", source });
}
