//! The store on disk: fjall's trees and journal, and around them what the engine needs and fjall leaves open: which
//! view is published, why writes are refused, how much memory recent writes may take. `spaces` keeps the list of
//! spaces, `guard` turns fjall's errors and panics into ours.

use std::{
    path::Path,
    sync::{Arc, OnceLock, atomic::Ordering},
    time::Duration,
};

use fjall::{AbstractTree, CompressionType, Database, Keyspace, OwnedWriteBatch, PersistMode};
use parking_lot::Mutex;

use super::batch::Batch;
use super::closing::Closing;
use super::error::KvError;
use super::folder;
use super::guard::guarded;
use super::keyspace::DiskSpace;
use super::options::{KvOptions, Persist};
use super::published::{Published, View};
use super::range::KEY_NEVER_THERE;
use super::spaces::Spaces;
use super::sync::JournalSync;

/// A store on disk.
pub(super) struct Disk {
    database: Database,
    options: KvOptions,
    spaces: Spaces,
    published: Published,
    /// Held for a whole commit, so that no batch is under way when a view is published.
    commits: Mutex<Commits>,
    journal_sync: JournalSync,
    /// Why writes are refused, once they are.
    poison: OnceLock<String>,
    /// The last field, because fields are dropped in order and fjall must have let go of the folder before.
    closing: Arc<Closing>,
}

/// What the commits since the last look at the memtables added to them.
#[derive(Default)]
struct Commits {
    bytes_since_look: u64,
}

/// Sealed memtables of one space before its writers wait; fjall itself would stop them at four, for ever if its
/// workers have died.
const SEALED_MEMTABLES_MAX: usize = 3;
/// Table files in level 0 of one space before its writers wait, below fjall's own halt at thirty.
const LEVEL0_TABLES_MAX: usize = 24;
/// Journal files, beside those that the options allow, before something is done about them.
const JOURNALS_SPARE: u64 = 3;
/// Where fjall rotates a journal.
const JOURNAL_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// What a memtable takes for an entry beside its key and value.
const MEMTABLE_ENTRY_BYTES: u64 = 64;

impl Disk {
    pub(super) fn open(path: &Path, options: &KvOptions) -> Result<Self, KvError> {
        folder::create(path)?;
        let journal_end = folder::check(path, options.journal_damage)?;
        let database = guarded("open", path, || {
            Database::builder(path)
                .cache_size(options.cache_bytes)
                .max_journaling_size(options.journal_bytes.max(JOURNAL_FILE_BYTES))
                .worker_threads(options.worker_threads.max(1))
                // Replaying a compressed entry compresses it again to verify its checksum: another version of the
                // compressor would make every journal look damaged.
                .journal_compression(CompressionType::None)
                .manual_journal_persist(true)
                .open()
        })?;
        let closing = Arc::new(Closing::new(path));
        let spaces = Spaces::open(&database, options, &closing)?;
        if let Some(end) = journal_end {
            let keyspaces = spaces.keyspaces();
            end.check(keyspaces.iter().filter_map(|space| space.tree.get_highest_persisted_seqno()).max())?;
        }
        let disk = Self {
            spaces,
            published: Published::new(&database),
            database,
            options: options.clone(),
            commits: Mutex::default(),
            journal_sync: JournalSync::default(),
            poison: OnceLock::new(),
            closing,
        };
        // What was replayed is in memtables now.
        disk.bound_memtables()?;
        Ok(disk)
    }

    pub(super) fn folder(&self) -> &Path {
        self.closing.folder()
    }

    pub(super) fn space(&self, name: &str) -> Result<Arc<DiskSpace>, KvError> {
        let space = self.spaces.get(name);
        if space.keyspace().is_some() {
            return Ok(space);
        }
        let _turn = self.commits.lock();
        self.refuse_if_poisoned()?;
        // The one from before may have been deleted meanwhile.
        let space = self.spaces.get(name);
        self.make_in_turn(&space)?;
        Ok(space)
    }

    pub(super) fn late_space(&self, name: &str) -> Arc<DiskSpace> {
        self.spaces.get(name)
    }

    pub(super) fn make(&self, space: &DiskSpace) -> Result<(), KvError> {
        if space.keyspace().is_some() {
            return Ok(());
        }
        let _turn = self.commits.lock();
        self.refuse_if_poisoned()?;
        if space.deleted.load(Ordering::Acquire) {
            return Err(KvError::SpaceDeleted { name: space.name().to_owned() });
        }
        self.make_in_turn(space)
    }

    /// Creates the files of a space. The caller has the turn to commit.
    fn make_in_turn(&self, space: &DiskSpace) -> Result<(), KvError> {
        self.closing.is_flushed.store(false, Ordering::Release);
        self.spaces.make(space).map_err(|error| self.poisoned_if_lasting(error))
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
        self.closing.is_flushed.store(false, Ordering::Release);
        self.spaces.delete(space).map_err(|error| self.poisoned_if_lasting(error))
    }

    /// The view that includes every commit that has returned, and nothing of one that has not.
    pub(super) fn view(&self) -> View {
        self.published.view()
    }

