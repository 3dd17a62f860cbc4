//! SHA-256 of things that are made of parts: each part with its kind and its length before it, so that two parts never pass
//! for two others.

use sha2::{Digest as _, Sha256};

/// A hash under way. Another way to hash would begin with another domain.
pub(crate) struct Parts(Sha256);

impl Parts {
    pub(crate) fn new(domain: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(domain);
        Self(hash)
    }

    /// One more part. What is missing is not what is empty.
    pub(crate) fn part(mut self, kind: u8, bytes: Option<&[u8]>) -> Self {
        self.0.update([kind, u8::from(bytes.is_some())]);
        let bytes = bytes.unwrap_or_default();
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    /// The hash as 64 digits.
    pub(crate) fn hex(self) -> String {
        hex(&self.0.finalize())
    }
}

/// The SHA-256 of these bytes and nothing else, as 64 digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_nothing_is_the_well_known_one() {
        assert_eq!(sha256_hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let two = |one: &[u8], other: &[u8]| Parts::new(b"d").part(1, Some(one)).part(2, Some(other)).hex();
        assert_ne!(two(b"ab", b"c"), two(b"a", b"bc"));
        assert_ne!(two(b"", b"a"), two(b"a", b""));
        assert_ne!(Parts::new(b"d").part(1, None).hex(), Parts::new(b"d").part(1, Some(b"")).hex());
        assert_ne!(Parts::new(b"d").part(1, Some(b"a")).hex(), Parts::new(b"d").part(2, Some(b"a")).hex());
        assert_ne!(Parts::new(b"d").hex(), Parts::new(b"e").hex());
    }
}
