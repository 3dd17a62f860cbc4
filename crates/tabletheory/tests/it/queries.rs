//! Typed queries on a real table: which items they find among others, on the table and on its indexes, and what no value
//! can make them find.

use futures_executor::block_on;
use tabletheory::Model;
use tabletheory::model::{KeyFault, ModelError};
use tabletheory::query::KeyQuery;
use tabletheory::testing::TestStore;
use tabletheory_core::store::op::{PutItem, Query};
use tabletheory_core::{Item, StoreExt, Value};

use crate::models::{Legacy, Page, State, UserId};

/// An order; others lie in the same partitions.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "shop", pk = "USER#{user}", sk = "ORDER#{day}#{number:04}")]
#[model(index(name = "by-city", pk = city, sk = (street, total)))]
#[model(index(name = "free", fn = "by_label", pk = "LABEL#{label}", sk = "{day}#{number:04}"))]
struct Order {
    user: String,
    day: String,
    number: u32,
    city: Option<String>,
    street: Option<String>,
    total: u64,
    label: Option<String>,
}

const DAYS: [&str; 3] = ["1", "12", "2"];
const NUMBERS: [u32; 4] = [0, 1, 12, 9999];

fn order(day: &str, number: u32) -> Order {
    Order {
        user: "7".into(),
        day: day.into(),
        number,
        city: (number > 0).then(|| "Rome".into()),
        street: Some(if day == "2" { "Via Appia" } else { "Corso" }.into()),
        total: u64::from(number),
        label: Some("new".into()),
    }
}

/// Sort keys of other rows, close to those of orders.
const OTHERS: [&str; 10] = [
    "A",
    "META",
    "ORDER",
    "ORDER\"",
    "ORDER$",
    "ORDER$1#0001",
    "ORDERS#1#0001",
    "ORDEr#1#0001",
    "PROFILE",
    "\u{10FFFF}",
];

/// A table with all orders, other rows among them, and another user's order.
async fn shop() -> TestStore {
    let store = TestStore::new();
    store.create_table(Order::SCHEMA.create_table("shop")).await.unwrap();
    let orders = DAYS.iter().flat_map(|day| NUMBERS.map(|number| order(day, number)));
    let strangers = [Order { user: "77".into(), city: None, label: None, ..order("1", 1) }];
    let mut items: Vec<Item> = orders.chain(strangers).map(|order| order.to_item().unwrap()).collect();
    items.extend(OTHERS.map(|sk| Item::from([("pk", Value::s("USER#7")), ("sk", Value::s(sk))])));
    for item in items {
        store.put_item(PutItem { table: "shop".into(), item, ..PutItem::default() }).await.unwrap();
    }
    store
}

async fn find<M: Model, S>(store: &TestStore, query: KeyQuery<M, S>) -> Vec<Item> {
    let (index, key_condition) = query.into_parts().unwrap();
    let query =
        Query { table: "shop".into(), index: index.map(Into::into), key_condition, ..Query::default() };
    store.query(query).await.unwrap().items.unwrap()
}

/// The days and numbers of the orders that are found, which must all be orders of the user.
fn orders<S>(query: KeyQuery<Order, S>) -> Vec<(String, u32)> {
    let items = block_on(async { find(&shop().await, query).await });
    let orders = items.into_iter().map(|item| Order::from_item(item).unwrap());
    orders.map(|order| (order.day, order.number)).collect()
}

/// All orders for which the claim is true, in the order of their keys.
fn expected(claim: impl Fn(&str, u32) -> bool) -> Vec<(String, u32)> {
    let all = DAYS.iter().flat_map(|day| NUMBERS.map(|number| (*day, number)));
    all.filter(|(day, number)| claim(day, *number)).map(|(day, number)| (day.to_owned(), number)).collect()
}

#[test]
fn a_query_finds_the_rows_of_its_model_and_a_partition_has_them_all() {
    assert_eq!(orders(Order::query("7")), expected(|_, _| true));
    let all = block_on(async { find(&shop().await, Order::partition("7")).await });
    assert_eq!(all.len(), 12 + OTHERS.len());
}

