//! The fsync of the journal without fjall's lock. fjall keeps its journal locked while it syncs it, and every commit
//! would wait for the disk; through a handle of our own, the same file is synced while commits go on.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::error::{KvError, SYNC};
use super::journals;

/// Syncs the journal of one folder.
#[derive(Default)]
pub(super) struct JournalSync {
    last: Mutex<Last>,
}

/// What the last sync has left.
#[derive(Default)]
struct Last {
    /// The journal that was synced. Its handle is kept, because a handle tells of every failure since it was opened.
    journal: Option<(PathBuf, File)>,
    /// After a failure the system takes for written what is not: the next sync would succeed, through this handle or another.
    has_failed: bool,
}

impl JournalSync {
    /// Makes what the operating system was given of the journals in `folder` survive power loss. Older journals need
    /// nothing: fjall syncs a journal before it makes the next one.
    ///
    /// # Errors
    /// `Io`, or `Corrupt` if there is no journal; and `Io` ever after.
    pub(super) fn sync(&self, folder: &Path) -> Result<(), KvError> {
        let mut last = self.last.lock();
        if last.has_failed {
            return Err(KvError::io(SYNC, folder, io::Error::other("an earlier sync failed")));
        }
        let synced = last.sync(folder);
        last.has_failed = synced.is_err();
        synced
    }

    /// Stands in for an fsync that goes on until the guard is dropped.
    #[cfg(test)]
    pub(super) fn hold(&self) -> impl Drop {
        self.last.lock()
    }
}

impl Last {
    fn sync(&mut self, folder: &Path) -> Result<(), KvError> {
        let active = journals::newest(folder)?;
        let known = self.journal.take().filter(|(path, _)| *path == active);
        let file =
            match known.map_or_else(|| OpenOptions::new().write(true).open(&active), |(_, file)| Ok(file)) {
                Ok(file) => file,
                // fjall has made a newer one since, and has removed this one because all of it is in data files.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(source) => return Err(KvError::io("open", &active, source)),
            };
        file.sync_data().map_err(|source| KvError::io(SYNC, &active, source))?;
        self.journal = Some((active, file));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_journal_is_synced() {
        let folder = tempfile::TempDir::new().unwrap();
        let sync = JournalSync::default();
        for journals in [["9.jnl", "10.jnl"], ["11.jnl", "11.jnl"]] {
            for name in journals {
                File::create(folder.path().join(name)).unwrap();
            }
            for _ in 0..2 {
                sync.sync(folder.path()).unwrap();
                let synced = sync.last.lock().journal.as_ref().map(|(path, _)| path.clone());
                assert_eq!(synced, Some(folder.path().join(journals[1])));
            }
        }
    }

    /// Whoever waited while it failed has opened the journal again, and that sync succeeded: memtables went into files with
    /// rows that no journal had, and a close said that everything is on the disk.
    #[test]
    fn after_a_sync_that_failed_none_is_trusted() {
        let folder = tempfile::TempDir::new().unwrap();
        let journal = folder.path().join("9.jnl");
        let sync = JournalSync::default();
        // A device that cannot be synced.
        std::os::unix::fs::symlink("/dev/null", &journal).unwrap();
        assert!(matches!(sync.sync(folder.path()), Err(KvError::Io { .. })));
        std::fs::remove_file(&journal).unwrap();
        File::create(&journal).unwrap();
        assert!(matches!(sync.sync(folder.path()), Err(KvError::Io { .. })));
        JournalSync::default().sync(folder.path()).unwrap();
    }

    #[test]
    fn a_folder_without_a_journal_is_damaged() {
        let folder = tempfile::TempDir::new().unwrap();
        assert!(matches!(JournalSync::default().sync(folder.path()), Err(KvError::Corrupt { .. })));
    }
}
