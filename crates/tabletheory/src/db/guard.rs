//! The guard of a versioned item: a write is refused unless the version is still the one that was read.

use tabletheory_core::expr::{Comparator, Condition, Operand, Path};
use tabletheory_core::{Item, Number, Value};

use crate::model::Schema;

/// The version that must still be there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guard {
    attribute: &'static str,
    expected: Number,
    unversioned: Unversioned,
}

/// Whether something that was never given a version has the version that is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unversioned {
    No,
    /// An item that exists, which has this attribute, has.
    Item(&'static str),
    /// Such an item has, and one that does not exist, too.
    ItemOrNone,
}

impl Guard {
    /// The guard for an item with this version.
    pub(super) fn expecting(attribute: &'static str, expected: Number) -> Self {
        Self { attribute, expected, unversioned: Unversioned::No }
    }

    /// The guard for a value that was read, if its model has a version. Version 0 is also that of an item that was written
    /// before its model had one.
    pub(super) fn of(schema: &Schema, value: &Item) -> Option<Self> {
        let attribute = schema.version?;
        let mut guard = Self::expecting(attribute, version(value, attribute));
        if guard.is_first() {
            guard.unversioned = Unversioned::Item(schema.partition.name);
        }
        Some(guard)
    }

    /// For a value that may be new: version 0 is also that of an item that does not exist.
    pub(super) fn or_new(mut self) -> Self {
        if self.is_first() {
            self.unversioned = Unversioned::ItemOrNone;
        }
        self
    }

    /// Whether the version is that of an item that was never saved.
    pub(super) fn is_first(&self) -> bool {
        self.expected.is_zero()
    }

    pub(super) fn condition(&self) -> Condition {
        let path = Path::attribute(self.attribute);
        let same = Condition::Compare(
            Operand::Path(path.clone()),
            Comparator::Eq,
            Operand::Value(Value::N(self.expected)),
        );
        let none = Condition::AttributeNotExists(path);
        match self.unversioned {
            Unversioned::No => same,
            Unversioned::Item(key) => none.and(Condition::AttributeExists(Path::attribute(key))).or(same),
            Unversioned::ItemOrNone => none.or(same),
        }
    }

    /// The version after the write.
    pub(super) fn next(&self) -> Value {
        let next = self.expected.checked_add(&Number::from(1_i64));
        Value::N(next.unwrap_or(self.expected))
    }

    /// Whether the item has the version that was read.
    pub(super) fn holds(&self, item: Option<&Item>) -> bool {
        match item.map(|item| item.get(self.attribute)) {
            Some(Some(value)) => *value == Value::N(self.expected),
            Some(None) => self.unversioned != Unversioned::No,
            None => self.unversioned == Unversioned::ItemOrNone,
        }
    }

    /// Whether the item has the version that this write, or another one in its place, has given it.
    pub(super) fn is_next(&self, item: &Item) -> bool {
        item.get(self.attribute) == Some(&self.next())
    }
}

/// The version of an item; one that was never written counts as 0.
fn version(item: &Item, attribute: &str) -> Number {
    match item.get(attribute) {
        Some(Value::N(version)) => *version,
        _ => Number::from(0_i64),
    }
}
