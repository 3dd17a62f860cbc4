//! One space on disk, and runs of its keys.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use fjall::{AbstractTree, Keyspace};
use lsm_tree::{Guard, IterGuardImpl};

use super::closing::Closing;
use super::error::KvError;
use super::guard::guarded;
use super::published::View;
use super::range::{Bounds, Bytes, Direction};

/// One space on disk.
pub(super) struct DiskSpace {
    name: String,
    /// A late space has none until it is made.
    files: OnceLock<Files>,
    /// Set once, when the space is deleted; snapshots may still read it.
    pub(super) deleted: AtomicBool,
}

/// The files of a space, and with them the folder.
struct Files {
    keyspace: Keyspace,
    /// The last field: what it does comes after fjall has let go of the files.
    _closing: Arc<Closing>,
}

impl DiskSpace {
    /// A space without files.
    pub(super) fn late(name: &str) -> Self {
        Self { name: name.to_owned(), files: OnceLock::new(), deleted: AtomicBool::new(false) }
    }

    /// Gives the space its files, which it keeps.
    pub(super) fn give(&self, keyspace: Keyspace, closing: Arc<Closing>) {
        let given = self.files.set(Files { keyspace, _closing: closing });
        assert!(given.is_ok(), "a space is made once");
    }

    /// Its files, if it has been made.
    pub(super) fn keyspace(&self) -> Option<&Keyspace> {
        self.files.get().map(|files| &files.keyspace)
    }

    /// Its files, for whoever writes them.
    pub(super) fn made(&self) -> &Keyspace {
        self.keyspace().expect("a space is made before its first write")
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn refuse_if_deleted(&self) -> Result<(), KvError> {
        if self.deleted.load(Ordering::Acquire) {
            return Err(KvError::SpaceDeleted { name: self.name.clone() });
        }
        Ok(())
    }

    pub(super) fn get(&self, view: &View, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        let Some(keyspace) = self.keyspace() else { return Ok(None) };
        guarded("read", keyspace.path(), || Ok(keyspace.tree.get(key, view.moment())?))
    }
}

/// A range of a space on disk.
pub(super) struct DiskRange {
    entries: Box<dyn DoubleEndedIterator<Item = IterGuardImpl> + Send>,
    direction: Direction,
    folder: PathBuf,
    _view: View,
}

impl DiskRange {
    pub(super) fn new(view: &View, keyspace: &Keyspace, bounds: Bounds<'_>, direction: Direction) -> Self {
        let entries = keyspace.tree.range::<&[u8], _>(bounds, view.moment(), None);
        Self { entries, direction, folder: keyspace.path().to_owned(), _view: view.clone() }
    }

    pub(super) fn next(&mut self) -> Option<Result<(Bytes, Bytes), KvError>> {
        let Self { entries, direction, folder, .. } = self;
        guarded("read", folder, || {
            let next = match direction {
                Direction::Forward => entries.next(),
                Direction::Backward => entries.next_back(),
            };
            Ok(next.map(Guard::into_inner).transpose()?)
        })
        .transpose()
    }
}
