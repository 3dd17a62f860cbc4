//! Keys from templates: no value can pass for another key, numbers sort, and keys can be read back.

use tabletheory::Model;
use tabletheory::model::{KeyFault, ModelError};
use tabletheory_core::{Item, Value};

use crate::models::{Legacy, Order, Page, State, UserId};

fn fault(outcome: Result<Item, ModelError>) -> (&'static str, &'static str, KeyFault) {
    match outcome.unwrap_err() {
        ModelError::Key { model: "Page" | "Legacy", attribute, field, fault } => (attribute, field, fault),
        other => panic!("not an error of a key: {other}"),
    }
}

#[test]
fn a_key_has_the_fields_of_the_partition_key_then_those_of_the_sort_key() {
    let key = Page::key("acme", String::from("home")).into_item().unwrap();
    let expected = [("pk", Value::s("TENANT#acme#CACHE#home")), ("sk", Value::s("META"))];
    assert_eq!(key, Item::from(expected));
    let key = Order::key("c1", 12).into_item().unwrap();
    assert_eq!(key, Item::from([("customerId", Value::s("c1")), ("orderNumber", Value::n(12))]));
    assert_eq!(Order::sample().key_of(), Order::key("c1", 12));
}

#[test]
fn a_value_cannot_pass_for_another_key() {
    assert_eq!(fault(Page::key("a#CACHE#b", "c").into_item()), ("pk", "tenant", KeyFault::Delimiter));
    assert_eq!(fault(Page::key("a", "").into_item()), ("pk", "key", KeyFault::Empty));
    let page = Page { tag: Some("a#b".into()), ..Page::sample() };
    assert_eq!(fault(page.to_item()), ("tag_key", "tag", KeyFault::Delimiter));
}

#[test]
fn an_error_of_a_key_names_the_field_and_not_the_value() {
    let error = Page::key("canary#", "c").into_item().unwrap_err();
    let expected =
        "the field `tenant` in the key `pk` of a Page contains `#`, which separates the parts of a key";
    assert_eq!(error.to_string(), expected);
    assert!(!format!("{error:?}").contains("canary"));
}

#[test]
fn numbers_that_would_not_sort_are_refused() {
    let at = Legacy::sample().at;
    let with = |day| Legacy::key(day, State::Fresh, at, UserId(1)).into_item();
    assert_eq!(with(99_999).unwrap().get("PK"), Some(&Value::s("DAY#99999")));
    assert_eq!(fault(with(100_000)), ("PK", "day_number", KeyFault::TooWide { width: 5 }));
    assert_eq!(fault(with(-1)), ("PK", "day_number", KeyFault::Negative));
    let page = Page { generated_at: 10_000_000_000_000, ..Page::sample() };
    assert_eq!(fault(page.to_item()), ("gsi1sk", "generated_at", KeyFault::TooWide { width: 13 }));
}

#[test]
fn a_key_of_another_form_cannot_be_read() {
    let keys = ["TENANT#acme", "TENANT#acme#CACHE#", "TENANT#acme#CACHE#home#x", "CACHE#home", ""];
    for key in keys {
        let mut item = Page::sample().to_item().unwrap();
        item.insert("pk", key);
        assert_eq!(
            fault(Page::from_item(item).map(|_| Item::default())),
            ("pk", "key", KeyFault::Form),
            "{key}"
        );
    }
    let mut item = Legacy::sample().to_item().unwrap();
    item.insert("SK", "unheard#2023-11-14T22:13:20Z#9");
    assert_eq!(fault(Legacy::from_item(item).map(|_| Item::default())), ("SK", "state", KeyFault::Form));
}
