//! fjall's trees and its journal, and what all who work on them share: the turn to commit, what readers see, how the journal
//! reaches the disk, why nothing is written any more.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fjall::{Database, Keyspace, PersistMode};
use parking_lot::Mutex;

use super::closing::Closing;
use super::error::KvError;
use super::guard::guarded;
use super::published::Published;
use super::spaces::Spaces;
use super::sync::JournalSync;
use crate::alarm::Alarm;

/// Table files in level 0 of one tree before writers wait, below fjall's own halt at thirty.
pub(super) const LEVEL0_TABLES_MAX: usize = 24;

/// The trees of one folder.
pub(super) struct Trees {
    pub(super) spaces: Spaces,
    pub(super) published: Published,
    /// Held for a whole commit, so that no batch is under way when a view is published or a memtable is sealed.
    pub(super) turn: Mutex<Turn>,
    pub(super) journal_sync: JournalSync,
    /// Which files there were before they were merged. Whoever is the last to let go of them removes the files.
    pub(super) merged: Mutex<Vec<Box<dyn Send>>>,
    pub(super) database: Database,
    /// Wakes the thread that writes memtables out.
    pub(super) flushing: Alarm,
    /// Wakes the thread that merges files.
    pub(super) merging: Alarm,
    /// Why writes are refused, once they are.
    poison: OnceLock<String>,
    /// The last field, because fields are dropped in order and fjall must have let go of the folder before.
    pub(super) closing: Arc<Closing>,
}

/// The turn to commit.
#[derive(Default)]
pub(super) struct Turn {
    /// Bytes that may be written before room has to be made for more.
    pub(super) room: u64,
}

impl Trees {
    /// The trees of an open database, with every space that is recorded.
    pub(super) fn open(database: Database, folder: &Path) -> Result<Self, KvError> {
        let closing = Arc::new(Closing::new(folder));
        Ok(Self {
            spaces: Spaces::open(&database, &closing)?,
            published: Published::new(&database),
            turn: Mutex::default(),
            journal_sync: JournalSync::default(),
            database,
            merged: Mutex::default(),
            flushing: Alarm::default(),
            merging: Alarm::default(),
            poison: OnceLock::new(),
            closing,
        })
    }

    pub(super) fn folder(&self) -> &Path {
        self.closing.folder()
    }

    /// Every tree that holds data.
    pub(super) fn keyspaces(&self) -> Vec<Keyspace> {
        self.spaces.keyspaces()
    }

    /// Says that the table files do not hold everything any more.
    pub(super) fn note_change(&self) {
        self.closing.is_flushed.store(false, Ordering::Release);
    }

    /// Makes every earlier commit survive power loss.
    pub(super) fn persist(&self) -> Result<(), KvError> {
        self.refuse_if_poisoned()?;
        // What fjall still holds itself goes to the operating system first, and from there to the disk.
        guarded("write the journal of", self.folder(), || self.database.persist(PersistMode::Buffer))
            .and_then(|()| self.journal_sync.sync(self.folder()))
            .map_err(|error| self.poisoned_by(error))
    }

    /// Waits for threads, but not for dead ones.
    #[expect(clippy::disallowed_methods, reason = "fjall offers nothing to wait on but its counters")]
    pub(super) fn wait_while(&self, busy: impl Fn() -> bool) -> Result<(), KvError> {
        loop {
            self.refuse_if_poisoned()?;
            if !busy() {
                return Ok(());
            }
            guarded("write to", self.folder(), || self.database.persist(PersistMode::Buffer))
                .map_err(|error| self.poisoned_by(error))?;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(super) fn refuse_if_poisoned(&self) -> Result<(), KvError> {
        self.poison.get().map_or(Ok(()), |cause| Err(KvError::Poisoned { cause: cause.clone() }))
    }

    /// A space that could not be created (no room, too many open files) changes nothing for the others, unless a sync,
    /// the device or the journal failed with it or fjall was left halfway.
    pub(super) fn poisoned_if_lasting(&self, error: KvError) -> KvError {
        let halfway = matches!(error, KvError::Corrupt { .. });
        if halfway || error.may_have_lost() || self.database.persist(PersistMode::Buffer).is_err() {
            self.poisoned_by(error)
        } else {
            error
        }
    }

    /// Remembers the first failure of a write; every later write is refused with it.
    pub(super) fn poisoned_by(&self, error: KvError) -> KvError {
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
