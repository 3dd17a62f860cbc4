//! Round trips, and what other toolkits wrote.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;

use jiff::Timestamp;
use proptest::prelude::*;
use tabletheory_core::{Item, Number, Value, ValueType};

use super::{Attribute, Binary, Fault};

#[track_caller]
fn check<T: Attribute + PartialEq + Debug>(rust: T, stored: Value) {
    assert_eq!(rust.to_value().expect("it can be stored"), stored);
    assert_eq!(T::from_value(stored).expect("it can be read"), rust);
}

#[track_caller]
fn reads<T: Attribute + PartialEq + Debug>(stored: Value, rust: T) {
    assert_eq!(T::from_value(stored), Ok(rust));
}

#[track_caller]
fn refused<T: Attribute + PartialEq + Debug>(stored: Value, message: &str) {
    let error = T::from_value(stored).expect_err("it cannot be read");
    assert_eq!(error.to_string(), message);
}

fn number(text: &str) -> Value {
    Value::N(text.parse().expect("a number"))
}

#[test]
fn scalars_have_one_form() {
    check("é".to_owned(), Value::s("é"));
    check(String::new(), Value::s(""));
    check(true, Value::Bool(true));
    check(-5i8, number("-5"));
    check(u64::MAX, number("18446744073709551615"));
    check(i64::MIN, number("-9223372036854775808"));
    check("0.12345678901234567".parse::<Number>().expect("a number"), number("0.12345678901234567"));
    check(0.1f64, number("0.1"));
    check(1e21f64, number("1000000000000000000000"));
    check(1e-7f64, number("0.0000001"));
    check(Binary(vec![0, 255]), Value::B(vec![0, 255]));
    check(Item::from([("a", 1)]), Value::M(Item::from([("a", 1)])));
}

#[test]
fn numbers_that_dynamodb_cannot_hold_are_refused() {
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE] {
        assert_eq!(float.to_value().expect_err("it cannot be stored").fault, Fault::NotANumber, "{float}");
    }
}

#[test]
fn numbers_that_rust_cannot_hold_are_refused() {
    refused::<u8>(Value::n(256), "the number does not fit into u8");
    refused::<u64>(Value::n(-1), "the number does not fit into u64");
    refused::<i64>(number("1.5"), "the number does not fit into i64");
    refused::<i32>(number("9007199254740993"), "the number does not fit into i32");
    refused::<f32>(number("1E+100"), "the number does not fit into f32");
}

#[test]
fn collections_have_one_form() {
    check(vec![Some(1u8), None], Value::L(vec![Value::n(1), Value::Null]));
    check(
        BTreeMap::from([("a".to_owned(), vec![true])]),
        Value::M(Item::from([("a", Value::L(vec![Value::Bool(true)]))])),
    );
    check(HashMap::from([("a".to_owned(), 1u8)]), Value::M(Item::from([("a", 1)])));
    check(Box::new(1u8), Value::n(1));
    check(BTreeSet::from([2u8, 1]), Value::Ns(["1", "2"].map(|text| text.parse().expect("a number")).into()));
    check(HashSet::from(["a".to_owned()]), Value::Ss(["a".to_owned()].into()));
    check(BTreeSet::from([Binary(vec![1])]), Value::Bs([vec![1]].into()));
    check(BTreeSet::<String>::new(), Value::Null);
    check(Vec::<u8>::new(), Value::L(Vec::new()));
}

#[test]
fn moments_sort_as_texts_and_every_form_is_read() {
    let moment = |text: &str| text.parse::<Timestamp>().expect("a moment");
    check(moment("2023-11-14T22:13:20.5Z"), Value::s("2023-11-14T22:13:20.500000000Z"));
    check(moment("2023-11-14T22:13:20Z"), Value::s("2023-11-14T22:13:20.000000000Z"));
    reads(Value::s("2023-11-14T22:13:20Z"), moment("2023-11-14T22:13:20Z"));
    reads(Value::s("2023-11-14T17:13:20.000000001-05:00"), moment("2023-11-14T22:13:20.000000001Z"));
    reads(Value::s("2023-11-14T22:13:20.123000000Z"), moment("2023-11-14T22:13:20.123Z"));
    refused::<Timestamp>(Value::s("yesterday"), "the text is not a moment in the form of RFC 3339");
    refused::<Timestamp>(Value::n(5), "expected S, found N");
    assert!(moment("0001-01-01T00:00:00Z").is_omitted() && !moment("1970-01-01T00:00:00Z").is_omitted());
}

/// Our own form has a short way in both directions; it must not be another one.
#[track_caller]
fn same_as_jiff(moment: Timestamp) {
    let text = format!("{moment:.9}");
    assert_eq!(moment.to_value(), Ok(Value::s(&text)));
    assert_eq!(Timestamp::from_value(Value::s(&text)).ok(), text.parse().ok(), "{text}");
}

