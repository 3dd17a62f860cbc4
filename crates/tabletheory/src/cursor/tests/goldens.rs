//! Cursors that the other toolkits wrote: their published goldens, and what they were seen to write.

use serde::Deserialize;
use tabletheory_core::{Item, Value};

use super::super::{Cursor, Sort};
use super::{json_of, of_json, solo};

#[derive(Deserialize)]
struct Golden {
    name: String,
    /// What the cursor holds, as its writer wrote it.
    json: String,
    cursor: String,
    /// What we write for the same cursor, where that is not the same.
    ours: Option<String>,
}

fn goldens() -> Vec<Golden> {
    serde_json::from_str(include_str!("../goldens.json")).unwrap()
}

fn golden(name: &str) -> Cursor {
    let found = goldens().into_iter().find(|golden| golden.name == name).unwrap();
    Cursor::decode(&found.cursor).unwrap().unwrap()
}

#[test]
fn what_others_wrote_is_written_byte_for_byte() {
    let (mut same, mut different) = (0, 0);
    for Golden { name, json, cursor, ours } in goldens() {
        let Some(found) = Cursor::decode(&cursor).unwrap() else {
            assert_eq!((name.as_str(), cursor.as_str()), ("golden empty_last_key", ""));
            assert_eq!(Cursor::decode(&of_json(json)), Ok(None));
            continue;
        };
        assert_eq!(json_of(&cursor), json, "{name}");
        if let Some(ours) = ours {
            assert_eq!(json_of(&found.encode()), ours, "{name}");
            assert_eq!(Cursor::decode(&found.encode()), Ok(Some(found)), "{name}");
            different += 1;
        } else {
            assert_eq!(found.encode(), cursor, "{name}");
            same += 1;
        }
    }
    assert_eq!((same, different), (11, 3));
}

#[test]
fn the_goldens_mean_what_they_say() {
    let check = |name: &str, last_key: Item, index: Option<&str>, sort: Option<Sort>| {
        assert_eq!(golden(name), Cursor { last_key, index: index.map(str::to_owned), sort }, "{name}");
    };
    let item = |attributes: &[(&str, Value)]| attributes.iter().cloned().collect::<Item>();
    check(
        "golden basic",
        item(&[("PK", Value::s("USER#1")), ("SK", Value::s("PROFILE"))]),
        Some("gsi-email"),
        Some(Sort::Ascending),
    );
    check(
        "golden binary_key",
        item(&[("PK", Value::s("BIN#1")), ("blob", Value::B(vec![1, 2, 3]))]),
        Some("gsi-blob"),
        None,
    );
    check(
        "golden number_key_desc",
        item(&[("PK", Value::s("USER#score")), ("score", Value::n(9_007_199_254_740_993_i64))]),
        Some("gsi-score"),
        Some(Sort::Descending),
    );
    check(
        "go line separators",
        item(&[
            ("n", Value::N("-1.5".parse().unwrap())),
            ("pk", Value::s("\u{2028}\u{2029}é😀\"\\\n\t\u{1}/")),
        ]),
        None,
        None,
    );
    check(
        "go order in lower case",
        item(&[("a", Value::n(9_007_199_254_740_993_i64)), ("b", Value::B(vec![0xfb, 0xff, 0xfe]))]),
        Some("i"),
        Some(Sort::Ascending),
    );
}

#[test]
fn toolkits_that_escape_differently_mean_the_same_cursor() {
    let go = golden("divergence go");
    assert_eq!(go.last_key, Item::from([("PK", Value::s("a<b>&c\u{2028}é"))]));
    assert_eq!(golden("divergence typescript and python"), go);
}

#[test]
fn what_need_not_be_canonical_is_read_too() {
    let check = |json: &str, expected: Cursor| {
        assert_eq!(Cursor::decode(&of_json(json)), Ok(Some(expected)), "{json}");
    };
    let plain = || solo(Value::n(1));
    let sorted = |sort| Cursor { sort: Some(sort), ..plain() };
    check(r#" { "lastKey" : { "k" : { "N" : "1.0" } } } "#, plain());
    check(r#"{"sort":null,"index":null,"lastKey":{"k":{"N":"1"}}}"#, plain());
    check(r#"{"lastKey":{"k":{"N":"1"}},"index":"","sort":""}"#, plain());
    check(r#"{"v":2,"lastKey":{"k":{"N":"1"}},"more":{"deep":[null]}}"#, plain());
    check(r#"{"lastKey":{"k":{"N":"1"}},"sort":"asc"}"#, sorted(Sort::Ascending));
    check(r#"{"lastKey":{"k":{"N":"1"}},"sort":"Desc"}"#, sorted(Sort::Descending));
    let two = Item::from([("a", Value::n(1)), ("b", Value::n(2))]);
    check(r#"{"lastKey":{"b":{"N":"2"},"a":{"N":"1"}}}"#, Cursor { last_key: two, ..Cursor::default() });
}

#[test]
fn padding_and_blanks_do_not_matter() {
    let expected = golden("golden binary_key");
    let text = expected.encode();
    assert!(text.ends_with('='));
    for variant in [
        text.trim_end_matches('=').to_owned(),
        format!(" {text}\n"),
        format!("\t{}\r\n ", text.trim_end_matches('=')),
    ] {
        assert_eq!(Cursor::decode(&variant), Ok(Some(expected.clone())), "{variant:?}");
    }
    for nothing in ["", " ", "\r\n\t"] {
        assert_eq!(Cursor::decode(nothing), Ok(None));
    }
}
