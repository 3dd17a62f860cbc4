//! What identifies a body's bytes: their SHA-256, and together with the length the promise that META keeps about them.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// A SHA-256, written as 64 lower-case hexadecimal digits.
///
/// ```
/// use facetheory::body::Digest;
///
/// let digest = Digest::of(b"page");
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// assert!("not a digest".parse::<Digest>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct NotADigest;

/// What META promises about a body: its SHA-256 and its length in bytes.
///
/// ```
/// use facetheory::body::{Digest, Stored};
///
/// let stored = Stored::of(b"page");
/// assert_eq!(stored, Stored { sha256: Digest::of(b"page"), len: 4 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stored {
    /// The SHA-256 of the bytes.
    pub sha256: Digest,
    /// How many bytes.
    pub len: u64,
}

impl Digest {
    /// How many digits a digest is written in.
    pub(super) const DIGITS: usize = 64;

    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A digest that was computed elsewhere.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        formatter.pad(std::str::from_utf8(&text).expect("hexadecimal digits are ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let text: &[u8; 64] = text.as_bytes().try_into().map_err(|_| NotADigest)?;
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = (nibble(pair[0])? << 4) | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

impl Stored {
    /// What would be promised about `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self { sha256: Digest::of(bytes), len: bytes.len() as u64 }
    }
}

fn nibble(digit: u8) -> Result<u8, NotADigest> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        b'A'..=b'F' => Ok(digit - b'A' + 10),
        _ => Err(NotADigest),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_digest_of_nothing_is_the_well_known_one() {
        let known = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of(b"").to_string(), known);
        assert_eq!(known.to_uppercase().parse(), Ok(Digest::of(b"")));
    }

    #[test]
    fn what_is_not_64_digits_is_no_digest() {
        for text in ["", "e3", &"g".repeat(64), &"é".repeat(32), &"0".repeat(63), &"0".repeat(65)] {
            assert_eq!(text.parse::<Digest>(), Err(NotADigest), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_digest_reads_back_as_it_was_written(bytes: [u8; 32]) {
            let digest = Digest::from_bytes(bytes);
            prop_assert_eq!(digest.to_string().parse(), Ok(digest));
        }
    }
}