#[test]
fn the_first_fields_of_a_template_are_whole_values() {
    assert_eq!(orders(Order::query("7").begins_with("1")), expected(|day, _| day == "1"));
    assert_eq!(orders(Order::query("7").begins_with(("1",))), expected(|day, _| day == "1"));
    let one = expected(|day, number| day == "1" && number == 1);
    assert_eq!(orders(Order::query("7").begins_with(("1", 1))), one);
    assert_eq!(orders(Order::query("7").eq(("1", 1))), one);
    assert_eq!(orders(Order::query("7").eq((String::from("1"), &1))), one);
    assert_eq!(
        orders(Order::query("7").begins_with_partial((), "1")),
        expected(|day, _| day.starts_with('1'))
    );
}

#[test]
fn ranges_of_days_stay_among_the_orders() {
    for day in DAYS {
        let query = || Order::query("7");
        assert_eq!(orders(query().lt(day)), expected(|other, _| other < day), "{day}");
        assert_eq!(orders(query().le(day)), expected(|other, _| other <= day), "{day}");
        assert_eq!(orders(query().gt(day)), expected(|other, _| other > day), "{day}");
        assert_eq!(orders(query().ge(day)), expected(|other, _| other >= day), "{day}");
    }
    assert_eq!(orders(Order::query("7").between("12", "2")), expected(|day, _| day != "1"));
    assert_eq!(
        orders(Order::query("7").between(("1", 12), "12")),
        expected(|day, number| { (("1", 12)..=("12", u32::MAX)).contains(&(day, number)) })
    );
}

#[test]
fn ranges_of_whole_keys_include_the_key_or_not() {
    for key in DAYS.iter().flat_map(|day| NUMBERS.map(|number| (*day, number))) {
        let query = || Order::query("7");
        assert_eq!(orders(query().lt(key)), expected(|day, number| (day, number) < key), "{key:?}");
        assert_eq!(orders(query().le(key)), expected(|day, number| (day, number) <= key), "{key:?}");
        assert_eq!(orders(query().gt(key)), expected(|day, number| (day, number) > key), "{key:?}");
        assert_eq!(orders(query().ge(key)), expected(|day, number| (day, number) >= key), "{key:?}");
    }
}

#[test]
fn a_template_that_begins_with_a_field_is_asked_as_it_is() {
    let query = || Order::by_label("new");
    assert_eq!(query().index(), Some("free"));
    assert_eq!(orders(query()), expected(|_, _| true));
    assert_eq!(orders(query().begins_with("12")), expected(|day, _| day == "12"));
    assert_eq!(orders(query().lt("12")), expected(|day, _| day == "1"));
    assert_eq!(orders(query().gt(("1", 1))), expected(|day, number| (day, number) > ("1", 1)));
    assert_eq!(orders(query().le(("12", 1))), expected(|day, number| (day, number) <= ("12", 1)));
    assert_eq!(orders(query().ge("12")), expected(|day, _| day != "1"));
}

#[test]
fn an_index_sorted_by_several_fields_is_asked_from_the_left() {
    let numbers = |query: Vec<(String, u32)>| query.into_iter().map(|(_, number)| number).collect::<Vec<_>>();
    assert_eq!(orders(Order::by_city("Rome")).len(), 9, "an order without a city is in no city");
    assert_eq!(orders(Order::by_city("Rome").eq("Via Appia")).len(), 3);
    assert_eq!(numbers(orders(Order::by_city("Rome").eq("Via Appia").eq(12))), [12]);
    assert_eq!(numbers(orders(Order::by_city("Rome").eq("Via Appia").between(1, 12))), [1, 12]);
    assert_eq!(numbers(orders(Order::by_city("Rome").eq("Via Appia").gt(1))), [12, 9999]);
    assert_eq!(orders(Order::by_city("Rome").begins_with("Co")).len(), 6);
    assert_eq!(orders(Order::by_city("Rome").ge("D")).len(), 3);
}

