//! Texts that are no cursors: refused with the right word, without a panic, and without repeating what they hold.

use proptest::prelude::*;
use tabletheory_core::Value;

use super::super::{CURSOR_BYTES_MAX, Cursor, CursorError, CursorKey, Flaw};
use super::{of_json, solo};

fn check(text: &str, flaw: Flaw) {
    assert_eq!(Cursor::decode(text), Err(CursorError::Malformed { flaw }), "{text:?}");
}

#[test]
fn what_is_not_base64url_is_refused() {
    for text in
        ["!", "a", "=", "====", "a===", "ab c", "{\"lastKey\":{}}", "é", "\0", "%3D", "eyJ9.eyJ9", "ab+/"]
    {
        check(text, Flaw::Base64);
    }
    // The last character carries bits that belong to no byte.
    check("eyJ9ab==", Flaw::Base64);
}

#[test]
fn what_is_not_the_json_of_a_cursor_is_refused() {
    for json in [
        " ",
        "null",
        "1",
        "[]",
        "\"text\"",
        "{",
        "{}",
        r#"{"lastKey":null}"#,
        r#"{"lastKey":[]}"#,
        r#"{"lastKey":"k"}"#,
        r#"{"lastkey":{"k":{"N":"1"}}}"#,
        r#"{"lastKey":{"k":1}}"#,
        r#"{"lastKey":{"k":"v"}}"#,
        r#"{"lastKey":{"k":{}}}"#,
        r#"{"lastKey":{"k":{"N":1}}}"#,
        r#"{"lastKey":{"k":{"N":"one"}}}"#,
        r#"{"lastKey":{"k":{"N":"1","S":"1"}}}"#,
        r#"{"lastKey":{"k":{"B":"a-_="}}}"#,
        r#"{"lastKey":{"k":{"SS":[]}}}"#,
        r#"{"lastKey":{"k":{"S":"\ud800"}}}"#,
        r#"{"lastKey":{"k":{"N":"1"},"k":{"N":"1"}}}"#,
        r#"{"lastKey":{"k":{"N":"1"}},"lastKey":{"k":{"N":"1"}}}"#,
        r#"{"lastKey":{"k":{"N":"1"}},"index":1}"#,
        r#"{"lastKey":{"k":{"N":"1"}},"sort":true}"#,
        r#"{"lastKey":{"k":{"N":"1"}}} {}"#,
        r#"[{"k":{"N":"1"}},null,null]"#,
        r#" [{"k":{"N":"1"}},null,null]"#,
    ] {
        check(&of_json(json), Flaw::Json);
    }
    check(&of_json(b"{\"lastKey\":{\"k\":{\"S\":\"\xff\"}}}"), Flaw::Json);
    check(&of_json(b"\xef\xbb\xbf{\"lastKey\":{}}"), Flaw::Json);
}

#[test]
fn an_order_that_is_neither_is_refused() {
    for sort in ["up", "ASCENDING", " ASC", "ASC\\u0000", "-1"] {
        check(&of_json(format!(r#"{{"lastKey":{{"k":{{"N":"1"}}}},"sort":"{sort}"}}"#)), Flaw::Order);
    }
}

#[test]
fn what_is_huge_or_deep_is_refused() {
    for text in ["A", " ", "é"].map(|part| part.repeat(CURSOR_BYTES_MAX + 1)) {
        check(&text, Flaw::TooLong);
        let key = CursorKey::new([1; 32]);
        let too_long = CursorError::Malformed { flaw: Flaw::TooLong };
        assert_eq!(Cursor::open(&text, &key, &[]), Err(too_long.clone()));
        assert_eq!(Cursor::open_or_decode(&text, &key, &[]), Err(too_long));
    }
    check(&"A".repeat(CURSOR_BYTES_MAX), Flaw::Json);
    for (open, close) in [(r#"{"L":["#, "]}"), (r#"{"M":{"n":"#, "}}")] {
        let value = format!("{}{}", open.repeat(5_000), close.repeat(5_000));
        check(&of_json(format!(r#"{{"lastKey":{{"k":{value}}}}}"#)), Flaw::Json);
    }
    let unknown = "[".repeat(50_000);
    check(&of_json(format!(r#"{{"lastKey":{{}},"unknown":{unknown}"#)), Flaw::Json);
}

#[test]
fn a_cursor_that_lost_its_end_is_refused() {
    let text = solo(Value::s("USER#1")).encode();
    for length in 1..text.trim_end_matches('=').len() {
        let refused = Cursor::decode(&text[..length]);
        assert!(matches!(refused, Err(CursorError::Malformed { .. })), "{length}: {refused:?}");
    }
}

#[test]
fn a_refusal_does_not_repeat_the_cursor() {
    for json in [
        r#"{"lastKey":{"k":{"N":"hunter2"}}}"#,
        r#"{"lastKey":{"k":{"SS":["hunter2","hunter2"]}}}"#,
        r#"{"lastKey":{"hunter2":{"N":"1"},"hunter2":{"N":"1"}}}"#,
        r#"{"lastKey":{"k":"hunter2"}}"#,
        r#"{"lastKey":"hunter2"}"#,
        r#"{"lastKey":{"k":{"S":"hunter2"}},"sort":"hunter2"}"#,
        r#"{"lastKey":{"k":{"S":"hunter2"}},"index":["hunter2"]}"#,
    ] {
        let refusal = Cursor::decode(&of_json(json)).unwrap_err();
        assert!(!format!("{refusal} {refusal:?}").contains("hunter2"), "{refusal:?}");
    }
    let cursor = Cursor { index: Some("hunter2".to_owned()), ..solo(Value::s("hunter2")) };
    let refusal = cursor.check(Some("gsi"), None).unwrap_err();
    assert!(!format!("{refusal} {refusal:?}").contains("hunter2"), "{refusal:?}");
}

/// JSON that is nearly that of a cursor.
fn near_json() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\u",
        "\"lastKey\":",
        "\"index\":",
        "\"sort\":",
        "\"ASC\"",
        "\"k\":",
        "{\"S\":\"a\"}",
        "{\"N\":\"1\"}",
        "{\"k\":{\"N\":\"1\"}}",
        "\"L\":",
        "\"M\":",
        "null",
        "true",
        "1e999",
        " ",
    ]);
    prop::collection::vec(token, 0..12).prop_map(|tokens| format!("{{\"lastKey\":{}", tokens.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn whatever_is_read_never_panics_and_is_read_back(
        text in prop_oneof![
            ".{0,40}",
            "(v1\\.)?[A-Za-z0-9_=.-]{0,60}",
            prop::collection::vec(any::<u8>(), 0..60).prop_map(of_json),
            near_json().prop_map(of_json),
        ],
    ) {
        let key = CursorKey::new([1; 32]);
        // No such text was signed; only the text of nothing needs no signature.
        if !text.trim().is_empty() {
            prop_assert!(Cursor::open(&text, &key, &[]).is_err());
        }
        if let Ok(Some(cursor)) = Cursor::decode(&text) {
            prop_assert_eq!(Cursor::decode(&cursor.encode()), Ok(Some(cursor.clone())));
            prop_assert_eq!(Cursor::open_or_decode(&text, &key, &[]), Ok(Some(cursor)));
        }
    }
}
