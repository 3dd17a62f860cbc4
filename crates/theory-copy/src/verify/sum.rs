//! Checksums of items, and sums of them. An item's checksum is the SHA-256 of its JSON, in which attributes and sets stand in order and
//! every number has one form. Sums are taken by addition, so that the order in which items are read plays no part, and by buckets
//! of keys, so that it is known where two tables differ.

use std::fmt;

use sha2::{Digest as _, Sha256};
use tabletheory_core::Item;

use super::expiry::Expiry;

/// Into how many parts the keys are divided. Two bytes of a key's checksum say which.
const BUCKETS: usize = 1 << 16;

/// The checksums of an item and of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) key: [u8; 32],
    pub(super) item: [u8; 32],
}

impl Digest {
    pub(super) fn of(item: &Item, keys: &[String]) -> Self {
        Self { key: sha256(&key_of(item, keys)), item: sha256(item) }
    }

    pub(super) fn bucket(&self) -> usize {
        usize::from(u16::from_be_bytes([self.key[0], self.key[1]]))
    }
}

/// The key of an item.
pub(super) fn key_of(item: &Item, keys: &[String]) -> Item {
    keys.iter().filter_map(|name| Some((name.as_str(), item.get(name)?.clone()))).collect()
}

fn sha256(item: &Item) -> [u8; 32] {
    let text = serde_json::to_vec(item).expect("an item has text for keys, and a vector takes every byte");
    Sha256::digest(text).into()
}

/// How many items, and the sum of their checksums.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Total {
    /// How many.
    pub items: u64,
    sum: [u64; 4],
}

impl Total {
    /// Adds a checksum, as a number of 256 bits that begins anew when it is full.
    fn add(&mut self, checksum: &[u8; 32]) {
        let mut other = Self { items: 1, sum: [0; 4] };
        for (word, bytes) in other.sum.iter_mut().zip(checksum.chunks_exact(8)) {
            *word = u64::from_be_bytes(bytes.try_into().expect("eight bytes"));
        }
        self.join(&other);
    }

    fn join(&mut self, other: &Self) {
        self.items += other.items;
        let mut carry = false;
        for (word, other) in self.sum.iter_mut().zip(other.sum).rev() {
            let (partial, first) = word.overflowing_add(other);
            let (whole, second) = partial.overflowing_add(u64::from(carry));
            *word = whole;
            carry = first || second;
        }
    }

    /// The sum, in 64 digits.
    #[must_use]
    pub fn checksum(&self) -> String {
        self.sum.iter().map(|word| format!("{word:016x}")).collect()
    }
}

impl fmt::Debug for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Total").field("items", &self.items).field("checksum", &self.checksum()).finish()
    }
}

/// The sums of a table.
#[derive(Debug)]
pub(super) struct Sums {
    buckets: Vec<Total>,
    expiring: Total,
}

impl Sums {
    pub(super) fn new() -> Self {
        Self { buckets: vec![Total::default(); BUCKETS], expiring: Total::default() }
    }

    pub(super) fn add(&mut self, expiry: Expiry<'_>, digest: &Digest, item: &Item) {
        match expiry.is_near(item) {
            true => self.expiring.add(&digest.item),
            false => self.buckets[digest.bucket()].add(&digest.item),
        }
    }

    pub(super) fn lasting(&self) -> Total {
        let mut total = Total::default();
        self.buckets.iter().for_each(|bucket| total.join(bucket));
        total
    }

    pub(super) fn expiring(&self) -> Total {
        self.expiring
    }

    /// The buckets whose sums differ.
    pub(super) fn differing(&self, other: &Self) -> Vec<usize> {
        let both = self.buckets.iter().zip(&other.buckets).enumerate();
        both.filter(|(_, (first, second))| first != second).map(|(bucket, _)| bucket).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tabletheory_core::{Timestamp, Value};

    use super::*;

    fn total(items: &[Item]) -> Total {
        let mut sums = Sums::new();
        let expiry = Expiry { attributes: &[], now: Timestamp::from_seconds(0) };
        items.iter().for_each(|item| sums.add(expiry, &Digest::of(item, &["pk".to_owned()]), item));
        sums.lasting()
    }

    fn items() -> impl Strategy<Value = Vec<Item>> {
        let item = (any::<u16>(), ".{0,8}", any::<i64>(), any::<Vec<u8>>()).prop_map(
            |(key, text, number, bytes)| {
                Item::from([
                    ("pk", Value::n(i64::from(key))),
                    ("text", Value::s(text)),
                    ("number", Value::n(number)),
                    ("list", Value::L(vec![Value::B(bytes), Value::Null])),
                ])
            },
        );
        proptest::collection::vec(item, 1..20)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_order_of_items_plays_no_part(items in items()) {
            let mut turned = items.clone();
            turned.reverse();
            prop_assert_eq!(total(&items), total(&turned));
        }

        #[test]
        fn a_change_of_any_attribute_changes_the_sum(items in items(), which in any::<prop::sample::Index>(), attribute in 0..5_usize) {
            let mut other = items.clone();
            let item = &mut other[which.index(items.len())];
            match attribute {
                0 => drop(item.insert("pk", Value::n(70_000))),
                1 => drop(item.insert("text", Value::s("another text"))),
                2 => drop(item.insert("number", Value::s("no number"))),
                3 => drop(item.remove("list")),
                _ => drop(item.insert("new", Value::Null)),
            }
            prop_assert_ne!(total(&items), total(&other));
        }
    }

    #[test]
    fn a_sum_that_is_full_begins_anew_and_carries() {
        let mut total = Total::default();
        total.add(&[0xff; 32]);
        let mut one = [0; 32];
        one[31] = 1;
        total.add(&one);
        assert_eq!(total, Total { items: 2, sum: [0; 4] });
        total.add(&[0xff; 32]);
        total.add(&[0xff; 32]);
        assert_eq!(total.checksum(), format!("{}e", "f".repeat(63)));
    }

    #[test]
    fn a_value_and_its_look_alike_have_other_sums() {
        let with = |value: Value| total(&[Item::from([("pk", Value::s("a")), ("x", value)])]);
        let text = |text: &str| Value::s(text);
        assert_ne!(with(text("1")), with(Value::n(1)));
        assert_ne!(with(Value::B(b"a".to_vec())), with(text("YQ==")));
        assert_ne!(with(Value::L(vec![text("a")])), with(Value::Ss(["a".to_owned()].into())));
        let number = |text: &str| Value::N(text.parse().unwrap());
        assert_eq!(with(number("1.00")), with(number("1")), "every number has one form");
        assert_ne!(with(number("1e125")), with(number("1e124")));
    }
}
