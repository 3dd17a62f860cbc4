//! Recent writes on their way from memory to table files.
//!
//! fjall would do all of it by itself. But it syncs the journal before and frees memtables after under locks that every commit and
//! every read waits for, some thirty milliseconds each. A thread of the store syncs the journal without a lock, seals memtables
//! before fjall would, writes them out, and frees them alone. What is left to fjall's own threads is the journal: to go on to
//! another file when one is long, and to remove those that nobody needs.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fjall::{AbstractTree, Keyspace, OwnedWriteBatch};
use lsm_tree::Memtable;
use parking_lot::Mutex;

use super::error::KvError;
use super::guard::guarded;
use super::options::KvOptions;
use super::range::KEY_NEVER_THERE;
use super::trees::{LEVEL0_TABLES_MAX, Trees};
use super::worker::{IDLE, Worker};
use super::{journals, merge};
use crate::alarm::Waking;

/// Sealed memtables of one space before writers wait; fjall itself would stop them at four, for ever if its threads have died.
const SEALED_MEMTABLES_MAX: usize = 3;
/// How often a writer who waits looks for room until it wakes the thread again.
const LOOKS_A_RING: u32 = 32;
/// Merges before what they replaced is let go of, however often the thread is woken for something else.
const MERGED_MAX: usize = 8;
/// Memtables of one space that a round seals.
const SEALED_AT_ONCE: usize = 1;
/// Where fjall goes on to another journal.
const JOURNAL_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Journals, beside those that the options allow, before memtables are written out for their sake.
const JOURNALS_SPARE: u64 = 1;
/// Journals, beside those, before something else than a memtable has to be what keeps them.
const JOURNALS_KEPT: u64 = 2;
/// How soon after a round it is looked whether more can be let go of, at first and at last.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// The same where files were merged, which take room on the disk until they are let go of.
const PAUSE_MERGED: Duration = Duration::from_secs(1);

/// What writes memtables out, by itself and when it is asked to.
pub(super) struct Writeback {
    // Field order is drop order: the threads end before what they work on is let go.
    _flusher: Worker,
    _merger: Worker,
    rounds: Arc<Rounds>,
}

struct Rounds {
    trees: Arc<Trees>,
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
    /// When it is looked again whether they can be freed.
    pause: Duration,
    /// The newest journal when memtables were last written out for the sake of older ones.
    journal: Option<PathBuf>,
}

/// How much journals may take before fjall writes memtables out for their sake. It does not come to that.
pub(super) fn journal_bytes_max(options: &KvOptions) -> u64 {
    (journals_max(options) + JOURNALS_KEPT + 1) * JOURNAL_FILE_BYTES
}

/// How many journals there may be before memtables are written out for their sake.
fn journals_max(options: &KvOptions) -> u64 {
    options.journal_bytes.max(JOURNAL_FILE_BYTES) / JOURNAL_FILE_BYTES + JOURNALS_SPARE
}

impl Writeback {
    /// Begins with what is in memory already.
    pub(super) fn start(trees: &Arc<Trees>, options: &KvOptions) -> Result<Self, KvError> {
        let rounds = Arc::new(Rounds {
            trees: Arc::clone(trees),
            buffer_bytes: options.write_buffer_bytes,
            journals_max: journals_max(options),
            past: Mutex::default(),
        });
        let running = Arc::clone(&rounds);
        let work = move |waking| running.work(waking);
        Ok(Self {
            _flusher: Worker::start("flush", trees, |trees| &trees.flushing, work)?,
            _merger: merge::start(trees)?,
            rounds,
        })
    }

    /// Waits before a commit while too much is in memory, or too much is to be merged. Tells for how many bytes there is room.
    /// fjall would wait, too, but after the commit, and it does not notice that its threads have died and nobody will ever make room.
    pub(super) fn make_room(&self) -> Result<u64, KvError> {
        let Rounds { trees, buffer_bytes, .. } = &*self.rounds;
        let looks = Cell::new(0_u32);
        trees.wait_while(|| {
            // Again and again: what the thread could not do before it may be able to do now.
            if looks.replace(looks.get().wrapping_add(1)).is_multiple_of(LOOKS_A_RING) {
                trees.flushing.ring();
            }
            // Less than half, so that what is being written out has the other half, and fjall does not seal first what belongs to a
            // folder of an earlier version, which noted half as its bound.
            let is_full = active_bytes(trees) > buffer_bytes / 16 * 7;
            let is_sealed =
                |keyspace: &Keyspace| keyspace.tree.sealed_memtable_count() >= SEALED_MEMTABLES_MAX;
            let is_crowded = trees.keyspaces().iter().any(is_crowded);
            if is_crowded {
                trees.merging.ring();
            }
            is_full || is_crowded || trees.keyspaces().iter().any(is_sealed)
        })?;
        Ok(buffer_bytes / 16)
    }

