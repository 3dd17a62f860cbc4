//! The ordered key-value store that the engine stands on: named spaces of byte keys, atomic batches across spaces,
//! consistent snapshots. Two media behind one enum: `disk` (an LSM tree with a journal) and `memory`.
//! What keys and values mean, and who may write when, is the engine's business.

mod archive;
mod disk;
mod error;
mod folder;
mod guard;
mod journal;
mod memory;
mod spaces;

use std::{cmp::Ordering, fmt, ops::Bound, path::Path, sync::Arc};

pub use error::KvError;

/// Reference-counted bytes; both media store and return them without copying.
pub type Bytes = fjall::Slice;

/// The longest key, in bytes: the journal stores a key's length in 16 bits.
pub const KEY_BYTES_MAX: usize = 65_535;

/// The one key that no batch may use: it is deleted, though never there, to make a space write a new table file.
const KEY_NEVER_THERE: &[u8] = b"\xff\xff\xff\xffkv";

/// One store. Cloning is cheap and gives another handle to the same store.
///
/// A folder stays locked until every `Kv`, [`Space`] and [`Snapshot`] of it is dropped.
#[derive(Clone)]
pub struct Kv(Medium);

#[derive(Clone)]
enum Medium {
    Disk(Arc<disk::Disk>),
    Memory(Arc<memory::Memory>),
}

/// One ordered map of a store. Cloning is cheap.
#[derive(Clone)]
pub struct Space(SpaceMedium);

#[derive(Clone)]
enum SpaceMedium {
    Disk(Arc<disk::DiskSpace>),
    Memory(Arc<memory::MemorySpace>),
}

/// When a commit returns: how much of a failure its writes survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persist {
    /// The journal's bytes may still be in this process: `kill -9` may lose the last few kilobytes.
    None,
    /// The operating system has the journal's bytes: `kill -9` loses nothing, power loss may.
    Buffer,
    /// The disk has the journal's bytes, and had them before any reader could see the writes.
    Sync,
}

/// What to do when a journal holds an unreadable entry with readable ones behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JournalDamage {
    /// Refuse to open: with [`Persist::Sync`] no crash leaves such a journal, so acknowledged writes are at stake.
    #[default]
    Refuse,
    /// Keep what comes before the entry: without fsync a power loss may write a journal's pages in any order.
    KeepPrefix,
}

/// Bounds and habits of a store on disk. Memory is bounded by these, not by the data or the number of spaces.
#[derive(Clone, Debug)]
pub struct KvOptions {
    /// Blocks of table files kept in memory.
    pub cache_bytes: u64,
    /// Recent writes of one space kept in memory before they are written to a table file.
    pub memtable_bytes: u64,
    /// Recent writes of all spaces together kept in memory.
    pub write_buffer_bytes: u64,
    /// Journal files on disk before the spaces that hold them back are flushed; at least 64 MiB.
    pub journal_bytes: u64,
    /// Threads that flush and compact; at least 1.
    pub worker_threads: usize,
    /// What to do with a journal that is damaged in the middle.
    pub journal_damage: JournalDamage,
}

impl Default for KvOptions {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            cache_bytes: 32 * MIB,
            memtable_bytes: 16 * MIB,
            write_buffer_bytes: 64 * MIB,
            journal_bytes: 64 * MIB,
            worker_threads: 2,
            journal_damage: JournalDamage::Refuse,
        }
    }
}

impl Kv {
    /// Opens the store in `path`, creating the folder if needed.
    ///
    /// # Errors
    /// `Locked` when it is open elsewhere, `Corrupt` when stored bytes are damaged, `Format`, `Io`.
    pub fn open(path: &Path, options: &KvOptions) -> Result<Self, KvError> {
        disk::Disk::open(path, options).map(|disk| Self(Medium::Disk(Arc::new(disk))))
    }

    /// A new store that lives in memory and dies with its last handle.
    #[must_use]
    pub fn memory() -> Self {
        Self(Medium::Memory(Arc::default()))
    }

    /// The space called `name` (1 to 255 bytes), created if needed; durable once this returns.
    ///
    /// # Errors
    /// `Io` when it cannot be created, `Poisoned` after an earlier failure.
    pub fn space(&self, name: &str) -> Result<Space, KvError> {
        assert!((1..=255).contains(&name.len()), "a space's name has 1 to 255 bytes");
        match &self.0 {
            Medium::Disk(disk) => disk.space(name).map(SpaceMedium::Disk),
            Medium::Memory(memory) => Ok(SpaceMedium::Memory(memory.space(name))),
        }
        .map(Space)
    }

    /// The names of all spaces, in order.
    #[must_use]
    pub fn space_names(&self) -> Vec<String> {
        match &self.0 {
            Medium::Disk(disk) => disk.space_names(),
            Medium::Memory(memory) => memory.space_names(),
        }
    }

