//! The bodies in memory: bounded in bytes, variants included, whichever are asked for most.

use std::sync::{Arc, Weak};

use bytes::Bytes;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{OptionsBuilder, Weighter};
use tabletheory_core::keyed_hash::KeyedHash;

use super::content::{Body, Keeper};
use super::digest::Stored;
use super::settings::Compression;

/// Parts of the cache that are locked and bounded each on its own.
const SHARDS: usize = 4;
/// A body of a sixteenth, tripled by two variants that hardly got smaller, still fits in one of four parts.
const SHARE_OF_ONE: usize = 16;
/// What an entry takes besides bytes and pointer, generously.
const ENTRY_BYTES: usize = 512;
/// Used to guess how many entries there will be.
const USUAL_BYTES: usize = 16 << 10;

/// Bodies by pointer.
#[derive(Debug)]
pub(super) struct Hot {
    entries: Cache<Arc<str>, Entry, EntryWeight, KeyedHash>,
    body_bytes_max: usize,
    compression: Compression,
}

/// A body and the weight it was inserted with: the cache asks that an entry's weight never changes.
#[derive(Debug, Clone)]
struct Entry {
    body: Body,
    weight: u64,
}

#[derive(Debug, Clone)]
struct EntryWeight;

impl Weighter<Arc<str>, Entry> for EntryWeight {
    fn weight(&self, _: &Arc<str>, entry: &Entry) -> u64 {
        entry.weight
    }
}

impl Hot {
    /// An empty cache of at most `bytes`.
    pub(super) fn new(bytes: usize, compression: Compression) -> Arc<Self> {
        // The cache shares its room out among the shards and rounds up; the bound must hold for their sum.
        let bytes = bytes - bytes % SHARDS;
        let options = OptionsBuilder::new()
            .shards(SHARDS)
            .estimated_items_capacity((bytes / USUAL_BYTES).max(SHARDS * 32))
            .weight_capacity(bytes as u64)
            .build()
            .expect("both capacities are given");
        let (hashes, lifecycle) = (KeyedHash::default(), DefaultLifecycle::default());
        let entries = Cache::with_options(options, EntryWeight, hashes, lifecycle);
        Arc::new(Self { entries, body_bytes_max: bytes / SHARE_OF_ONE, compression })
    }

    /// The body that is kept for this pointer, if it is what is expected.
    pub(super) fn get(&self, pointer: &str, expected: Option<&Stored>) -> Option<Body> {
        let entry = self.entries.get(pointer)?;
        expected.is_none_or(|expected| entry.body.stored() == expected).then_some(entry.body)
    }

    /// A body of these bytes, kept for this pointer if it is not too large.
    pub(super) fn keep(self: &Arc<Self>, pointer: &str, bytes: Bytes, stored: Stored) -> Body {
        if bytes.len() > self.body_bytes_max {
            return self.unkept(bytes, stored);
        }
        // A copy, because the bytes may be a piece of a larger buffer that would live as long and be counted nowhere.
        let bytes = Bytes::copy_from_slice(&bytes);
        let pointer: Arc<str> = pointer.into();
        let keeper: Weak<dyn Keeper> = Arc::<Self>::downgrade(self);
        let body = Body::new(bytes, stored, self.compression, Some((keeper, Arc::clone(&pointer))));
        let entry = entry(&pointer, &body);
        self.entries.insert(pointer, entry);
        body
    }

    /// A body that is not kept here.
    pub(super) fn unkept(&self, bytes: Bytes, stored: Stored) -> Body {
        Body::new(bytes, stored, self.compression, None)
    }

    /// Lets go of what is kept for this pointer.
    pub(super) fn forget(&self, pointer: &str) {
        self.entries.remove(pointer);
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        self.entries.weight()
    }

