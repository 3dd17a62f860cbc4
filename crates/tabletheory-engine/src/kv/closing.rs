//! The end of a store on disk: what its last handle leaves behind.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::folder;

/// What is done when the last handle to a folder is gone.
pub(super) struct Closing {
    folder: PathBuf,
    /// Whether the table files hold everything.
    pub(super) is_flushed: AtomicBool,
    /// The number of the last batch, once they do.
    pub(super) last_seqno: AtomicU64,
}

impl Closing {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_flushed: AtomicBool::new(false), last_seqno: AtomicU64::new(0) }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        if self.is_flushed.load(Ordering::Acquire) {
            // A failure costs the next opening some time and nothing else.
            let _ = folder::empty_journals(&self.folder, self.last_seqno.load(Ordering::Acquire));
        }
    }
}