    /// Deletes a space and everything in it; durable once this returns. Its files go when its last handle is dropped:
    /// until then snapshots still read it, and writes to it are refused.
    ///
    /// # Errors
    /// `Io`, or `Poisoned` after an earlier failure.
    pub fn delete_space(&self, space: Space) -> Result<(), KvError> {
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
    pub fn get(&self, space: &Space, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        match (&self.0, &space.0) {
            (Medium::Disk(disk), SpaceMedium::Disk(space)) => space.get(&disk.published(), key),
            (Medium::Memory(memory), SpaceMedium::Memory(space)) => Ok(memory.latest(space, key)),
            _ => foreign_space(),
        }
    }

    /// A view of all spaces as of the last commit; later commits do not change it. Keep it short-lived: it holds
    /// back the removal of what was overwritten since.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(match &self.0 {
            Medium::Disk(disk) => SnapshotMedium::Disk(disk.published()),
            Medium::Memory(memory) => SnapshotMedium::Memory(memory::MemorySnapshot::new(memory.clone())),
        })
    }

    /// An empty batch.
    #[must_use]
    pub fn batch(&self) -> Batch {
        Batch::default()
    }

    /// Applies all writes of a batch, in order, at once: a reader sees all of them or none.
    ///
    /// # Errors
    /// `Io` when the journal could not be written, and then `Poisoned` for ever after; `SpaceDeleted`, and nothing
    /// was written.
    pub fn commit(&self, batch: Batch, persist: Persist) -> Result<(), KvError> {
        match &self.0 {
            Medium::Disk(disk) => disk.commit(batch, persist),
            Medium::Memory(memory) => memory.commit(batch),
        }
    }

    /// Makes every earlier commit survive power loss.
    ///
    /// # Errors
    /// `Io`, and then `Poisoned` for ever after.
    pub fn persist(&self) -> Result<(), KvError> {
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
    pub fn flush(&self) -> Result<(), KvError> {
        match &self.0 {
            Medium::Disk(disk) => disk.flush(),
            Medium::Memory(_) => Ok(()),
        }
    }

    /// About how many keys the space holds; overwritten and deleted ones may be counted too.
    #[must_use]
    pub fn approximate_len(&self, space: &Space) -> usize {
        match &space.0 {
            SpaceMedium::Disk(space) => space.approximate_len(),
            SpaceMedium::Memory(space) => space.approximate_len(),
        }
    }

    /// Bytes of the space's table files; what is still in the journal is not counted.
    #[must_use]
    pub fn disk_bytes(&self, space: &Space) -> u64 {
        match &space.0 {
            SpaceMedium::Disk(space) => space.disk_bytes(),
            SpaceMedium::Memory(_) => 0,
        }
    }
}

impl Space {
    /// The name it was opened with.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.0 {
            SpaceMedium::Disk(space) => space.name(),
            SpaceMedium::Memory(space) => space.name(),
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

/// Writes that will be applied together. The last write to a key wins.
#[derive(Debug, Default)]
pub struct Batch {
    writes: Vec<Write>,
    bytes: usize,
}

#[derive(Debug)]
struct Write {
    space: Space,
    key: Bytes,
    /// `None` deletes the key.
    value: Option<Bytes>,
}

impl Batch {
    /// Sets `key` to `value`.
    pub fn put(&mut self, space: &Space, key: impl Into<Bytes>, value: impl Into<Bytes>) {
        self.push(space, key.into(), Some(value.into()));
    }

    /// Removes `key`; removing what is not there is no error.
    pub fn delete(&mut self, space: &Space, key: impl Into<Bytes>) {
        self.push(space, key.into(), None);
    }

    /// How many writes it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.writes.len()
    }

    /// Whether it holds no write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// Bytes of all keys and values in it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, space: &Space, key: Bytes, value: Option<Bytes>) {
        assert!((1..=KEY_BYTES_MAX).contains(&key.len()), "a key has 1 to {KEY_BYTES_MAX} bytes");
        assert!(*key != *KEY_NEVER_THERE, "the key {KEY_NEVER_THERE:?} is the store's own");
        let value_bytes = value.as_ref().map_or(0, |value| value.len());
        assert!(u32::try_from(value_bytes).is_ok(), "a value's length fits 32 bits");
        self.bytes += key.len() + value_bytes;
        self.writes.push(Write { space: space.clone(), key, value });
    }
}

/// A consistent view of all spaces.
pub struct Snapshot(SnapshotMedium);

enum SnapshotMedium {
    Disk(fjall::Snapshot),
    Memory(memory::MemorySnapshot),
}

/// The order in which a range is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the smallest key up.
    Forward,
    /// From the largest key down.
    Backward,
}

/// Where a range begins and ends, in key order whatever the direction.
pub type Bounds<'key> = (Bound<&'key [u8]>, Bound<&'key [u8]>);

impl Snapshot {
    /// The value of `key` in this view.
    ///
    /// # Errors
    /// `Corrupt` or `Io`.
    pub fn get(&self, space: &Space, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        match (&self.0, &space.0) {
            (SnapshotMedium::Disk(snapshot), SpaceMedium::Disk(space)) => space.get(snapshot, key),
            (SnapshotMedium::Memory(snapshot), SpaceMedium::Memory(space)) => Ok(snapshot.get(space, key)),
            _ => foreign_space(),
        }
    }

    /// Keys and values within `bounds`, read as they are asked for.
    #[must_use]
    pub fn range(&self, space: &Space, bounds: Bounds<'_>, direction: Direction) -> Range {
        if is_empty(bounds) {
            return Range(RangeMedium::Empty);
        }
        Range(match (&self.0, &space.0) {
            (SnapshotMedium::Disk(snapshot), SpaceMedium::Disk(space)) => {
                RangeMedium::Disk(disk::DiskRange::new(snapshot, space, bounds, direction))
            }
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
pub struct Range(RangeMedium);

enum RangeMedium {
    Empty,
    Disk(disk::DiskRange),
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

/// Whether no key can lie within `bounds`. Both media want to be asked for sensible ranges only.
fn is_empty(bounds: Bounds<'_>) -> bool {
    match bounds {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
            low.cmp(high) != Ordering::Less
        }
    }
}

fn foreign_space() -> ! {
    panic!("a space is used with the store that opened it")
}

#[cfg(test)]
mod tests;
