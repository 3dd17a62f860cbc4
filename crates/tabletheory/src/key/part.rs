//! What can be a key: [`KeyValue`], a whole key attribute, and [`KeyPart`], a part of a template.

use jiff::Timestamp;
use tabletheory_core::Number;
use tabletheory_core::schema::KeyType;

use crate::attribute::{Attribute, Binary, EpochSeconds, EpochTime, Optional};
use crate::model::KeyFault;

/// A type whose values can be a whole key attribute. An `Option` can be the key of an index: items without it are not in
/// the index.
///
/// ```
/// use tabletheory::key::KeyValue;
/// use tabletheory_core::schema::KeyType;
///
/// assert_eq!(String::KIND, KeyType::S);
/// assert_eq!(Option::<u64>::KIND, KeyType::N);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "a key is a string, a number or bytes",
    note = "use a `String`, an integer, `Binary` or `jiff::Timestamp`, or a template such as `pk = \"USER#{{id}}\"`"
)]
pub trait KeyValue: Attribute {
    /// The type of the key attribute.
    const KIND: KeyType;
}

/// A type whose values can be a part of a key template.
///
/// ```
/// use tabletheory::key::KeyPart;
///
/// assert_eq!(42u64.part(Some(5))?.as_deref(), Some("00042"));
/// assert_eq!(u64::from_part("00042")?, 42);
/// # Ok::<(), tabletheory::model::KeyFault>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a key template",
    label = "a part of a key is a string, an integer or a moment",
    note = "an enum without data becomes one with `#[derive(Attribute)]`, a struct around one value with `#[attribute(key)]` too"
)]
pub trait KeyPart: Sized {
    /// Whether the texts are numbers, which sort as their values do only if they are padded with zeros. The derive macro
    /// asks for the padding in sort keys.
    const NUMBER: bool = false;

    /// The text of the part, with as many digits as the template asks for, or `None` if there is no value.
    ///
    /// # Errors
    /// If the value has no such text.
    fn part(&self, width: Option<usize>) -> Result<Option<String>, KeyFault>;

    /// The value of a part.
    ///
    /// # Errors
    /// If the text is not one that [`part`](Self::part) gives.
    fn from_part(text: &str) -> Result<Self, KeyFault>;
}

/// A [`KeyPart`] of whatever type, as a template takes it.
///
/// ```
/// use tabletheory::key::AnyPart;
///
/// let parts: [&dyn AnyPart; 2] = [&"a".to_owned(), &7u8];
/// assert_eq!(parts[1].any_part(Some(3))?.as_deref(), Some("007"));
/// # Ok::<(), tabletheory::model::KeyFault>(())
/// ```
pub trait AnyPart {
    /// As [`KeyPart::part`].
    ///
    /// # Errors
    /// If the value has no such text.
    fn any_part(&self, width: Option<usize>) -> Result<Option<String>, KeyFault>;
}

impl<T: KeyPart> AnyPart for T {
    fn any_part(&self, width: Option<usize>) -> Result<Option<String>, KeyFault> {
        self.part(width)
    }
}

impl KeyPart for String {
    fn part(&self, _width: Option<usize>) -> Result<Option<String>, KeyFault> {
        Ok(Some(self.clone()))
    }

    fn from_part(text: &str) -> Result<Self, KeyFault> {
        Ok(text.to_owned())
    }
}

impl KeyPart for Timestamp {
    /// All moments have texts of one length, which sort as the moments do.
    fn part(&self, _width: Option<usize>) -> Result<Option<String>, KeyFault> {
        Ok(Some(format!("{self:.9}")))
    }

    fn from_part(text: &str) -> Result<Self, KeyFault> {
        text.parse().map_err(|_| KeyFault::Form)
    }
}

impl<T: KeyPart> KeyPart for Option<T> {
    const NUMBER: bool = T::NUMBER;

    fn part(&self, width: Option<usize>) -> Result<Option<String>, KeyFault> {
        self.as_ref().map_or(Ok(None), |part| part.part(width))
    }

    fn from_part(text: &str) -> Result<Self, KeyFault> {
        T::from_part(text).map(Some)
    }
}

fn padded(number: i128, width: Option<usize>) -> Result<Option<String>, KeyFault> {
    let Some(width) = width else { return Ok(Some(number.to_string())) };
    if number < 0 {
        return Err(KeyFault::Negative);
    }
    let text = format!("{number:0width$}");
    if text.len() > width { Err(KeyFault::TooWide { width }) } else { Ok(Some(text)) }
}

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl KeyPart for $kind {
            const NUMBER: bool = true;

            fn part(&self, width: Option<usize>) -> Result<Option<String>, KeyFault> {
                padded(i128::from(*self), width)
            }

            fn from_part(text: &str) -> Result<Self, KeyFault> {
                text.parse().map_err(|_| KeyFault::Form)
            }
        }

        impl KeyValue for $kind {
            const KIND: KeyType = KeyType::N;
        }
    )*};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl KeyValue for Number {
    const KIND: KeyType = KeyType::N;
}

impl KeyValue for String {
    const KIND: KeyType = KeyType::S;
}

impl KeyValue for Timestamp {
    const KIND: KeyType = KeyType::S;
}

impl KeyValue for Binary {
    const KIND: KeyType = KeyType::B;
}

impl<T: EpochTime> KeyValue for EpochSeconds<T> {
    const KIND: KeyType = KeyType::N;
}

impl<T: KeyValue> KeyValue for Option<T> {
    const KIND: KeyType = T::KIND;
}

impl<T: KeyValue> KeyValue for Optional<T> {
    const KIND: KeyType = T::KIND;
}
