//! Questions about items: comparisons of fields, joined by `&`, `|` and `!`.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

use tabletheory_core::Value;
use tabletheory_core::expr::{Comparator, Condition, Operand as Side};

use super::Field;
use super::kind::{Container, Prefixed};
use super::operand::Operand;
use super::place::Place;
use super::sealed::Legible;
use crate::attribute::Attribute;
use crate::model::{Model, ModelError};

/// What an item of the model `M` is asked: a condition of a write or a filter of a read.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Lease {
///     #[model(pk)]
///     name: String,
///     token: String,
///     expires_at: u64,
/// }
///
/// let free = Lease::TOKEN.not_exists() | Lease::EXPIRES_AT.le(1_700_000_000) | Lease::TOKEN.eq("mine");
/// assert!(free.into_condition().is_ok());
/// ```
#[must_use]
pub struct Filter<M> {
    condition: Result<Condition, ModelError>,
    model: PhantomData<fn() -> M>,
}

impl<M> Filter<M> {
    fn new(condition: Result<Condition, ModelError>) -> Self {
        Self { condition, model: PhantomData }
    }

    /// The condition as the store takes it.
    ///
    /// # Errors
    /// If DynamoDB cannot hold one of its values.
    pub fn into_condition(self) -> Result<Condition, ModelError> {
        self.condition
    }

    /// Both.
    pub fn and(self, other: Self) -> Self {
        self & other
    }

    /// Either.
    pub fn or(self, other: Self) -> Self {
        self | other
    }

    fn join(self, other: Self, join: impl FnOnce(Condition, Condition) -> Condition) -> Self {
        Self::new(self.condition.and_then(|left| other.condition.map(|right| join(left, right))))
    }
}

impl<M> BitAnd for Filter<M> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.join(other, Condition::and)
    }
}

impl<M> BitOr for Filter<M> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.join(other, Condition::or)
    }
}

impl<M> Not for Filter<M> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(self.condition.map(Not::not))
    }
}

impl<M> Clone for Filter<M> {
    fn clone(&self) -> Self {
        Self::new(self.condition.clone())
    }
}

impl<M> fmt::Debug for Filter<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.condition).finish()
    }
}

impl<M: Model, T: Attribute, R, P: Place> Field<M, T, R, P> {
    /// It equals the value. `None` also equals an attribute that is missing.
    pub fn eq(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Eq, value)
    }

    /// It does not equal the value.
    pub fn ne(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Ne, value)
    }

    /// It is less.
    pub fn lt(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Lt, value)
    }

    /// It is less or equal.
    pub fn le(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Le, value)
    }

    /// It is greater.
    pub fn gt(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Gt, value)
    }

    /// It is greater or equal.
    pub fn ge(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Ge, value)
    }

    /// It lies between the two, or is one of them.
    pub fn between(self, low: impl Operand<T>, high: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        let ends = self.value(low).and_then(|low| Ok((low, self.value(high)?)));
        Filter::new(ends.map(|(low, high)| Condition::Between(self.side(), low.into(), high.into())))
    }

    /// It equals one of the values, of which DynamoDB takes a hundred.
    pub fn one_of<V: Operand<T>>(self, values: impl IntoIterator<Item = V>) -> Filter<M>
    where
        R: Legible,
    {
        let values = values.into_iter().map(|value| self.value(value).map(Side::Value));
        let condition = values.collect::<Result<Vec<_>, _>>().and_then(|values| {
            if values.is_empty() {
                Err(self.nothing("one_of"))
            } else {
                Ok(Condition::In(self.side(), values))
            }
        });
        Filter::new(condition)
    }

    /// It begins with the prefix.
    pub fn begins_with(self, prefix: impl Operand<T::Prefix>) -> Filter<M>
    where
        R: Legible,
        T: Prefixed,
    {
        Filter::new(self.value(prefix).map(|prefix| Condition::BeginsWith(self.side(), prefix.into())))
    }

    /// It contains the text, or the list or set has the member.
    pub fn contains(self, member: impl Operand<T::Member>) -> Filter<M>
    where
        R: Legible,
        T: Container,
    {
        Filter::new(self.value(member).map(|member| Condition::Contains(self.side(), member.into())))
    }

    /// The item has the attribute.
    pub fn exists(self) -> Filter<M> {
        Filter::new(Ok(Condition::AttributeExists(self.path())))
    }

    /// The item does not have the attribute.
    pub fn not_exists(self) -> Filter<M> {
        Filter::new(Ok(Condition::AttributeNotExists(self.path())))
    }

    /// Its size: bytes of a string or binary, members of a list, map or set.
    pub fn size(self) -> Size<M>
    where
        R: Legible,
    {
        Size { side: Side::Size(Box::new(self.side())), model: PhantomData }
    }

    fn side(&self) -> Side {
        Side::Path(self.path())
    }

    fn compare(self, comparator: Comparator, value: impl Operand<T>) -> Filter<M> {
        Filter::new(self.value(value).map(|value| self.comparison(comparator, value)))
    }

    /// A comparison. A model leaves `None` out, while other toolkits store the null value: `None` is both.
    fn comparison(&self, comparator: Comparator, value: Value) -> Condition {
        let nothing = value == Value::Null && T::missing().is_some();
        let comparison = Condition::Compare(self.side(), comparator, value.into());
        match comparator {
            Comparator::Eq if nothing => Condition::AttributeNotExists(self.path()).or(comparison),
            Comparator::Ne if nothing => Condition::AttributeExists(self.path()).and(comparison),
            _ => comparison,
        }
    }
}

/// The size of a field, to be compared.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Note {
///     #[model(pk)]
///     id: String,
///     text: String,
/// }
///
/// assert!(Note::TEXT.size().between(1, 1000).into_condition().is_ok());
/// ```
#[must_use]
pub struct Size<M> {
    side: Side,
    model: PhantomData<fn() -> M>,
}

impl<M> Size<M> {
    /// It equals the value.
    pub fn eq(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Eq, size)
    }

    /// It does not equal the value.
    pub fn ne(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Ne, size)
    }

    /// It is less.
    pub fn lt(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Lt, size)
    }

    /// It is less or equal.
    pub fn le(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Le, size)
    }

    /// It is greater.
    pub fn gt(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Gt, size)
    }

    /// It is greater or equal.
    pub fn ge(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Ge, size)
    }

    /// It lies between the two, or is one of them.
    pub fn between(self, low: u64, high: u64) -> Filter<M> {
        Filter::new(Ok(Condition::Between(self.side, Value::n(low).into(), Value::n(high).into())))
    }

    fn compare(self, comparator: Comparator, size: u64) -> Filter<M> {
        Filter::new(Ok(Condition::Compare(self.side, comparator, Value::n(size).into())))
    }
}

impl<M> fmt::Debug for Size<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Size").field(&self.side).finish()
    }
}
