//! Operations on streams: what changed in a table, in order.

use aws_sdk_dynamodbstreams::types::{self, ShardIteratorType};
use tabletheory_core::StoreError;
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{
    DescribeStream, DescribeStreamOutput, EventName, GetRecords, GetRecordsOutput, GetShardIterator,
    GetShardIteratorOutput, IteratorStart, ListStreams, ListStreamsOutput, Shard, StreamRecord, StreamStatus,
    StreamSummary, UserIdentity,
};

use crate::call::{Call, send_to_streams};
use crate::describe as told;
use crate::integer::integer;
use crate::value::{read_item_of_stream, unreadable};

pub(super) async fn list(call: &Call<'_>, request: ListStreams) -> Result<ListStreamsOutput, StoreError> {
    let asked = call
        .streams
        .list_streams()
        .set_table_name(request.table)
        .set_exclusive_start_stream_arn(request.start_after)
        .set_limit(integer(request.limit));
    let answer = send_to_streams!(call, asked)?;
    let streams = answer.streams.unwrap_or_default().into_iter();
    let streams = streams.map(|stream| StreamSummary {
        arn: stream.stream_arn.unwrap_or_default(),
        table: stream.table_name.unwrap_or_default(),
        label: stream.stream_label.unwrap_or_default(),
    });
    Ok(ListStreamsOutput { streams: streams.collect(), last_evaluated: answer.last_evaluated_stream_arn })
}

fn children_of(shard: String) -> types::ShardFilter {
    types::ShardFilter::builder().r#type(types::ShardFilterType::ChildShards).shard_id(shard).build()
}

pub(super) async fn describe(
    call: &Call<'_>,
    request: DescribeStream,
) -> Result<DescribeStreamOutput, StoreError> {
    let asked = call
        .streams
        .describe_stream()
        .stream_arn(request.arn)
        .set_exclusive_start_shard_id(request.start_after_shard)
        .set_shard_filter(request.children_of.map(children_of))
        .set_limit(integer(request.limit));
    let answer = send_to_streams!(call, asked)?;
    let stream = answer.stream_description.ok_or_else(|| unreadable("no stream"))?;
    let view = stream.stream_view_type.as_ref().and_then(|view| StreamView::from_name(view.as_str()));
    let keys = stream.key_schema.unwrap_or_default().into_iter();
    Ok(DescribeStreamOutput {
        status: status(stream.stream_status.as_ref())?,
        view: view.ok_or_else(|| unreadable("no view of the stream"))?,
        created_at: told::moment(stream.creation_request_date_time.as_ref()),
        keys: keys
            .map(|key| told::key_element(key.attribute_name, key.key_type.as_str()))
            .collect::<Result<_, _>>()?,
        shards: stream.shards.unwrap_or_default().into_iter().map(shard).collect(),
        last_evaluated_shard: stream.last_evaluated_shard_id,
        arn: stream.stream_arn.unwrap_or_default(),
        table: stream.table_name.unwrap_or_default(),
        label: stream.stream_label.unwrap_or_default(),
    })
}

/// A stream that is being disabled has recorded its last change.
fn status(status: Option<&types::StreamStatus>) -> Result<StreamStatus, StoreError> {
    match status {
        Some(types::StreamStatus::Enabled | types::StreamStatus::Enabling) => Ok(StreamStatus::Enabled),
        Some(types::StreamStatus::Disabled | types::StreamStatus::Disabling) => Ok(StreamStatus::Disabled),
        _ => Err(unreadable("no status of the stream")),
    }
}

fn shard(shard: types::Shard) -> Shard {
    let (first, last) = shard
        .sequence_number_range
        .map_or((None, None), |range| (range.starting_sequence_number, range.ending_sequence_number));
    Shard {
        id: shard.shard_id.unwrap_or_default(),
        first_sequence: first.unwrap_or_default(),
        last_sequence: last,
        parent: shard.parent_shard_id,
    }
}

