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
    /// The journal that was synced last. Its handle is kept, because a handle tells of every failure since it was opened.
    open: Mutex<Option<(PathBuf, File)>>,
}

impl JournalSync {
    /// Makes what the operating system was given of the journals in `folder` survive power loss. Older journals need
    /// nothing: fjall syncs a journal before it makes the next one.
    ///
    /// # Errors
    /// `Io`, or `Corrupt` if there is no journal.
    pub(super) fn sync(&self, folder: &Path) -> Result<(), KvError> {
        let mut open = self.open.lock();
        let active = journals::newest(folder)?;
        let known = open.take().filter(|(path, _)| *path == active);
        let file =
            match known.map_or_else(|| OpenOptions::new().write(true).open(&active), |(_, file)| Ok(file)) {
                Ok(file) => file,
                // fjall has made a newer one since, and has removed this one because all of it is in data files.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(source) => return Err(KvError::io("open", &active, source)),
            };
        file.sync_data().map_err(|source| KvError::io(SYNC, &active, source))?;
        *open = Some((active, file));
        Ok(())
    }

    /// Stands in for an fsync that goes on until the guard is dropped.
    #[cfg(test)]
    pub(super) fn hold(&self) -> impl Drop {
        self.open.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_journal_is_synced() {
        let folder = tempfile::TempDir::new().unwrap();
        let sync = JournalSync::default();
        assert!(matches!(sync.sync(folder.path()), Err(KvError::Corrupt { .. })), "there is none");
        for journals in [["9.jnl", "10.jnl"], ["11.jnl", "11.jnl"]] {
            for name in journals {
                File::create(folder.path().join(name)).unwrap();
            }
            for _ in 0..2 {
                sync.sync(folder.path()).unwrap();
                let synced = sync.open.lock().as_ref().map(|(path, _)| path.clone());
                assert_eq!(synced, Some(folder.path().join(journals[1])));
            }
        }
    }
}
