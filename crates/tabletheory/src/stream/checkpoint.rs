//! How far a stream was read, as plain data to keep and to go on from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tabletheory_core::Timestamp;

/// How far a stream was read: for each shard the last record that was handed out. Keep it when a batch was handled, and
/// [resume](super::Reader::resume) from it: the records after it come, in order, none twice and none left out.
///
/// A shard without an entry is read from its oldest record on.
///
/// ```
/// use tabletheory::stream::{Checkpoint, Position};
///
/// let mut checkpoint = Checkpoint::new("arn:aws:dynamodb:local:000000000000:table/app/stream/2024");
/// checkpoint.advance("shardId-1", "17");
/// let kept = serde_json::to_string(&checkpoint)?;
/// assert!(kept.ends_with(r#""shards":{"shardId-1":{"after":"17"}}}"#));
/// assert_eq!(serde_json::from_str::<Checkpoint>(&kept)?, checkpoint);
/// assert_eq!(checkpoint.shards["shardId-1"], Position::After("17".into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The stream's resource name.
    pub stream: String,
    /// How far each shard was read.
    pub shards: BTreeMap<String, Position>,
}

/// How far a shard was read.
///
/// ```
/// use tabletheory::stream::Position;
///
/// assert_eq!(serde_json::to_string(&Position::Finished)?, r#""finished""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Position {
    /// Up to the record with this sequence number.
    After(String),
    /// Nothing yet; what happens after this moment, in milliseconds since 1970, is to be read.
    Since(Timestamp),
    /// To its end: the shard is closed, and its children go on.
    Finished,
}

impl Checkpoint {
    /// Nothing of this stream was read.
    ///
    /// ```
    /// # use tabletheory::stream::Checkpoint;
    /// assert!(Checkpoint::new("arn").shards.is_empty());
    /// ```
    #[must_use]
    pub fn new(stream: impl Into<String>) -> Self {
        Self { stream: stream.into(), shards: BTreeMap::new() }
    }

    /// Notes that the shard was read up to the record with this sequence number, such as in the middle of a batch.
    ///
    /// ```
    /// # use tabletheory::stream::{Checkpoint, Position};
    /// let mut checkpoint = Checkpoint::new("arn");
    /// checkpoint.advance("shardId-1", "17");
    /// checkpoint.advance("shardId-1", "18");
    /// assert_eq!(checkpoint.shards["shardId-1"], Position::After("18".into()));
    /// ```
    pub fn advance(&mut self, shard: impl Into<String>, sequence: impl Into<String>) {
        self.shards.insert(shard.into(), Position::After(sequence.into()));
    }

    /// Whether the shard was read to its end.
    pub(super) fn is_finished(&self, shard: &str) -> bool {
        self.shards.get(shard) == Some(&Position::Finished)
    }
}
