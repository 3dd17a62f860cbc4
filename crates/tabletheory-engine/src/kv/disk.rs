//! The store on disk: commits, one after another, and the spaces that they change. `trees` has fjall's trees and its journal, `spaces`
//! the list of spaces; `writeback` brings recent writes from memory to table files, and `merge` merges those.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fjall::{AbstractTree, CompressionType, Database, OwnedWriteBatch, PersistMode};
use parking_lot::MutexGuard;

use super::batch::Batch;
use super::error::KvError;
use super::folder::{self, Found};
use super::guard::guarded;
use super::keyspace::DiskSpace;
use super::options::{KvOptions, Persist};
use super::published::View;
use super::trees::{Trees, Turn};
use super::writeback::{self, Writeback};

/// A store on disk.
pub(super) struct Disk {
    // Field order is drop order: the threads end before the trees are let go.
    pub(super) writeback: Writeback,
    pub(super) trees: Arc<Trees>,
}

/// What a memtable takes for an entry beside its key and value.
const MEMTABLE_ENTRY_BYTES: u64 = 64;

impl Disk {
    pub(super) fn open(path: &Path, options: &KvOptions) -> Result<Self, KvError> {
        folder::create(path)?;
        let found = folder::check(path, options.journal_damage)?;
        let database = guarded("open", path, || {
            Database::builder(path)
                .cache_size(options.cache_bytes)
                .max_journaling_size(writeback::journal_bytes_max(options))
                // One of them merges nothing, and comes to the journal whatever the other does.
                .worker_threads(2)
                // Replaying a compressed entry compresses it again to verify its checksum: another version of the
                // compressor would make every journal look damaged.
                .journal_compression(CompressionType::None)
                .manual_journal_persist(true)
                .open()
        })?;
        let trees = Arc::new(Trees::open(database, path)?);
        let mut options = options.clone();
        if let Some(Found { journal_end, memtable_bytes }) = found {
            let keyspaces = trees.keyspaces();
            journal_end
                .check(keyspaces.iter().filter_map(|space| space.tree.get_highest_persisted_seqno()).max())?;
            // The store is to be the first to seal a memtable. Half of the buffer is what they have before that.
            options.write_buffer_bytes = options.write_buffer_bytes.min(memtable_bytes.saturating_mul(2));
        }
        Ok(Self { writeback: Writeback::start(&trees, &options)?, trees })
    }

    pub(super) fn folder(&self) -> &Path {
        self.trees.folder()
    }

    pub(super) fn space(&self, name: &str) -> Result<Arc<DiskSpace>, KvError> {
        let space = self.trees.spaces.get(name);
        if space.keyspace().is_some() {
            return Ok(space);
        }
        let _turn = self.trees.turn.lock();
        self.trees.refuse_if_poisoned()?;
        // The one from before may have been deleted meanwhile.
        let space = self.trees.spaces.get(name);
        self.make_in_turn(&space)?;
        Ok(space)
    }

    pub(super) fn late_space(&self, name: &str) -> Arc<DiskSpace> {
        self.trees.spaces.get(name)
    }

    pub(super) fn make(&self, space: &DiskSpace) -> Result<(), KvError> {
        if space.keyspace().is_some() {
            return Ok(());
        }
        let _turn = self.trees.turn.lock();
        self.trees.refuse_if_poisoned()?;
        space.refuse_if_deleted()?;
        self.make_in_turn(space)
    }

    /// Creates the files of a space. The caller has the turn to commit.
    fn make_in_turn(&self, space: &DiskSpace) -> Result<(), KvError> {
        self.trees.note_change();
        self.trees.spaces.make(space).map_err(|error| self.trees.poisoned_if_lasting(error))
    }

    pub(super) fn space_names(&self) -> Vec<String> {
        self.trees.spaces.names()
    }

    pub(super) fn spaces_left(&self) -> usize {
        self.trees.spaces.left()
    }

    pub(super) fn delete_space(&self, space: &Arc<DiskSpace>) -> Result<(), KvError> {
        let _turn = self.trees.turn.lock();
        self.trees.refuse_if_poisoned()?;
        if space.deleted.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.trees.note_change();
        self.trees.spaces.delete(space).map_err(|error| self.trees.poisoned_if_lasting(error))
    }

    /// The view that includes every commit that has returned, and nothing of one that has not.
    pub(super) fn view(&self) -> View {
        self.trees.published.view()
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
        let trees = &*self.trees;
        let written = batch.bytes() as u64 + batch.len() as u64 * MEMTABLE_ENTRY_BYTES;
        let mut turn = self.turn_with_room(written)?;
        trees.refuse_if_poisoned()?;
        for write in &batch.writes {
            held(&write.space).refuse_if_deleted()?;
        }
        turn.room -= written;
        trees.note_change();
        guarded("write the journal of", trees.folder(), || self.write(batch, held, persist))
            .map_err(|error| trees.poisoned_by(error))?;
        trees.published.advance(&trees.database, written);
        Ok(())
    }

    /// The turn to commit, with room for so many bytes.
    fn turn_with_room(&self, bytes: u64) -> Result<MutexGuard<'_, Turn>, KvError> {
        let mut turn = self.trees.turn.lock();
        self.trees.refuse_if_poisoned()?;
        if turn.room < bytes {
            // Whoever makes room takes turns, too.
            let room = MutexGuard::unlocked(&mut turn, || self.writeback.make_room())?;
            turn.room = room.max(bytes);
        }
        Ok(turn)
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
        let mut writes = OwnedWriteBatch::with_capacity(self.trees.database.clone(), batch.len());
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
        self.trees.persist()
    }

    pub(super) fn flush(&self) -> Result<(), KvError> {
        self.writeback.flush()
    }
}

#[cfg(test)]
mod tests;