    /// Writes everything out and waits for it. Nobody commits meanwhile.
    pub(super) fn flush(&self) -> Result<(), KvError> {
        let Rounds { trees, .. } = &*self.rounds;
        let mut past = self.rounds.past.lock();
        let _turn = trees.turn.lock();
        trees.refuse_if_poisoned()?;
        trees.wait_while(|| self.rounds.is_letting_go())?;
        let keyspaces = trees.keyspaces();
        let alone = Alone::with(trees, &keyspaces)?;
        alone.seal_in_turn(&mut past);
        alone.write_out()?;
        self.rounds.let_go(|| self.rounds.say_nothing_in_turn())?;
        trees.wait_while(|| self.rounds.is_letting_go())?;
        trees.closing.last_seqno.store(trees.database.seqno(), Ordering::Release);
        trees.closing.is_flushed.store(true, Ordering::Release);
        trees.flushing.ring();
        Ok(())
    }
}

impl Rounds {
    /// What the thread does whenever it is woken, or after the time that this tells.
    fn work(&self, waking: Waking) -> Result<Duration, KvError> {
        self.trees.refuse_if_poisoned()?;
        let mut past = self.past.lock();
        if let Some(keyspaces) = self.due(&mut past)? {
            self.round(&keyspaces, &mut past)?;
            past.pause = PAUSE_MIN;
        } else if (waking == Waking::Over || self.trees.merged.lock().len() >= MERGED_MAX)
            && past.is_left(&self.trees)
        {
            // Somebody read what could have been let go of, or files were merged since.
            self.let_go(|| self.say_nothing())?;
            past.pause = (past.pause * 2).clamp(PAUSE_MIN, PAUSE_MAX);
        }
        if !self.trees.merged.lock().is_empty() {
            past.pause = past.pause.min(PAUSE_MERGED);
        }
        Ok(if past.is_left(&self.trees) { past.pause.max(PAUSE_MIN) } else { IDLE })
    }

    /// Whose memtables are to be written out, if there is to be a round. It may be one for the sake of the journal alone.
    fn due(&self, past: &mut Past) -> Result<Option<Vec<Keyspace>>, KvError> {
        // What cannot be looked at now is looked at later.
        let newest = journals::newest(self.trees.folder()).ok();
        let count = self.trees.database.journal_count() as u64;
        // If not all can be touched now, they are at a later look; memory does not wait for that.
        if count > self.journals_max
            && past.journal != newest
            && (count <= self.journals_max + JOURNALS_KEPT || self.touch()?)
        {
            past.journal = newest;
            return Ok(Some(self.not_empty()));
        }
        if active_bytes(&self.trees) > self.buffer_bytes / 16 * 5 {
            return Ok(Some(self.largest()));
        }
        // With what is preallocated. It may be gone on from meanwhile.
        let bytes = newest.and_then(|newest| fs::metadata(newest).ok()).map_or(0, |newest| newest.len());
        Ok((bytes > JOURNAL_FILE_BYTES).then(Vec::new))
    }

    /// The largest memtables, so that the others fill a quarter of what all may. fjall bounds each one, but not their sum, and two
    /// hundred spaces would hold two hundred of them.
    fn largest(&self) -> Vec<Keyspace> {
        let mut keyspaces = self.left_alone();
        keyspaces.sort_by_cached_key(|keyspace| keyspace.tree.active_memtable().size());
        let mut rest = 0;
        let fitting = keyspaces.iter().take_while(|keyspace| {
            rest += keyspace.tree.active_memtable().size();
            rest <= self.buffer_bytes / 4
        });
        keyspaces.split_off(fitting.count())
    }

    /// All memtables that hold something.
    fn not_empty(&self) -> Vec<Keyspace> {
        let mut keyspaces = self.left_alone();
        keyspaces.retain(|keyspace| !keyspace.tree.active_memtable().is_empty());
        keyspaces
    }

    /// Trees of which fjall is not about to write anything out, as it does after an opening: it would write out what is sealed here
    /// together with it, synced or not.
    fn left_alone(&self) -> Vec<Keyspace> {
        let mut keyspaces = self.trees.keyspaces();
        keyspaces.retain(|keyspace| keyspace.sealed_memtable_count() == 0);
        keyspaces
    }

    /// Writes memtables out, and lets go of what is superfluous then.
    fn round(&self, keyspaces: &[Keyspace], past: &mut Past) -> Result<(), KvError> {
        let alone = Alone::with(&self.trees, keyspaces)?;
        {
            let _turn = self.trees.turn.lock();
            alone.seal_in_turn(past);
        }
        alone.write_out()?;
        self.trees.merging.ring();
        // fjall's thread syncs the journal before it writes anything out, and nobody commits meanwhile. Little is left for it.
        self.trees.persist()?;
        self.let_go(|| self.say_nothing())
    }

