//! Cursors against those of the other toolkits, against hostile texts, and there and back.

mod goldens;
mod hostile;
mod paging;
mod signed;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use proptest::prelude::*;
use tabletheory_core::limits::{
    INDEX_KEY_ATTRIBUTES_MAX, KEY_NAME_BYTES_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX,
};
use tabletheory_core::{Item, Number, Value};

use super::{CURSOR_BYTES_MAX, Cursor, CursorError, CursorKey, Sort};

fn of_json(json: impl AsRef<[u8]>) -> String {
    URL_SAFE.encode(json)
}

fn json_of(text: &str) -> String {
    String::from_utf8(URL_SAFE.decode(text).unwrap()).unwrap()
}

fn solo(value: Value) -> Cursor {
    Cursor { last_key: Item::from([("k", value)]), index: None, sort: None }
}

#[test]
fn control_characters_are_written_as_go_writes_them() {
    for code in (0..0x20u8).chain([0x7f]) {
        let character = char::from(code);
        let expected = match code {
            0x08 => r"\b".to_owned(),
            0x09 => r"\t".to_owned(),
            0x0a => r"\n".to_owned(),
            0x0c => r"\f".to_owned(),
            0x0d => r"\r".to_owned(),
            0x7f => "\u{7f}".to_owned(),
            _ => format!(r"\u00{code:02x}"),
        };
        let cursor = solo(Value::s(character.to_string()));
        assert_eq!(json_of(&cursor.encode()), format!(r#"{{"lastKey":{{"k":{{"S":"{expected}"}}}}}}"#));
        assert_eq!(Cursor::decode(&cursor.encode()), Ok(Some(cursor)));
    }
}

#[test]
fn names_and_indexes_are_escaped_like_values() {
    let cursor = Cursor {
        last_key: Item::from([("a<b", Value::M(Item::from([("&", Value::Null)])))]),
        index: Some(">\u{2028}\u{2029}<".to_owned()),
        sort: None,
    };
    assert_eq!(
        json_of(&cursor.encode()),
        r#"{"lastKey":{"a\u003cb":{"M":{"\u0026":{"NULL":true}}}},"index":"\u003e\u2028\u2029\u003c"}"#
    );
    assert_eq!(Cursor::decode(&cursor.encode()), Ok(Some(cursor)));
}

#[test]
fn an_empty_name_of_an_index_is_no_index() {
    let cursor = Cursor { index: Some(String::new()), ..solo(Value::n(1)) };
    assert_eq!(cursor.encode(), solo(Value::n(1)).encode());
}

#[test]
fn the_longest_keys_of_the_service_fit() {
    // Control characters take the most room: six bytes of JSON each.
    let text = |bytes: usize| "\u{1}".repeat(bytes);
    let index_keys = [PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX].repeat(INDEX_KEY_ATTRIBUTES_MAX);
    let values = [PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX].into_iter().chain(index_keys);
    let names = ('a'..).map(|first| format!("{first}{}", text(KEY_NAME_BYTES_MAX - 1)));
    let last_key: Item = names.zip(values.map(|bytes| Value::s(text(bytes)))).collect();
    assert_eq!(last_key.len(), 10);
    let cursor = Cursor { last_key, index: Some("i".repeat(255)), sort: Some(Sort::Descending) };
    let key = CursorKey::new([1; 32]);
    let signed = cursor.sign(&key, &["scope"]);
    assert!(signed.len() > CURSOR_BYTES_MAX / 2, "{}", signed.len());
    assert_eq!(Cursor::open(&signed, &key, &["scope"]), Ok(Some(cursor)));
}

#[test]
fn a_cursor_is_checked_against_the_query_at_hand() {
    let (ascending, descending) = (Some(Sort::Ascending), Some(Sort::Descending));
    let check = |cursor: (Option<&str>, Option<Sort>), query: (Option<&str>, Option<Sort>)| {
        let found = Cursor { index: cursor.0.map(str::to_owned), sort: cursor.1, ..Cursor::default() };
        found.check(query.0, query.1)
    };
    let other_index = |query: Option<&str>| Err(CursorError::OtherIndex { query: query.map(str::to_owned) });
    assert_eq!(check((None, None), (None, None)), Ok(()));
    assert_eq!(check((None, ascending), (None, ascending)), Ok(()));
    assert_eq!(check((Some("a"), descending), (Some("a"), descending)), Ok(()));
    assert_eq!(check((None, None), (Some("a"), descending)), Ok(()));
    assert_eq!(check((None, descending), (None, None)), Ok(()));
    assert_eq!(check((Some("a"), None), (None, None)), other_index(None));
    assert_eq!(check((Some("a"), ascending), (Some("A"), descending)), other_index(Some("A")));
    let other_order = |query| Err(CursorError::OtherOrder { query });
    assert_eq!(check((None, ascending), (None, descending)), other_order(Sort::Descending));
    assert_eq!(check((None, descending), (Some("a"), ascending)), other_order(Sort::Ascending));
}

fn any_number() -> impl Strategy<Value = Number> {
    r"-?[0-9]{1,20}(\.[0-9]{1,15})?(E-?[0-9]{1,2})?".prop_map(|text| text.parse().unwrap())
}

/// Text in which what Go escapes, and what JSON does, is frequent.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,12}", "[<>&\u{2028}\u{2029}\"\\\\/\u{0}-\u{1f}é😀a]{0,12}"]
}

fn any_value() -> impl Strategy<Value = Value> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..9);
    let scalar = prop_oneof![
        4 => any_text().prop_map(Value::S),
        4 => any_number().prop_map(Value::N),
        4 => bytes().prop_map(Value::B),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
        1 => prop::collection::btree_set(any_text(), 1..4).prop_map(Value::Ss),
        1 => prop::collection::btree_set(any_number(), 1..4).prop_map(Value::Ns),
        1 => prop::collection::btree_set(bytes(), 1..4).prop_map(Value::Bs),
    ];
    scalar.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::L),
            prop::collection::vec((any_text(), inner), 0..4)
                .prop_map(|map| Value::M(map.into_iter().collect())),
        ]
    })
}

fn any_cursor() -> impl Strategy<Value = Cursor> {
    let last_key = prop::collection::vec((any_text(), any_value()), 1..5);
    let index = prop::option::of(any_text().prop_filter("no name is no index", |name| !name.is_empty()));
    let sort = prop::option::of(any::<bool>().prop_map(Sort::of));
    (last_key, index, sort).prop_map(|(last_key, index, sort)| Cursor {
        last_key: last_key.into_iter().collect(),
        index,
        sort,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_cursor_is_read_back(cursor in any_cursor()) {
        let text = cursor.encode();
        prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte)));
        prop_assert!(text.len().is_multiple_of(4));
        prop_assert_eq!(Cursor::decode(&text), Ok(Some(cursor.clone())));
        prop_assert_eq!(Cursor::decode(text.trim_end_matches('=')), Ok(Some(cursor)));
        for raw in ['<', '>', '&', '\u{2028}', '\u{2029}'] {
            prop_assert!(!json_of(&text).contains(raw));
        }
    }
}
