//! Requests about streams.

use tabletheory_core::StoreError;
use tabletheory_core::store::op::{DescribeStream, GetRecords, GetShardIterator, IteratorStart, ListStreams};

use crate::constraint::{Constraints, Names};
use crate::shape::{Integer, Text, structure};

structure! {
    /// The members of `ListStreams`.
    ListShape {
        table: Text<'a> = "TableName",
        start_after: Text<'a> = "ExclusiveStartStreamArn",
        limit: Integer = "Limit",
    }
}

/// Reads a `ListStreams`.
pub(super) fn list(shape: ListShape<'_>) -> Result<ListStreams, StoreError> {
    let mut constraints = Constraints::default();
    let limit = constraints.count("limit", 1, shape.limit);
    constraints.finish()?;
    let table = shape.table.map(Text::into_string);
    Ok(ListStreams { table, start_after: shape.start_after.map(Text::into_string), limit })
}

structure! {
    /// The members of `DescribeStream`.
    DescribeShape {
        arn: Text<'a> = "StreamArn",
        start_after: Text<'a> = "ExclusiveStartShardId",
        limit: Integer = "Limit",
        filter: FilterShape<'a> = "ShardFilter",
    }
}

structure! {
    /// Which shards are described.
    FilterShape {
        kind: Text<'a> = "Type",
        shard: Text<'a> = "ShardId",
    }
}

/// The one kind of filter there is.
const FILTER_KINDS: &Names<()> = &[("CHILD_SHARDS", ())];

/// Reads a `DescribeStream`.
pub(super) fn describe(shape: DescribeShape<'_>) -> Result<DescribeStream, StoreError> {
    let mut constraints = Constraints::default();
    let arn = constraints.required("streamArn", shape.arn).into_string();
    let limit = constraints.count("limit", 1, shape.limit);
    let children_of = shape.filter.map(|filter| {
        let kind = constraints.required("shardFilter.type", filter.kind.map(Some));
        constraints.one_of("shardFilter.type", kind, FILTER_KINDS);
        constraints.required("shardFilter.shardId", filter.shard).into_string()
    });
    constraints.finish()?;
    let start_after_shard = shape.start_after.map(Text::into_string);
    Ok(DescribeStream { arn, start_after_shard, limit, children_of })
}

structure! {
    /// The members of `GetShardIterator`.
    IteratorShape {
        arn: Text<'a> = "StreamArn",
        shard: Text<'a> = "ShardId",
        kind: Text<'a> = "ShardIteratorType",
        sequence: Text<'a> = "SequenceNumber",
    }
}

#[derive(Debug, Clone, Copy)]
enum IteratorKind {
    AfterSequence,
    Latest,
    AtSequence,
    TrimHorizon,
}

const ITERATOR_KINDS: &Names<IteratorKind> = &[
    ("AFTER_SEQUENCE_NUMBER", IteratorKind::AfterSequence),
    ("LATEST", IteratorKind::Latest),
    ("AT_SEQUENCE_NUMBER", IteratorKind::AtSequence),
    ("TRIM_HORIZON", IteratorKind::TrimHorizon),
];

/// Reads a `GetShardIterator`.
pub(super) fn shard_iterator(shape: IteratorShape<'_>) -> Result<GetShardIterator, StoreError> {
    let mut constraints = Constraints::default();
    let arn = constraints.required("streamArn", shape.arn).into_string();
    let shard = constraints.required("shardId", shape.shard).into_string();
    let kind = constraints.required("shardIteratorType", shape.kind.map(Some));
    let kind = constraints.one_of("shardIteratorType", kind, ITERATOR_KINDS);
    constraints.finish()?;
    let sequence = shape.sequence.map(Text::into_string);
    // Without a kind the constraints have refused the request already.
    let start = match (kind.unwrap_or(IteratorKind::TrimHorizon), sequence) {
        (IteratorKind::TrimHorizon, None) => IteratorStart::TrimHorizon,
        (IteratorKind::Latest, None) => IteratorStart::Latest,
        (IteratorKind::AtSequence, Some(sequence)) => IteratorStart::At(sequence),
        (IteratorKind::AfterSequence, Some(sequence)) => IteratorStart::After(sequence),
        (IteratorKind::AtSequence | IteratorKind::AfterSequence, None) => {
            return Err(StoreError::validation(
                "Invalid parameter: SequenceNumber is required for this ShardIteratorType",
            ));
        }
        (IteratorKind::TrimHorizon | IteratorKind::Latest, Some(_)) => {
            return Err(StoreError::validation(
                "Invalid parameter: SequenceNumber is not allowed for this ShardIteratorType",
            ));
        }
    };
    Ok(GetShardIterator { arn, shard, start })
}

structure! {
    /// The members of `GetRecords`.
    RecordsShape {
        iterator: Text<'a> = "ShardIterator",
        limit: Integer = "Limit",
    }
}

/// Reads a `GetRecords`.
pub(super) fn records(shape: RecordsShape<'_>) -> Result<GetRecords, StoreError> {
    let mut constraints = Constraints::default();
    let iterator = constraints.required("shardIterator", shape.iterator).into_string();
    let limit = constraints.count("limit", 1, shape.limit);
    constraints.finish()?;
    Ok(GetRecords { iterator, limit })
}
