//! What the derive macros write against, in one place. Not for people: it changes with the macros.

mod source;

pub use source::{Formed, InKey, Maybe, MaybeFormed, Own, Source, distinct, project};

use std::borrow::Cow;
use std::marker::PhantomData;

pub use tabletheory_core::schema::KeyType;
pub use tabletheory_core::{Item, Value, ValueType};

pub use crate::attribute::members::{
    put, put_as, put_as_unless_empty, put_unless_empty, take, take_as, take_or_default, take_or_else,
};
pub use crate::attribute::{
    Attribute, AttributeError, Binary, EpochSeconds, Fault, Form, Json, JsonText, Optional, VecSet,
};
pub use crate::field::{Field, IndexPart, KeyField, KeyOnly, Managed, Plain, Sealed};
pub use crate::key::{AnyPart, Key, KeyPart, KeyValue, Segment, Template};
pub use crate::model::{
    AttributeInfo, FromItem, Index, IndexProjection, IndexScope, KeyAttribute, KeyFault, KeyPattern,
    KeyShape, Lifetime, Model, ModelError, Moment, Schema, Version,
};
pub use crate::query::{AnySort, KeyQuery, NoSort, SortField, SortTemplate};

/// Asks a type for the type of its attributes, if it can be an attribute: the constant of the type itself comes before that of
/// [`NoType`].
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<T>);

impl<T: Attribute> TypeOf<T> {
    /// Its type.
    pub const TYPE: Option<ValueType> = T::TYPE;
}

/// What is known of a type that cannot be an attribute.
pub trait NoType {
    /// Nothing.
    const TYPE: Option<ValueType> = None;
}

impl<T> NoType for TypeOf<T> {}

/// The table of a model: the first of these environment variables that is set and not empty names it.
#[must_use]
pub fn table(variables: &[&str], otherwise: &'static str) -> Cow<'static, str> {
    let mut names = variables.iter().filter_map(|variable| std::env::var(variable).ok());
    names.find(|name| !name.is_empty()).map_or(Cow::Borrowed(otherwise), Cow::Owned)
}

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

/// Which of the models an item is, by its keys: the one whose keys say most, if they match.
#[must_use]
pub fn which(item: &Item, models: &[KeyShape]) -> Option<usize> {
    let matching = models.iter().enumerate().filter(|(_, keys)| keys.matches(item));
    matching.max_by_key(|(_, keys)| keys.constant_bytes()).map(|(at, _)| at)
}

/// Which of the models an item is, by the name that an attribute gives it.
#[must_use]
pub fn which_tagged(item: &Item, tag: &str, names: &[&str]) -> Option<usize> {
    let name = item.get(tag)?.as_s()?;
    names.iter().position(|known| *known == name)
}

/// Whether the keys of two models are the same attributes.
#[must_use]
pub const fn share_table(one: &KeyShape, other: &KeyShape) -> bool {
    one.shares_table(other)
}

/// Whether the keys of two models tell their items apart.
#[must_use]
pub const fn are_distinct(one: &KeyShape, other: &KeyShape) -> bool {
    one.is_distinct(other)
}