#[test]
fn the_short_way_for_moments_leads_where_jiff_does() {
    for moment in [Timestamp::MIN, Timestamp::MAX, Timestamp::UNIX_EPOCH] {
        same_as_jiff(moment);
    }
    for text in
        ["-000001-12-31T23:59:59.999999999Z", "0000-01-01T00:00:00Z", "2024-02-29T00:00:00.000000001Z"]
    {
        same_as_jiff(text.parse().expect("a moment"));
    }
    // Of the length of our own form, and not of it.
    for text in [
        "2023-11-14t22:13:20.500000000z",
        "2023-11-14T22:13:60.500000000Z",
        "2023-02-29T22:13:20.500000000Z",
        "2023-13-14T22:13:20.500000000Z",
        "2023-11-14T24:13:20.500000000Z",
        "2023-11-14T22:13:20,500000000Z",
        "2023-11-14T22:13:20.5000+01:00",
        "2023-11-14T22:13:20.5000000+1Z",
    ] {
        assert_eq!(text.len(), 30, "{text}");
        assert_eq!(Timestamp::from_value(Value::s(text)).ok(), text.parse().ok(), "{text}");
    }
}

#[test]
fn what_the_first_go_toolkit_wrote_is_read() {
    reads(Value::L(vec![Value::n(1), Value::n(2)]), Binary(vec![1, 2]));
    reads(Value::L(vec![Value::n(1), Value::n(2), Value::n(1)]), BTreeSet::from([1u8, 2]));
    reads(Value::L(vec![Value::n(1), Value::n(1)]), HashSet::from([1u8]));
    reads(Value::Null, Binary::default());
    reads(Value::Null, Vec::<String>::new());
    reads(Value::Null, BTreeMap::<String, String>::new());
    reads(Value::Null, HashSet::<String>::new());
    reads(Value::Null, None::<String>);
}

#[test]
fn errors_say_where_and_never_what() {
    let secret = Value::s("secret");
    let nested = Value::M(Item::from([("tags", Value::L(vec![Value::n(1), secret]))]));
    let error = BTreeMap::<String, Vec<u8>>::from_value(nested).expect_err("a text is no number");
    assert_eq!(error.to_string(), "tags[1]: expected N, found S");
    assert_eq!(error.fault, Fault::WrongType { expected: "N", found: ValueType::S });
    assert!(!format!("{error:?}").contains("secret"));
    let error =
        BTreeMap::from([("a".to_owned(), vec![1.0, f64::NAN])]).to_value().expect_err("NaN is no number");
    assert!(error.to_string().starts_with("a[1]: "), "{error}");
    refused::<Binary>(Value::s("AQI="), "expected B, found S");
    refused::<bool>(Value::Null, "expected BOOL, found NULL");
}

#[test]
fn emptiness_is_that_of_the_other_toolkits() {
    assert!(Vec::<u8>::new().is_omitted() && Item::new().is_omitted() && 0.0.is_omitted());
    assert!(BTreeSet::<u8>::new().is_omitted() && None::<u8>.is_omitted() && Binary::default().is_omitted());
    assert!(!vec![0u8].is_omitted() && !Some(String::new()).is_omitted());
    assert_eq!(BTreeSet::<u8>::missing(), Some(BTreeSet::new()));
    assert_eq!(Option::<Vec<u8>>::missing(), Some(None));
    assert_eq!(Vec::<u8>::missing(), None);
}

proptest! {
    #[test]
    fn every_moment_has_the_text_that_jiff_gives_it(
        second in Timestamp::MIN.as_second()..Timestamp::MAX.as_second(),
        nanosecond in 0..1_000_000_000,
    ) {
        same_as_jiff(Timestamp::new(second, nanosecond).expect("a moment"));
    }

    #[test]
    fn what_is_written_is_read(
        text in ".*",
        number in any::<i64>(),
        float in prop::num::f64::NORMAL.prop_filter("in DynamoDB's range", |float| {
            (1e-129..1e125).contains(&float.abs())
        }),
        list in prop::collection::vec(any::<Option<u32>>(), 0..5),
        map in prop::collection::btree_map(".*", any::<bool>(), 0..5),
        set in prop::collection::btree_set(".*", 0..5),
    ) {
        let value = (text, number, float, list, map, set);
        prop_assert_eq!(String::from_value(value.0.to_value()?)?, value.0);
        prop_assert_eq!(i64::from_value(value.1.to_value()?)?, value.1);
        prop_assert_eq!(f64::from_value(value.2.to_value()?)?, value.2);
        prop_assert_eq!(Vec::<Option<u32>>::from_value(value.3.to_value()?)?, value.3);
        prop_assert_eq!(BTreeMap::<String, bool>::from_value(value.4.to_value()?)?, value.4);
        prop_assert_eq!(BTreeSet::<String>::from_value(value.5.to_value()?)?, value.5);
    }
}
