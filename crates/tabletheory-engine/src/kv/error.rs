//! What can go wrong below the engine: one variant per different thing the caller will do about it.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why the key-value store could not do as asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KvError {
    /// The operating system refused an operation on a file; the data itself is not known to be damaged.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was being done, as a verb: `open`, `read`.
        action: &'static str,
        /// The file, or the folder when the file is not known.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// Stored bytes contradict their checksum or their format. They were not served and not overwritten.
    #[error("{} is damaged: {detail}; restore the folder from a copy", file.display())]
    Corrupt {
        /// The damaged file, or its folder when the file is not known.
        file: PathBuf,
        /// What was found, and where.
        detail: String,
    },
    /// An earlier write or fsync failed, so what is on disk is no longer known: writes are refused, reads go on.
    #[error("writes are refused because {cause}; free or repair the disk, then open the folder again")]
    Poisoned {
        /// The first failure.
        cause: String,
    },
    /// The folder is open elsewhere, in this process or in another one.
    #[error("{} is already open, here or in another process; close it there first", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The folder was written in a format that this build does not read.
    #[error("{} has format {found}, this build reads format 3; open it with the version that wrote it", path.display())]
    Format {
        /// The folder.
        path: PathBuf,
        /// The format's name as found.
        found: String,
    },
    /// A write named a space that was deleted.
    #[error("space {name} was deleted")]
    SpaceDeleted {
        /// The space's name.
        name: String,
    },
}

/// What a sync is called in an error.
pub(super) const SYNC: &str = "sync";
/// What the system calls a device that did not do as asked.
const EIO: i32 = 5;

impl KvError {
    /// The operating system refused to `action` the path.
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.to_owned(), source }
    }

    /// Whether a sync failed, or the device, which may have been a sync of fjall's. Another attempt would succeed without having synced
    /// what this one lost.
    pub(super) fn may_have_lost(&self) -> bool {
        match self {
            Self::Io { action, source, .. } => *action == SYNC || source.raw_os_error() == Some(EIO),
            _ => false,
        }
    }

    /// What was found in the file, or in the folder, is not what was written.
    pub(super) fn corrupt(file: &Path, detail: impl Into<String>) -> Self {
        Self::Corrupt { file: file.to_owned(), detail: detail.into() }
    }
}
