//! A note beside the journals: up to which batch they were emptied when the folder was closed. Without it, a journal that
//! was emptied could not be told from one that was lost.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::KvError;

/// The file that tells up to which batch the journals were emptied, because all of it was in data files.
const EMPTIED: &str = "emptied";

/// Notes, durably, that the journals are about to be emptied and went up to `last_seqno`.
///
/// # Errors
/// `Io`.
pub(super) fn note(folder: &Path, last_seqno: u64) -> Result<(), KvError> {
    let (path, draft) = (folder.join(EMPTIED), folder.join("emptied.draft"));
    let write = || -> io::Result<()> {
        let mut file = File::create(&draft)?;
        file.write_all(last_seqno.to_string().as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &path)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|source| KvError::io("write", &path, source))
}

/// Up to which batch the journals were emptied, if they ever were.
///
/// # Errors
/// `Corrupt`, naming the file; `Io`.
pub(super) fn read(folder: &Path) -> Result<Option<u64>, KvError> {
    let path = folder.join(EMPTIED);
    match fs::read_to_string(&path) {
        Ok(text) => match text.parse() {
            Ok(seqno) => Ok(Some(seqno)),
            Err(_) => Err(damaged(&path)),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged(&path)),
        Err(source) => Err(KvError::io("read", &path, source)),
    }
}

fn damaged(path: &Path) -> KvError {
    KvError::corrupt(path, "it should hold one number")
}
