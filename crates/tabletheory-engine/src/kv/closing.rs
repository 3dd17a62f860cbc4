//! The end of a store on disk: what its last handle leaves behind.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::folder;

/// What is done when the last handle to a folder is gone.
pub(super) struct Closing {
    pub(super) folder: PathBuf,
    /// Whether the table files hold everything.
    pub(super) is_flushed: AtomicBool,
}

impl Closing {
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        if self.is_flushed.load(Ordering::Acquire) {
            // A failure costs the next opening some time and nothing else.
            let _ = folder::empty_journals(&self.folder);
        }
    }
}
