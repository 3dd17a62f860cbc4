//! Operations on streams: what changed in a table, in order.

use crate::clock::Timestamp;
use crate::item::Item;
use crate::schema::{KeyElement, StreamView};

/// Names streams.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListStreams {
    /// Only those of this table.
    pub table: Option<String>,
    /// Start after this stream.
    pub start_after: Option<String>,
    /// At most this many.
    pub limit: Option<u32>,
}

/// One stream among many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSummary {
    /// Its resource name.
    pub arn: String,
    /// Its table.
    pub table: String,
    /// Its label, the time it was enabled.
    pub label: String,
}

/// A page of streams.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListStreamsOutput {
    /// The streams.
    pub streams: Vec<StreamSummary>,
    /// The last one, if there are more.
    pub last_evaluated: Option<String>,
}

/// Tells of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescribeStream {
    /// Its resource name.
    pub arn: String,
    /// Start after this shard.
    pub start_after_shard: Option<String>,
    /// At most this many shards.
    pub limit: Option<u32>,
    /// Only the shards that follow this one.
    pub children_of: Option<String>,
}

/// Whether a stream records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamStatus {
    /// It records.
    Enabled,
    /// It has ended and can still be read.
    Disabled,
}

/// A part of a stream that is read in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// Its identifier.
    pub id: String,
    /// The sequence number of its first record.
    pub first_sequence: String,
    /// The sequence number of its last record, once it is closed.
    pub last_sequence: Option<String>,
    /// The shard that it follows.
    pub parent: Option<String>,
}

/// What a stream is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribeStreamOutput {
    /// Its resource name.
    pub arn: String,
    /// Its table.
    pub table: String,
    /// Its label.
    pub label: String,
    /// Whether it records.
    pub status: StreamStatus,
    /// What its records carry.
    pub view: StreamView,
    /// When it was enabled.
    pub created_at: Timestamp,
    /// The key of its table.
    pub keys: Vec<KeyElement>,
    /// Its shards.
    pub shards: Vec<Shard>,
    /// The last shard, if there are more.
    pub last_evaluated_shard: Option<String>,
}

/// Where reading starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IteratorStart {
    /// At the oldest record.
    TrimHorizon,
    /// After the newest record.
    Latest,
    /// At the record with this sequence number.
    At(String),
    /// After the record with this sequence number.
    After(String),
}

/// Makes a place to read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetShardIterator {
    /// The stream.
    pub arn: String,
    /// The shard.
    pub shard: String,
    /// Where in it.
    pub start: IteratorStart,
}

/// A place to read from, good for 15 minutes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GetShardIteratorOutput {
    /// The iterator.
    pub iterator: String,
}

/// Reads records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GetRecords {
    /// Where to read.
    pub iterator: String,
    /// At most this many records.
    pub limit: Option<u32>,
}

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventName {
    /// It was made.
    Insert,
    /// It was changed.
    Modify,
    /// It was removed.
    Remove,
}

impl EventName {
    /// Every event, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::Insert, Self::Modify, Self::Remove];

    /// The name the service uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Modify => "MODIFY",
            Self::Remove => "REMOVE",
        }
    }

    /// The event called `name`, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }
}

/// Who made a change, when it was not a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserIdentity {
    /// `Service`.
    pub kind: String,
    /// `dynamodb.amazonaws.com`.
    pub principal: String,
}

impl UserIdentity {
    /// The identity on deletes that the time to live makes.
    #[must_use]
    pub fn time_to_live() -> Self {
        Self { kind: "Service".to_owned(), principal: "dynamodb.amazonaws.com".to_owned() }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamRecord {
    /// Its identifier.
    pub event_id: String,
    /// What happened.
    pub event: EventName,
    /// Its place in the stream.
    pub sequence: String,
    /// When it happened.
    pub at: Timestamp,
    /// The item's key.
    pub keys: Item,
    /// The item after the change, if the view carries it.
    pub new_image: Option<Item>,
    /// The item before the change, if the view carries it.
    pub old_image: Option<Item>,
    /// The size of keys and images.
    pub size_bytes: u64,
    /// What the record carries.
    pub view: StreamView,
    /// Who did it, when it was not a request.
    pub identity: Option<UserIdentity>,
}

/// Records, and where to read on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GetRecordsOutput {
    /// The records.
    pub records: Vec<StreamRecord>,
    /// Where to read on; `None` when the shard is closed and read to its end.
    pub next_iterator: Option<String>,
}
