//! The store on disk: fjall's trees and journal, and around them what the engine needs and fjall leaves open: which
//! view is published, why writes are refused, how much memory recent writes may take. `spaces` keeps the list of
//! spaces, `guard` turns fjall's errors and panics into ours.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use fjall::{AbstractTree, CompressionType, Database, Keyspace, OwnedWriteBatch, PersistMode, Readable};
use parking_lot::{Mutex, RwLock};

use super::{
    Batch, Bounds, Bytes, Direction, KvError, KvOptions, Persist, SpaceMedium, foreign_space, guard::guarded,
    spaces::Spaces,
};

/// A store on disk.
pub(super) struct Disk {
    database: Database,
    folder: PathBuf,
    options: KvOptions,
    spaces: Spaces,
    /// What readers see. fjall's own latest view is not enough: a background flush moves it past a batch that is
    /// still waiting for its fsync, and a reader would then see that batch arrive piece by piece.
    published: RwLock<fjall::Snapshot>,
    /// Held for a whole commit, so that no batch is under way when a view is published.
    commits: Mutex<Commits>,
    /// Why writes are refused, once they are.
    poison: OnceLock<String>,
}

/// What the commits since the last look at the memtables added to them.
#[derive(Default)]
struct Commits {
    bytes_since_look: u64,
}

/// One space on disk.
pub(super) struct DiskSpace {
    keyspace: Keyspace,
    deleted: AtomicBool,
}

/// Sealed memtables of one space before its writers wait; fjall itself would stop them at four, for ever if its
/// workers have died.
const SEALED_MEMTABLES_MAX: usize = 3;
/// Table files in level 0 of one space before its writers wait, below fjall's own halt at thirty.
const LEVEL0_TABLES_MAX: usize = 24;
/// What a memtable takes for an entry beside its key and value.
const MEMTABLE_ENTRY_BYTES: u64 = 64;

impl Disk {
    pub(super) fn open(folder: &Path, options: &KvOptions) -> Result<Self, KvError> {
        super::folder::create(folder)?;
        let journal_end = super::folder::check(folder, options.journal_damage)?;
        let database = guarded("open", folder, || {
            Database::builder(folder)
                .cache_size(options.cache_bytes)
                .max_journaling_size(options.journal_bytes.max(64 * 1024 * 1024))
                .worker_threads(options.worker_threads.max(1))
                // Replaying a compressed entry compresses it again to verify its checksum: another version of the
                // compressor would make every journal look damaged.
                .journal_compression(CompressionType::None)
                .manual_journal_persist(true)
                .open()
        })?;
        let published = RwLock::new(database.snapshot());
        let spaces = Spaces::open(&database, folder, options)?;
        if let Some(end) = journal_end {
            let stored =
                spaces.keyspaces().iter().filter_map(|space| space.tree.get_highest_persisted_seqno()).max();
            end.check(stored)?;
        }
        let disk = Self {
            database,
            folder: folder.to_owned(),
            options: options.clone(),
            spaces,
            published,
            commits: Mutex::default(),
            poison: OnceLock::new(),
        };
        disk.publish();
        // What was replayed is in memtables now.
        disk.bound_memtables()?;
        Ok(disk)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn space(&self, name: &str) -> Result<Arc<DiskSpace>, KvError> {
        if let Some(space) = self.spaces.get(name) {
            return Ok(space);
        }
        let _turn = self.commits.lock();
        self.refuse_if_poisoned()?;
        self.spaces
            .create(&self.database, &self.folder, &self.options, name)
            .map_err(|error| self.poisoned_if_lasting(error))
    }

    pub(super) fn space_names(&self) -> Vec<String> {
        self.spaces.names()
    }

    pub(super) fn delete_space(&self, space: &Arc<DiskSpace>) -> Result<(), KvError> {
        let _turn = self.commits.lock();
        self.refuse_if_poisoned()?;
        if space.deleted.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.spaces
            .delete(&self.database, &self.folder, space)
            .map_err(|error| self.poisoned_if_lasting(error))
    }

    /// The view that includes every commit that has returned, and nothing of one that has not.
    pub(super) fn published(&self) -> fjall::Snapshot {
        self.published.read().clone()
    }

    pub(super) fn commit(&self, batch: Batch, persist: Persist) -> Result<(), KvError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut commits = self.commits.lock();
        self.refuse_if_poisoned()?;
        self.wait_for_room(&batch)?;
        let written = batch.bytes() as u64 + batch.len() as u64 * MEMTABLE_ENTRY_BYTES;
        let mut writes = OwnedWriteBatch::with_capacity(self.database.clone(), batch.len());
        for write in batch.writes {
            let keyspace = &disk_space(&write.space.0).keyspace;
            match write.value {
                Some(value) => writes.insert(keyspace, write.key, value),
                None => writes.remove(keyspace, write.key),
            }
        }
        // fjall writes the journal, syncs it, and only then touches the memtables: durable before visible.
        let writes = writes.durability(match persist {
            Persist::None => None,
            Persist::Buffer => Some(PersistMode::Buffer),
            Persist::Sync => Some(PersistMode::SyncData),
        });
        guarded("write the journal of", &self.folder, || writes.commit())
            .map_err(|error| self.poisoned_by(error))?;
        self.publish();
        commits.bytes_since_look += written;
        if commits.bytes_since_look >= self.options.write_buffer_bytes / 8 {
            commits.bytes_since_look = 0;
            // This batch is committed whatever happens now. A failure is remembered, and the next commit refused.
            let _ = self.bound_memtables();
        }
        Ok(())
    }

