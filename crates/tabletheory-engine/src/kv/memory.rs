//! The store in memory: one ordered map per space, each key with the versions that some snapshot may still read.
//! A reader locks one space for one step; a writer locks one space for one write; nobody waits for a long scan.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use parking_lot::{Mutex, RwLock};

use super::batch::Batch;
use super::error::KvError;
use super::range::{Bounds, Bytes, Direction, is_empty};

/// A store in memory.
#[derive(Default)]
pub(super) struct Memory {
    spaces: RwLock<BTreeMap<String, Arc<MemorySpace>>>,
    /// The number of the last commit that readers may see. Stored only by the holder of `commits`.
    visible: AtomicU64,
    /// How many live snapshots read as of each commit.
    snapshots: Mutex<BTreeMap<u64, usize>>,
    /// Taken for a whole commit, so commits are numbered in the order in which they become visible.
    commits: Mutex<Superseded>,
}

/// Keys that have versions to forget, in the order of the commits that superseded them.
type Superseded = VecDeque<(u64, Arc<MemorySpace>, Bytes)>;

/// One space in memory.
pub(super) struct MemorySpace {
    name: String,
    deleted: AtomicBool,
    entries: RwLock<BTreeMap<Bytes, Versions>>,
}

/// The values of one key by commit number, newest last; `None` is a deletion.
type Versions = Vec<(u64, Option<Bytes>)>;

impl Memory {
    pub(super) fn space(&self, name: &str) -> Arc<MemorySpace> {
        if let Some(space) = self.spaces.read().get(name) {
            return space.clone();
        }
        let mut spaces = self.spaces.write();
        spaces.entry(name.to_owned()).or_insert_with(|| Arc::new(MemorySpace::new(name))).clone()
    }

    pub(super) fn space_names(&self) -> Vec<String> {
        self.spaces.read().keys().cloned().collect()
    }

    pub(super) fn delete_space(&self, space: &Arc<MemorySpace>) {
        let mut spaces = self.spaces.write();
        if !space.deleted.swap(true, Ordering::AcqRel) {
            spaces.remove(&space.name);
        }
    }

    pub(super) fn latest(&self, space: &MemorySpace, key: &[u8]) -> Option<Bytes> {
        let entries = space.entries.read();
        // Read under the lock: versions that this number still sees cannot be forgotten before the lock is free.
        let visible = self.visible.load(Ordering::Acquire);
        visible_at(entries.get(key)?, visible).cloned()
    }

    pub(super) fn commit<S: Clone>(
        &self,
        batch: &mut Batch<S>,
        held: impl Fn(&S) -> &Arc<MemorySpace>,
    ) -> Result<(), KvError> {
        let mut superseded = self.commits.lock();
        for write in &batch.writes {
            let space = held(&write.space);
            space.refuse_if_deleted()?;
        }
        let commit = self.visible.load(Ordering::Relaxed) + 1;
        for write in batch.take() {
            let space = held(&write.space);
            space.write(commit, write.key, write.value, |key| {
                superseded.push_back((commit, space.clone(), key))
            });
        }
        self.visible.store(commit, Ordering::Release);
        self.forget(&mut superseded, commit);
        Ok(())
    }

    /// Forgets versions that neither a live snapshot nor one opened from now on can read.
    fn forget(&self, superseded: &mut Superseded, visible: u64) {
        // A snapshot registers under this lock with the number it read under it, so none older can appear later.
        let oldest = self.snapshots.lock().keys().next().copied().unwrap_or(visible);
        while superseded.front().is_some_and(|(commit, ..)| *commit <= oldest) {
            if let Some((_, space, key)) = superseded.pop_front() {
                space.forget(&key, oldest);
            }
        }
    }
}

impl MemorySpace {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), deleted: AtomicBool::new(false), entries: RwLock::default() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn refuse_if_deleted(&self) -> Result<(), KvError> {
        if self.deleted.load(Ordering::Acquire) {
            return Err(KvError::SpaceDeleted { name: self.name.clone() });
        }
        Ok(())
    }

    /// How many keys take memory, readable or not.
    #[cfg(test)]
    pub(super) fn keys_held(&self) -> usize {
        self.entries.read().len()
    }

    /// Adds a version. Calls `supersede` when something can be forgotten once no snapshot reads before `commit`.
    fn write(&self, commit: u64, key: Bytes, value: Option<Bytes>, supersede: impl FnOnce(Bytes)) {
        let mut entries = self.entries.write();
        let Some(versions) = entries.get_mut(&key) else {
            if value.is_some() {
                entries.insert(key, vec![(commit, value)]);
            }
            return;
        };
        match versions.last_mut() {
            // The same batch wrote this key before, and the last write wins.
            Some((last, slot)) if *last == commit => *slot = value,
            _ => versions.push((commit, value)),
        }
        supersede(key);
    }

    fn forget(&self, key: &[u8], oldest: u64) {
        let mut entries = self.entries.write();
        let Some(versions) = entries.get_mut(key) else { return };
        let newest_needed = versions.iter().rposition(|(commit, _)| *commit <= oldest).unwrap_or(0);
        versions.drain(..newest_needed);
        if let [(commit, None)] = versions.as_slice()
            && *commit <= oldest
        {
            entries.remove(key);
        }
    }
}

