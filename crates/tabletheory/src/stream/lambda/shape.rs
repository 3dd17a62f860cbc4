//! The JSON of an event, member for member. Every member may be missing here; what a record cannot do without is decided
//! when it is made. No error repeats what it read, because events hold items.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use tabletheory_core::schema::StreamView;
use tabletheory_core::size::item_bytes;
use tabletheory_core::store::op::{EventName, StreamRecord, UserIdentity};
use tabletheory_core::{Item, Timestamp};

use super::error::LambdaFlaw;
use super::moment::Moment;

/// The most records of one event: the largest batch that Lambda can be told to make.
///
/// ```
/// assert_eq!(tabletheory::stream::EVENT_RECORDS_MAX, 10_000);
/// ```
pub const EVENT_RECORDS_MAX: usize = 10_000;

#[derive(serde::Deserialize)]
pub(super) struct Event {
    #[serde(rename = "Records", deserialize_with = "bounded")]
    pub(super) records: Vec<Record>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    #[serde(rename = "eventID", default, deserialize_with = "quiet")]
    event_id: Option<String>,
    #[serde(default, deserialize_with = "quiet")]
    event_name: Option<String>,
    #[serde(rename = "eventSourceARN", default, deserialize_with = "quiet")]
    pub(super) event_source_arn: Option<String>,
    #[serde(default, deserialize_with = "quiet")]
    dynamodb: Option<Changed>,
    #[serde(default, deserialize_with = "quiet")]
    user_identity: Option<Identity>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Changed {
    #[serde(default, deserialize_with = "quiet")]
    approximate_creation_date_time: Option<Moment>,
    #[serde(default, deserialize_with = "quiet")]
    keys: Option<Item>,
    #[serde(default, deserialize_with = "quiet")]
    new_image: Option<Item>,
    #[serde(default, deserialize_with = "quiet")]
    old_image: Option<Item>,
    #[serde(default, deserialize_with = "quiet")]
    sequence_number: Option<String>,
    #[serde(default, deserialize_with = "quiet")]
    size_bytes: Option<u64>,
    #[serde(default, deserialize_with = "quiet")]
    stream_view_type: Option<String>,
}

// Lambda writes these names small, and DynamoDB Streams itself large.
#[derive(serde::Deserialize)]
struct Identity {
    #[serde(rename = "type", alias = "Type", default, deserialize_with = "quiet")]
    kind: Option<String>,
    #[serde(rename = "principalId", alias = "PrincipalId", default, deserialize_with = "quiet")]
    principal: Option<String>,
}

impl Record {
    pub(super) fn into_record(self) -> Result<StreamRecord, LambdaFlaw> {
        let event_id = present(self.event_id, "eventID")?;
        let event = known(EventName::from_name(&present(self.event_name, "eventName")?), "eventName")?;
        let changed = present(self.dynamodb, "dynamodb")?;
        let keys = present(changed.keys, "Keys")?;
        let images = [Some(&keys), changed.new_image.as_ref(), changed.old_image.as_ref()];
        let counted: usize = images.into_iter().flatten().map(item_bytes).sum();
        // An empty number would tell Lambda that the whole batch failed.
        let sequence = changed.sequence_number.filter(|sequence| !sequence.is_empty());
        Ok(StreamRecord {
            event_id,
            event,
            sequence: present(sequence, "SequenceNumber")?,
            at: changed.approximate_creation_date_time.map_or(Timestamp::from_millis(0), |moment| moment.0),
            size_bytes: changed.size_bytes.unwrap_or_else(|| u64::try_from(counted).unwrap_or(u64::MAX)),
            view: known(
                StreamView::from_name(&present(changed.stream_view_type, "StreamViewType")?),
                "StreamViewType",
            )?,
            keys,
            new_image: changed.new_image,
            old_image: changed.old_image,
            identity: self.user_identity.map(|identity| UserIdentity {
                kind: identity.kind.unwrap_or_default(),
                principal: identity.principal.unwrap_or_default(),
            }),
        })
    }
}

fn present<T>(value: Option<T>, member: &'static str) -> Result<T, LambdaFlaw> {
    value.ok_or(LambdaFlaw::Missing { member })
}

fn known<T>(value: Option<T>, member: &'static str) -> Result<T, LambdaFlaw> {
    value.ok_or(LambdaFlaw::Unknown { member })
}

/// Reads a member whose own errors would repeat what stands there.
fn quiet<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(deserializer).map_err(|_| D::Error::custom("a member of a stream event cannot be read"))
}

fn bounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Record>, D::Error> {
    let records = deserializer.deserialize_seq(Records);
    records.map_err(|_| D::Error::custom("the records of a stream event cannot be read"))
}

struct Records;

impl<'de> Visitor<'de> for Records {
    type Value = Vec<Record>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the records of a stream event")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut records = Vec::new();
        while let Some(record) = seq.next_element()? {
            if records.len() == EVENT_RECORDS_MAX {
                return Err(A::Error::custom("a stream event has too many records"));
            }
            records.push(record);
        }
        Ok(records)
    }
}
