//! A set in a `Vec`: for code that keeps its sets in vectors, as the other toolkits do.

use tabletheory_core::{Value, ValueType};

use super::Attribute;
use super::error::AttributeError;
use super::form::Form;
use super::set::{self, SetMember};

/// A `Vec` that is stored as a set: a member that is there twice is stored once, and the order is lost. An empty one is the
/// null value. It is the form of a field with `#[model(set)]`.
///
/// ```
/// use tabletheory::attribute::{Attribute, VecSet};
/// use tabletheory_core::{Number, Value};
///
/// let stored = VecSet(vec![2u8, 1, 2]).to_value()?;
/// assert_eq!(stored, Value::Ns([Number::from(1), Number::from(2)].into()));
/// assert_eq!(VecSet::<u8>::from_value(stored)?, VecSet(vec![1, 2]));
/// // The first Go toolkit wrote sets of numbers as lists.
/// assert_eq!(VecSet::<u8>::from_value(Value::L(vec![Value::n(2), Value::n(1)]))?, VecSet(vec![2, 1]));
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VecSet<T>(pub Vec<T>);

impl<T> From<Vec<T>> for VecSet<T> {
    fn from(members: Vec<T>) -> Self {
        Self(members)
    }
}

/// The set with these members.
pub(crate) fn store<T: SetMember>(members: &[T]) -> Result<Value, AttributeError> {
    if members.is_empty() { Ok(Value::Null) } else { T::set(members.iter()) }
}

impl<T: SetMember> Attribute for VecSet<T> {
    const TYPE: Option<ValueType> = T::SET;

    fn to_value(&self) -> Result<Value, AttributeError> {
        store(&self.0)
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        set::read(value).map(Self)
    }

    fn missing() -> Option<Self> {
        Some(Self(Vec::new()))
    }

    fn is_omitted(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: SetMember> Form<Vec<T>> for VecSet<T> {
    fn store(value: &Vec<T>) -> Result<Value, AttributeError> {
        store(value)
    }

    fn omits(value: &Vec<T>) -> bool {
        value.is_empty()
    }

    fn of(value: Vec<T>) -> Self {
        Self(value)
    }

    fn into_inner(self) -> Vec<T> {
        self.0
    }
}