#[test]
fn every_key_of_a_model_can_be_asked() {
    let parts = |index: Option<&'static str>, attributes: &[&str]| {
        (index, attributes.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    };
    fn asked<M, S>(query: KeyQuery<M, S>) -> (Option<&'static str>, Vec<String>) {
        let (index, condition) = query.into_parts().unwrap();
        (index, condition.predicates.into_iter().map(|(name, _)| name).collect())
    }
    assert_eq!(asked(Page::query("acme", "home")), parts(None, &["pk", "sk"]));
    assert_eq!(asked(Page::gsi1("acme").lt(5)), parts(Some("gsi1"), &["gsi1pk", "gsi1sk"]));
    assert_eq!(asked(Page::by_tag("news")), parts(Some("by_tag"), &["tag_key"]));
    let wide = Page::wide("acme", State::Fresh).eq(7).begins_with("pages/");
    assert_eq!(asked(wide), parts(Some("wide"), &["tenant", "state", "hits", "s3_key"]));
    assert_eq!(asked(Page::lsi1("acme", "home").ge(7)), parts(Some("lsi1"), &["pk", "hits"]));
    let at = Legacy::sample().at;
    assert_eq!(asked(Legacy::query(42).begins_with((State::Fresh, at))), parts(None, &["PK", "SK"]));
    assert_eq!(asked(Legacy::query(42).eq((State::Fresh, at, UserId(9)))), parts(None, &["PK", "SK"]));
}

fn fault<S>(query: KeyQuery<Order, S>) -> (&'static str, &'static str, KeyFault) {
    match query.into_parts().unwrap_err() {
        ModelError::Key { model: "Order", attribute, field, fault } => (attribute, field, fault),
        other => panic!("not an error of a key: {other}"),
    }
}

#[test]
fn no_value_reaches_other_keys() {
    assert_eq!(fault(Order::query("7#X")), ("pk", "user", KeyFault::Delimiter));
    assert_eq!(fault(Order::partition("")), ("pk", "user", KeyFault::Empty));
    assert_eq!(fault(Order::query("7").begins_with("1#0001")), ("sk", "day", KeyFault::Delimiter));
    assert_eq!(fault(Order::query("7").eq(("", 1))), ("sk", "day", KeyFault::Empty));
    assert_eq!(fault(Order::query("7").between("1", "2#")), ("sk", "day", KeyFault::Delimiter));
    assert_eq!(fault(Order::query("7").le("1\u{10FFFF}")), ("sk", "day", KeyFault::End));
    assert_eq!(fault(Order::query("7").begins_with_partial((), "1#")), ("sk", "day", KeyFault::Delimiter));
    assert_eq!(fault(Order::query("7").begins_with_partial((), "")), ("sk", "day", KeyFault::Empty));
    assert_eq!(fault(Order::query("7").eq(("1", 10_000))), ("sk", "number", KeyFault::TooWide { width: 4 }));
    assert_eq!(fault(Order::by_label("new#").gt("1")), ("freepk", "label", KeyFault::Delimiter));
    let key = Order { day: "\u{10FFFF}".into(), ..order("1", 1) }.to_item().unwrap_err();
    assert!(matches!(key, ModelError::Key { field: "day", fault: KeyFault::End, .. }));
}

#[test]
fn nothing_is_no_key() {
    let nothing = |method| ModelError::Nothing { model: "Order", attribute: "sk", method };
    assert_eq!(Order::query("7").begins_with(()).into_parts().unwrap_err(), nothing("begins_with"));
    assert_eq!(Order::query("7").between((), "1").into_parts().unwrap_err(), nothing("between"));
}

#[test]
fn what_is_shown_of_a_query_are_names() {
    let shown = format!("{:?}", Order::query("canary").eq(("canary", 1)));
    assert_eq!(shown, r#"KeyQuery { index: None, attributes: ["pk", "sk"] }"#);
    let shown = format!("{:?}", Order::by_city("canary#").eq("canary").clone());
    assert_eq!(shown, r#"KeyQuery { index: Some("by-city"), attributes: ["city", "street"] }"#);
    assert!(!format!("{:?}", Order::query("canary#")).contains("canary"));
}
