//! Operations on streams. A stream has one shard.

use std::ops::Bound;
use std::sync::Arc;

use tabletheory_core::limits::{
    LIST_STREAMS_MAX, SHARD_ITERATOR_SECONDS, STREAM_BYTES_MAX, STREAM_RECORDS_MAX, STREAM_RETENTION_SECONDS,
    STREAM_SHARDS_MAX,
};
use tabletheory_core::store::op::{
    DescribeStream, DescribeStreamOutput, GetRecords, GetRecordsOutput, GetShardIterator,
    GetShardIteratorOutput, IteratorStart, ListStreams, ListStreamsOutput, Shard, StreamStatus,
    StreamSummary,
};
use tabletheory_core::{Seconds, StoreError, Timestamp};

use crate::catalog::{StreamSpec, row};
use crate::kv::{Direction, Snapshot};
use crate::layout::{record_key, sequence_of};
use crate::stream::{read, recorded_at, sequence_text};
use crate::view::View;

/// `ListStreams`.
pub(crate) fn list(view: &View<'_>, request: &ListStreams) -> Result<ListStreamsOutput, StoreError> {
    let limit = check_limit(request.limit, LIST_STREAMS_MAX)?;
    let of_table =
        |stream: &&Arc<StreamSpec>| request.table.as_ref().is_none_or(|table| *table == stream.table);
    let mut streams = view.catalog.streams().filter(of_table).peekable();
    if let Some(start) = &request.start_after {
        while streams.next_if(|stream| stream.arn() != *start).is_some() {}
        streams.next();
    }
    let mut page = Vec::new();
    while page.len() < limit
        && let Some(stream) = streams.next()
    {
        page.push(StreamSummary {
            arn: stream.arn(),
            table: stream.table.clone(),
            label: stream.label.clone(),
        });
    }
    let last_evaluated =
        if streams.peek().is_some() { page.last().map(|last| last.arn.clone()) } else { None };
    Ok(ListStreamsOutput { streams: page, last_evaluated })
}

fn check_limit(limit: Option<u32>, most: u32) -> Result<usize, StoreError> {
    let limit = limit.unwrap_or(most);
    if !(1..=most).contains(&limit) {
        let (bound, edge) = if limit == 0 { ("greater", 1) } else { ("less", most) };
        return Err(StoreError::validation(format!(
            "1 validation error detected: Value '{limit}' at 'limit' failed to satisfy constraint: Member must have \
             value {bound} than or equal to {edge}"
        )));
    }
    Ok(usize::try_from(limit).expect("at most a thousand"))
}

fn find<'v>(view: &'v View<'_>, arn: &str) -> Result<&'v Arc<StreamSpec>, StoreError> {
    view.catalog.streams().find(|stream| stream.arn() == arn).ok_or_else(|| {
        StoreError::ResourceNotFound(format!("Requested resource not found: Stream: {arn} not found"))
    })
}

/// `DescribeStream`.
pub(crate) fn describe(
    view: &View<'_>,
    request: &DescribeStream,
) -> Result<DescribeStreamOutput, StoreError> {
    check_limit(request.limit, STREAM_SHARDS_MAX)?;
    let stream = find(view, &request.arn)?;
    let shard = Shard {
        id: stream.shard(),
        first_sequence: sequence_text(stream.first_sequence),
        last_sequence: stream.ended.map(|(_, sequence)| sequence_text(sequence)),
        parent: None,
    };
    // A page that starts behind the only shard is empty, and nothing follows it.
    let is_empty = request.start_after_shard.is_some() || request.children_of.is_some();
    let shards = if is_empty { Vec::new() } else { vec![shard] };
    Ok(DescribeStreamOutput {
        arn: stream.arn(),
        table: stream.table.clone(),
        label: stream.label.clone(),
        status: if stream.ended.is_some() { StreamStatus::Disabled } else { StreamStatus::Enabled },
        view: stream.view,
        created_at: stream.created_at,
        keys: stream.keys.clone(),
        shards,
        last_evaluated_shard: None,
    })
}

/// A place in a stream: the next record has at least this sequence number.
struct Place {
    stream: u64,
    sequence: u64,
    issued_at: Timestamp,
}

impl Place {
    fn to_text(&self) -> String {
        format!("{:016x}{:016x}{:016x}", self.stream, self.sequence, self.issued_at.millis())
    }

    fn from_text(text: &str) -> Option<Self> {
        if text.len() != 48 || !text.is_ascii() {
            return None;
        }
        let word = |at: usize| u64::from_str_radix(&text[at..at + 16], 16).ok();
        let issued_at = Timestamp::from_millis(i64::try_from(word(32)?).ok()?);
        Some(Self { stream: word(0)?, sequence: word(16)?, issued_at })
    }
}