    pub(super) fn commit<S: Clone>(
        &self,
        batch: &mut Batch<S>,
        held: impl Fn(&S) -> &Arc<DiskSpace>,
        persist: Persist,
    ) -> Result<(), KvError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut commits = self.commits.lock();
        self.refuse_if_poisoned()?;
        self.wait_for_room(batch, &held)?;
        self.closing.is_flushed.store(false, Ordering::Release);
        let written = batch.bytes() as u64 + batch.len() as u64 * MEMTABLE_ENTRY_BYTES;
        guarded("write the journal of", self.folder(), || self.write(batch, held, persist))
            .map_err(|error| self.poisoned_by(error))?;
        self.published.advance(&self.database, written);
        commits.bytes_since_look += written;
        if commits.bytes_since_look >= self.options.write_buffer_bytes / 8 {
            commits.bytes_since_look = 0;
            // This batch is committed whatever happens now. A failure is remembered, and the next commit refused.
            let _ = self.bound_memtables().and_then(|()| self.bound_journals());
        }
        Ok(())
    }

    /// fjall writes the journal, syncs it, and only then touches the memtables: durable before visible.
    fn write<S: Clone>(
        &self,
        batch: &mut Batch<S>,
        held: impl Fn(&S) -> &Arc<DiskSpace>,
        persist: Persist,
    ) -> fjall::Result<()> {
        // A single write that nobody waits for the disk with has the same bytes in the journal as a batch of one, and
        // needs no bookkeeping about which spaces a batch touches.
        if persist == Persist::None
            && batch.len() == 1
            && let Some(write) = batch.take().next()
        {
            let space = held(&write.space);
            return match write.value {
                Some(value) => space.made().insert(write.key, value),
                None => space.made().remove(write.key),
            };
        }
        let mut writes = OwnedWriteBatch::with_capacity(self.database.clone(), batch.len());
        for write in batch.take() {
            let space = held(&write.space);
            match write.value {
                Some(value) => writes.insert(space.made(), write.key, value),
                None => writes.remove(space.made(), write.key),
            }
        }
        let mode = match persist {
            Persist::None => None,
            Persist::Buffer => Some(PersistMode::Buffer),
            Persist::Sync => Some(PersistMode::SyncData),
        };
        writes.durability(mode).commit()
    }

    pub(super) fn persist(&self) -> Result<(), KvError> {
        self.refuse_if_poisoned()?;
        // What fjall still holds itself goes to the operating system first, and from there to the disk.
        guarded("write the journal of", self.folder(), || self.database.persist(PersistMode::Buffer))
            .and_then(|()| self.journal_sync.sync(self.folder()))
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
        self.published.renew(&self.database);
        self.closing.last_seqno.store(self.database.seqno(), Ordering::Release);
        self.closing.is_flushed.store(true, Ordering::Release);
        Ok(())
    }

    /// Waits before a commit for what fjall would wait for after it, because fjall does not notice that its workers
    /// have died and nobody will ever make room.
    fn wait_for_room<S>(
        &self,
        batch: &Batch<S>,
        held: &impl Fn(&S) -> &Arc<DiskSpace>,
    ) -> Result<(), KvError> {
        let mut previous: Option<&Arc<DiskSpace>> = None;
        for write in &batch.writes {
            let space = held(&write.space);
            if previous.is_some_and(|previous| Arc::ptr_eq(previous, space)) {
                continue;
            }
            if space.deleted.load(Ordering::Acquire) {
                return Err(KvError::SpaceDeleted { name: space.name().to_owned() });
            }
            let keyspace = space.made();
            self.wait_while(|| {
                keyspace.sealed_memtable_count() >= SEALED_MEMTABLES_MAX
                    || keyspace.l0_table_count() >= LEVEL0_TABLES_MAX
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

    /// fjall keeps a journal while a space has no table file as new as the journal's last write to it. A compaction
    /// that removes deletions can take that table file away after it was written, and then this and every later
    /// journal stays. Deleting a key that is never there gives every space a newer table file.
    fn bound_journals(&self) -> Result<(), KvError> {
        let allowed = self.options.journal_bytes / JOURNAL_FILE_BYTES + JOURNALS_SPARE;
        let keyspaces = self.spaces.keyspaces();
        let is_writing_out = keyspaces.iter().any(|keyspace| keyspace.sealed_memtable_count() > 0);
        if self.database.journal_count() as u64 <= allowed || is_writing_out {
            return Ok(());
        }
        self.release_journals(&keyspaces)
    }

    fn release_journals(&self, keyspaces: &[Keyspace]) -> Result<(), KvError> {
        let mut writes = OwnedWriteBatch::with_capacity(self.database.clone(), keyspaces.len());
        for keyspace in keyspaces {
            writes.remove(keyspace, KEY_NEVER_THERE);
        }
        guarded("write the journal of", self.folder(), || writes.commit())
            .map_err(|error| self.poisoned_by(error))?;
        keyspaces.iter().try_for_each(|keyspace| self.rotate(keyspace))
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
            guarded("write to", self.folder(), || self.database.persist(PersistMode::Buffer))
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

#[cfg(test)]
mod tests;
