//! What the derive macros write against, in one place. Not for people: it changes with the macros.

pub use tabletheory_core::schema::KeyType;
pub use tabletheory_core::{Item, Value};

pub use crate::attribute::members::{put, put_unless_empty, take, take_or_default};
pub use crate::attribute::{Attribute, AttributeError, Fault};
pub use crate::field::{Field, IndexPart, KeyField, Managed, Plain};
pub use crate::key::{AnyPart, Key, KeyPart, KeyValue, Segment, Template};
pub use crate::model::{
    Index, IndexProjection, IndexScope, KeyAttribute, KeyFault, Lifetime, Model, ModelError, Moment, Schema,
    Version,
};
pub use crate::query::{AnySort, KeyQuery, NoSort, SortField, SortTemplate};

/// The text that names a variant of an enum.
///
/// # Errors
/// If the value is not a text.
pub fn text(value: Value) -> Result<String, AttributeError> {
    String::from_value(value)
}

/// An item, or a map.
///
/// # Errors
/// If the value is not a map.
pub fn map(value: Value) -> Result<Item, AttributeError> {
    Item::from_value(value)
}

/// A field as a part of a template.
pub fn part<T: KeyPart>(value: &T) -> &dyn AnyPart {
    value
}
