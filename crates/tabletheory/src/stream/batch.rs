//! Records that came together.

use std::fmt;

use tabletheory_core::store::op::StreamRecord;

/// Records of one shard, in order, as a [`Reader`](super::Reader) gives them. Their `Debug` counts them and shows no item.
///
/// ```
/// use tabletheory::stream::Batch;
///
/// let batch = Batch { shard: "shardId-1".into(), records: Vec::new(), gap: false };
/// assert_eq!(format!("{batch:?}"), r#"Batch { shard: "shardId-1", records: 0, gap: false }"#);
/// ```
#[derive(Clone, PartialEq)]
pub struct Batch {
    /// The shard that they come from.
    pub shard: String,
    /// The records: one at least.
    pub records: Vec<StreamRecord>,
    /// Whether records before these may be missing: the stream keeps them for a day, and the reader came back later. What
    /// was built from the stream may have to be built anew from the table. If nothing had happened in the meantime, nothing
    /// is missing; the stream cannot tell.
    pub gap: bool,
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("shard", &self.shard)
            .field("records", &self.records.len())
            .field("gap", &self.gap)
            .finish()
    }
}
