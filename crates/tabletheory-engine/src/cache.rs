//! Hot rows in memory, bounded in bytes, never behind the truth.
//!
//! A writer *holds* the rows of its group before the commit and *publishes* them after it. While a row is held, readers
//! go to the storage, so two rows of one transaction are never seen half old and half new. A reader that loads a row
//! keeps a placeholder; a writer replaces it, and the late reader's value is dropped.
//!
//! Most groups write one row. That one is held by its hash beside the cache, which costs less than an entry: a reader that finds
//! it unheld has begun before the commit, and may see what was there before it.
//!
//! Rows that queries visit together are kept together, too: `run`. Whether a commit has changed them is told by `stamp`.

mod run;
mod stamp;

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::sync::{Cache, GuardResult};
use quick_cache::{Equivalent, Lifecycle, OptionsBuilder, Weighter};
use tabletheory_core::keyed_hash::KeyedHash;

use crate::kv::Bytes;

use run::{Draft, Mark, Missed, Run};
use stamp::Stamps;

pub(crate) use run::{Asked, Known};
pub(crate) use stamp::Slot;

/// Which row: the number of its table's or index's rows, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowId {
    pub rows: u64,
    pub key: Bytes,
}

impl Hash for RowId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        RowRef::from(self).hash(state);
    }
}

/// A [`RowId`] that owns nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowRef<'a> {
    pub rows: u64,
    pub key: &'a [u8],
}

impl Hash for RowRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.rows);
        state.write(self.key);
    }
}

impl RowRef<'_> {
    /// Whether this is that row.
    pub(crate) fn is(self, id: &RowId) -> bool {
        self.rows == id.rows && *self.key == *id.key
    }
}

impl Equivalent<RowId> for RowRef<'_> {
    fn equivalent(&self, id: &RowId) -> bool {
        self.is(id)
    }
}

impl<'a> From<&'a RowId> for RowRef<'a> {
    fn from(id: &'a RowId) -> Self {
        Self { rows: id.rows, key: &id.key }
    }
}

impl From<RowRef<'_>> for RowId {
    fn from(row: RowRef<'_>) -> Self {
        Self { rows: row.rows, key: row.key.into() }
    }
}

#[derive(Debug, Clone)]
enum Cached {
    /// A commit is under way: ask the storage.
    Held,
    Absent,
    Present(Bytes),
    /// Rows that lie side by side.
    Run(Arc<Run>),
}

#[derive(Debug, Clone)]
struct WeighBytes;

impl Weighter<RowId, Cached> for WeighBytes {
    fn weight(&self, id: &RowId, cached: &Cached) -> u64 {
        // What an entry takes besides its bytes, roughly: two reference counts and the cache's own bookkeeping.
        const OVERHEAD_BYTES: usize = 96;
        let value = match cached {
            Cached::Present(bytes) => bytes.len(),
            Cached::Run(run) => run.weight(),
            Cached::Held | Cached::Absent => 0,
        };
        u64::try_from(OVERHEAD_BYTES + id.key.len() + value).unwrap_or(u64::MAX)
    }
}

/// Rows that are held must not be evicted: a reader would then put the old value back.
#[derive(Debug, Clone)]
struct KeepHeld;

impl Lifecycle<RowId, Cached> for KeepHeld {
    type RequestState = ();

    fn is_pinned(&self, _: &RowId, cached: &Cached) -> bool {
        matches!(cached, Cached::Held)
    }
}

/// The cache.
#[derive(Debug)]
pub(crate) struct RowCache {
    rows: Cache<RowId, Cached, WeighBytes, KeyedHash, KeepHeld>,
    /// The hash of the row that is held alone, or nothing.
    held_alone: AtomicU64,
    hash: KeyedHash,
    stamps: Stamps,
    missed: Missed,
}

/// Runs are numbered like the rows they are of, with this bit, which no number of rows has.
const OF_RUNS: u64 = 1 << 63;

/// No row is held alone: no row's hash is this.
const NONE_ALONE: u64 = 0;

impl RowCache {
    /// A cache of at most `bytes`.
    pub(crate) fn new(bytes: u64) -> Self {
        // Items are a few hundred bytes; the estimate only sizes the first tables.
        let estimated = usize::try_from(bytes / 512).unwrap_or(usize::MAX).clamp(16, 1 << 20);
        let options = OptionsBuilder::new()
            .estimated_items_capacity(estimated)
            .weight_capacity(bytes)
            .build()
            .expect("both capacities are given");
        let hash = KeyedHash::default();
        Self {
            rows: Cache::with_options(options, WeighBytes, hash.clone(), KeepHeld),
            held_alone: AtomicU64::new(NONE_ALONE),
            hash,
            stamps: Stamps::default(),
            missed: Missed::default(),
        }
    }

