//! A record that cannot be archived, kept with the reason, so that it holds up nobody and is not lost.

use bytes::Bytes;
use object_store::path::Path;
use serde::Serialize;
use tabletheory_core::Item;
use tabletheory_core::store::op::StreamRecord;

use crate::day::Day;
use crate::entry;
use crate::layout::Layout;

/// The members of a dead letter, in their order.
#[derive(Serialize)]
struct Written<'a> {
    reason: &'a str,
    event_id: &'a str,
    event_name: &'a str,
    event_source_arn: Option<&'a str>,
    sequence_number: &'a str,
    approximate_creation_date_time: i64,
    keys: &'a Item,
    old_image: Option<&'a Item>,
}

/// Where the dead letter of a record lies.
pub(crate) fn place(layout: &Layout, record: &StreamRecord, stream: Option<&str>) -> Path {
    let identity = entry::identity(&record.event_id, stream, &record.sequence, record.old_image.as_ref());
    layout.dead_letter(Day::of(record.at), &record.event_id, &identity)
}

/// Its text.
pub(crate) fn text(record: &StreamRecord, stream: Option<&str>, reason: &str) -> Bytes {
    let written = Written {
        reason,
        event_id: &record.event_id,
        event_name: record.event.name(),
        event_source_arn: stream,
        sequence_number: &record.sequence,
        approximate_creation_date_time: record.at.seconds(),
        keys: &record.keys,
        old_image: record.old_image.as_ref(),
    };
    serde_json::to_vec(&written).expect("members have text for keys, and a vector takes every byte").into()
}
