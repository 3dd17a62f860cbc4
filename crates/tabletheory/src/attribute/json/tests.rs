//! What serde's shapes are stored as, what is read back, and what is refused.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tabletheory_core::{Item, Value};

use super::{Json, JsonText};
use crate::attribute::{Attribute, Fault};

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq, Default)]
#[serde(rename_all = "camelCase")]
struct Shape {
    wide: Option<i128>,
    ratio: f64,
    small: f32,
    tags: Vec<String>,
    pair: (u8, bool),
    letter: char,
    nothing: (),
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<Box<Shape>>,
}

#[derive(Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Unit {
    Metre,
    Foot,
}

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
enum Event {
    Closed,
    Moved(i32, i32),
    Named(String),
    Sized { width: u64 },
}

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(untagged)]
enum Loose {
    Text(String),
    Object { a: u8 },
}

#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Wrapped(u64);

fn number(text: &str) -> Value {
    Value::N(text.parse().expect("a number"))
}

fn map<const COUNT: usize>(members: [(&str, Value); COUNT]) -> Value {
    Value::M(Item::from(members))
}

/// The value is stored as this, and as this text, and both forms read both.
#[track_caller]
fn check<T: Serialize + DeserializeOwned + Clone + PartialEq + Debug>(value: T, stored: Value, text: &str) {
    assert_eq!(Json(value.clone()).to_value(), Ok(stored.clone()));
    assert_eq!(JsonText(value.clone()).to_value(), Ok(Value::s(text)));
    assert_eq!(Json::from_value(stored.clone()), Ok(Json(value.clone())));
    assert_eq!(JsonText::from_value(Value::s(text)), Ok(JsonText(value.clone())));
    if !matches!(stored, Value::S(_)) {
        assert_eq!(JsonText::from_value(stored), Ok(JsonText(value.clone())));
        assert_eq!(serde_json::from_str::<T>(text).expect("it is JSON"), value);
    }
}

#[track_caller]
fn refused<T: Serialize + DeserializeOwned + Debug>(stored: Value, message: &str) {
    let error = Json::<T>::from_value(stored).expect_err("it cannot be read");
    assert_eq!(error.to_string(), message);
}

#[test]
fn structures_have_the_shape_of_json() {
    let inner = Shape { letter: 'é', ..Shape::default() };
    let shape = Shape {
        wide: Some(-12_345_678_901_234_567_890_123_456_789_012_345_678),
        ratio: 0.1,
        small: 0.1,
        tags: vec!["a".into()],
        pair: (7, true),
        letter: 'x',
        nothing: (),
        next: Some(Box::new(inner)),
    };
    let pair = |left, right| Value::L(vec![Value::n(left), Value::Bool(right)]);
    let inner = map([
        ("wide", Value::Null),
        ("ratio", Value::n(0)),
        ("small", Value::n(0)),
        ("tags", Value::L(vec![])),
        ("pair", pair(0, false)),
        ("letter", Value::s("é")),
        ("nothing", Value::Null),
    ]);
    let stored = map([
        ("wide", number("-12345678901234567890123456789012345678")),
        ("ratio", number("0.1")),
        ("small", number("0.1")),
        ("tags", Value::L(vec![Value::s("a")])),
        ("pair", pair(7, true)),
        ("letter", Value::s("x")),
        ("nothing", Value::Null),
        ("next", inner),
    ]);
    let text = concat!(
        r#"{"letter":"x","next":{"letter":"é","nothing":null,"pair":[0,false],"ratio":0,"small":0,"tags":[],"wide":null},"#,
        r#""nothing":null,"pair":[7,true],"ratio":0.1,"small":0.1,"tags":["a"],"#,
        r#""wide":-12345678901234567890123456789012345678}"#
    );
    check(shape, stored, text);
}

