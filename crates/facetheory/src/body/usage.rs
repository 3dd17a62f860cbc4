//! What bodies were used for, counted.

use std::sync::atomic::{AtomicU64, Ordering};

/// What bodies were used for since they were opened, and what is in memory now.
///
/// ```
/// use facetheory::body::{Bodies, BodyUsage};
///
/// assert_eq!(Bodies::memory().usage(), BodyUsage::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BodyUsage {
    /// Bodies put.
    pub puts: u64,
    /// Their bytes.
    pub put_bytes: u64,
    /// Times the store was read; callers who waited for one read are one read.
    pub gets: u64,
    /// Bytes that came of it.
    pub get_bytes: u64,
    /// Reads answered from memory.
    pub hot_hits: u64,
    /// Pointers that led to nothing, or were none.
    pub missing: u64,
    /// Bodies whose length or digest was not the promised one.
    pub altered: u64,
    /// Bodies and leftovers the sweep deleted.
    pub deletes: u64,
    /// Bytes in memory now.
    pub hot_bytes: u64,
    /// Bodies in memory now.
    pub hot_bodies: u64,
}

/// One number that only grows.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

/// The numbers behind [`BodyUsage`].
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) puts: Counter,
    pub(super) put_bytes: Counter,
    pub(super) gets: Counter,
    pub(super) get_bytes: Counter,
    pub(super) hot_hits: Counter,
    pub(super) missing: Counter,
    pub(super) altered: Counter,
    pub(super) deletes: Counter,
}

impl Counter {
    /// Counts `more`.
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counters {
    /// The numbers now.
    pub(super) fn usage(&self) -> BodyUsage {
        BodyUsage {
            puts: self.puts.get(),
            put_bytes: self.put_bytes.get(),
            gets: self.gets.get(),
            get_bytes: self.get_bytes.get(),
            hot_hits: self.hot_hits.get(),
            missing: self.missing.get(),
            altered: self.altered.get(),
            deletes: self.deletes.get(),
            hot_bytes: 0,
            hot_bodies: 0,
        }
    }
}
