//! How far a copy is, in numbers.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// How far a copy is. Every item read is counted once more, by what became of it.
///
/// ```
/// use tabletheory::table::CopyProgress;
///
/// let progress = CopyProgress { read: 3, written: 2, skipped: 1, ..CopyProgress::default() };
/// assert_eq!(progress.to_string(), "read 3, written 2, kept 0, skipped 1, unreadable 0");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CopyProgress {
    /// Items read.
    pub read: u64,
    /// Items written.
    pub written: u64,
    /// Items not written, because the target has one with the same key and is to keep it.
    pub kept: u64,
    /// Items that the transformation left out.
    pub skipped: u64,
    /// Items that are not of the model and were to be passed over.
    pub unreadable: u64,
}

impl AddAssign for CopyProgress {
    fn add_assign(&mut self, more: Self) {
        self.read += more.read;
        self.written += more.written;
        self.kept += more.kept;
        self.skipped += more.skipped;
        self.unreadable += more.unreadable;
    }
}

impl fmt::Display for CopyProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, written, kept, skipped, unreadable } = self;
        write!(f, "read {read}, written {written}, kept {kept}, skipped {skipped}, unreadable {unreadable}")
    }
}
