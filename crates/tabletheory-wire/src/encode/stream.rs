//! Answers about streams: their shards and their records.

use serde::Serialize;
use tabletheory_core::store::op::{
    DescribeStreamOutput, GetRecordsOutput, GetShardIteratorOutput, ListStreamsOutput, Shard, StreamRecord,
    StreamStatus, StreamSummary, UserIdentity,
};
use tabletheory_core::{Item, Timestamp};

use super::description::Keys;
use super::list::List;
use super::timestamp;

/// Room for what stands around the items of a record.
const RECORD_BYTES: usize = 512;
/// What records tell of their region: the one in the names of the embedded engine's resources.
const REGION: &str = "local";

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Listed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated_stream_arn: Option<&'a str>,
    streams: List<'a, StreamSummary, Summary<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Summary<'a> {
    stream_arn: &'a str,
    stream_label: &'a str,
    table_name: &'a str,
}

/// `ListStreams`.
pub(super) fn listed(output: &ListStreamsOutput) -> impl Serialize {
    Listed {
        last_evaluated_stream_arn: output.last_evaluated.as_deref(),
        streams: List(&output.streams, |stream| Summary {
            stream_arn: &stream.arn,
            stream_label: &stream.label,
            table_name: &stream.table,
        }),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Described<'a> {
    stream_description: Description<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Description<'a> {
    #[serde(serialize_with = "timestamp::exact")]
    creation_request_date_time: Timestamp,
    key_schema: Keys<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated_shard_id: Option<&'a str>,
    shards: List<'a, Shard, ShardView<'a>>,
    stream_arn: &'a str,
    stream_label: &'a str,
    stream_status: &'static str,
    stream_view_type: &'static str,
    table_name: &'a str,
}

/// `DescribeStream`.
pub(super) fn described(output: &DescribeStreamOutput) -> impl Serialize {
    Described {
        stream_description: Description {
            creation_request_date_time: output.created_at,
            key_schema: Keys(&output.keys),
            last_evaluated_shard_id: output.last_evaluated_shard.as_deref(),
            shards: List(&output.shards, ShardView::from),
            stream_arn: &output.arn,
            stream_label: &output.label,
            stream_status: match output.status {
                StreamStatus::Enabled => "ENABLED",
                StreamStatus::Disabled => "DISABLED",
            },
            stream_view_type: output.view.name(),
            table_name: &output.table,
        },
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ShardView<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_shard_id: Option<&'a str>,
    sequence_number_range: Range<'a>,
    shard_id: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Range<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    ending_sequence_number: Option<&'a str>,
    starting_sequence_number: &'a str,
}

impl<'a> From<&'a Shard> for ShardView<'a> {
    fn from(shard: &'a Shard) -> Self {
        Self {
            parent_shard_id: shard.parent.as_deref(),
            sequence_number_range: Range {
                ending_sequence_number: shard.last_sequence.as_deref(),
                starting_sequence_number: &shard.first_sequence,
            },
            shard_id: &shard.id,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Iterator<'a> {
    shard_iterator: &'a str,
}

/// `GetShardIterator`.
pub(super) fn iterator(output: &GetShardIteratorOutput) -> impl Serialize {
    Iterator { shard_iterator: &output.iterator }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Records<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    next_shard_iterator: Option<&'a str>,
    records: List<'a, StreamRecord, Record<'a>>,
}

/// `GetRecords`.
pub(super) fn records(output: &GetRecordsOutput) -> impl Serialize {
    Records {
        next_shard_iterator: output.next_iterator.as_deref(),
        records: List(&output.records, Record::from),
    }
}

/// A guess at the bytes of the records as JSON.
pub(super) fn room_for(output: &GetRecordsOutput) -> usize {
    let bytes = |record: &StreamRecord| usize::try_from(record.size_bytes).unwrap_or_default();
    RECORD_BYTES + output.records.iter().map(|record| RECORD_BYTES + 2 * bytes(record)).sum::<usize>()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    aws_region: &'static str,
    dynamodb: Change<'a>,
    #[serde(rename = "eventID")]
    event_id: &'a str,
    event_name: &'static str,
    event_source: &'static str,
    event_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_identity: Option<Identity<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Change<'a> {
    #[serde(serialize_with = "timestamp::whole")]
    approximate_creation_date_time: Timestamp,
    keys: &'a Item,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_image: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_image: Option<&'a Item>,
    sequence_number: &'a str,
    size_bytes: u64,
    stream_view_type: &'static str,
}

impl<'a> From<&'a StreamRecord> for Record<'a> {
    fn from(record: &'a StreamRecord) -> Self {
        Self {
            aws_region: REGION,
            dynamodb: Change {
                approximate_creation_date_time: record.at,
                keys: &record.keys,
                new_image: record.new_image.as_ref(),
                old_image: record.old_image.as_ref(),
                sequence_number: &record.sequence,
                size_bytes: record.size_bytes,
                stream_view_type: record.view.name(),
            },
            event_id: &record.event_id,
            event_name: record.event.name(),
            event_source: "aws:dynamodb",
            event_version: "1.1",
            user_identity: record.identity.as_ref().map(Identity::from),
        }
    }
}

// These two names begin with capitals here, unlike in the events that Lambda receives.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Identity<'a> {
    principal_id: &'a str,
    r#type: &'a str,
}

impl<'a> From<&'a UserIdentity> for Identity<'a> {
    fn from(identity: &'a UserIdentity) -> Self {
        Self { principal_id: &identity.principal, r#type: &identity.kind }
    }
}
