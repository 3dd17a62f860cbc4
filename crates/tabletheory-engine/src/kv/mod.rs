//! The ordered key-value store that the engine stands on: named spaces of byte keys, atomic batches across spaces,
//! consistent snapshots. Two media behind one enum: `disk` (an LSM tree with a journal) and `memory`.
//! What keys and values mean, and who may write when, is the engine's business.

mod archive;
mod batch;
mod closing;
mod disk;
mod emptied;
mod error;
mod folder;
mod guard;
mod journal;
mod journals;
mod keyspace;
mod memory;
mod merge;
mod noted;
mod options;
mod published;
mod range;
mod spaces;
mod sync;
mod trees;
mod worker;
mod writeback;

use std::{fmt, path::Path, sync::Arc};

pub use error::KvError;
pub(crate) use options::{JournalDamage, KvOptions, Persist};
pub(crate) use range::{Bounds, Bytes, Direction};

/// Writes that will be applied together.
pub(crate) type Batch = batch::Batch<Space>;

/// One store. Cloning is cheap and gives another handle to the same store.
///
/// A folder stays locked until every `Kv`, [`Space`] that was made, and [`Snapshot`] of it is dropped.
#[derive(Clone)]
pub(crate) struct Kv(Medium);

#[derive(Clone)]
enum Medium {
    Disk(Arc<disk::Disk>),
    Memory(Arc<memory::Memory>),
}

/// One ordered map of a store. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct Space(SpaceMedium);

#[derive(Clone)]
enum SpaceMedium {
    Disk(Arc<keyspace::DiskSpace>),
    Memory(Arc<memory::MemorySpace>),
}

impl Kv {
    /// Opens the store in `path`, creating the folder if needed.
    ///
    /// # Errors
    /// `Locked` when it is open elsewhere, `Corrupt` when stored bytes are damaged, `Format`, `Io`.
    pub(crate) fn open(path: &Path, options: &KvOptions) -> Result<Self, KvError> {
        disk::Disk::open(path, options).map(|disk| Self(Medium::Disk(Arc::new(disk))))
    }

    /// A new store that lives in memory and dies with its last handle.
    #[must_use]
    pub(crate) fn memory() -> Self {
        Self(Medium::Memory(Arc::default()))
    }

    /// The space called `name` (1 to 255 bytes), created if needed; durable once this returns.
    ///
    /// # Errors
    /// `Io` when it cannot be created, `Poisoned` after an earlier failure.
    pub(crate) fn space(&self, name: &str) -> Result<Space, KvError> {
        check_name(name);
        match &self.0 {
            Medium::Disk(disk) => disk.space(name).map(SpaceMedium::Disk),
            Medium::Memory(memory) => Ok(SpaceMedium::Memory(memory.space(name))),
        }
        .map(Space)
    }

    /// The space called `name`. If it is not there it reads as empty, and somebody [makes](Self::make) it before it is
    /// written: a space on disk costs some twenty syncs, and this is for those that many stores never need.
    #[must_use]
    pub(crate) fn late_space(&self, name: &str) -> Space {
        check_name(name);
        Space(match &self.0 {
            Medium::Disk(disk) => SpaceMedium::Disk(disk.late_space(name)),
            Medium::Memory(memory) => SpaceMedium::Memory(memory.space(name)),
        })
    }

    /// Creates a late space, unless it is there, so that it can be written; durable once this returns.
    ///
    /// # Errors
    /// As [`Kv::space`]; `SpaceDeleted`.
    pub(crate) fn make(&self, space: &Space) -> Result<(), KvError> {
        match (&self.0, &space.0) {
            (Medium::Disk(disk), SpaceMedium::Disk(space)) => disk.make(space),
            (Medium::Memory(_), SpaceMedium::Memory(space)) => space.refuse_if_deleted(),
            _ => foreign_space(),
        }
    }

    /// The names of all spaces that were created, in order.
    #[must_use]
    pub(crate) fn space_names(&self) -> Vec<String> {
        match &self.0 {
            Medium::Disk(disk) => disk.space_names(),
            Medium::Memory(memory) => memory.space_names(),
        }
    }

    /// How many more spaces may be created. It is for callers to keep to it.
    #[must_use]
    pub(crate) fn spaces_left(&self) -> usize {
        match &self.0 {
            Medium::Disk(disk) => disk.spaces_left(),
            Medium::Memory(_) => usize::MAX,
        }
    }

    /// Deletes a space and everything in it; durable once this returns. Its files go when its last handle is dropped:
    /// until then snapshots still read it, and writes to it are refused.
    ///
    /// # Errors
    /// `Io`, or `Poisoned` after an earlier failure.
    pub(crate) fn delete_space(&self, space: Space) -> Result<(), KvError> {
        match (&self.0, space.0) {
            (Medium::Disk(disk), SpaceMedium::Disk(space)) => disk.delete_space(&space),
            (Medium::Memory(memory), SpaceMedium::Memory(space)) => {
                memory.delete_space(&space);
                Ok(())
            }
            _ => foreign_space(),
        }
    }

    /// The latest committed value of `key`.
    ///
    /// # Errors
    /// `Corrupt` or `Io`.
    pub(crate) fn get(&self, space: &Space, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        match (&self.0, &space.0) {
            (Medium::Disk(disk), SpaceMedium::Disk(space)) => space.get(&disk.view(), key),
            (Medium::Memory(memory), SpaceMedium::Memory(space)) => Ok(memory.latest(space, key)),
            _ => foreign_space(),
        }
    }

