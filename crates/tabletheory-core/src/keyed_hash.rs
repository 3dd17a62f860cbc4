//! The hash of maps in memory whose keys come from callers: row keys, names, addresses of pages. It is fast, because every
//! request computes it a few times, and it begins with a number that nobody outside knows, because callers choose the
//! keys and must not be able to choose ones that collide. Nothing stored depends on it.

use std::hash::{BuildHasher, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Begins hashes with a secret of its own.
///
/// ```
/// use std::collections::HashMap;
/// use tabletheory_core::keyed_hash::KeyedHash;
///
/// let mut visits: HashMap<String, u32, KeyedHash> = HashMap::default();
/// *visits.entry("/news".to_owned()).or_default() += 1;
/// assert_eq!(visits["/news"], 1);
/// ```
#[derive(Debug, Clone)]
pub struct KeyedHash {
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
pub struct Hashed(u64);

impl Hashed {
    /// Its bits are as good as random.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Takes in a number. Both halves of the product are kept: each alone would let some bits of a number reach only a few of the
    /// hash, and a number behind it could undo them.
    fn count_in(&mut self, number: u64) {
        let (low, high) = (self.0 ^ number).carrying_mul(Self::SPREAD, 0);
        self.0 = low ^ high;
    }
}

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u8(&mut self, byte: u8) {
        self.count_in(u64::from(byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.count_in(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.count_in(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::Hash;

    use super::*;

    #[test]
    fn equal_keys_hash_equal_and_others_do_not() {
        fn check<K: Hash>(hash: &KeyedHash, key: K, same: K, others: impl IntoIterator<Item = K>) {
            assert_eq!(hash.hash_one(&key), hash.clone().hash_one(same));
            for other in others {
                assert_ne!(hash.hash_one(&key), hash.hash_one(other));
            }
        }
        let hash = &KeyedHash::default();
        assert_eq!(hash.hash_one("pages"), hash.hash_one(String::from("pages")));
        check(hash, "pages", "pages", ["page", "pagez", "", "pages\0"]);
        check(hash, (1_u64, "key"), (1, "key"), [(2, "key"), (1, "kez"), (0, "key")]);
        check(hash, (1_u64, 2_u64), (1, 2), [(2, 1), (3, 0), (0, 3), (1 | 1 << 63, 2 | 1 << 31)]);
        check(hash, (1_u8, 2_u8), (1, 2), [(2, 1), (3, 0)]);
        check(hash, ("ab", "c"), ("ab", "c"), [("a", "bc"), ("abc", "")]);
        check(hash, vec![1_u8, 2], vec![1, 2], [vec![], vec![1], vec![1, 2, 0]]);
    }

    /// Tables look at the first and at the last bits.
    #[test]
    fn numbers_in_a_row_are_spread_in_all_bits() {
        let hash = KeyedHash::default();
        for shift in [0, 32, 48] {
            let seen: HashSet<u64> =
                (0..4096_u64).map(|number| hash.hash_one((number, number)) >> shift & 0xffff).collect();
            assert!(seen.len() > 3_500, "{} of 4096 behind {shift} bits", seen.len());
        }
    }

    #[test]
    fn two_maps_have_two_secrets() {
        assert_ne!(KeyedHash::default().hash_one("pages"), KeyedHash::default().hash_one("pages"));
    }
}