    /// Lets go of memtables and files that only old views could read, and of journals. fjall does so whenever a memtable is sealed
    /// through it; here it is one that says nothing.
    fn let_go(&self, say_nothing: impl FnOnce() -> Result<(), KvError>) -> Result<(), KvError> {
        let trees = &self.trees;
        let records = trees.spaces.records();
        if self.is_letting_go() || is_crowded(records) {
            return Ok(());
        }
        let _alone = Alone::with(trees, std::slice::from_ref(records))?;
        // fjall would remove files while nobody can read or write. They are held meanwhile. What is merged from here on is newer than
        // what is said, and fjall does not let go of it yet.
        let _merged = std::mem::take(&mut *trees.merged.lock());
        say_nothing()?;
        // Before it is sealed: what is sealed fjall writes out, also after this sync has failed.
        trees.persist()?;
        guarded("write out", records.path(), || records.rotate_memtable())
            .map(|_| ())
            .map_err(|error| trees.poisoned_by(error))
    }

    /// Whether fjall's threads have not come to the last one yet.
    fn is_letting_go(&self) -> bool {
        self.trees.spaces.records().sealed_memtable_count() > 0
    }

    /// Writes something for fjall to seal.
    fn say_nothing(&self) -> Result<(), KvError> {
        let _turn = self.trees.turn.lock();
        self.say_nothing_in_turn()
    }

    fn say_nothing_in_turn(&self) -> Result<(), KvError> {
        let trees = &self.trees;
        trees.note_change();
        guarded("write the journal of", trees.folder(), || trees.spaces.records().remove(KEY_NEVER_THERE))
            .map_err(|error| trees.poisoned_by(error))?;
        trees.published.renew(&trees.database);
        Ok(())
    }

    /// Writes something to each space, unless it would have to wait. fjall keeps a journal while a space has no table file as new as
    /// the journal's last write to it; a merge that drops deletions can take that file away after it was written, and then this and
    /// every later journal stays.
    fn touch(&self) -> Result<bool, KvError> {
        let trees = &self.trees;
        let _turn = trees.turn.lock();
        let keyspaces = trees.keyspaces();
        if keyspaces.iter().any(|keyspace| is_crowded(keyspace) || keyspace.tree.sealed_memtable_count() > 0)
        {
            return Ok(false);
        }
        trees.note_change();
        let mut writes = OwnedWriteBatch::with_capacity(trees.database.clone(), keyspaces.len());
        keyspaces.iter().for_each(|keyspace| writes.remove(keyspace, KEY_NEVER_THERE));
        guarded("write the journal of", trees.folder(), || writes.commit())
            .map_err(|error| trees.poisoned_by(error))?;
        Ok(true)
    }
}

impl Past {
    /// Frees what nobody reads any more. Tells whether something is left to be let go of.
    fn is_left(&mut self, trees: &Trees) -> bool {
        self.memtables.retain(|memtable| Arc::strong_count(memtable) > 1);
        !self.memtables.is_empty() || !trees.merged.lock().is_empty()
    }
}

/// Trees whose sealed memtables nobody else writes out. fjall's threads could do so before the journal is synced.
struct Alone<'k> {
    trees: &'k Trees,
    keyspaces: &'k [Keyspace],
    flushes: Vec<std::sync::MutexGuard<'k, ()>>,
}

impl<'k> Alone<'k> {
    fn with(trees: &'k Trees, keyspaces: &'k [Keyspace]) -> Result<Self, KvError> {
        let flushes = guarded("write out", trees.folder(), || {
            Ok(keyspaces.iter().map(|keyspace| keyspace.tree.get_flush_lock()).collect())
        })?;
        Ok(Self { trees, keyspaces, flushes })
    }

    /// Seals their memtables. In a turn, because fjall takes a batch for stored as soon as some of it is in a file of the space.
    fn seal_in_turn(&self, past: &mut Past) {
        // So that of a row that was written many times only what somebody reads is written out.
        self.trees.published.renew(&self.trees.database);
        past.memtables.extend(self.keyspaces.iter().filter_map(|keyspace| keyspace.tree.rotate_memtable()));
    }

    /// Writes what was sealed to table files.
    fn write_out(self) -> Result<(), KvError> {
        // What is in a file must be in the journal: after a power loss it would be there without what came before it.
        self.trees.persist()?;
        let unread = self.trees.published.unread_before();
        self.keyspaces.iter().zip(&self.flushes).try_for_each(|(keyspace, flush)| {
            if keyspace.tree.sealed_memtable_count() > SEALED_AT_ONCE {
                // fjall has sealed another one since, and all of them are written out.
                self.trees.persist()?;
            }
            guarded("write out", keyspace.path(), || Ok(keyspace.tree.flush(flush, unread)?))
                .map(|_| ())
                .map_err(|error| self.trees.poisoned_by(error))
        })
    }
}

/// Whether a tree has so many files to merge that writers wait.
fn is_crowded(keyspace: &Keyspace) -> bool {
    keyspace.l0_table_count() >= LEVEL0_TABLES_MAX
}

/// What the memtables take that are written to.
fn active_bytes(trees: &Trees) -> u64 {
    trees.keyspaces().iter().map(|keyspace| keyspace.tree.active_memtable().size()).sum()
}

#[cfg(test)]
mod tests;