    /// A view of all spaces as of the last commit; later commits do not change it. Keep it short-lived: it holds
    /// back the removal of what was overwritten since.
    #[must_use]
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot(match &self.0 {
            Medium::Disk(disk) => SnapshotMedium::Disk(disk.view()),
            Medium::Memory(memory) => SnapshotMedium::Memory(memory::MemorySnapshot::new(memory.clone())),
        })
    }

    /// Applies all writes of a batch, in order, at once: a reader sees all of them or none. Then the batch is empty.
    ///
    /// # Errors
    /// `Io` when the journal could not be written, and then `Poisoned` for ever after; `SpaceDeleted`, and nothing
    /// was written.
    pub(crate) fn commit(&self, batch: &mut Batch, persist: Persist) -> Result<(), KvError> {
        match &self.0 {
            Medium::Disk(disk) => disk.commit(batch, Space::on_disk, persist),
            Medium::Memory(memory) => memory.commit(batch, Space::in_memory),
        }
    }

    /// Makes every earlier commit survive power loss.
    ///
    /// # Errors
    /// `Io`, and then `Poisoned` for ever after.
    pub(crate) fn persist(&self) -> Result<(), KvError> {
        match &self.0 {
            Medium::Disk(disk) => disk.persist(),
            Medium::Memory(_) => Ok(()),
        }
    }

    /// Writes everything out of the journal into table files and waits for it, so that the next opening replays
    /// nothing. Meant for a clean close.
    ///
    /// # Errors
    /// `Io`, or `Poisoned` when writing out failed.
    pub(crate) fn flush(&self) -> Result<(), KvError> {
        match &self.0 {
            Medium::Disk(disk) => disk.flush(),
            Medium::Memory(_) => Ok(()),
        }
    }
}

impl Space {
    /// The name it was opened with.
    #[must_use]
    pub(crate) fn name(&self) -> &str {
        match &self.0 {
            SpaceMedium::Disk(space) => space.name(),
            SpaceMedium::Memory(space) => space.name(),
        }
    }

    fn on_disk(&self) -> &Arc<keyspace::DiskSpace> {
        match &self.0 {
            SpaceMedium::Disk(space) => space,
            SpaceMedium::Memory(_) => foreign_space(),
        }
    }

    fn in_memory(&self) -> &Arc<memory::MemorySpace> {
        match &self.0 {
            SpaceMedium::Memory(space) => space,
            SpaceMedium::Disk(_) => foreign_space(),
        }
    }
}

impl fmt::Debug for Kv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Medium::Disk(disk) => f.debug_tuple("Kv").field(&disk.folder()).finish(),
            Medium::Memory(_) => f.write_str("Kv(memory)"),
        }
    }
}

impl fmt::Debug for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Space").field(&self.name()).finish()
    }
}

/// A consistent view of all spaces.
pub(crate) struct Snapshot(SnapshotMedium);

enum SnapshotMedium {
    Disk(published::View),
    Memory(memory::MemorySnapshot),
}

impl Snapshot {
    /// The value of `key` in this view.
    ///
    /// # Errors
    /// `Corrupt` or `Io`.
    pub(crate) fn get(&self, space: &Space, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        match (&self.0, &space.0) {
            (SnapshotMedium::Disk(snapshot), SpaceMedium::Disk(space)) => space.get(snapshot, key),
            (SnapshotMedium::Memory(snapshot), SpaceMedium::Memory(space)) => Ok(snapshot.get(space, key)),
            _ => foreign_space(),
        }
    }

    /// Keys and values within `bounds`, read as they are asked for.
    #[must_use]
    pub(crate) fn range(&self, space: &Space, bounds: Bounds<'_>, direction: Direction) -> Range {
        if range::is_empty(bounds) {
            return Range(RangeMedium::Empty);
        }
        Range(match (&self.0, &space.0) {
            (SnapshotMedium::Disk(snapshot), SpaceMedium::Disk(space)) => match space.keyspace() {
                Some(keyspace) => {
                    RangeMedium::Disk(keyspace::DiskRange::new(snapshot, keyspace, bounds, direction))
                }
                None => RangeMedium::Empty,
            },
            (SnapshotMedium::Memory(snapshot), SpaceMedium::Memory(space)) => RangeMedium::Memory(
                memory::MemoryRange::new(snapshot.clone(), space.clone(), bounds, direction),
            ),
            _ => foreign_space(),
        })
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}

/// Keys and values of one range, in its direction. It keeps its snapshot alive, and ends after the first error.
pub(crate) struct Range(RangeMedium);

enum RangeMedium {
    Empty,
    Disk(keyspace::DiskRange),
    Memory(memory::MemoryRange),
}

impl Iterator for Range {
    type Item = Result<(Bytes, Bytes), KvError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            RangeMedium::Empty => None,
            RangeMedium::Memory(range) => range.next().map(Ok),
            RangeMedium::Disk(range) => {
                let next = range.next();
                if matches!(next, Some(Err(_))) {
                    // An iterator over damaged blocks may not stand where it says; nothing after is trustworthy.
                    self.0 = RangeMedium::Empty;
                }
                next
            }
        }
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").finish_non_exhaustive()
    }
}

fn check_name(name: &str) {
    assert!((1..=255).contains(&name.len()), "a space's name has 1 to 255 bytes");
}

fn foreign_space() -> ! {
    panic!("a space is used with the store that opened it")
}

#[cfg(test)]
mod tests;
