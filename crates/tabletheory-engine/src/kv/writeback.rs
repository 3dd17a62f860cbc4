//! Recent writes on their way from memory to table files.
//!
//! fjall would do all of it by itself. But it syncs the journal before and frees memtables after under locks that every commit and
//! every read waits for, some thirty milliseconds each. A thread of the store syncs the journal without a lock, seals memtables
//! before fjall would, writes them out, and frees them alone. What is left to fjall's own thread is the journal: to go on to
//! another file when one is long, and to remove those that nobody needs.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fjall::{AbstractTree, Keyspace, OwnedWriteBatch};
use lsm_tree::Memtable;
use parking_lot::{Mutex, MutexGuard};

use super::error::KvError;
use super::guard::guarded;
use super::options::KvOptions;
use super::range::KEY_NEVER_THERE;
use super::trees::{Trees, Turn};
use super::worker::{IDLE, Worker};
use super::{journals, merge};

/// Sealed memtables of one space before its writers wait; fjall itself would stop them at four, for ever if its
/// thread has died.
const SEALED_MEMTABLES_MAX: usize = 3;
/// Table files in level 0 of one space before its writers wait, below fjall's own halt at thirty.
const LEVEL0_TABLES_MAX: usize = 24;
/// Where fjall goes on to another journal.
const JOURNAL_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Journals, beside those that the options allow, before memtables are written out for their sake.
const JOURNALS_SPARE: u64 = 1;
/// Journals, beside those, before something else than a memtable has to be what keeps them.
const JOURNALS_KEPT: u64 = 2;
/// How often it is looked whether a memtable can be freed.
const TICK: Duration = Duration::from_millis(10);

/// What writes memtables out, by itself and when it is asked to.
pub(super) struct Writeback {
    // Field order is drop order: the thread ends before what it works on is let go.
    thread: Worker,
    rounds: Arc<Rounds>,
}

struct Rounds {
    trees: Arc<Trees>,
    merger: Worker,
    /// What recent writes may take in memory, before and while they are written out.
    buffer_bytes: u64,
    journals_max: u64,
    /// Locked for a whole round.
    past: Mutex<Past>,
}

/// What earlier rounds have left.
#[derive(Default)]
struct Past {
    /// Memtables that are in files. Whoever is the last to hold one frees it.
    memtables: Vec<Arc<Memtable>>,
    /// The newest journal when memtables were last written out for the sake of older ones.
    journal: Option<PathBuf>,
}

/// How much journals may take before fjall's thread writes memtables out for their sake. It does not come to that.
pub(super) fn journal_bytes_max(options: &KvOptions) -> u64 {
    options.journal_bytes + (JOURNALS_SPARE + JOURNALS_KEPT + 2) * JOURNAL_FILE_BYTES
}

impl Writeback {
    /// Begins with what is in memory already.
    pub(super) fn start(trees: &Arc<Trees>, options: &KvOptions) -> Result<Self, KvError> {
        let rounds = Arc::new(Rounds {
            trees: Arc::clone(trees),
            merger: merge::start(trees)?,
            buffer_bytes: options.write_buffer_bytes,
            journals_max: options.journal_bytes / JOURNAL_FILE_BYTES + JOURNALS_SPARE,
            past: Mutex::default(),
        });
        let running = Arc::clone(&rounds);
        Ok(Self { thread: Worker::start("flush", trees, move || running.work())?, rounds })
    }

    /// Waits before a commit while too much is in memory, or too much is to be merged. Tells for how many bytes there is room.
    /// fjall would wait, too, but after the commit, and it does not notice that its thread has died and nobody will ever make room.
    pub(super) fn make_room(&self) -> Result<u64, KvError> {
        self.thread.wake();
        let Rounds { trees, buffer_bytes, .. } = &*self.rounds;
        trees.wait_while(|| {
            let is_full = |keyspace: &Keyspace| {
                keyspace.tree.sealed_memtable_count() >= SEALED_MEMTABLES_MAX
                    || keyspace.l0_table_count() >= LEVEL0_TABLES_MAX
            };
            active_bytes(trees) > buffer_bytes / 8 * 5 || trees.keyspaces().iter().any(is_full)
        })?;
        Ok(buffer_bytes / 16)
    }

    /// Writes everything out and waits for it. Nobody commits meanwhile.
    pub(super) fn flush(&self) -> Result<(), KvError> {
        let Rounds { trees, .. } = &*self.rounds;
        let mut past = self.rounds.past.lock();
        let turn = trees.turn.lock();
        trees.refuse_if_poisoned()?;
        let keyspaces = trees.keyspaces();
        self.rounds.write_out(&keyspaces, &mut past, Some(&turn))?;
        self.rounds.let_go(Some(&turn))?;
        trees.wait_while(|| trees.spaces.records().sealed_memtable_count() > 0)?;
        trees.closing.last_seqno.store(trees.database.seqno(), Ordering::Release);
        trees.closing.is_flushed.store(true, Ordering::Release);
        Ok(())
    }
}

impl Rounds {
    /// What the thread does whenever it is woken. Tells when to look again.
    fn work(&self) -> Result<Duration, KvError> {
        self.trees.refuse_if_poisoned()?;
        let mut past = self.past.lock();
        if let Some(keyspaces) = self.due(&mut past)? {
            self.round(&keyspaces, &mut past)?;
        }
        past.memtables.retain(|memtable| Arc::strong_count(memtable) > 1);
        Ok(if past.memtables.is_empty() { IDLE } else { TICK })
    }

