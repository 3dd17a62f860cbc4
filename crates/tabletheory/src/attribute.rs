//! Rust values as attribute values and back. [`Attribute`] is implemented for the types people put into models; reading
//! also understands what the Go, TypeScript and Python toolkits wrote, in their older forms too.

mod binary;
mod collection;
mod error;
mod form;
mod json;
pub(crate) mod members;
mod scalar;
mod seconds;
mod set;
#[cfg(test)]
mod tests;
pub(crate) mod time;
pub(crate) mod vec_set;

pub use binary::Binary;
pub use error::{AttributeError, Fault, Step};
pub use form::{Form, Optional};
pub use json::{Json, JsonText};
pub use seconds::{EpochSeconds, EpochTime};
pub use set::SetMember;
pub use vec_set::VecSet;

use tabletheory_core::{Value, ValueType};

/// A type that can be the value of an attribute.
///
/// ```
/// use tabletheory::attribute::Attribute;
/// use tabletheory_core::Value;
///
/// assert_eq!(vec!["a".to_owned()].to_value()?, Value::L(vec![Value::s("a")]));
/// assert_eq!(u8::from_value(Value::n(200))?, 200);
/// assert_eq!(Option::<u8>::from_value(Value::Null)?, None);
///
/// let error = u8::from_value(Value::n(300)).unwrap_err();
/// assert_eq!(error.to_string(), "the number does not fit into u8");
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of an attribute",
    note = "strings, numbers, booleans, `Binary`, times, `Option`, `Vec`, maps with string keys and sets can",
    note = "a struct or an enum of your own becomes one with `#[derive(Attribute)]`",
    note = "a field whose type serde can write and read is stored with `#[model(json)]`"
)]
pub trait Attribute: Sized {
    /// The type of the attribute, if it is always the same. Documents about a model need it.
    ///
    /// ```
    /// use tabletheory::attribute::Attribute;
    /// use tabletheory_core::{Value, ValueType};
    ///
    /// assert_eq!(Option::<u8>::TYPE, Some(ValueType::N));
    /// assert_eq!(Value::TYPE, None);
    /// ```
    const TYPE: Option<ValueType> = None;

    /// The attribute value.
    ///
    /// # Errors
    /// If DynamoDB cannot hold it, such as a number that is not finite.
    fn to_value(&self) -> Result<Value, AttributeError>;

    /// The Rust value.
    ///
    /// # Errors
    /// If the attribute has another type or does not fit. The error says where, and never what the value is.
    fn from_value(value: Value) -> Result<Self, AttributeError>;

    /// What a missing attribute means, if that is not an error.
    ///
    /// ```
    /// use tabletheory::attribute::Attribute;
    ///
    /// assert_eq!(Option::<u8>::missing(), Some(None));
    /// assert_eq!(u8::missing(), None);
    /// ```
    #[must_use]
    fn missing() -> Option<Self> {
        None
    }

    /// Whether `omit_empty` leaves the attribute out: no text, zero, `false`, nothing in it. A structure is never empty.
    ///
    /// ```
    /// use tabletheory::attribute::Attribute;
    ///
    /// assert!(String::new().is_omitted() && 0.is_omitted() && false.is_omitted());
    /// assert!(!Some(0).is_omitted() && !"0".to_owned().is_omitted());
    /// ```
    #[must_use]
    fn is_omitted(&self) -> bool {
        false
    }
}
