//! What a field can be compared with or set to: its own type, a reference, a string slice for a `String`, and the inner
//! type for an `Option`.

use tabletheory_core::Value;

use crate::attribute::{Attribute, AttributeError};

/// A value for a field of the type `T`.
///
/// ```
/// use tabletheory::field::Operand;
/// use tabletheory_core::Value;
///
/// assert_eq!(Operand::<String>::operand("a")?, Value::s("a"));
/// assert_eq!(Operand::<Option<u8>>::operand(7)?, Value::n(7));
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` has no values of the type `{Self}`",
    label = "expected a `{T}`"
)]
pub trait Operand<T> {
    /// The attribute value.
    ///
    /// # Errors
    /// If DynamoDB cannot hold it.
    fn operand(self) -> Result<Value, AttributeError>;
}

impl<T: Attribute> Operand<T> for T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<T> for &T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for &T {
    fn operand(self) -> Result<Value, AttributeError> {
        self.to_value()
    }
}

impl Operand<String> for &str {
    fn operand(self) -> Result<Value, AttributeError> {
        Ok(Value::s(self))
    }
}

impl Operand<Option<String>> for &str {
    fn operand(self) -> Result<Value, AttributeError> {
        Ok(Value::s(self))
    }
}