    /// Whose memtables are to be written out, if there is to be a round. It may be one for the sake of the journal alone.
    fn due(&self, past: &mut Past) -> Result<Option<Vec<Keyspace>>, KvError> {
        let newest = journals::newest(self.trees.folder())?;
        let count = self.trees.database.journal_count() as u64;
        if count > self.journals_max && past.journal.as_ref() != Some(&newest) {
            past.journal = Some(newest);
            return self.keeping_journals(count).map(Some);
        }
        // fjall itself writes out what has half of the buffer in folders that were made by earlier versions.
        if active_bytes(&self.trees) > self.buffer_bytes / 16 * 7 {
            return Ok(Some(self.largest()));
        }
        // With what is preallocated. It may be gone on from meanwhile.
        let bytes = fs::metadata(&newest).map_or(0, |newest| newest.len());
        Ok((bytes > JOURNAL_FILE_BYTES).then(Vec::new))
    }

    /// The largest memtables, so that the others fill a quarter of what all may. fjall bounds each one, but not their sum, and two
    /// hundred spaces would hold two hundred of them.
    fn largest(&self) -> Vec<Keyspace> {
        let mut keyspaces = self.trees.keyspaces();
        keyspaces.sort_by_cached_key(|keyspace| keyspace.tree.active_memtable().size());
        let mut rest = 0;
        let fitting = keyspaces.iter().take_while(|keyspace| {
            rest += keyspace.tree.active_memtable().size();
            rest <= self.buffer_bytes / 4
        });
        keyspaces.split_off(fitting.count())
    }

    /// Writes memtables out, and lets go of what is superfluous then.
    fn round(&self, keyspaces: &[Keyspace], past: &mut Past) -> Result<(), KvError> {
        self.write_out(keyspaces, past, None)?;
        // fjall's thread syncs the journal before it writes anything out, and nobody commits meanwhile. Little is left for it.
        self.trees.persist()?;
        self.let_go(None)?;
        self.merger.wake();
        Ok(())
    }

    /// Writes memtables to table files.
    fn write_out(
        &self,
        keyspaces: &[Keyspace],
        past: &mut Past,
        turn: Option<&MutexGuard<'_, Turn>>,
    ) -> Result<(), KvError> {
        let trees = &self.trees;
        // fjall's thread could write out what has just been sealed, before the journal is synced.
        let alone: Vec<_> = guarded("write out", trees.folder(), || {
            Ok(keyspaces.iter().map(|keyspace| keyspace.tree.get_flush_lock()).collect())
        })?;
        {
            // In a turn, because fjall takes a batch for stored as soon as some of it is in a file of the space.
            let _turn = turn.is_none().then(|| trees.turn.lock());
            past.memtables.extend(keyspaces.iter().filter_map(|keyspace| keyspace.tree.rotate_memtable()));
        }
        // What is in a file must be in the journal: after a power loss it would be there without what came before it.
        trees.persist()?;
        let unread = trees.unread_before();
        keyspaces.iter().zip(&alone).try_for_each(|(keyspace, alone)| {
            guarded("write out", keyspace.path(), || Ok(keyspace.tree.flush(alone, unread)?))
                .map(|_| ())
                .map_err(|error| trees.poisoned_by(error))
        })
    }

    /// Lets go of old views, of memtables and files that only those could read, and of journals. fjall does so whenever a memtable is
    /// sealed through it; here it is one that says nothing.
    fn let_go(&self, turn: Option<&MutexGuard<'_, Turn>>) -> Result<(), KvError> {
        let trees = &self.trees;
        let records = trees.spaces.records();
        if records.sealed_memtable_count() > 0 {
            // Its thread has not come to the last one yet.
            return Ok(());
        }
        // fjall would remove files while nobody can read or write. They are held meanwhile.
        let _merged = std::mem::take(&mut *trees.merged.lock());
        {
            let _turn = turn.is_none().then(|| trees.turn.lock());
            trees.note_change();
            guarded("write the journal of", trees.folder(), || records.remove(KEY_NEVER_THERE))
                .map_err(|error| trees.poisoned_by(error))?;
            trees.published.renew(&trees.database);
        }
        guarded("write out", records.path(), || records.rotate_memtable())
            .map(|_| ())
            .map_err(|error| trees.poisoned_by(error))
    }

    /// Whose memtables may be what keeps fjall from removing older journals.
    ///
    /// fjall keeps a journal while a space has no table file as new as the journal's last write to it. A compaction that removes
    /// deletions can take that file away after it was written, and then this and every later journal stays. So in the end each
    /// space is given something new.
    fn keeping_journals(&self, count: u64) -> Result<Vec<Keyspace>, KvError> {
        let mut keyspaces = self.trees.keyspaces();
        if count > self.journals_max + JOURNALS_KEPT {
            self.touch(&keyspaces)?;
        }
        keyspaces.retain(|keyspace| !keyspace.tree.active_memtable().is_empty());
        Ok(keyspaces)
    }

    /// Deletes a key in each space that is never there.
    fn touch(&self, keyspaces: &[Keyspace]) -> Result<(), KvError> {
        let trees = &self.trees;
        let _turn = trees.turn.lock();
        trees.note_change();
        let mut writes = OwnedWriteBatch::with_capacity(trees.database.clone(), keyspaces.len());
        keyspaces.iter().for_each(|keyspace| writes.remove(keyspace, KEY_NEVER_THERE));
        guarded("write the journal of", trees.folder(), || writes.commit())
            .map_err(|error| trees.poisoned_by(error))
    }
}

/// What the memtables take that are written to.
fn active_bytes(trees: &Trees) -> u64 {
    trees.keyspaces().iter().map(|keyspace| keyspace.tree.active_memtable().size()).sum()
}

#[cfg(test)]
mod tests;
