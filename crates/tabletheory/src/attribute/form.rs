//! Forms: values of one type that are stored as another. `#[model(json)]`, `#[model(set)]`, `#[model(binary)]` and times
//! to live choose one; the field keeps its own Rust type.

use tabletheory_core::{Value, ValueType};

use super::Attribute;
use super::error::AttributeError;

/// A way to store values of the type `T`, chosen by an attribute of the field.
///
/// ```
/// use tabletheory::attribute::{Binary, Form};
/// use tabletheory_core::Value;
///
/// let bytes: Vec<u8> = vec![1, 2];
/// assert_eq!(Binary::store(&bytes)?, Value::B(vec![1, 2]));
/// assert_eq!(Form::<Vec<u8>>::into_inner(Binary(vec![1, 2])), bytes);
/// # Ok::<(), tabletheory::attribute::AttributeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` cannot be stored as `{Self}`",
    note = "`json` is for types that serde can write and read, `set` for a `Vec` of strings, numbers or `Binary`",
    note = "`binary` is for a `Vec<u8>`, and each of them for an `Option` of such a type"
)]
pub trait Form<T>: Attribute {
    /// The attribute value.
    ///
    /// # Errors
    /// If DynamoDB cannot hold it.
    fn store(value: &T) -> Result<Value, AttributeError>;

    /// Whether `omit_empty` leaves the attribute out, as [`Attribute::is_omitted`] says of the form.
    fn omits(value: &T) -> bool;

    /// The value in this form.
    fn of(value: T) -> Self;

    /// The value that the form was read for.
    fn into_inner(self) -> T;
}

/// The form of an `Option`: `None` is left out, as it is without a form. It is a type of its own so that a bare `None` can
/// only be the `None` of the field.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     #[model(binary)]
///     body: Option<Vec<u8>>,
/// }
///
/// assert_eq!(Page::BODY.set(None).into_action()?, Page::BODY.remove().into_action()?);
/// assert!(Page::BODY.set(vec![1, 2]).into_action().is_ok());
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Optional<F>(pub Option<F>);

impl<F: Attribute> Attribute for Optional<F> {
    const TYPE: Option<ValueType> = F::TYPE;

    fn to_value(&self) -> Result<Value, AttributeError> {
        self.0.to_value()
    }

    fn from_value(value: Value) -> Result<Self, AttributeError> {
        Option::from_value(value).map(Self)
    }

    fn missing() -> Option<Self> {
        Some(Self(None))
    }

    fn is_omitted(&self) -> bool {
        self.0.is_none()
    }
}

impl<T, F: Form<T>> Form<Option<T>> for Optional<F> {
    fn store(value: &Option<T>) -> Result<Value, AttributeError> {
        value.as_ref().map_or(Ok(Value::Null), F::store)
    }

    fn omits(value: &Option<T>) -> bool {
        value.is_none()
    }

    fn of(value: Option<T>) -> Self {
        Self(value.map(F::of))
    }

    fn into_inner(self) -> Option<T> {
        self.0.map(F::into_inner)
    }
}
