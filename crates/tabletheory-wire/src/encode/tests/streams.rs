//! Streams, their shards and their records.

use tabletheory_core::schema::{KeyElement, StreamView};
use tabletheory_core::store::op::{
    DescribeStreamOutput, EventName, GetRecordsOutput, GetShardIteratorOutput, ListStreamsOutput, Shard,
    StreamRecord, StreamStatus, StreamSummary, UserIdentity,
};
use tabletheory_core::{Item, Response, Timestamp, Value};

use super::{ITEM, exactly, item, means};

#[test]
fn streams_are_listed() {
    exactly(Response::ListStreams, ListStreamsOutput::default(), r#"{"Streams":[]}"#);
    let stream = StreamSummary { arn: "arn".to_owned(), table: "t".to_owned(), label: "label".to_owned() };
    let output = ListStreamsOutput { streams: vec![stream], last_evaluated: Some("arn".to_owned()) };
    means(
        Response::ListStreams,
        output,
        r#"{
            "Streams": [{"StreamArn": "arn", "TableName": "t", "StreamLabel": "label"}],
            "LastEvaluatedStreamArn": "arn"
        }"#,
    );
}

#[test]
fn a_stream_tells_of_its_shards() {
    let closed = Shard {
        id: "shardId-1".to_owned(),
        first_sequence: "100".to_owned(),
        last_sequence: Some("200".to_owned()),
        parent: None,
    };
    let open = Shard {
        id: "shardId-2".to_owned(),
        first_sequence: "300".to_owned(),
        last_sequence: None,
        parent: Some("shardId-1".to_owned()),
    };
    let output = DescribeStreamOutput {
        arn: "arn".to_owned(),
        table: "t".to_owned(),
        label: "2024-11-16T00:00:00.123".to_owned(),
        status: StreamStatus::Enabled,
        view: StreamView::NewAndOldImages,
        created_at: Timestamp::from_millis(1_731_715_200_123),
        keys: vec![KeyElement::hash("pk"), KeyElement::range("sk")],
        shards: vec![closed, open],
        last_evaluated_shard: Some("shardId-2".to_owned()),
    };
    means(
        Response::DescribeStream,
        output,
        r#"{"StreamDescription": {
            "StreamArn": "arn", "StreamLabel": "2024-11-16T00:00:00.123", "StreamStatus": "ENABLED",
            "StreamViewType": "NEW_AND_OLD_IMAGES", "CreationRequestDateTime": 1731715200.123, "TableName": "t",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}
            ],
            "Shards": [
                {
                    "ShardId": "shardId-1",
                    "SequenceNumberRange": {"StartingSequenceNumber": "100", "EndingSequenceNumber": "200"}
                },
                {
                    "ShardId": "shardId-2", "ParentShardId": "shardId-1",
                    "SequenceNumberRange": {"StartingSequenceNumber": "300"}
                }
            ],
            "LastEvaluatedShardId": "shardId-2"
        }}"#,
    );
}

#[test]
fn a_stream_that_has_ended_is_disabled() {
    let output = DescribeStreamOutput {
        arn: "arn".to_owned(),
        table: "t".to_owned(),
        label: "label".to_owned(),
        status: StreamStatus::Disabled,
        view: StreamView::KeysOnly,
        created_at: Timestamp::from_seconds(1_731_715_200),
        keys: vec![KeyElement::hash("pk")],
        shards: vec![],
        last_evaluated_shard: None,
    };
    means(
        Response::DescribeStream,
        output,
        r#"{"StreamDescription": {
            "StreamArn": "arn", "StreamLabel": "label", "StreamStatus": "DISABLED", "StreamViewType": "KEYS_ONLY",
            "CreationRequestDateTime": 1731715200.0, "TableName": "t", "Shards": [],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]
        }}"#,
    );
}

#[test]
fn an_iterator_is_one_field() {
    let output = GetShardIteratorOutput { iterator: "arn|1|x".to_owned() };
    exactly(Response::GetShardIterator, output, r#"{"ShardIterator":"arn|1|x"}"#);
}

fn record(event: EventName) -> StreamRecord {
    StreamRecord {
        event_id: "e1".to_owned(),
        event,
        sequence: "100".to_owned(),
        at: Timestamp::from_millis(1_731_715_200_999),
        keys: Item::from([("pk", Value::s("a"))]),
        new_image: None,
        old_image: None,
        size_bytes: 26,
        view: StreamView::NewAndOldImages,
        identity: None,
    }
}

#[test]
fn records_carry_the_images_there_are_and_who_deleted_what_expired() {
    exactly(Response::GetRecords, GetRecordsOutput::default(), r#"{"Records":[]}"#);
    let changed =
        StreamRecord { new_image: Some(item()), old_image: Some(item()), ..record(EventName::Modify) };
    let expired = StreamRecord {
        old_image: Some(item()),
        identity: Some(UserIdentity::time_to_live()),
        ..record(EventName::Remove)
    };
    let output = GetRecordsOutput {
        records: vec![record(EventName::Insert), changed, expired],
        next_iterator: Some("next".to_owned()),
    };
    let change = r#""ApproximateCreationDateTime": 1731715200, "Keys": {"pk": {"S": "a"}}, "SequenceNumber": "100",
        "SizeBytes": 26, "StreamViewType": "NEW_AND_OLD_IMAGES""#;
    let event =
        r#""eventID": "e1", "eventVersion": "1.1", "eventSource": "aws:dynamodb", "awsRegion": "local""#;
    means(
        Response::GetRecords,
        output,
        &format!(
            r#"{{
                "Records": [
                    {{{event}, "eventName": "INSERT", "dynamodb": {{{change}}}}},
                    {{
                        {event}, "eventName": "MODIFY",
                        "dynamodb": {{{change}, "NewImage": {ITEM}, "OldImage": {ITEM}}}
                    }},
                    {{
                        {event}, "eventName": "REMOVE", "dynamodb": {{{change}, "OldImage": {ITEM}}},
                        "userIdentity": {{"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}}
                    }}
                ],
                "NextShardIterator": "next"
            }}"#
        ),
    );
}
