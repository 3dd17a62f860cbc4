//! Rows that others wrote, whole, sparse and wrong.

use tabletheory::Model;
use tabletheory_core::{Item, Value};

use super::*;

fn row<const N: usize>(attributes: [(&str, Value); N]) -> Item {
    let mut item = Item::from([("pk", Value::s("CACHE#1")), ("sk", Value::s("META"))]);
    for (name, value) in attributes {
        item.insert(name, value);
    }
    item
}

#[test]
fn a_row_without_our_attributes_is_read() {
    let meta = Meta::from_item(row([
        ("s3_key", Value::s("isr/1.html")),
        ("generated_at", Value::n(100)),
        ("revalidate_seconds", Value::n(60)),
    ]));
    let meta = meta.expect("a row of another store");
    assert_eq!((meta.generation, meta.status(), meta.gone), (None, 200, false));
}

#[test]
fn a_row_without_anything_names_no_body() {
    assert!(!Meta::from_item(row([])).expect("a row").has_body());
}

#[test]
fn a_wrong_type_is_an_error_and_not_a_guess() {
    assert!(Meta::from_item(row([("generated_at", Value::s("soon"))])).is_err());
    assert!(Meta::from_item(row([("tags", Value::n(1))])).is_err());
    assert!(Meta::from_item(row([("status", Value::n(70_000))])).is_err());
}

#[test]
fn numbers_beyond_all_time_do_not_overflow() {
    for revalidate in [i64::MIN, -1, 0, i64::MAX] {
        let meta = row([("generated_at", Value::n(i64::MAX)), ("revalidate_seconds", Value::n(revalidate))]);
        assert!(Meta::from_item(meta).expect("a row").fresh_until().millis() > 0);
    }
}

#[test]
fn milliseconds_of_another_second_are_not_believed() {
    let meta = row([("generated_at", Value::n(100)), ("generated_at_ms", Value::n(5_000))]);
    assert_eq!(Meta::from_item(meta).expect("a row").generated().millis(), 100_000);
}
