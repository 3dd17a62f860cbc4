//! Some of a model's fields, read from a table that was asked for nothing else.

use futures_executor::block_on;
use jiff::Timestamp;
use tabletheory::attribute::{AttributeError, Fault};
use tabletheory::model::{FromItem, ModelError};
use tabletheory::testing::TestStore;
use tabletheory::{Model, Projection};
use tabletheory_core::expr::{KeyPredicate, Path, ProjectionExpression};
use tabletheory_core::store::op::{GetItem, PutItem};
use tabletheory_core::{Item, StoreExt, Value};

use crate::models::{Legacy, Order, OrderId, Page, State, UserId};

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Page)]
struct Headline {
    key: String,
    s3_key: String,
    state: State,
    etag: Option<String>,
    tag: Option<String>,
    notes: Vec<String>,
    weight: f64,
    rev: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Legacy)]
struct Day {
    user: UserId,
    day_number: i32,
    at: Timestamp,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Order)]
struct Label {
    r#type: OrderId,
    order_number: u32,
    name: Option<String>,
}

/// Puts the value, and reads back what the projection asks for.
fn projected<M: Model, T: FromItem>(value: &M) -> (Item, T) {
    let item = block_on(async {
        let store = TestStore::new();
        let table = "projections".to_owned();
        store.create_table(M::SCHEMA.create_table(&table)).await.unwrap();
        let item = value.to_item().unwrap();
        store.put_item(PutItem { table: table.clone(), item, ..PutItem::default() }).await.unwrap();
        let paths = T::ATTRIBUTES.unwrap().iter().map(|name| Path::attribute(*name)).collect();
        let projection = Some(ProjectionExpression { paths });
        let key = value.key_of().into_item().unwrap();
        let got = store.get_item(GetItem { table, key, projection, ..GetItem::default() }).await.unwrap();
        got.item.unwrap()
    });
    (item.clone(), T::from_item(item).unwrap())
}

#[test]
fn a_projection_is_read_from_what_it_asks_for() {
    let page = Page::sample();
    let (item, headline) = projected::<_, Headline>(&page);
    let expected = Headline {
        key: page.key,
        s3_key: page.s3_key,
        state: page.state,
        etag: page.etag,
        tag: None,
        notes: Vec::new(),
        weight: 1.5,
        rev: 3,
    };
    assert_eq!(headline, expected);
    assert_eq!(item.names().collect::<Vec<_>>(), ["etag", "pk", "rev", "s3_key", "state", "weight"]);
}

#[test]
fn names_are_those_of_the_model_each_once() {
    assert_eq!(Day::ATTRIBUTES, Some(&["SK", "PK"][..]));
    assert_eq!(Label::ATTRIBUTES, Some(&["type", "orderNumber", "name"][..]));
    let legacy = Legacy::sample();
    let expected = Day { user: legacy.user, day_number: legacy.day_number, at: legacy.at };
    assert_eq!(projected::<_, Day>(&legacy).1, expected);
    let label = projected::<_, Label>(&Order::sample()).1;
    assert_eq!(label, Label { r#type: OrderId("o-9".into()), order_number: 12, name: Some("books".into()) });
}

#[test]
fn what_the_model_reads_as_a_default_a_projection_does_too() {
    let item = || {
        let mut item = Page::sample().to_item().unwrap();
        item.remove("weight");
        item
    };
    let headline = Headline::from_item(item()).unwrap();
    assert_eq!((headline.weight, headline.notes.len()), (0.0, 0));
    assert_eq!(Headline::schema(&item()), Some(Page::SCHEMA));
    let mut order = Order::sample().to_item().unwrap();
    order.remove("name");
    assert_eq!(
        Label::from_item(order).unwrap().name,
        None,
        "an `Option` is `None` where the model has a value"
    );
}

#[test]
fn an_error_names_the_projection_and_the_attribute() {
    let mut item = Page::sample().to_item().unwrap();
    item.insert("rev", "canary");
    let error = Headline::from_item(item).unwrap_err();
    assert_eq!(error.to_string(), "cannot read a Headline: rev: expected N, found S");
    let mut item = Page::sample().to_item().unwrap();
    item.remove("s3_key");
    let source = AttributeError::from(Fault::Missing).inside("s3_key");
    assert_eq!(Headline::from_item(item).unwrap_err(), ModelError::Read { model: "Headline", source });
    let error = Headline::from_item(Item::from([("pk", Value::s("canary"))])).unwrap_err();
    assert!(matches!(error, ModelError::Key { model: "Page", field: "key", .. }), "{error}");
}

/// Fields in other forms than their own.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", index(name = "by_end", pk = owner, sk = ends), index(name = "by_hash", pk = hash))]
struct Stored {
    #[model(pk, binary)]
    id: Vec<u8>,
    owner: String,
    #[model(json)]
    pairs: Vec<(String, u8)>,
    #[model(json = "text", default = "pairs")]
    texts: Vec<(String, u8)>,
    #[model(set, omit_empty)]
    members: Vec<u32>,
    #[model(binary)]
    hash: Option<Vec<u8>>,
    #[model(ttl)]
    ends: Option<Timestamp>,
    #[model(encrypted)]
    secret: String,
}

fn pairs() -> Vec<(String, u8)> {
    vec![("default".to_owned(), 1)]
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Stored)]
struct Parts {
    id: Vec<u8>,
    pairs: Vec<(String, u8)>,
    texts: Vec<(String, u8)>,
    members: Vec<u32>,
    hash: Option<Vec<u8>>,
    ends: Option<Timestamp>,
    secret: String,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Stored)]
