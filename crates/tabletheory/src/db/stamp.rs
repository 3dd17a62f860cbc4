//! The moments that the toolkit writes: when an item was made and changed.

use tabletheory_core::{Item, Timestamp, Value};

use super::Db;
use crate::attribute::time::moment_text;
use crate::model::Schema;

/// What a moment that was never set is written as, by us and by the other toolkits.
const UNSET: [&str; 2] = ["1970-01-01T00:00:00.000000000Z", "0001-01-01T00:00:00Z"];

/// How many nanoseconds a millisecond has.
const BELOW_MILLISECOND: u128 = 1_000_000;

/// Now, as an attribute: RFC 3339 in UTC with nine digits. The clock tells milliseconds; the six digits below are drawn,
/// which tells apart two writes of the same millisecond, and so whose write an item shows.
pub(super) fn now(db: &Db) -> Value {
    let moment = |now: Timestamp| jiff::Timestamp::from_millisecond(now.millis());
    let below = i64::try_from(db.entropy().bits() % BELOW_MILLISECOND).unwrap_or_default();
    let now = moment(db.clock().now()).unwrap_or(jiff::Timestamp::MAX);
    let now = now.checked_add(jiff::SignedDuration::from_nanos(below)).unwrap_or(now);
    Value::S(moment_text(now))
}

/// Stamps a new item: made and changed now.
pub(super) fn new(item: &mut Item, schema: &Schema, now: &Value) {
    for attribute in [schema.created_at, schema.updated_at].into_iter().flatten() {
        set(item, attribute, now);
    }
}

/// Stamps an item that may have been there before: changed now, and made now unless it says when.
pub(super) fn changed(item: &mut Item, schema: &Schema, now: &Value) {
    if let Some(attribute) = schema.created_at
        && is_unset(item.get(attribute))
    {
        set(item, attribute, now);
    }
    if let Some(attribute) = schema.updated_at {
        set(item, attribute, now);
    }
}

fn set(item: &mut Item, attribute: &'static str, now: &Value) {
    match (item.get_mut(attribute), now) {
        // A moment that is written already has the same length: its memory will do.
        (Some(Value::S(moment)), Value::S(now)) => moment.clone_from(now),
        _ => {
            item.insert(attribute, now.clone());
        }
    }
}

fn is_unset(moment: Option<&Value>) -> bool {
    match moment {
        None | Some(Value::Null) => true,
        Some(Value::S(text)) => UNSET.contains(&text.as_str()),
        Some(_) => false,
    }
}
