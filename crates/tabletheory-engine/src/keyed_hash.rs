//! The hash of maps in memory whose keys come from callers: row keys and table names. It is fast, because every read and
//! write computes it a few times, and it begins with a number that nobody outside knows, because callers choose the keys
//! and must not be able to choose ones that collide. Nothing stored depends on it.

use std::hash::{BuildHasher, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Begins hashes with a secret of its own.
#[derive(Debug, Clone)]
pub(crate) struct KeyedHash {
    secret: u64,
}

impl Default for KeyedHash {
    fn default() -> Self {
        // The standard library draws its keys from the operating system.
        Self { secret: RandomState::new().hash_one(0) }
    }
}

impl BuildHasher for KeyedHash {
    type Hasher = Hashed;

    fn build_hasher(&self) -> Hashed {
        Hashed(self.secret)
    }
}

/// What was hashed so far. It is the seed of what follows.
#[derive(Debug)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    /// The byte behind a text and the number before a row's key need no mixing of their own: the text before, or the key
    /// behind, is mixed.
    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 ^= number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{RowId, RowRef};

    #[test]
    fn equal_rows_hash_equal_and_others_do_not() {
        let hash = KeyedHash::default();
        let row = |rows, key: &'static [u8]| hash.hash_one(RowRef { rows, key });
        assert_eq!(row(1, b"key"), hash.hash_one(RowId { rows: 1, key: b"key".as_slice().into() }));
        assert_ne!(row(1, b"key"), row(2, b"key"));
        assert_ne!(row(1, b"key"), row(1, b"kez"));
        assert_eq!(hash.hash_one("pages"), hash.clone().hash_one(String::from("pages")));
        assert_ne!(hash.hash_one("pages"), hash.hash_one("page"));
    }

    #[test]
    fn two_maps_have_two_secrets() {
        assert_ne!(KeyedHash::default().hash_one("pages"), KeyedHash::default().hash_one("pages"));
    }
}
