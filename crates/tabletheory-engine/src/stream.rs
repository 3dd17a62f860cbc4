//! Streams: how one begins and ends, how a record is made from a change of an item, and how it is stored.

use tabletheory_core::schema::StreamView;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{EventName, StreamRecord, UserIdentity};
use tabletheory_core::{Item, Number, StoreError, Timestamp, Value};

use crate::catalog::{Catalog, StreamSpec};
use crate::codec::{self, Damaged};
use crate::error::internal;
use crate::group::Group;
use crate::kv::Bytes;
use crate::layout::sequence_of;
use crate::table::{Table, TableSpec};

/// A sequence number as the service writes them: digits that sort as text.
pub(crate) fn sequence_text(sequence: u64) -> String {
    format!("{sequence:021}")
}

/// Begins a stream with records from now on.
///
/// # Errors
/// If the storage fails; the group must then be given up.
pub(crate) fn start(group: &mut Group<'_>, spec: &mut TableSpec, view: StreamView) -> Result<(), StoreError> {
    group.make_streams()?;
    let number = group.change_catalog(Catalog::take_number);
    let stream = StreamSpec {
        number,
        table: spec.name.clone(),
        label: free_label(group, &spec.name),
        view,
        keys: spec.keys.clone(),
        created_at: group.now.get(),
        first_sequence: group.sequence() + 1,
        ended: None,
    };
    group.store_stream(stream);
    spec.stream = Some(number);
    spec.latest_stream = Some(number);
    Ok(())
}

/// Ends the table's stream. Its records can be read for a day.
pub(crate) fn end(group: &mut Group<'_>, spec: &mut TableSpec) {
    let Some(stream) = spec.stream.take().and_then(|number| group.catalog.stream(number).cloned()) else {
        return;
    };
    let ended = Some((group.now.get(), group.sequence()));
    group.store_stream(StreamSpec { ended, ..(*stream).clone() });
}

/// A label that no stream of the table has. A stream that ended within this millisecond, perhaps with its table, can
/// still be read under its own.
fn free_label(group: &Group<'_>, table: &str) -> String {
    let is_free = |label: &String| {
        let mut streams = group.catalog.streams();
        !streams.any(|stream| stream.table == table && stream.label == *label)
    };
    (group.now.get().millis()..).map(label).find(is_free).expect("there are fewer streams than milliseconds")
}

/// A moment as streams are labelled: `2026-11-15T21:28:59.123`.
fn label(millis: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    moment.strftime("%Y-%m-%dT%H:%M:%S.%3f").to_string()
}

/// The attributes of a stored record.
mod attribute {
    pub(super) const AT: &str = "at";
    pub(super) const EVENT: &str = "event";
    pub(super) const EXPIRED: &str = "expired";
    pub(super) const KEYS: &str = "keys";
    pub(super) const NEW: &str = "new";
    pub(super) const OLD: &str = "old";
}

/// Records a change of an item in the table's stream. A write that changes nothing is not recorded.
///
/// # Errors
/// If the storage fails; the group must then be given up.
pub(crate) fn record(
    group: &mut Group<'_>,
    table: &Table,
    old: Option<&Item>,
    new: Option<&Item>,
    expired: bool,
) -> Result<(), StoreError> {
    let Some(stream) = table.spec.stream.and_then(|number| group.catalog.stream(number).cloned()) else {
        return Ok(());
    };
    let Some(either) = new.or(old) else { return Ok(()) };
    if old == new {
        return Ok(());
    }
    let event = match (old, new) {
        (None, _) => EventName::Insert,
        (_, Some(_)) => EventName::Modify,
        (_, None) => EventName::Remove,
    };
    let mut record = Item::from([
        (attribute::AT, Value::from(group.now.get().millis())),
        (attribute::EVENT, Value::s(event.name())),
        (attribute::KEYS, Value::M(table.key_of(either))),
    ]);
    if expired {
        record.insert(attribute::EXPIRED, true);
    }
    if matches!(stream.view, StreamView::NewImage | StreamView::NewAndOldImages)
        && let Some(new) = new
    {
        record.insert(attribute::NEW, new.clone());
    }
    if matches!(stream.view, StreamView::OldImage | StreamView::NewAndOldImages)
        && let Some(old) = old
    {
        record.insert(attribute::OLD, old.clone());
    }
    group.append_record(stream.number, codec::encode(&record));
    Ok(())
}

/// When a stored record was made.
pub(crate) fn recorded_at(stored: &[u8]) -> Result<Timestamp, Damaged> {
    let record = codec::decode_only(stored, &[attribute::AT])?;
    let millis = record.get(attribute::AT).and_then(Value::as_n).and_then(Number::to_i64);
    Ok(Timestamp::from_millis(millis.unwrap_or(0)))
}

/// A stored record as it is returned.
///
/// # Errors
/// If the medium changed the bytes behind our back: readers are told rather than given an event that did not happen.
pub(crate) fn read(key: &[u8], stored: &Bytes, view: StreamView) -> Result<StreamRecord, StoreError> {
    let mut record = codec::decode(stored)?;
    let mut image = |name: &str| match record.remove(name) {
        Some(Value::M(map)) => Some(map),
        _ => None,
    };
    let keys = image(attribute::KEYS).unwrap_or_default();
    let new_image = image(attribute::NEW);
    let old_image = image(attribute::OLD);
    let event = record.get(attribute::EVENT).and_then(Value::as_s).and_then(EventName::from_name);
    let event = event.ok_or_else(|| internal("a stored stream record names no event"))?;
    let images = [Some(&keys), new_image.as_ref(), old_image.as_ref()];
    let size = images.into_iter().flatten().map(item_bytes).sum::<usize>();
    let sequence = sequence_of(key).unwrap_or(0);
    Ok(StreamRecord {
        event_id: format!("{:032x}", xxhash_rust::xxh3::xxh3_128(key)),
        event,
        sequence: sequence_text(sequence),
        at: recorded_at(stored)?,
        size_bytes: u64::try_from(size).unwrap_or(u64::MAX),
        keys,
        new_image,
        old_image,
        view,
        identity: record.contains(attribute::EXPIRED).then(UserIdentity::time_to_live),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_without_a_known_event_is_damaged() {
        let record = |event: &str| {
            let stored = Item::from([(attribute::AT, Value::from(7)), (attribute::EVENT, Value::s(event))]);
            read(&[0; 16], &codec::encode(&stored), StreamView::KeysOnly)
        };
        for event in EventName::ALL {
            assert_eq!(record(event.name()).map(|record| record.event), Ok(event));
        }
        for damaged in ["", "REMOVF", "remove"] {
            assert!(matches!(record(damaged), Err(StoreError::Internal(_))), "{damaged}");
        }
    }
}