#[test]
fn variants_and_wrappers_have_the_shape_of_json() {
    check(Event::Closed, Value::s("Closed"), r#""Closed""#);
    let moved = Value::L(vec![Value::n(1), Value::n(-2)]);
    check(Event::Moved(1, -2), map([("Moved", moved)]), r#"{"Moved":[1,-2]}"#);
    check(Event::Named("a".into()), map([("Named", Value::s("a"))]), r#"{"Named":"a"}"#);
    let sized = map([("Sized", map([("width", Value::n(3))]))]);
    check(Event::Sized { width: 3 }, sized, r#"{"Sized":{"width":3}}"#);
    check(Wrapped(u64::MAX), number("18446744073709551615"), "18446744073709551615");
    check(Loose::Object { a: 1 }, map([("a", Value::n(1))]), r#"{"a":1}"#);
    check(true, Value::Bool(true), "true");
}

#[test]
fn keys_of_maps_are_texts() {
    check(BTreeMap::from([(-1i8, 'a')]), map([("-1", Value::s("a"))]), r#"{"-1":"a"}"#);
    check(BTreeMap::from([(true, 1u8)]), map([("true", Value::n(1))]), r#"{"true":1}"#);
    check(HashMap::from([(Unit::Foot, 3u128)]), map([("Foot", Value::n(3))]), r#"{"Foot":3}"#);
    check(
        BTreeMap::from([(u128::from(u64::MAX) + 1, ())]),
        map([("18446744073709551616", Value::Null)]),
        r#"{"18446744073709551616":null}"#,
    );
    let nameless = BTreeMap::from([(vec![1u8], 1u8)]);
    assert_eq!(super::write::write(&nameless).expect_err("a list is no key").fault, Fault::NotJson);
    refused::<BTreeMap<u8, u8>>(
        map([("canary", Value::n(1))]),
        "the JSON does not have the shape of its Rust type",
    );
}

#[test]
fn what_takes_anything_gets_what_was_stored() {
    let document = json!({"a": [1, -2, 0.5, "x", null, true], "b": {}, "big": u64::MAX, "huge": 1e21});
    let text =
        r#"{"a":[1,-2,0.5,"x",null,true],"b":{},"big":18446744073709551615,"huge":1000000000000000000000}"#;
    assert_eq!(Json(document.clone()).to_value().map(Json::from_value), Ok(Ok(Json(document.clone()))));
    assert_eq!(JsonText(document.clone()).to_value(), Ok(Value::s(text)));
    for scalar in [json!(null), json!("plain"), json!(""), json!(false), json!(12)] {
        assert_eq!(Json(scalar.clone()).to_value().and_then(Json::from_value), Ok(Json(scalar.clone())));
        assert_eq!(JsonText(scalar.clone()).to_value().and_then(JsonText::from_value), Ok(JsonText(scalar)));
    }
}

#[test]
fn texts_of_older_toolkits_are_read_unless_the_type_is_a_text() {
    let reads = |text: &str| Json::<serde_json::Value>::from_value(Value::s(text)).map(|json| json.0);
    assert_eq!(reads(r#"{"a":[1]}"#), Ok(json!({"a": [1]})));
    assert_eq!(reads("[1]"), Ok(json!([1])));
    assert_eq!(reads("{no json"), Ok(json!("{no json")));
    assert_eq!(Json::from_value(Value::s(r#"{"Sized":{"width":3}}"#)), Ok(Json(Event::Sized { width: 3 })));
    assert_eq!(Json::from_value(Value::s(r#""Closed""#)), Ok(Json(Event::Closed)));
    assert_eq!(Json::from_value(Value::s("[1,2]")), Ok(Json(vec![1u8, 2])));
    assert_eq!(Json::from_value(Value::s("12")), Ok(Json(Wrapped(12))));
    assert_eq!(Json::from_value(Value::s(r#"{"a":1}"#)), Ok(Json(r#"{"a":1}"#.to_owned())));
    refused::<Wrapped>(Value::s("canary"), "expected N, found S");
    refused::<Vec<u8>>(Value::s(r#"["canary"]"#), "the JSON does not have the shape of its Rust type");
    let error = JsonText::<Vec<u8>>::from_value(Value::s("canary")).expect_err("it is no JSON");
    assert_eq!(error.to_string(), "the text is not JSON");
}

#[test]
fn a_text_that_looks_like_json_comes_back_as_the_text_it_is() {
    for text in [r#"{"a":1}"#, "[1]", r#""quoted""#, r#""\"twice\"""#, "{not json", "1"] {
        let untyped = Json(json!(text));
        assert_eq!(untyped.to_value().and_then(Json::from_value), Ok(untyped.clone()), "{text}");
        let loose = Json(Loose::Text(text.to_owned()));
        assert_eq!(loose.to_value().and_then(Json::from_value), Ok(loose.clone()), "{text}");
        assert_eq!(Json(text.to_owned()).to_value(), Ok(Value::s(text)));
    }
    assert_eq!(Json(json!("[1]")).to_value(), Ok(Value::s(r#""[1]""#)));
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let not_a_number = |fault: Fault| assert_eq!(fault, Fault::NotANumber);
    not_a_number(Json(f64::NAN).to_value().expect_err("not finite").fault);
    not_a_number(JsonText(f64::INFINITY).to_value().expect_err("not finite").fault);
    not_a_number(Json(u128::MAX).to_value().expect_err("39 digits").fault);
    refused::<u8>(Value::n(256), "the number does not fit into u8");
    refused::<i128>(number("1.5"), "the number does not fit into i128");
    refused::<u128>(number("-1"), "the number does not fit into u128");
    refused::<f32>(number("1E+100"), "the number does not fit into f32");
    refused::<serde_json::Value>(number("0.123456789012345678"), "the number does not fit into f64");
    refused::<serde_json::Value>(
        number("18446744073709551617"),
        "the JSON does not have the shape of its Rust type",
    );
    // Of 17 digits the last may be another than that of the nearest f64.
    refused::<serde_json::Value>(number("0.12345678901234567"), "the number does not fit into f64");
    let nearest = json!(0.12345678901234568);
    assert_eq!(Json::from_value(number("0.12345678901234568")), Ok(Json(nearest)));
    assert_eq!(Json::from_value(number("1E+100")), Ok(Json(json!(1e100))));
}

#[test]
fn errors_lead_to_the_member_and_never_tell_the_value() {
    let told = |value: Value| {
        let error = Json::<Shape>::from_value(value).expect_err("it cannot be read");
        assert!(!format!("{error:?}").contains("canary"), "{error:?}");
        error.to_string()
    };
    assert_eq!(told(map([("ratio", Value::s("canary"))])), "ratio: expected N, found S");
    assert_eq!(told(map([("ratio", Value::n(1))])), "small: the attribute is missing");
    let tags = Value::L(vec![Value::s("a"), Value::Bool(true)]);
    assert_eq!(told(map([("tags", tags)])), "tags[1]: expected S, found BOOL");
    let pair = Value::L(vec![Value::n(1), Value::Bool(true), Value::s("canary")]);
    assert_eq!(told(map([("pair", pair)])), "pair: the JSON does not have the shape of its Rust type");
    assert_eq!(told(Value::B(b"canary".to_vec())), "expected M, found B");
    refused::<Event>(Value::s("canary"), "the JSON does not have the shape of its Rust type");
    refused::<serde_json::Value>(
        Value::Ss(["canary".to_owned()].into()),
        "expected M, L, S, N, BOOL or NULL, found SS",
    );
    let unfit = BTreeMap::from([("a".to_owned(), vec![1.0, f64::NAN])]);
    let error = Json(unfit).to_value().expect_err("it is not a number");
    assert!(error.to_string().starts_with("a[1]: "), "{error}");
}

#[test]
fn emptiness_is_that_of_what_is_stored() {
    assert!(Json(json!({})).is_omitted() && Json(0).is_omitted() && JsonText(String::new()).is_omitted());
    assert!(JsonText(None::<u8>).is_omitted() && Json(Vec::<u8>::new()).is_omitted());
    assert!(!Json(Shape::default()).is_omitted() && !Json(f64::NAN).is_omitted());
}

fn document() -> impl Strategy<Value = serde_json::Value> {
    let scalar = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|flag| json!(flag)),
        any::<i64>().prop_map(|number| json!(number)),
        any::<u64>().prop_map(|number| json!(number)),
        // Whole numbers are read as integers, which JSON does not tell apart.
        (1u32..1_000_000).prop_map(|number| json!(f64::from(number) + 0.25)),
        r#"[\[{"]?[a-z\]}"é]{0,4}"#.prop_map(|text| json!(text)),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|list| json!(list)),
            prop::collection::btree_map("[a-z]{0,3}", inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(document in document()) {
        let (json, text) = (Json(document.clone()), JsonText(document.clone()));
        prop_assert_eq!(Json::from_value(json.to_value()?)?, json);
        let stored = text.to_value()?;
        prop_assert_eq!(JsonText::from_value(stored.clone())?, text);
        let Value::S(text) = stored else { panic!("a text is stored") };
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&text)?, document);
    }
}