    /// Bodies that are kept.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl Keeper for Hot {
    fn grown(&self, pointer: &Arc<str>, body: &Body) {
        if self.entries.peek(pointer).is_some_and(|entry| entry.body.is_same(body)) {
            // It may have been evicted meanwhile, or not be admitted with its new weight: then it is simply not kept.
            let _ = self.entries.replace(Arc::clone(pointer), entry(pointer, body), true);
        }
    }
}

fn entry(pointer: &str, body: &Body) -> Entry {
    Entry { body: body.clone(), weight: (body.held_bytes() + pointer.len() + ENTRY_BYTES) as u64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::body::encoding::Encoding;

    fn keep(hot: &Arc<Hot>, pointer: &str, text: String) -> Body {
        let stored = Stored::of(text.as_bytes());
        hot.keep(pointer, Bytes::from(text), stored)
    }

    #[test]
    fn a_body_is_served_only_to_who_expects_it() {
        let hot = Hot::new(1 << 20, Compression::default());
        let body = keep(&hot, "a", "one".to_owned());
        assert!(hot.get("a", None).unwrap().is_same(&body));
        assert!(hot.get("a", Some(body.stored())).unwrap().is_same(&body));
        assert!(hot.get("a", Some(&Stored::of(b"two"))).is_none());
        assert!(hot.get("b", None).is_none());
        hot.forget("a");
        assert!(hot.get("a", None).is_none());
    }

    #[test]
    fn a_large_body_is_not_kept() {
        let hot = Hot::new(1 << 20, Compression::default());
        keep(&hot, "large", "a".repeat((1 << 16) + 1));
        keep(&hot, "fits", "a".repeat(1 << 16));
        assert!(hot.get("large", None).is_none());
        assert!(hot.get("fits", None).is_some());
        for bytes in [0, 1, 100] {
            let none = Hot::new(bytes, Compression::default());
            keep(&none, "a", "one".to_owned());
            assert_eq!(none.bytes(), 0);
        }
    }

    #[test]
    fn a_variant_made_later_is_counted() {
        let hot = Hot::new(1 << 20, Compression::default());
        let body = keep(&hot, "a", "<p>".repeat(1000));
        let before = hot.bytes();
        let gzip = body.encoded(Encoding::Gzip).unwrap();
        let brotli = body.encoded(Encoding::Brotli).unwrap();
        assert_eq!(hot.bytes(), before + (gzip.len() + brotli.len()) as u64);
        assert!(hot.get("a", None).unwrap().is_same(&body));
        hot.forget("a");
        assert_eq!(hot.bytes(), 0);
    }

    #[test]
    fn a_variant_of_a_body_that_is_no_longer_kept_is_not_counted() {
        let hot = Hot::new(1 << 20, Compression::default());
        let old = keep(&hot, "a", "<p>".repeat(1000));
        keep(&hot, "a", "new".to_owned());
        let before = hot.bytes();
        assert!(old.encoded(Encoding::Gzip).is_some());
        assert_eq!(hot.bytes(), before);
        assert_eq!(hot.get("a", None).unwrap().bytes(), "new");
    }

    proptest! {
        #[test]
        fn however_bodies_and_variants_come_the_bound_holds(
            steps in proptest::collection::vec((0_u8..40, 1_usize..9000, 0_u8..4), 1..120),
        ) {
            const BOUND: usize = 128 << 10;
            let hot = Hot::new(BOUND + 3, Compression { brotli_quality: 1, ..Compression::default() });
            for (pointer, len, variants) in steps {
                let unlike = (0..len).map(|at| char::from(b"abcdefghijklmnopqrstuvw"[at * at % 23])).collect();
                let body = keep(&hot, &pointer.to_string(), unlike);
                if variants & 1 != 0 { let _ = body.encoded(Encoding::Gzip); }
                if variants & 2 != 0 { let _ = body.encoded(Encoding::Brotli); }
                prop_assert!(hot.bytes() <= BOUND as u64);
                let held: usize = hot.entries.iter().map(|(_, entry)| entry.body.held_bytes()).sum();
                prop_assert!(held as u64 <= hot.bytes());
            }
        }
    }
}