/// A view of a store in memory as of one commit.
pub(super) struct MemorySnapshot {
    memory: Arc<Memory>,
    visible: u64,
}

impl MemorySnapshot {
    pub(super) fn new(memory: Arc<Memory>) -> Self {
        let mut snapshots = memory.snapshots.lock();
        let visible = memory.visible.load(Ordering::Acquire);
        *snapshots.entry(visible).or_default() += 1;
        drop(snapshots);
        Self { memory, visible }
    }

    pub(super) fn get(&self, space: &MemorySpace, key: &[u8]) -> Option<Bytes> {
        visible_at(space.entries.read().get(key)?, self.visible).cloned()
    }
}

impl Clone for MemorySnapshot {
    fn clone(&self) -> Self {
        *self.memory.snapshots.lock().entry(self.visible).or_default() += 1;
        Self { memory: self.memory.clone(), visible: self.visible }
    }
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        let mut snapshots = self.memory.snapshots.lock();
        if let Some(count) = snapshots.get_mut(&self.visible) {
            *count -= 1;
            if *count == 0 {
                snapshots.remove(&self.visible);
            }
        }
    }
}

/// A range of a space in memory. It collects a few entries at a time, and holds no lock in between.
pub(super) struct MemoryRange {
    snapshot: MemorySnapshot,
    space: Arc<MemorySpace>,
    /// What is still to be collected.
    rest: Option<(Bound<Bytes>, Bound<Bytes>)>,
    direction: Direction,
    collected: std::vec::IntoIter<(Bytes, Bytes)>,
    step: usize,
}

/// Entries of the first step, and of the longest: a query for one item should not collect a page,
/// and a writer should not wait for one.
const STEPS: (usize, usize) = (4, 256);

impl MemoryRange {
    pub(super) fn new(
        snapshot: MemorySnapshot,
        space: Arc<MemorySpace>,
        (low, high): Bounds<'_>,
        direction: Direction,
    ) -> Self {
        let rest = Some((low.map(Bytes::from), high.map(Bytes::from)));
        Self { snapshot, space, rest, direction, collected: Vec::new().into_iter(), step: STEPS.0 }
    }

    pub(super) fn next(&mut self) -> Option<(Bytes, Bytes)> {
        loop {
            if let Some(entry) = self.collected.next() {
                return Some(entry);
            }
            let rest = self.rest.take()?;
            self.collect(rest);
        }
    }

    /// Looks at the next `step` keys of `rest`, keeps those that this snapshot sees, and notes what is left.
    fn collect(&mut self, (low, high): (Bound<Bytes>, Bound<Bytes>)) {
        let entries = self.space.entries.read();
        let mut keys = entries.range((low.clone(), high.clone()));
        let mut collected = Vec::with_capacity(self.step);
        let mut last_key = None;
        for _ in 0..self.step {
            let next = match self.direction {
                Direction::Forward => keys.next(),
                Direction::Backward => keys.next_back(),
            };
            let Some((key, versions)) = next else {
                last_key = None;
                break;
            };
            last_key = Some(key);
            if let Some(value) = visible_at(versions, self.snapshot.visible) {
                collected.push((key.clone(), value.clone()));
            }
        }
        self.rest = last_key.map(|key| match self.direction {
            Direction::Forward => (Bound::Excluded(key.clone()), high),
            Direction::Backward => (low, Bound::Excluded(key.clone())),
        });
        // The bounds may have met; an empty range of this shape is one that a map refuses to walk.
        self.rest = self.rest.take().filter(|(low, high)| !is_empty((as_slice(low), as_slice(high))));
        self.collected = collected.into_iter();
        self.step = (self.step * 4).min(STEPS.1);
    }
}

fn as_slice(bound: &Bound<Bytes>) -> Bound<&[u8]> {
    bound.as_ref().map(|key| &**key)
}

fn visible_at(versions: &Versions, visible: u64) -> Option<&Bytes> {
    let (_, value) = versions.iter().rev().find(|(commit, _)| *commit <= visible)?;
    value.as_ref()
}