pub(super) async fn iterator(
    call: &Call<'_>,
    request: GetShardIterator,
) -> Result<GetShardIteratorOutput, StoreError> {
    let (kind, sequence) = match request.start {
        IteratorStart::TrimHorizon => (ShardIteratorType::TrimHorizon, None),
        IteratorStart::Latest => (ShardIteratorType::Latest, None),
        IteratorStart::At(sequence) => (ShardIteratorType::AtSequenceNumber, Some(sequence)),
        IteratorStart::After(sequence) => (ShardIteratorType::AfterSequenceNumber, Some(sequence)),
    };
    let asked = call
        .streams
        .get_shard_iterator()
        .stream_arn(request.arn)
        .shard_id(request.shard)
        .shard_iterator_type(kind)
        .set_sequence_number(sequence);
    let answer = send_to_streams!(call, asked)?;
    let iterator = answer.shard_iterator.ok_or_else(|| unreadable("no shard iterator"))?;
    Ok(GetShardIteratorOutput { iterator })
}

pub(super) async fn records(call: &Call<'_>, request: GetRecords) -> Result<GetRecordsOutput, StoreError> {
    let asked = call.streams.get_records().shard_iterator(request.iterator).set_limit(integer(request.limit));
    let answer = send_to_streams!(call, asked)?;
    let records = answer.records.unwrap_or_default().into_iter();
    Ok(GetRecordsOutput {
        records: records.map(record).collect::<Result<_, _>>()?,
        next_iterator: answer.next_shard_iterator,
    })
}

fn record(record: types::Record) -> Result<StreamRecord, StoreError> {
    let event = record.event_name.as_ref().and_then(|event| EventName::from_name(event.as_str()));
    let event = event.ok_or_else(|| unreadable("a record of no known event"))?;
    let change = record.dynamodb.ok_or_else(|| unreadable("a record without a change"))?;
    let view = change.stream_view_type.as_ref().and_then(|view| StreamView::from_name(view.as_str()));
    Ok(StreamRecord {
        event_id: record.event_id.unwrap_or_default(),
        event,
        sequence: change.sequence_number.unwrap_or_default(),
        at: told::moment(change.approximate_creation_date_time.as_ref()),
        keys: read_item_of_stream(change.keys.unwrap_or_default())?,
        new_image: change.new_image.map(read_item_of_stream).transpose()?,
        old_image: change.old_image.map(read_item_of_stream).transpose()?,
        size_bytes: told::count(change.size_bytes),
        view: view.ok_or_else(|| unreadable("a record without a view"))?,
        identity: record.user_identity.map(|identity| UserIdentity {
            kind: identity.r#type.unwrap_or_default(),
            principal: identity.principal_id.unwrap_or_default(),
        }),
    })
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodbstreams::types::{Identity, OperationType, Record, StreamViewType};
    use tabletheory_core::{Item, Timestamp, Value};

    use super::*;

    #[test]
    fn a_delete_by_time_to_live_keeps_its_identity() {
        let theirs = types::AttributeValue::S("a".to_owned());
        let change = types::StreamRecord::builder()
            .keys("pk", theirs.clone())
            .old_image("pk", theirs)
            .sequence_number("12")
            .size_bytes(4)
            .approximate_creation_date_time(aws_smithy_types::DateTime::from_secs(9))
            .stream_view_type(StreamViewType::NewAndOldImages)
            .build();
        let identity = Identity::builder().r#type("Service").principal_id("dynamodb.amazonaws.com").build();
        let told = Record::builder()
            .event_id("e")
            .event_name(OperationType::Remove)
            .dynamodb(change)
            .user_identity(identity)
            .build();
        let item = Item::from([("pk", Value::s("a"))]);
        let expected = StreamRecord {
            event_id: "e".to_owned(),
            event: EventName::Remove,
            sequence: "12".to_owned(),
            at: Timestamp::from_seconds(9),
            keys: item.clone(),
            new_image: None,
            old_image: Some(item),
            size_bytes: 4,
            view: StreamView::NewAndOldImages,
            identity: Some(UserIdentity::time_to_live()),
        };
        assert_eq!(record(told), Ok(expected));
    }

    #[test]
    fn a_record_that_tells_nothing_is_an_error() {
        assert!(record(Record::builder().build()).is_err());
    }
}