    /// The row, from the cache or from `load`.
    pub(crate) fn get<E>(
        &self,
        row: RowRef<'_>,
        load: impl FnOnce() -> Result<Option<Bytes>, E>,
    ) -> Result<Option<Bytes>, E> {
        // Before the cache is looked at: what it says afterwards is then no older than the last commit that anybody could see.
        let held_alone = self.held_alone.load(Ordering::Acquire);
        if held_alone != NONE_ALONE && held_alone == self.mark(row) {
            return load();
        }
        match self.rows.get(&row) {
            Some(Cached::Present(bytes)) => return Ok(Some(bytes)),
            Some(Cached::Absent) => return Ok(None),
            Some(Cached::Held | Cached::Run(_)) => return load(),
            None => {}
        }
        match self.rows.get_value_or_guard(&RowId::from(row), None) {
            GuardResult::Value(Cached::Present(bytes)) => Ok(Some(bytes)),
            GuardResult::Value(Cached::Absent) => Ok(None),
            GuardResult::Value(Cached::Held | Cached::Run(_)) | GuardResult::Timeout => load(),
            GuardResult::Guard(guard) => {
                // A copy, because the bytes are a piece of a block that would live as long and be counted nowhere.
                let loaded = load()?.map(|bytes| Bytes::from(&*bytes));
                // A refusal means that a writer has been here since: its value is the newer one.
                let _ = guard.insert(cached(loaded.clone()));
                Ok(loaded)
            }
        }
    }

    /// Readers go to the storage for this row until it is published, and for runs of the partition that it is in. Those of one
    /// commit are held at once, and published or left before others are held.
    pub(crate) fn hold(&self, id: &RowId) {
        self.stamps.begin(Slot::of_row(id.rows, &id.key));
        self.rows.insert(id.clone(), Cached::Held);
    }

    /// As [`hold`](Self::hold), for the one row of a commit that has no other.
    pub(crate) fn hold_alone(&self, id: &RowId) {
        self.stamps.begin(Slot::of_row(id.rows, &id.key));
        self.held_alone.store(self.mark(id.into()), Ordering::Release);
    }

    /// Readers go to the storage for runs of these partitions, of which a commit changes rows that are only in runs.
    pub(crate) fn hold_runs(&self, slots: &[Slot]) {
        slots.iter().for_each(|slot| self.stamps.begin(*slot));
    }

    /// The commit is done.
    pub(crate) fn publish_runs(&self, slots: &[Slot]) {
        slots.iter().for_each(|slot| self.stamps.end(*slot));
    }

    /// The row is this from now on, and its commit can be seen by all who read the storage. Its bytes are its own, as those of every
    /// row that was just encoded are: a piece of something larger would keep all of that in memory.
    pub(crate) fn publish(&self, id: RowId, row: Option<Bytes>) {
        self.stamps.end(Slot::of_row(id.rows, &id.key));
        let row = cached(row);
        // What is too large for the cache would leave the placeholder of a reader that loads what was there before.
        if WeighBytes.weight(&id, &row) > self.entry_weight_max() {
            self.rows.remove(&id);
        }
        self.rows.insert(id, row);
        self.held_alone.store(NONE_ALONE, Ordering::Release);
    }

    /// What is known of the rows that a page visits.
    pub(crate) fn known(&self, page: Asked<'_>) -> Known {
        let Some((slot, key)) = page.key() else { return Known::TooLittle(None) };
        // Before a snapshot is taken: it has to be as new as the stamp.
        let Some(stamp) = self.stamps.settled(slot) else { return Known::TooLittle(None) };
        let id = RowRef { rows: page.rows | OF_RUNS, key: &key };
        if let Some(Cached::Run(run)) = self.rows.get(&id) {
            if run.stamp == stamp {
                return Known::Run(run);
            }
            // Nobody will be answered with it any more.
            self.rows.remove(&id);
        }
        let mark = Mark::of(self.hash.hash_one(id), stamp);
        if !self.missed.is_second(mark) {
            return Known::TooLittle(None);
        }
        let draft = Draft::new((id.rows, key), mark, (slot, stamp), self.entry_weight_max());
        Known::TooLittle(Some(draft))
    }

    /// Keeps the rows of a page that was read to its end, unless something was written meanwhile.
    pub(crate) fn keep(&self, mut draft: Draft) {
        if self.stamps.settled(draft.slot) == Some(draft.stamp) {
            let id = RowId { rows: draft.rows, key: std::mem::take(&mut draft.key).into() };
            self.rows.insert(id, Cached::Run(Arc::new(draft.into())));
        }
    }

    /// Makes no draft of this page again, until something is written.
    pub(crate) fn give_up(&self, draft: &Draft) {
        self.missed.give_up(draft.mark);
    }

    /// What weighs more may not be kept by the cache, whose parts are filled each for itself.
    fn entry_weight_max(&self) -> u64 {
        self.rows.shard_capacity() / 2
    }

    fn mark(&self, row: RowRef<'_>) -> u64 {
        self.hash.hash_one(row).max(NONE_ALONE + 1)
    }
}

fn cached(row: Option<Bytes>) -> Cached {
    row.map_or(Cached::Absent, Cached::Present)
}

#[cfg(test)]
mod tests;
