//! The form as the other toolkits write it, and what they leave out.

use std::collections::BTreeSet;

use tabletheory_core::{Item, Number, Value};

use super::{decode, encode};

#[test]
fn the_payload_is_compact_json_in_the_toolkits_form() {
    let check = |value: Value, expected: &str| {
        let encoded = encode(&value).unwrap();
        assert_eq!(String::from_utf8(encoded).unwrap(), expected);
        assert_eq!(decode(expected.as_bytes()), Some(value), "{expected}");
    };
    check(Value::s("a\"b"), r#"{"t":"S","s":"a\"b"}"#);
    check(Value::s(""), r#"{"t":"S","s":""}"#);
    check(Value::N("1.50".parse().unwrap()), r#"{"t":"N","n":"1.5"}"#);
    check(Value::B(vec![251, 255]), r#"{"t":"B","b":"+/8="}"#);
    check(Value::Bool(false), r#"{"t":"BOOL","bool":false}"#);
    check(Value::Null, r#"{"t":"NULL","null":true}"#);
    check(Value::Ss(["b".to_owned(), "a".to_owned()].into()), r#"{"t":"SS","ss":["a","b"]}"#);
    check(Value::Ns([Number::from(2), Number::from(1)].into()), r#"{"t":"NS","ns":["1","2"]}"#);
    check(Value::Bs([vec![0], vec![]].into()), r#"{"t":"BS","bs":["","AA=="]}"#);
    check(
        Value::L(vec![Value::Null, Value::L(vec![])]),
        r#"{"t":"L","l":[{"t":"NULL","null":true},{"t":"L","l":[]}]}"#,
    );
    let map = Item::from([("b", Value::M(Item::new())), ("a", Value::Bool(true))]);
    check(Value::M(map), r#"{"t":"M","m":{"a":{"t":"BOOL","bool":true},"b":{"t":"M","m":{}}}}"#);
}

#[test]
fn a_payload_that_leaves_out_what_is_empty_is_read() {
    let check = |payload: &str, expected: Value| {
        assert_eq!(decode(payload.as_bytes()), Some(expected), "{payload}");
    };
    check(r#"{"t":"S"}"#, Value::s(""));
    check(r#"{"t":"B"}"#, Value::B(vec![]));
    check(r#"{"t":"BOOL"}"#, Value::Bool(false));
    check(r#"{"t":"NULL"}"#, Value::Null);
    check(r#"{"t":"L"}"#, Value::L(vec![]));
    check(r#"{"t":"L","l":null}"#, Value::L(vec![]));
    check(r#"{"t":"M"}"#, Value::M(Item::new()));
    check(r#"{"t":"SS"}"#, Value::Ss(BTreeSet::new()));
    check(r#"{"t":"NS"}"#, Value::Ns(BTreeSet::new()));
    check(r#"{"t":"BS"}"#, Value::Bs(BTreeSet::new()));
    check(r#"{"t":"SS","ss":["a","a"]}"#, Value::Ss(["a".to_owned()].into()));
    check(r#"{"t":"L","l":[{"t":"M"}]}"#, Value::L(vec![Value::M(Item::new())]));
}
