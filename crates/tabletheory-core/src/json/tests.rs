//! DynamoDB JSON against tables of what the service answers, and there and back.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::refusal;
use crate::error::StoreError;
use crate::item::Item;
use crate::number::Number;
use crate::number::tests::any_number;
use crate::value::Value;

fn read(json: &str) -> Result<Value, StoreError> {
    serde_json::from_str(json).map_err(|error| refusal(&error))
}

fn read_item(json: &str) -> Result<Item, StoreError> {
    serde_json::from_str(json).map_err(|error| refusal(&error))
}

fn nested(levels: usize, open: &str, close: &str) -> String {
    format!("{}{}{}", open.repeat(levels - 1), r#"{"NULL":true}"#, close.repeat(levels - 1))
}

#[test]
fn every_type_is_written_and_read() {
    let check = |value: Value, json: &str| {
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
        assert_eq!(read(json), Ok(value));
    };
    check(Value::s(""), r#"{"S":""}"#);
    check(Value::s("a \"b\"\n"), r#"{"S":"a \"b\"\n"}"#);
    check(Value::n(-12), r#"{"N":"-12"}"#);
    check(Value::B(vec![]), r#"{"B":""}"#);
    check(Value::B(b"by\xff".to_vec()), r#"{"B":"Ynn/"}"#);
    check(Value::B(b"byte".to_vec()), r#"{"B":"Ynl0ZQ=="}"#);
    check(
        Value::B(b"byte".repeat(1000)),
        &format!(r#"{{"B":"{}Ynl0ZQ=="}}"#, "Ynl0ZWJ5dGVieXRl".repeat(333)),
    );
    check(Value::Bool(false), r#"{"BOOL":false}"#);
    check(Value::Null, r#"{"NULL":true}"#);
    check(Value::L(vec![]), r#"{"L":[]}"#);
    check(Value::L(vec![Value::Null, Value::n(1)]), r#"{"L":[{"NULL":true},{"N":"1"}]}"#);
    check(Value::M(Item::new()), r#"{"M":{}}"#);
    check(Value::M(Item::from([("a", Value::Bool(true))])), r#"{"M":{"a":{"BOOL":true}}}"#);
    check(Value::Ss(["a", "b"].map(str::to_owned).into()), r#"{"SS":["a","b"]}"#);
    check(Value::Ns([9, 10].map(Number::from).into()), r#"{"NS":["9","10"]}"#);
    check(Value::Bs([vec![], b"byte".to_vec()].into()), r#"{"BS":["","Ynl0ZQ=="]}"#);
}

#[test]
fn what_need_not_be_canonical_is_read_too() {
    let check = |json: &str, expected: Value| assert_eq!(read(json), Ok(expected), "{json}");
    check(r#" { "N" : "+0012.50e2" } "#, Value::n(1250));
    check(r#"{"NS":["10","-1"]}"#, Value::Ns([-1, 10].map(Number::from).into()));
    check(r#"{"\u0053":"\u00e4"}"#, Value::s("ä"));
    check(r#"{"S":"a","N":null,"L":null}"#, Value::s("a"));
    check(r#"{"S":"a","s":1,"X":[{"deep":[null]}]}"#, Value::s("a"));
    assert_eq!(
        read_item(r#"{"b":{"N":"2"},"a":{"N":"1"}}"#),
        Ok(Item::from([("a", Value::n(1)), ("b", Value::n(2))]))
    );
    assert_eq!(serde_json::from_str::<Number>(r#""1.50""#).unwrap(), "1.5".parse().unwrap());
}

#[test]
fn broken_rules_are_validation_exceptions() {
    let check = |json: &str, message: &str| {
        assert_eq!(read(json), Err(StoreError::Validation(message.to_owned())), "{json}");
    };
    let none = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes";
    let many = "Supplied AttributeValue has more than one datatypes set, \
                must contain exactly one of the supported datatypes";
    let numeric = "The parameter cannot be converted to a numeric value";
    check("{}", none);
    check("null", none);
    check(r#"{"S":null}"#, none);
    check(r#"{"X":"1"}"#, none);
    check(r#"{"L":[{}]}"#, none);
    check(r#"{"S":"a","N":"1"}"#, many);
    check(r#"{"M":{"a":{"BOOL":true,"NULL":true}}}"#, many);
    check(r#"{"S":"a","N":"b"}"#, &format!("{numeric}: b"));
    check(r#"{"N":"b","S":"a"}"#, &format!("{numeric}: b"));
    check(r#"{"N":"at line 1 column 2"}"#, &format!("{numeric}: at line 1 column 2"));
    check(r#"{"N":"\u0001"}"#, &format!("{numeric}: \u{1}"));
    check(r#"{"N":""}"#, numeric);
    check(r#"{"NS":["1",""]}"#, numeric);
    check(r#"{"NS":[null]}"#, numeric);
    check(
        r#"{"N":"1e126"}"#,
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    );
    check(r#"{"NS":["1","1.0"]}"#, "Input collection contains duplicates");
    for (json, message) in [
        (r#"{"NULL":false}"#, "Null attribute value types must have the value of true"),
        (r#"{"NULL":"no"}"#, "Null attribute value types must have the value of true"),
        (r#"{"SS":[]}"#, "An string set  may not be empty"),
        (r#"{"NS":[]}"#, "An number set  may not be empty"),
        (r#"{"BS":[]}"#, "Binary sets should not be empty"),
        (r#"{"SS":["a","a"]}"#, "Input collection [a, a] contains duplicates."),
        (r#"{"SS":["b","a","b"]}"#, "Input collection [b, a, b] contains duplicates."),
        (r#"{"BS":["Yg==","Yg=="]}"#, "Input collection [Yg==, Yg==]of type BS contains duplicates."),
        (r#"{"BS":[null]}"#, "Binary sets may not contain null or empty values"),
    ] {
        check(json, &format!("One or more parameter values were invalid: {message}"));
    }
}

#[test]
fn wrong_shapes_are_serialization_exceptions() {
    let check = |json: &str, message: &str| {
        assert_eq!(read(json), Err(StoreError::Serialization(message.to_owned())), "{json}");
    };
    check(r#""a""#, "Unexpected value type in payload");
    check("1", "Unexpected value type in payload");
    check("-1.5", "Unexpected value type in payload");
    check("true", "Unexpected value type in payload");
    check(r#"{"L":["a"]}"#, "Unexpected value type in payload");
    check("[]", "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
    check(r#"{"S":true}"#, "TRUE_VALUE cannot be converted to String");
    check(r#"{"S":23}"#, "NUMBER_VALUE cannot be converted to String");
    check(r#"{"N":123}"#, "NUMBER_VALUE cannot be converted to String");
    check(r#"{"N":-3.5}"#, "DECIMAL_VALUE cannot be converted to String");
    check(r#"{"NS":[1]}"#, "NUMBER_VALUE cannot be converted to String");
    check(r#"{"S":[]}"#, "Unrecognized collection type class java.lang.String");
    check(r#"{"S":{}}"#, "Start of structure or map found where not expected");
    check(r#"{"B":1}"#, "only base-64-encoded strings are convertible to bytes");
    check(r#"{"B":[]}"#, "Unrecognized collection type class java.nio.ByteBuffer");
    check(r#"{"B":"23456"}"#, "Base64 encoded length is expected a multiple of 4 bytes but found: 5");
    check(r#"{"B":"=+/="}"#, "Invalid last non-pad Base64 character dectected");
    check(r#"{"BS":["+/+="]}"#, "Invalid last non-pad Base64 character dectected");
    check(r#"{"BOOL":"true"}"#, "Unexpected token received from parser");
    check(r#"{"BOOL":1}"#, "NUMBER_VALUE cannot be converted to Boolean");
    check(r#"{"NULL":1.5}"#, "DECIMAL_VALUE cannot be converted to Boolean");
    check(r#"{"BOOL":[]}"#, "Unrecognized collection type class java.lang.Boolean");
    check(r#"{"SS":"a"}"#, "Unexpected field type");
    check(r#"{"L":true}"#, "Unexpected field type");
    check(r#"{"L":{}}"#, "Start of structure or map found where not expected");
    check(r#"{"M":7}"#, "Unexpected field type");
    check(
        r#"{"M":[]}"#,
        "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
    );
    check(r#"{"S":"a","S":"b"}"#, "Duplicate field S");
    check(r#"{"M":{"b":{"S":"1"},"a":{"S":"2"},"b":{"S":"3"}}}"#, "Duplicate attribute name b");
    check(r#"{"S":"#, "EOF while parsing a value at line 1 column 5");
    assert_eq!(read_item("null"), Err(StoreError::Serialization("Unexpected field type".to_owned())));
    assert_eq!(read_item(r#""a""#), Err(StoreError::Serialization("Unexpected field type".to_owned())));
}

#[test]
fn what_is_nested_too_deep_is_refused_before_it_is_built() {
    let too_deep = StoreError::validation(
        "Nesting Levels have exceeded supported limits: \
         Attributes in the item have nested levels beyond supported limit",
    );
    for (open, close) in [(r#"{"L":["#, "]}"), (r#"{"M":{"n":"#, "}}")] {
        assert!(read(&nested(32, open, close)).is_ok());
        assert!(read_item(&format!(r#"{{"a":{}}}"#, nested(32, open, close))).is_ok());
        for levels in [33, 34, 1_000, 100_000] {
            assert_eq!(read(&nested(levels, open, close)), Err(too_deep.clone()));
            assert_eq!(
                read_item(&format!(r#"{{"a":{}}}"#, nested(levels, open, close))),
                Err(too_deep.clone())
            );
        }
    }
}

#[test]
fn names_in_any_order_cost_little() {
    // Were each moved to its place on arrival, a request of a few megabytes could take minutes.
    let names: Vec<String> = (0..100_000).rev().map(|at| format!(r#""{at:06}":{{"NULL":true}}"#)).collect();
    let item = read_item(&format!("{{{}}}", names.join(","))).unwrap();
    assert_eq!(item.names().next(), Some("000000"));
    assert_eq!(item.len(), 100_000);
}

/// Any value with few levels, as the readers accept it.
fn any_value() -> impl Strategy<Value = Value> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..9);
    let scalar = prop_oneof![
        ".{0,8}".prop_map(Value::S),
        any_number().prop_map(Value::N),
        bytes().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
        prop::collection::btree_set(".{0,4}", 1..4).prop_map(Value::Ss),
        prop::collection::btree_set(any_number(), 1..4).prop_map(Value::Ns),
        prop::collection::btree_set(bytes(), 1..4).prop_map(|set: BTreeSet<Vec<u8>>| Value::Bs(set)),
    ];
    scalar.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::L),
            prop::collection::vec((".{1,4}", inner), 0..5)
                .prop_map(|map| Value::M(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_value_is_read_back(value in any_value()) {
        let json = serde_json::to_string(&value).unwrap();
        prop_assert_eq!(read(&json), Ok(value.clone()));
        let item = Item::from([("a", value)]);
        prop_assert_eq!(read_item(&serde_json::to_string(&item).unwrap()), Ok(item));
    }
}
