//! What can be a key: [`KeyValue`], a whole key attribute, and [`KeyPart`], a part of a template.

use jiff::Timestamp;
use tabletheory_core::Number;
use tabletheory_core::schema::KeyType;

use crate::attribute::time::moment_text;
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

    /// Appends the text of the part to a key, and says whether there is a value. Only types that can do it without making
    /// a text of its own say how.
    ///
    /// ```
    /// use tabletheory::key::KeyPart;
    ///
    /// let mut key = "USER#".to_owned();
    /// assert!(42u64.push_to(&mut key, Some(5))?);
    /// assert_eq!(key, "USER#00042");
    /// # Ok::<(), tabletheory::model::KeyFault>(())
    /// ```
    ///
    /// # Errors
    /// As [`part`](Self::part).
    fn push_to(&self, key: &mut String, width: Option<usize>) -> Result<bool, KeyFault> {
        let part = self.part(width)?;
        key.push_str(part.as_deref().unwrap_or_default());
        Ok(part.is_some())
    }

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
/// let mut key = String::new();
/// assert!(parts[1].push_any_to(&mut key, Some(3))?);
/// assert_eq!(key, "007");
/// # Ok::<(), tabletheory::model::KeyFault>(())
/// ```
pub trait AnyPart {
    /// As [`KeyPart::push_to`].
    ///
    /// # Errors
    /// If the value has no such text.
    fn push_any_to(&self, key: &mut String, width: Option<usize>) -> Result<bool, KeyFault>;
}

impl<T: KeyPart> AnyPart for T {
    fn push_any_to(&self, key: &mut String, width: Option<usize>) -> Result<bool, KeyFault> {
        self.push_to(key, width)
    }
}

impl KeyPart for String {
    fn part(&self, _width: Option<usize>) -> Result<Option<String>, KeyFault> {
        Ok(Some(self.clone()))
    }

    fn push_to(&self, key: &mut String, _width: Option<usize>) -> Result<bool, KeyFault> {
        key.push_str(self);
        Ok(true)
    }

    fn from_part(text: &str) -> Result<Self, KeyFault> {
        Ok(text.to_owned())
    }
}

impl KeyPart for Timestamp {
    /// All moments have texts of one length, which sort as the moments do.
    fn part(&self, _width: Option<usize>) -> Result<Option<String>, KeyFault> {
        Ok(Some(moment_text(*self)))
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

    fn push_to(&self, key: &mut String, width: Option<usize>) -> Result<bool, KeyFault> {
        self.as_ref().map_or(Ok(false), |part| part.push_to(key, width))
    }

    fn from_part(text: &str) -> Result<Self, KeyFault> {
        T::from_part(text).map(Some)
    }
}

/// Appends a number, with zeros before it if it has to have so many digits.
fn push_number(key: &mut String, number: i128, width: Option<usize>) -> Result<bool, KeyFault> {
    if width.is_some() && number < 0 {
        return Err(KeyFault::Negative);
    }
    let magnitude = u64::try_from(number.unsigned_abs()).expect("the integers of keys have 64 bits");
    // All digits are found from the last to the first; u64::MAX has twenty.
    let mut digits = [b'0'; 20];
    let (mut rest, mut start) = (magnitude, digits.len());
    while rest > 0 || start == digits.len() {
        start -= 1;
        digits[start] = b"0123456789"[usize::try_from(rest % 10).expect("a digit")];
        rest /= 10;
    }
    let digits = std::str::from_utf8(&digits[start..]).expect("digits are ASCII");
    let zeros = match width {
        Some(width) => width.checked_sub(digits.len()).ok_or(KeyFault::TooWide { width })?,
        None => 0,
    };
    key.push_str(if number < 0 { "-" } else { "" });
    key.extend(std::iter::repeat_n('0', zeros));
    key.push_str(digits);
    Ok(true)
}

macro_rules! integers {
    ($($kind:ty),*) => {$(
        impl KeyPart for $kind {
            const NUMBER: bool = true;

            fn part(&self, width: Option<usize>) -> Result<Option<String>, KeyFault> {
                let mut text = String::new();
                self.push_to(&mut text, width).map(|_| Some(text))
            }

            fn push_to(&self, key: &mut String, width: Option<usize>) -> Result<bool, KeyFault> {
                push_number(key, i128::from(*self), width)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(part: impl KeyPart, width: Option<usize>, expected: Result<&str, KeyFault>) {
        let expected = expected.map(|text| Some(text.to_owned()));
        assert_eq!(part.part(width), expected);
        let mut key = "KEY#".to_owned();
        let pushed = part.push_to(&mut key, width).map(|is_there| is_there.then(|| key[4..].to_owned()));
        assert_eq!(pushed, expected);
    }

    #[test]
    fn numbers_are_written_with_as_many_digits_as_asked_for() {
        check(0u8, None, Ok("0"));
        check(0u8, Some(3), Ok("000"));
        check(u64::MAX, None, Ok("18446744073709551615"));
        check(u64::MAX, Some(25), Ok("0000018446744073709551615"));
        check(i64::MIN, None, Ok("-9223372036854775808"));
        check(-7i8, Some(3), Err(KeyFault::Negative));
        check(1000u16, Some(4), Ok("1000"));
        check(1000u16, Some(3), Err(KeyFault::TooWide { width: 3 }));
    }

    #[test]
    fn what_is_not_there_is_not_written() {
        let mut key = "KEY#".to_owned();
        assert_eq!(None::<String>.push_to(&mut key, None), Ok(false));
        assert_eq!(key, "KEY#");
        check(Some("a".to_owned()), None, Ok("a"));
        check(Timestamp::UNIX_EPOCH, None, Ok("1970-01-01T00:00:00.000000000Z"));
    }
}
