//! The text of an object, and the order of removals.

use proptest::prelude::*;
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{EventName, UserIdentity};

use super::*;

fn record(sequence: &str, at: Timestamp) -> StreamRecord {
    let item = Item::from([("id", Value::s("a")), ("ends", Value::n(17))]);
    StreamRecord {
        event_id: "e1".to_owned(),
        event: EventName::Remove,
        sequence: sequence.to_owned(),
        at,
        keys: Item::from([("id", Value::s("a"))]),
        new_image: None,
        old_image: Some(item),
        size_bytes: 0,
        view: StreamView::OldImage,
        identity: Some(UserIdentity::time_to_live()),
    }
}

fn entry(sequence: &str, seconds: i64) -> Entry {
    Entry::of(&record(sequence, Timestamp::from_seconds(seconds)), None, None).unwrap()
}

#[test]
fn milliseconds_change_no_byte() {
    // The engine knows them, and DynamoDB's protocol does not.
    let exact = Entry::of(&record("17", Timestamp::from_millis(1_704_067_260_999)), None, None).unwrap();
    assert_eq!(exact.to_bytes(), entry("17", 1_704_067_260).to_bytes());
}

#[test]
fn an_object_of_another_archiver_is_read() {
    let text = r#"{"archived_at":"2024-01-02T00:00:00.000Z","approximate_creation_date_time":1704067260.0,"event_id":"e1",
        "event_source_arn":null,"keys":{"id":{"S":"a"}},"old_image":{"id":{"S":"a"},"ends":{"N":"17"}},
        "ttl_attribute":"ends","ttl_value":{"N":"17"}}"#;
    let read = Entry::parse(text.as_bytes()).unwrap();
    assert_eq!((read.removed_at.seconds(), read.sequence.as_deref()), (1_704_067_260, None));
    assert!(read.is_same_removal(&entry("17", 1_704_067_260)), "what it does not say tells nothing");
}

#[test]
fn what_is_no_entry_is_refused_without_its_words() {
    for wrong in
        ["", "[]", "{}", r#"{"keys":{},"old_image":{"a":{"N":"secret"}}}"#, "\u{0}", r#"{"keys":{}}"#]
    {
        let error = Entry::parse(wrong.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("it cannot be read at line") && !error.contains("secret"), "{error}");
    }
    assert!(Entry::parse(&[0xff, 0xfe]).is_err());
}

#[test]
fn a_moment_beyond_the_years_is_still_one() {
    for at in [i64::MIN, -1, i64::MAX] {
        let entry = Entry::of(&record("17", Timestamp::from_millis(at)), None, None).unwrap();
        assert_eq!(Entry::parse(&entry.to_bytes()).unwrap(), entry);
    }
    let far = String::from_utf8(entry("17", 0).to_bytes().to_vec()).unwrap();
    for number in ["1e300", "9223372036854775807", "-5", "0.5"] {
        let text = far.replace(r#"time":0"#, &format!(r#"time":{number}"#));
        assert!(Entry::parse(text.as_bytes()).is_ok(), "{number}");
    }
}

#[test]
fn the_later_removal_is_the_greater_one() {
    let in_order = [
        entry("9", 1),
        entry("00010", 1),
        entry("11", 1),
        entry("99999999999999999999999999999999999999999", 1),
        entry("1", 2),
    ];
    assert!(in_order.windows(2).all(|pair| pair[0].order() < pair[1].order()));
}

#[test]
fn records_of_two_engines_with_one_identifier_are_two() {
    let (one, mut other) = (entry("17", 1), entry("17", 1));
    assert!(one.is_same_removal(&other) && one.identity() == other.identity());
    other.item.insert("more", true);
    assert!(!one.is_same_removal(&other) && one.identity() != other.identity());
}

/// Values of every type, nested.
fn value() -> impl Strategy<Value = Value> {
    let number = "-?[1-9][0-9]{0,37}".prop_map(|digits| Value::N(digits.parse().unwrap()));
    let plain = prop_oneof![
        any::<String>().prop_map(Value::s),
        number,
        any::<Vec<u8>>().prop_map(Value::B),
        any::<bool>().prop_map(Value::Bool),
        Just(Value::Null),
    ];
    plain.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::L),
            prop::collection::vec(("[a-z]{1,4}", inner), 0..4)
                .prop_map(|pairs| Value::M(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_item_is_read_as_it_was_written(values in prop::collection::vec((any::<String>(), value()), 1..6)) {
        let mut entry = entry("17", 1_704_067_260);
        entry.item = values.into_iter().filter(|(name, _)| !name.is_empty()).collect();
        let read = Entry::parse(&entry.to_bytes()).unwrap();
        prop_assert_eq!(read.to_bytes(), entry.to_bytes());
        prop_assert_eq!(read, entry);
    }
}