struct Perhaps {
    id: Option<Vec<u8>>,
    pairs: Option<Vec<(String, u8)>>,
}

fn stored() -> Stored {
    Stored {
        id: vec![1, 2],
        owner: "ada".into(),
        pairs: vec![("a".into(), 1)],
        texts: vec![("b".into(), 2)],
        members: vec![3, 4],
        hash: Some(vec![9]),
        ends: Some(Timestamp::from_second(1_700_000_000).unwrap()),
        secret: "s".into(),
    }
}

#[test]
fn forms_are_read_as_the_model_reads_them() {
    let Stored { id, pairs: own_pairs, texts, members, hash, ends, secret, .. } = stored();
    let expected = Parts { id, pairs: own_pairs, texts, members, hash, ends, secret };
    assert_eq!(projected::<_, Parts>(&stored()).1, expected);
    let mut item = stored().to_item().unwrap();
    for missing in ["texts", "members", "hash", "ends"] {
        item.remove(missing);
    }
    let parts = Parts::from_item(item).unwrap();
    assert_eq!((parts.texts, parts.members, parts.hash, parts.ends), (pairs(), Vec::new(), None, None));
    assert_eq!(Parts::schema(&Item::new()).map(|schema| schema.encrypted), Some(&["secret"][..]));
}

#[test]
fn forms_may_be_missing_where_the_projection_says_so() {
    let perhaps = Perhaps::from_item(stored().to_item().unwrap()).unwrap();
    assert_eq!(perhaps, Perhaps { id: Some(vec![1, 2]), pairs: Some(vec![("a".into(), 1)]) });
    assert_eq!(Perhaps::from_item(Item::new()).unwrap(), Perhaps { id: None, pairs: None });
}

#[test]
fn keys_in_other_forms_are_asked_with_their_own_types() {
    let (_, by_id) = Stored::query(vec![1, 2]).into_parts().unwrap();
    assert_eq!(by_id.predicates, [("id".to_owned(), KeyPredicate::Eq(Value::B(vec![1, 2])))]);
    let (_, by_hash) = Stored::by_hash(vec![9]).into_parts().unwrap();
    assert_eq!(by_hash.predicates, [("hash".to_owned(), KeyPredicate::Eq(Value::B(vec![9])))]);
    let end = Timestamp::from_second(60).unwrap();
    let (_, by_end) = Stored::by_end("ada").lt(end).into_parts().unwrap();
    assert_eq!(by_end.predicates[1], ("ends".to_owned(), KeyPredicate::Lt(Value::n(60))));
}
