//! Any row of the table, as it lies there: rows of different kinds are read together, and one that is wrong stops nobody.

use std::borrow::Cow;

use tabletheory::field::{Field, Filter};
use tabletheory::key::Key;
use tabletheory::model::{Model, ModelError, Schema};
use tabletheory_core::{Item, Value};

use super::rule::Replaced;
use crate::key::Partition;
use crate::record::{Journal, Lock, Meta};

/// A row, not yet read as anything.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Row(Item);

impl Row {
    /// The sort key.
    pub(crate) const SK: Field<Self, String> = Field::new("sk");
    /// Where a body is, of a page or a version.
    pub(crate) const S3_KEY: Field<Self, String> = Field::new("s3_key");
    /// Where a body is, of an intent.
    pub(crate) const RESULT_S3_KEY: Field<Self, String> = Field::new("result_s3_key");

    /// Seconds since 1970 at which a lease is free.
    pub(crate) const LEASE_EXPIRES_AT: Field<Self, i64> = Field::new("lease_expires_at");
    /// Milliseconds since 1970 before which nobody should try again.
    pub(crate) const NEXT_ATTEMPT_MS: Field<Self, i64> = Field::new("next_attempt_ms");

    /// The number of purges, of a page or a site, whatever stands there.
    pub(crate) const EPOCH: Field<Self, Value> = Field::new("epoch");

    /// The key of another model, for a read of rows of several kinds.
    pub(crate) fn of<M>(key: Key<M>) -> Key<Self> {
        Key::new(key.into_item())
    }

    /// The key of a row by its sort key.
    pub(crate) fn at(pk: &str, sk: &str) -> Key<Self> {
        Key::new(Ok(Item::from([("pk", Value::s(pk)), ("sk", Value::s(sk))])))
    }

    /// The row as a model, if it is one.
    pub(crate) fn read<M: Model>(self) -> Option<M> {
        M::from_item(self.0).ok()
    }

    /// The text at this name, if there is one.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_s)
    }

    /// The page that stands here.
    pub(crate) fn replaced(row: Option<&Self>) -> Replaced {
        match row.and_then(|row| row.0.get("s3_key")) {
            None => Replaced::Nothing,
            Some(Value::S(s3_key)) => Replaced::Body(s3_key.to_string()),
            Some(_) => Replaced::Unreadable,
        }
    }

    /// The signed number at this name, if there is one that fits.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(Value::as_n).and_then(|number| number.to_i64())
    }

    /// The number at this name, if there is one that fits.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_n).and_then(|number| number.to_u64())
    }

    /// Whether there is a number at this name, and one that can follow it.
    pub(crate) fn can_grow(&self, name: &str) -> bool {
        self.number(name).is_some_and(|number| number < u64::MAX)
    }

    /// Whether a page's row has numbers that keep it from being published or marked, for ever.
    pub(crate) fn is_stuck(&self) -> bool {
        // A generation that is no number stops no publish, and a version that is none cannot be counted up.
        let is_number = self.0.get("generation").and_then(Value::as_n).is_some();
        is_number && !self.can_grow("generation") || self.0.contains("version") && !self.can_grow("version")
    }

    /// The row still says the same of its epoch.
    pub(crate) fn has_this_epoch(&self) -> Filter<Self> {
        match self.0.get("epoch") {
            None => Self::EPOCH.not_exists(),
            Some(epoch) => Self::EPOCH.eq(epoch),
        }
    }
}

/// It has the keys of every row, and no other rule.
impl Model for Row {
    const NAME: &'static str = "Row";
    const SCHEMA: Schema = Schema { model: Self::NAME, attributes: &[], ..Meta::SCHEMA };

    fn table() -> Cow<'static, str> {
        Meta::table()
    }

    fn to_item(&self) -> Result<Item, ModelError> {
        Ok(self.0.clone())
    }

    fn from_item(item: Item) -> Result<Self, ModelError> {
        Ok(Self(item))
    }

    fn key_of(&self) -> Key<Self> {
        Self::at(self.text("pk").unwrap_or_default(), self.text("sk").unwrap_or_default())
    }
}

pub(super) fn meta_key(partition: &Partition) -> Key<Row> {
    Row::of(Meta::key(partition.as_str()))
}

pub(super) fn lock_key(partition: &Partition) -> Key<Row> {
    Row::of(Lock::key(partition.as_str()))
}

pub(super) fn site_key(partition: &Partition) -> Key<Row> {
    Row::of(Journal::key(partition.site()))
}
