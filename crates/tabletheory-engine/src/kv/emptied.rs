//! A note beside the journals: up to which batch they were emptied when the folder was closed, and which of them was left.
//! Without it, a journal that was emptied could not be told from one that was lost. Once fjall has gone on to another journal
//! the note says nothing any more: that one may be empty because all of the one before is in data files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::error::KvError;

/// The file with the note.
const EMPTIED: &str = "emptied";

/// What is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Emptied {
    /// The number of the last batch that was in the journals, and is in data files.
    pub(super) seqno: u64,
    /// The number of the journal that is left, and empty.
    pub(super) journal: u64,
}

/// Notes, durably, that the journals are about to be emptied.
///
/// # Errors
/// `Io`.
pub(super) fn note(folder: &Path, Emptied { seqno, journal }: Emptied) -> Result<(), KvError> {
    let (path, draft) = (folder.join(EMPTIED), folder.join("emptied.draft"));
    let write = || -> io::Result<()> {
        let mut file = File::create(&draft)?;
        file.write_all(format!("{seqno} {journal}").as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &path)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|source| KvError::io("write", &path, source))
}

/// What was noted, if the journals were ever emptied.
///
/// # Errors
/// `Corrupt`, naming the file; `Io`.
pub(super) fn read(folder: &Path) -> Result<Option<Emptied>, KvError> {
    let path = folder.join(EMPTIED);
    match fs::read_to_string(&path) {
        Ok(text) => parse(&text).map(Some).ok_or_else(|| damaged(&path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged(&path)),
        Err(source) => Err(KvError::io("read", &path, source)),
    }
}

/// Notes of older versions do not tell the journal. They are believed of the first one, which was never gone on from.
fn parse(text: &str) -> Option<Emptied> {
    let (seqno, journal) = text.split_once(' ').unwrap_or((text, "0"));
    Some(Emptied { seqno: seqno.parse().ok()?, journal: journal.parse().ok()? })
}

fn damaged(path: &Path) -> KvError {
    KvError::corrupt(path, "it should hold two numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_read_and_nothing_else() {
        let folder = tempfile::TempDir::new().unwrap();
        assert_eq!(read(folder.path()).unwrap(), None);
        let noted = Emptied { seqno: u64::MAX, journal: 7 };
        note(folder.path(), noted).unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(noted));
        std::fs::write(folder.path().join(EMPTIED), "12").unwrap();
        assert_eq!(read(folder.path()).unwrap(), Some(Emptied { seqno: 12, journal: 0 }), "an older version");
        for text in ["", " ", "1 ", "1 2 3", "-1 0", "one", "1\n"] {
            std::fs::write(folder.path().join(EMPTIED), text).unwrap();
            assert!(matches!(read(folder.path()), Err(KvError::Corrupt { .. })), "{text:?}");
        }
    }
}