/// `GetShardIterator`.
pub(crate) fn shard_iterator(
    view: &View<'_>,
    request: &GetShardIterator,
) -> Result<GetShardIteratorOutput, StoreError> {
    let stream = find(view, &request.arn)?;
    if request.shard != stream.shard() {
        return Err(StoreError::ResourceNotFound(format!(
            "Requested resource not found: Shard does not exist: {}",
            request.shard
        )));
    }
    let snapshot = view.ground.kv.snapshot();
    let sequence = match &request.start {
        IteratorStart::TrimHorizon => stream.first_sequence,
        IteratorStart::Latest => newest(view, &snapshot, stream)? + 1,
        IteratorStart::At(text) => kept(view, &snapshot, stream, parse_sequence(stream, text)?)?,
        IteratorStart::After(text) => kept(view, &snapshot, stream, parse_sequence(stream, text)?)? + 1,
    };
    let place = Place { stream: stream.number, sequence, issued_at: view.now.get() };
    Ok(GetShardIteratorOutput { iterator: place.to_text() })
}

fn parse_sequence(stream: &StreamSpec, text: &str) -> Result<u64, StoreError> {
    // The highest number there is belongs to no record: a reader could not go on after it.
    let last = stream.ended.map_or(u64::MAX - 1, |(_, sequence)| sequence);
    text.parse().ok().filter(|sequence| (stream.first_sequence..=last).contains(sequence)).ok_or_else(|| {
        StoreError::validation(format!(
            "Invalid SequenceNumber: {text} is not in shard {} of stream {}",
            stream.shard(),
            stream.arn()
        ))
    })
}

/// The newest sequence number of a stream, or the one before its first.
fn newest(view: &View<'_>, snapshot: &Snapshot, stream: &StreamSpec) -> Result<u64, StoreError> {
    let (first, last) = (record_key(stream.number, 0), record_key(stream.number, u64::MAX));
    let bounds = (Bound::Included(first.as_slice()), Bound::Included(last.as_slice()));
    match snapshot.range(&view.ground.spaces.streams, bounds, Direction::Backward).next() {
        None => Ok(stream.first_sequence - 1),
        Some(record) => Ok(sequence_of(&record?.0).unwrap_or(stream.first_sequence)),
    }
}

/// The sequence number, if its record is not older than a stream keeps them.
fn kept(view: &View<'_>, snapshot: &Snapshot, stream: &StreamSpec, sequence: u64) -> Result<u64, StoreError> {
    let stored = snapshot.get(&view.ground.spaces.streams, &record_key(stream.number, sequence))?;
    let trimmed = match stored {
        Some(record) => is_trimmed(recorded_at(&record)?, view.now.get()),
        // Every number up to the last one given had its record; when all of them are gone, none is left to compare with.
        None => sequence <= last_given(view, snapshot)?,
    };
    if trimmed {
        return Err(StoreError::TrimmedDataAccess(format!(
            "The operation attempted to read past the oldest stream record in a shard: {}",
            sequence_text(sequence)
        )));
    }
    Ok(sequence)
}

/// The last sequence number that any stream was given.
fn last_given(view: &View<'_>, snapshot: &Snapshot) -> Result<u64, StoreError> {
    let stored = snapshot.get(&view.ground.spaces.catalog, row::SEQUENCE)?;
    Ok(stored.and_then(|bytes| Some(u64::from_le_bytes((*bytes).try_into().ok()?))).unwrap_or(0))
}

/// Whether a record is older than a stream keeps them, removed already or not.
pub(crate) fn is_trimmed(at: Timestamp, now: Timestamp) -> bool {
    at + Seconds(STREAM_RETENTION_SECONDS) <= now
}

/// `GetRecords`.
pub(crate) fn records(view: &View<'_>, request: &GetRecords) -> Result<GetRecordsOutput, StoreError> {
    let limit = check_limit(request.limit, STREAM_RECORDS_MAX)?;
    let place = Place::from_text(&request.iterator).ok_or_else(|| {
        StoreError::validation("Invalid ShardIterator: it was not made by GetShardIterator")
    })?;
    if place.issued_at + Seconds(SHARD_ITERATOR_SECONDS) <= view.now.get() {
        return Err(StoreError::ExpiredIterator(
            "The shard iterator has expired: it is good for 15 minutes; get a new one".to_owned(),
        ));
    }
    let stream = view.catalog.stream(place.stream).ok_or_else(|| {
        StoreError::ResourceNotFound(
            "Requested resource not found: the stream of the iterator is gone".to_owned(),
        )
    })?;
    let snapshot = view.ground.kv.snapshot();
    let (first, last) = (record_key(place.stream, place.sequence), record_key(place.stream, u64::MAX));
    let bounds = (Bound::Included(first.as_slice()), Bound::Included(last.as_slice()));
    let mut output = GetRecordsOutput::default();
    let mut next = place.sequence;
    let mut bytes = 0;
    for record in snapshot.range(&view.ground.spaces.streams, bounds, Direction::Forward) {
        let (key, stored) = record?;
        if output.records.len() == limit || bytes + stored.len() > STREAM_BYTES_MAX && bytes > 0 {
            break;
        }
        next = sequence_of(&key).unwrap_or(next) + 1;
        if is_trimmed(recorded_at(&stored)?, view.now.get()) {
            continue;
        }
        bytes += stored.len();
        output.records.push(read(&key, &stored, stream.view)?);
    }
    let finished = stream.ended.is_some_and(|(_, last)| next > last);
    let place = Place { stream: place.stream, sequence: next, issued_at: view.now.get() };
    output.next_iterator = (!finished).then(|| place.to_text());
    Ok(output)
}

#[cfg(test)]
mod tests;
