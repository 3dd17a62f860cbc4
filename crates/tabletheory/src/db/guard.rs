//! The guard of a versioned item: a write is refused unless the version is still the one that was read.

use tabletheory_core::expr::{Comparator, Condition, Operand, Path};
use tabletheory_core::{Item, Number, Value};

use crate::model::Schema;

/// The version that must still be there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guard {
    attribute: &'static str,
    expected: Number,
    /// Whether an item that does not exist, or was never given a version, will do.
    or_none: bool,
}

impl Guard {
    /// The guard for an item with this version.
    pub(super) fn expecting(attribute: &'static str, expected: Number) -> Self {
        Self { attribute, expected, or_none: false }
    }

    /// The guard for a value that was read, if its model has a version.
    pub(super) fn of(schema: &Schema, value: &Item) -> Option<Self> {
        let attribute = schema.version?;
        Some(Self::expecting(attribute, version(value, attribute)))
    }

    /// For a value that may be new: version 0 is also that of an item that does not exist.
    pub(super) fn or_new(mut self) -> Self {
        self.or_none = self.expected.is_zero();
        self
    }

    pub(super) fn condition(&self) -> Condition {
        let path = Path::attribute(self.attribute);
        let same = Condition::Compare(
            Operand::Path(path.clone()),
            Comparator::Eq,
            Operand::Value(Value::N(self.expected)),
        );
        if self.or_none { Condition::AttributeNotExists(path).or(same) } else { same }
    }

    /// The version after the write.
    pub(super) fn next(&self) -> Value {
        let next = self.expected.checked_add(&Number::from(1_i64));
        Value::N(next.unwrap_or(self.expected))
    }

    /// Whether the item has the version that was read.
    pub(super) fn holds(&self, item: Option<&Item>) -> bool {
        match item.and_then(|item| item.get(self.attribute)) {
            Some(value) => *value == Value::N(self.expected),
            None => self.or_none,
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
