//! The key that a client sends with a request, checked at the door.

use std::fmt;

/// The longest key, in bytes.
///
/// ```
/// assert!(idempotent::IdempotencyKey::parse("k".repeat(idempotent::KEY_BYTES_MAX)).is_ok());
/// ```
pub const KEY_BYTES_MAX: usize = 255;

/// The key of a request: what tells its repetitions from other requests, within a [`Scope`](crate::Scope).
///
/// It is written bare or as a quoted string of RFC 9651; both are the same key.
///
/// ```
/// use idempotent::{IdempotencyKey, KeyError};
///
/// let key = IdempotencyKey::parse("\"8e03978e\"")?;
/// assert_eq!(key, IdempotencyKey::parse("8e03978e")?);
/// assert_eq!(IdempotencyKey::parse("a\nb"), Err(KeyError::ControlCharacter));
/// assert_eq!(format!("{key:?}"), "IdempotencyKey(8 bytes)");
/// # Ok::<(), KeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

/// Why a text is no key. It never tells the text.
///
/// ```
/// assert_eq!(idempotent::IdempotencyKey::parse(" "), Err(idempotent::KeyError::Empty));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// There is nothing in it.
    #[error("the idempotency key is empty")]
    Empty,
    /// It is too long.
    #[error("the idempotency key has {bytes} bytes, more than {KEY_BYTES_MAX}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// It has a character that cannot be seen.
    #[error("the idempotency key has a control character")]
    ControlCharacter,
    /// It is not UTF-8.
    #[error("the idempotency key is not UTF-8")]
    NotText,
    /// It begins with a quote and is no quoted string.
    #[error("the idempotency key begins with a quote and is not a quoted string")]
    Quotes,
}

impl IdempotencyKey {
    /// Reads the value of a header, or the identifier of a message. Blanks around it are left out.
    ///
    /// # Errors
    /// If it is empty, longer than [`KEY_BYTES_MAX`], no text, or has control characters.
    pub fn parse(value: impl AsRef<[u8]>) -> Result<Self, KeyError> {
        let value = value.as_ref();
        // Twice the longest key and its quotes: a key may consist of escapes. Nothing longer is looked at.
        if value.len() > 2 * KEY_BYTES_MAX + 2 {
            return Err(KeyError::TooLong { bytes: value.len() });
        }
        let text = std::str::from_utf8(value).map_err(|_| KeyError::NotText)?;
        let text = text.trim_matches([' ', '\t']);
        let key = match text.strip_prefix('"') {
            Some(rest) => unquoted(rest)?,
            None => text.to_owned(),
        };
        match key.len() {
            0 => Err(KeyError::Empty),
            bytes if bytes > KEY_BYTES_MAX => Err(KeyError::TooLong { bytes }),
            _ if key.chars().any(char::is_control) => Err(KeyError::ControlCharacter),
            _ => Ok(Self(key)),
        }
    }

    /// The key itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Without the key: it may be enough to see another's answer.
impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IdempotencyKey({} bytes)", self.0.len())
    }
}

/// What stands between the quotes. The first is gone already.
fn unquoted(rest: &str) -> Result<String, KeyError> {
    let mut key = String::with_capacity(rest.len());
    let mut signs = rest.chars();
    loop {
        match signs.next().ok_or(KeyError::Quotes)? {
            '"' => break,
            '\\' => match signs.next() {
                Some(sign @ ('"' | '\\')) => key.push(sign),
                _ => return Err(KeyError::Quotes),
            },
            sign => key.push(sign),
        }
    }
    // Parameters have no meaning here, and a second value would be a second key.
    if signs.as_str().is_empty() { Ok(key) } else { Err(KeyError::Quotes) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(value: &str, expected: Result<&str, KeyError>) {
        assert_eq!(
            IdempotencyKey::parse(value).as_ref().map(IdempotencyKey::as_str),
            expected.as_ref().copied()
        );
    }

    #[test]
    fn keys_are_quoted_or_bare() {
        check("abc", Ok("abc"));
        check(" abc\t", Ok("abc"));
        check("\"abc\"", Ok("abc"));
        check("\" abc \"", Ok(" abc "));
        check(r#""a\"b\\c""#, Ok(r#"a"b\c"#));
        check("a\"b", Ok("a\"b"));
        check("naïve", Ok("naïve"));
    }

    #[test]
    fn what_is_no_key_is_told_why() {
        check("", Err(KeyError::Empty));
        check("\"\"", Err(KeyError::Empty));
        check("\"abc", Err(KeyError::Quotes));
        check("\"", Err(KeyError::Quotes));
        check("\"a\"b", Err(KeyError::Quotes));
        check("\"a\";p=1", Err(KeyError::Quotes));
        check("\"a\", \"b\"", Err(KeyError::Quotes));
        check(r#""a\n""#, Err(KeyError::Quotes));
        check("a\0b", Err(KeyError::ControlCharacter));
        check("a\u{85}b", Err(KeyError::ControlCharacter));
        check("\"a\r\nb\"", Err(KeyError::ControlCharacter));
        check(&"k".repeat(255), Ok(&"k".repeat(255)));
        check(&"k".repeat(256), Err(KeyError::TooLong { bytes: 256 }));
        check(&"k".repeat(10_000), Err(KeyError::TooLong { bytes: 10_000 }));
        assert_eq!(IdempotencyKey::parse([0xff, 0xfe]), Err(KeyError::NotText));
    }

    proptest! {
        #[test]
        fn whatever_comes_a_key_is_short_and_visible(value in proptest::collection::vec(any::<u8>(), 0..600)) {
            if let Ok(key) = IdempotencyKey::parse(&value) {
                prop_assert!((1..=KEY_BYTES_MAX).contains(&key.as_str().len()));
                prop_assert!(!key.as_str().chars().any(char::is_control));
            }
        }

        #[test]
        fn quoting_a_key_does_not_change_it(text in "[ -~]{1,120}") {
            let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            let key = IdempotencyKey::parse(quoted).unwrap();
            prop_assert_eq!(key.as_str(), text);
        }
    }
}
