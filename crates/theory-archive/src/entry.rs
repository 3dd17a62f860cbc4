//! An archived item: what the object of a removal holds. The members are those that readers of the existing archives know; all
//! of them follow from the record, so a record that comes again gives the same bytes.

use std::fmt;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tabletheory_core::store::op::StreamRecord;
use tabletheory_core::{Item, Timestamp, Value};

use crate::day::Day;
use crate::error::Error;
use crate::layout::Identity;

/// The last second of the year 9999.
const SECONDS_MAX: i64 = 253_402_300_799;

/// An item that time to live removed.
///
/// `archived_at` of the object is the moment of the removal: the time of writing would differ between two attempts, and the object
/// store knows it anyway. Its `Debug` shows no item.
///
/// ```
/// use tabletheory::stream::LambdaEvent;
/// use theory_archive::Entry;
///
/// let event = LambdaEvent::parse(r#"{"Records": [{
///     "eventID": "c4ca4238", "eventName": "REMOVE", "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
///     "dynamodb": {
///         "ApproximateCreationDateTime": 1704067260, "SequenceNumber": "17", "StreamViewType": "OLD_IMAGE",
///         "Keys": {"id": {"S": "a"}}, "OldImage": {"id": {"S": "a"}, "ends": {"N": "1704067200"}}
///     }
/// }]}"#)?;
/// let entry = Entry::of(&event.records[0], None, Some("ends"))?;
/// assert_eq!(entry.day().to_string(), "2024-01-01");
/// let text = String::from_utf8(entry.to_bytes().to_vec())?;
/// assert!(text.starts_with(r#"{"archived_at":"2024-01-01T00:01:00.000Z","approximate_creation_date_time":1704067260,"#));
/// assert!(text.ends_with(r#""ttl_attribute":"ends","ttl_value":{"N":"1704067200"},"sequence_number":"17"}"#));
/// assert_eq!(Entry::parse(text.as_bytes())?, entry);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Entry {
    /// The record's identifier.
    pub event_id: String,
    /// The stream that told of the removal, if that is known.
    pub stream: Option<String>,
    /// The record's place in its stream; archives of others do not have it.
    pub sequence: Option<String>,
    /// When the item was removed, to the second: that is all that DynamoDB tells.
    pub removed_at: Timestamp,
    /// The key of the item.
    pub keys: Item,
    /// The item.
    pub item: Item,
    /// The attribute of the table's time to live, if it was known.
    pub ttl_attribute: Option<String>,
}

/// The members of an object, in their order.
#[derive(Serialize)]
struct Written<'a> {
    archived_at: String,
    approximate_creation_date_time: i64,
    event_id: &'a str,
    event_source_arn: Option<&'a str>,
    keys: &'a Item,
    old_image: &'a Item,
    ttl_attribute: Option<&'a str>,
    ttl_value: Option<&'a Value>,
    sequence_number: Option<&'a str>,
}

#[derive(Deserialize)]
struct Read {
    approximate_creation_date_time: Option<serde_json::Number>,
    event_id: Option<String>,
    event_source_arn: Option<String>,
    keys: Item,
    old_image: Item,
    ttl_attribute: Option<String>,
    sequence_number: Option<String>,
}

impl Entry {
    /// What is archived of the record of a removal.
    ///
    /// # Errors
    /// [`Error::NoOldImage`].
    pub fn of(
        record: &StreamRecord,
        stream: Option<&str>,
        ttl_attribute: Option<&str>,
    ) -> Result<Self, Error> {
        let no_image = || Error::NoOldImage { sequence: record.sequence.clone() };
        Ok(Self {
            event_id: record.event_id.clone(),
            stream: stream.map(str::to_owned),
            sequence: Some(record.sequence.clone()),
            removed_at: moment(record.at.seconds()),
            keys: record.keys.clone(),
            item: record.old_image.clone().ok_or_else(no_image)?,
            ttl_attribute: ttl_attribute.map(str::to_owned),
        })
    }

    /// The day under which it lies.
    #[must_use]
    pub fn day(&self) -> Day {
        Day::of(self.removed_at)
    }