    pub(super) fn persist(&self) -> Result<(), KvError> {
        self.refuse_if_poisoned()?;
        guarded("sync the journal of", &self.folder, || self.database.persist(PersistMode::SyncData))
            .map_err(|error| self.poisoned_by(error))
    }

    pub(super) fn flush(&self) -> Result<(), KvError> {
        let _turn = self.commits.lock();
        self.refuse_if_poisoned()?;
        for keyspace in self.spaces.keyspaces() {
            self.rotate(&keyspace)?;
        }
        for keyspace in self.spaces.keyspaces() {
            self.wait_while(|| keyspace.sealed_memtable_count() > 0)?;
        }
        self.persist()?;
        self.publish();
        Ok(())
    }

    fn publish(&self) {
        let latest = self.database.snapshot();
        *self.published.write() = latest;
    }

    /// Waits before a commit for what fjall would wait for after it, because fjall does not notice that its workers
    /// have died and nobody will ever make room.
    fn wait_for_room(&self, batch: &Batch) -> Result<(), KvError> {
        let mut previous: Option<&Arc<DiskSpace>> = None;
        for write in &batch.writes {
            let space = disk_space(&write.space.0);
            if previous.is_some_and(|previous| Arc::ptr_eq(previous, space)) {
                continue;
            }
            if space.deleted.load(Ordering::Acquire) {
                return Err(KvError::SpaceDeleted { name: space.name().to_owned() });
            }
            self.wait_while(|| {
                space.keyspace.sealed_memtable_count() >= SEALED_MEMTABLES_MAX
                    || space.keyspace.l0_table_count() >= LEVEL0_TABLES_MAX
            })?;
            previous = Some(space);
        }
        Ok(())
    }

    /// Writes out the largest memtables until the active ones fill a quarter of what all may. fjall bounds each one,
    /// but not their sum, and two hundred spaces would hold two hundred of them.
    fn bound_memtables(&self) -> Result<(), KvError> {
        let mut sizes: Vec<(u64, Keyspace)> = self
            .spaces
            .keyspaces()
            .into_iter()
            .map(|keyspace| (keyspace.tree.active_memtable().size(), keyspace))
            .collect();
        let mut total: u64 = sizes.iter().map(|(size, _)| size).sum();
        if total <= self.options.write_buffer_bytes / 2 {
            return Ok(());
        }
        // What was sealed before is still in memory until it is written out. Waiting for it here, while the next half
        // fills, bounds both together.
        for (_, keyspace) in &sizes {
            self.wait_while(|| keyspace.sealed_memtable_count() > 0)?;
        }
        sizes.sort_by_key(|(size, _)| *size);
        while total > self.options.write_buffer_bytes / 4 {
            let Some((size, keyspace)) = sizes.pop() else { break };
            self.rotate(&keyspace)?;
            total -= size;
        }
        Ok(())
    }

