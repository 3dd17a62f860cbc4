//! What Lambda calls with, and what it must not be able to do.

use futures_executor::block_on;
use serde_json::json;
use tabletheory::stream::{
    BatchFailures, Change, Decoder, EVENT_BYTES_MAX, EVENT_RECORDS_MAX, LambdaError, LambdaEvent, LambdaFlaw,
    Removal,
};
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::UserIdentity;
use tabletheory_core::{Item, Number, Timestamp, Value};

use super::world::{Visit, visit};

const EVENT: &str = include_str!("../../../fixtures/stream/event.json");

/// An event of one small record, changed by the test.
fn event(change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut record = json!({
        "eventID": "e", "eventName": "REMOVE",
        "dynamodb": {
            "ApproximateCreationDateTime": 1, "Keys": {"id": {"S": "a"}}, "SequenceNumber": "7", "SizeBytes": 3,
            "StreamViewType": "KEYS_ONLY"
        }
    });
    change(&mut record);
    json!({ "Records": [record] }).to_string()
}

#[track_caller]
fn flaw(change: impl FnOnce(&mut serde_json::Value)) -> LambdaFlaw {
    match LambdaEvent::parse(&event(change)) {
        Err(LambdaError::Record { record: 0, flaw }) => flaw,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_event_is_read_as_models() {
    let event = LambdaEvent::parse(EVENT).unwrap();
    let arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2023-11-14T22:00:00.000";
    assert_eq!(event.stream.as_deref(), Some(arn));
    let decoded = block_on(Decoder::<Visit>::new().decode_all(&event.records));
    let records: Vec<_> = decoded.into_iter().map(Result::unwrap).collect();
    let (first, second) = (Some(visit("ada", 1)), Some(visit("ada", 2)));
    let changes: Vec<_> = records.iter().map(|record| record.change.clone()).collect();
    let expected = [
        Change::Inserted { new: first.clone() },
        Change::Modified { old: first, new: second.clone() },
        Change::Removed { old: second, cause: Removal::TimeToLive },
    ];
    assert_eq!(changes, expected);
    let places: Vec<&str> = records.iter().map(|record| record.sequence.as_str()).collect();
    assert_eq!(places, ["300000000000000499659", "300000000000000499660", "300000000000000499661"]);
    let moments: Vec<i64> = records.iter().map(|record| record.at.millis()).collect();
    assert_eq!(moments, [1_700_000_000_000, 1_700_000_001_000, 1_700_000_002_250]);
    let sizes: Vec<u64> = records.iter().map(|record| record.size_bytes).collect();
    assert_eq!(sizes, [118, 94, 60]);
    assert_eq!(records[0].event_id, "c81e728d9d4c2f636f067f89cc14862c");
    assert!(records.iter().all(|record| record.view == StreamView::NewAndOldImages));
}

#[test]
fn images_have_every_type_of_value() {
    let event = LambdaEvent::parse(EVENT).unwrap();
    let image = event.records[0].new_image.clone().unwrap();
    assert_eq!(image.get("raw"), Some(&Value::B(vec![0, 1, 0xFE, 0xFF])));
    assert_eq!(image.get("tags"), Some(&Value::Ss(["a", "b"].map(str::to_owned).into())));
    let sizes = ["1", "-2.5"].map(|size| size.parse::<Number>().unwrap());
    assert_eq!(image.get("sizes"), Some(&Value::Ns(sizes.into())));
    assert_eq!(image.get("keys"), Some(&Value::Bs([vec![1], vec![2]].into())));
    let deep = Value::M(Item::from([("deep", Value::Bool(true))]));
    assert_eq!(image.get("path"), Some(&Value::L(vec![deep, Value::Null])));
}

#[test]
fn an_event_can_be_the_argument_of_a_handler() {
    let by_serde: LambdaEvent = serde_json::from_str(EVENT).unwrap();
    assert_eq!(by_serde, LambdaEvent::parse(EVENT).unwrap());
    let value: serde_json::Value = serde_json::from_str(&event(|_| {})).unwrap();
    let by_value: LambdaEvent = serde_json::from_value(value).unwrap();
    assert_eq!(by_value.records.len(), 1);
}

#[test]
fn only_the_service_itself_stands_for_time_to_live() {
    let cause = |identity: serde_json::Value| {
        let parsed = LambdaEvent::parse(&event(|record| record["userIdentity"] = identity)).unwrap();
        Removal::of(parsed.records[0].identity.as_ref())
    };
    let (service, dynamodb) = ("Service", "dynamodb.amazonaws.com");
    assert_eq!(cause(json!({"type": service, "principalId": dynamodb})), Removal::TimeToLive);
    assert_eq!(cause(json!({"Type": service, "PrincipalId": dynamodb})), Removal::TimeToLive);
    assert_eq!(cause(json!({"type": service, "principalId": "sqs.amazonaws.com"})), Removal::Requested);
    assert_eq!(cause(json!({"type": "User", "principalId": dynamodb})), Removal::Requested);
    assert_eq!(cause(json!({"principalId": dynamodb})), Removal::Requested);
    assert_eq!(cause(json!({})), Removal::Requested);
    assert_eq!(cause(json!(null)), Removal::Requested);
}

#[test]
fn what_a_test_event_leaves_out_is_filled_in_where_there_is_one_truth() {
    let small = event(|record| {
        let dynamodb = record["dynamodb"].as_object_mut().unwrap();
        dynamodb.remove("SizeBytes");
        dynamodb.remove("ApproximateCreationDateTime");
        dynamodb.insert("OldImage".to_owned(), json!({"id": {"S": "a"}, "n": {"N": "10"}}));
    });
    let record = LambdaEvent::parse(&small).unwrap().records.remove(0);
    assert_eq!((record.size_bytes, record.at), (3 + 3 + 3, Timestamp::from_seconds(0)));
    assert_eq!(record.identity, None::<UserIdentity>);
}

#[test]
fn what_a_record_cannot_do_without_is_named_when_it_is_missing() {
    let missing = |member| LambdaFlaw::Missing { member };
    for member in ["eventID", "eventName", "dynamodb"] {
        assert_eq!(flaw(|record| drop(record.as_object_mut().unwrap().remove(member))), missing(member));
        assert_eq!(flaw(|record| record[member] = json!(null)), missing(member));
    }
    for member in ["Keys", "SequenceNumber", "StreamViewType"] {
        let remove = |record: &mut serde_json::Value| {
            record["dynamodb"].as_object_mut().unwrap().remove(member);
        };
        assert_eq!(flaw(remove), missing(member));
    }
    assert_eq!(flaw(|record| record["dynamodb"]["SequenceNumber"] = json!("")), missing("SequenceNumber"));
    let unknown = |member| LambdaFlaw::Unknown { member };
    assert_eq!(flaw(|record| record["eventName"] = json!("insert")), unknown("eventName"));
    assert_eq!(flaw(|record| record["dynamodb"]["StreamViewType"] = json!("ALL")), unknown("StreamViewType"));
}

#[test]
fn records_of_two_streams_are_no_event() {
    let record = |arn: &str| {
        let one: serde_json::Value = serde_json::from_str(&event(|_| {})).unwrap();
        let mut record = one["Records"][0].clone();
        record["eventSourceARN"] = json!(arn);
        record
    };
    let mixed = json!({ "Records": [record("arn:1"), record("arn:2")] }).to_string();
    let expected = LambdaError::Record { record: 1, flaw: LambdaFlaw::OtherStream };
    assert_eq!(LambdaEvent::parse(&mixed), Err(expected));
}

#[test]
fn what_is_no_event_is_refused_without_repeating_it() {
    let in_record = |member: &str, value: serde_json::Value| event(|record| record[member] = value);
    let in_change =
        |member: &str, value: serde_json::Value| event(|record| record["dynamodb"][member] = value);
    let deep = "[".repeat(100_000);
    let nested = (0..40).fold(json!({"S": "secret"}), |inside, _| json!({ "L": [inside] }));
    let texts = [
        String::new(),
        "null".to_owned(),
        "\"secret\"".to_owned(),
        "{}".to_owned(),
        "{\"Records\": \"secret\"}".to_owned(),
        "{\"Records\": [\"secret\"]}".to_owned(),
        "{\"Records\": [{\"eventID\": \"secret".to_owned(),
        format!("{{\"Records\": {deep}"),
        in_record("eventName", json!({"secret": 1})),
        in_record("dynamodb", json!("secret")),
        in_record("userIdentity", json!("secret")),
        in_change("Keys", json!({"secret": "secret"})),
        in_change("NewImage", json!({"id": {"N": "secret"}})),
        in_change("NewImage", json!({"id": {"B": "secret!"}})),
        in_change("NewImage", json!({"id": {"SS": ["secret", "secret"]}})),
        in_change("NewImage", json!({"id": {"S": "secret", "N": "1"}})),
        in_change("NewImage", json!({ "id": nested })),
        in_change("SequenceNumber", json!(17)),
        in_change("SizeBytes", json!(-1)),
        in_change("SizeBytes", json!("secret")),
        in_change("ApproximateCreationDateTime", json!("secret")),
        in_change("ApproximateCreationDateTime", json!(-1.5)),
        in_change("ApproximateCreationDateTime", json!(1e300)),
    ];
    for text in texts {
        let shown = &text[..text.len().min(200)];
        let refused = LambdaEvent::parse(&text).expect_err(shown);
        assert!(matches!(refused, LambdaError::Json { .. }), "{shown}: {refused:?}");
        let by_serde = serde_json::from_str::<LambdaEvent>(&text).expect_err(shown);
        for told in [refused.to_string(), by_serde.to_string(), format!("{by_serde:?}")] {
            assert!(!told.contains("secret"), "{shown}: {told}");
        }
    }
}

#[test]
fn a_refusal_says_where() {
    let text = "{\"Records\": [\n{\"dynamodb\": {\"SizeBytes\":\n \"secret\"}}]}";
    assert!(matches!(LambdaEvent::parse(text), Err(LambdaError::Json { line: 3, .. })));
}

#[test]
fn an_event_is_bounded() {
    let long = format!("{{\"Records\": []{}}}", " ".repeat(EVENT_BYTES_MAX));
    assert_eq!(LambdaEvent::parse(&long), Err(LambdaError::TooLong { bytes: long.len() }));
    let one: serde_json::Value = serde_json::from_str(&event(|_| {})).unwrap();
    let many = |count: usize| {
        let records = vec![one["Records"][0].to_string(); count].join(",");
        LambdaEvent::parse(&format!("{{\"Records\": [{records}]}}"))
    };
    assert_eq!(many(EVENT_RECORDS_MAX).unwrap().records.len(), EVENT_RECORDS_MAX);
    assert!(matches!(many(EVENT_RECORDS_MAX + 1), Err(LambdaError::Json { .. })));
}

#[test]
fn records_that_cannot_be_read_are_reported_to_lambda() {
    let mut event = LambdaEvent::parse(EVENT).unwrap();
    event.records[1].new_image = Some(Item::new());
    let decoded = block_on(Decoder::<Visit>::new().decode_all(&event.records));
    let failures: BatchFailures =
        decoded.into_iter().filter_map(Result::err).map(|error| error.sequence).collect();
    let answer = json!({"batchItemFailures": [{"itemIdentifier": "300000000000000499660"}]});
    assert_eq!(serde_json::to_value(&failures).unwrap(), answer);
    assert_eq!(serde_json::from_value::<BatchFailures>(answer).unwrap(), failures);
}

#[test]
fn an_event_in_a_log_shows_no_item() {
    let text = format!("{:?}", LambdaEvent::parse(EVENT).unwrap());
    assert!(text.contains("records: 3") && !text.contains("ada"), "{text}");
}