    /// The table that it was removed from, by the name of the stream.
    ///
    /// ```
    /// # use tabletheory_core::{Item, Timestamp};
    /// # use theory_archive::Entry;
    /// # let (event_id, sequence, removed_at) = (String::new(), None, Timestamp::from_seconds(0));
    /// # let (keys, item, ttl_attribute) = (Item::new(), Item::new(), None);
    /// let stream = Some("arn:aws:dynamodb:eu-west-1:123456789012:table/app/stream/2024-01-01T00:00:00.000".to_owned());
    /// let entry = Entry { event_id, stream, sequence, removed_at, keys, item, ttl_attribute };
    /// assert_eq!(entry.table(), Some("app"));
    /// ```
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        let (_, table) = self.stream.as_deref()?.split_once(":table/")?;
        table.split_once("/stream/").map(|(table, _)| table)
    }

    /// The object's text.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        let written = Written {
            archived_at: text_of(self.removed_at),
            approximate_creation_date_time: self.removed_at.seconds(),
            event_id: &self.event_id,
            event_source_arn: self.stream.as_deref(),
            keys: &self.keys,
            old_image: &self.item,
            ttl_attribute: self.ttl_attribute.as_deref(),
            ttl_value: self.ttl_attribute.as_ref().and_then(|name| self.item.get(name)),
            sequence_number: self.sequence.as_deref(),
        };
        serde_json::to_vec(&written)
            .expect("members have text for keys, and a vector takes every byte")
            .into()
    }

    /// Reads the text of an object, also of one that another archiver wrote in this form.
    ///
    /// # Errors
    /// The place where the text stops being one, and never what it holds.
    pub fn parse(text: &[u8]) -> Result<Self, NoEntry> {
        let read: Read = serde_json::from_slice(text)
            .map_err(|error| NoEntry { line: error.line(), column: error.column() })?;
        let seconds = read.approximate_creation_date_time.as_ref().map_or(0, whole_seconds);
        Ok(Self {
            event_id: read.event_id.unwrap_or_default(),
            stream: read.event_source_arn,
            sequence: read.sequence_number,
            removed_at: moment(seconds),
            keys: read.keys,
            item: read.old_image,
            ttl_attribute: read.ttl_attribute,
        })
    }

    /// Whether both are of the same removal. What is not known of one of them tells nothing.
    pub(crate) fn is_same_removal(&self, other: &Self) -> bool {
        let agree = |one: &Option<String>, two: &Option<String>| match (one, two) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        };
        self.event_id == other.event_id
            && agree(&self.stream, &other.stream)
            && agree(&self.sequence, &other.sequence)
            && self.keys == other.keys
            && self.item == other.item
    }

    /// What tells this removal from every other.
    pub(crate) fn identity(&self) -> Identity {
        identity(
            &self.event_id,
            self.stream.as_deref(),
            self.sequence.as_deref().unwrap_or_default(),
            Some(&self.item),
        )
    }

    /// Which of two removals of one item is the later one: an order of the whole archive, the same each time.
    pub(crate) fn order(&self) -> Order {
        // Digits without leading zeros grow with their number, and then with their text.
        let sequence = self.sequence.as_deref().unwrap_or_default().trim_start_matches('0');
        Order {
            removed_at: self.removed_at.seconds(),
            digits: sequence.len(),
            sequence: sequence.into(),
            event_id: self.event_id.as_str().into(),
        }
    }
}

/// The place of a removal in time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Order {
    removed_at: i64,
    digits: usize,
    sequence: Box<str>,
    event_id: Box<str>,
}

/// A text is no archived item.
///
/// ```
/// let error = theory_archive::Entry::parse(b"{\n  ]").unwrap_err();
/// assert_eq!(error.to_string(), "it cannot be read at line 2, column 3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it cannot be read at line {line}, column {column}")]
pub struct NoEntry {
    /// The line, from one.
    pub line: usize,
    /// The column, from one.
    pub column: usize,
}

/// What tells a record from every other, also from one of another engine that counts as this one does.
pub(crate) fn identity(
    event_id: &str,
    stream: Option<&str>,
    sequence: &str,
    image: Option<&Item>,
) -> Identity {
    let image = image.map(|image| serde_json::to_vec(image).expect("an item has text for keys"));
    let parts = [event_id, stream.unwrap_or_default(), sequence].map(str::as_bytes);
    Identity::of(parts.into_iter().chain([image.as_deref().unwrap_or_default()]))
}

/// The moment, within the years that an archive has.
fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(seconds.clamp(0, SECONDS_MAX))
}

/// Seconds since 1970, of which a fraction is cut off.
fn whole_seconds(number: &serde_json::Number) -> i64 {
    let text = number.to_string();
    let whole = text.split('.').next().unwrap_or_default();
    number.as_i64().or_else(|| whole.parse().ok()).unwrap_or(0)
}

/// A moment as `toISOString` of JavaScript writes it.
fn text_of(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_millisecond(at.millis()).unwrap_or(jiff::Timestamp::MAX);
    moment.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("event_id", &self.event_id)
            .field("stream", &self.stream)
            .field("sequence", &self.sequence)
            .field("removed_at", &self.removed_at)
            .field("keys", &self.keys.names().collect::<Vec<_>>())
            .field("item", &self.item.names().collect::<Vec<_>>())
            .field("ttl_attribute", &self.ttl_attribute)
            .finish()
    }
}

#[cfg(test)]
mod tests;
