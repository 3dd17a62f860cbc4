//! One space on disk, and runs of its keys.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fjall::{AbstractTree, Keyspace};
use lsm_tree::{Guard, IterGuardImpl};

use super::closing::Closing;
use super::error::KvError;
use super::guard::guarded;
use super::published::View;
use super::range::{Bounds, Bytes, Direction};

/// One space on disk.
pub(super) struct DiskSpace {
    keyspace: Keyspace,
    /// Set once, when the space is deleted; snapshots may still read it.
    pub(super) deleted: AtomicBool,
    /// The last field: what it does comes after fjall has let go of the files.
    _closing: Arc<Closing>,
}

impl DiskSpace {
    pub(super) fn new(keyspace: Keyspace, closing: Arc<Closing>) -> Self {
        Self { keyspace, deleted: AtomicBool::new(false), _closing: closing }
    }

    pub(super) fn keyspace(&self) -> &Keyspace {
        &self.keyspace
    }

    pub(super) fn name(&self) -> &str {
        self.keyspace.name()
    }

    pub(super) fn get(&self, view: &View, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        guarded("read", self.keyspace.path(), || Ok(self.keyspace.tree.get(key, view.moment())?))
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
    pub(super) fn new(view: &View, space: &DiskSpace, bounds: Bounds<'_>, direction: Direction) -> Self {
        let entries = space.keyspace.tree.range::<&[u8], _>(bounds, view.moment(), None);
        Self { entries, direction, folder: space.keyspace.path().to_owned(), _view: view.clone() }
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