    fn rotate(&self, keyspace: &Keyspace) -> Result<(), KvError> {
        guarded("write out", keyspace.path(), || keyspace.rotate_memtable())
            .map(|_| ())
            .map_err(|error| self.poisoned_by(error))
    }

    /// Waits for fjall's workers, but not for dead ones.
    #[expect(
        clippy::disallowed_methods,
        reason = "fjall's workers offer nothing to wait on but their counters"
    )]
    fn wait_while(&self, busy: impl Fn() -> bool) -> Result<(), KvError> {
        while busy() {
            guarded("write to", &self.folder, || self.database.persist(PersistMode::Buffer))
                .map_err(|error| self.poisoned_by(error))?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn refuse_if_poisoned(&self) -> Result<(), KvError> {
        self.poison.get().map_or(Ok(()), |cause| Err(KvError::Poisoned { cause: cause.clone() }))
    }

    /// A space that could not be created (no room, too many open files) changes nothing for the others, unless the
    /// journal failed with it or fjall was left halfway.
    fn poisoned_if_lasting(&self, error: KvError) -> KvError {
        let halfway = matches!(error, KvError::Corrupt { .. });
        if halfway || self.database.persist(PersistMode::Buffer).is_err() {
            self.poisoned_by(error)
        } else {
            error
        }
    }

    /// Remembers the first failure of a write; every later write is refused with it.
    fn poisoned_by(&self, error: KvError) -> KvError {
        let cause = match &error {
            KvError::Poisoned { cause } => cause.clone(),
            other => other.to_string(),
        };
        let first = self.poison.get_or_init(|| cause);
        match error {
            KvError::Poisoned { .. } => KvError::Poisoned { cause: first.clone() },
            other => other,
        }
    }
}

impl DiskSpace {
    pub(super) fn new(keyspace: Keyspace) -> Self {
        Self { keyspace, deleted: AtomicBool::new(false) }
    }

    pub(super) fn keyspace(&self) -> &Keyspace {
        &self.keyspace
    }

    pub(super) fn name(&self) -> &str {
        self.keyspace.name()
    }

    pub(super) fn get(&self, snapshot: &fjall::Snapshot, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        guarded("read", self.keyspace.path(), || snapshot.get(&self.keyspace, key))
    }

    pub(super) fn approximate_len(&self) -> usize {
        self.keyspace.approximate_len()
    }

    pub(super) fn disk_bytes(&self) -> u64 {
        self.keyspace.disk_space()
    }
}

/// A range of a space on disk.
pub(super) struct DiskRange {
    entries: fjall::Iter,
    direction: Direction,
    folder: PathBuf,
}

impl DiskRange {
    pub(super) fn new(
        snapshot: &fjall::Snapshot,
        space: &DiskSpace,
        bounds: Bounds<'_>,
        direction: Direction,
    ) -> Self {
        let entries = snapshot.range::<&[u8], _>(&space.keyspace, bounds);
        Self { entries, direction, folder: space.keyspace.path().to_owned() }
    }

    pub(super) fn next(&mut self) -> Option<Result<(Bytes, Bytes), KvError>> {
        let Self { entries, direction, folder } = self;
        guarded("read", folder, || {
            let next = match direction {
                Direction::Forward => entries.next(),
                Direction::Backward => entries.next_back(),
            };
            next.map(fjall::Guard::into_inner).transpose()
        })
        .transpose()
    }
}

fn disk_space(space: &SpaceMedium) -> &Arc<DiskSpace> {
    match space {
        SpaceMedium::Disk(space) => space,
        SpaceMedium::Memory(_) => foreign_space(),
    }
}
