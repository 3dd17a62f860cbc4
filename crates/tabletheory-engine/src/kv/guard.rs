//! The boundary with fjall: its errors become ours, and a panic on garbage becomes `Corrupt` instead of ending the
//! thread that asked.

use std::{io, path::Path};

use super::error::KvError;
use crate::unwind::caught;

/// Runs one call into fjall about `path`; `action` completes "cannot … the path".
///
/// fjall checks blocks against checksums, but some headers and counts are trusted before they are checked and end in
/// an `expect` or a slice out of bounds. What a caught panic leaves behind is never written to again: reads have no
/// state of their own, and every caller that writes refuses further writes after an error.
pub(super) fn guarded<T>(
    action: &'static str,
    path: &Path,
    call: impl FnOnce() -> fjall::Result<T>,
) -> Result<T, KvError> {
    match caught(call) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(from_fjall(action, path, error)),
        Err(message) => Err(KvError::corrupt(path, format!("cannot {action} it: {message}"))),
    }
}

fn from_fjall(action: &'static str, path: &Path, error: fjall::Error) -> KvError {
    match error {
        fjall::Error::Locked => KvError::Locked { path: path.to_owned() },
        fjall::Error::Poisoned => KvError::Poisoned {
            cause: format!("a background flush or compaction of {} failed", path.display()),
        },
        fjall::Error::Io(source) | fjall::Error::Storage(fjall::LsmError::Io(source)) => {
            from_io(action, path, source)
        }
        fjall::Error::InvalidVersion(Some(version)) => {
            KvError::Format { path: path.to_owned(), found: format!("{version:?}") }
        }
        fjall::Error::InvalidVersion(None) => KvError::corrupt(&path.join("version"), "it names no format"),
        other => KvError::corrupt(path, format!("cannot {action} it: {other:?}")),
    }
}

fn from_io(action: &'static str, path: &Path, source: io::Error) -> KvError {
    match source.kind() {
        // A file that ends too early, holds nonsense or sends us to a place before its start is damaged; the device
        // did answer.
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            KvError::corrupt(path, format!("cannot {action} it: {source}"))
        }
        _ => KvError::io(action, path, source),
    }
}
