//! A walk over the files of a folder that follows no link and holds one open directory per level.

use std::fs::{DirEntry, Metadata, ReadDir};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::SystemTime;

use tabletheory_core::Timestamp;

use super::listed::Listed;

/// The files below a folder, in no particular order. Blocks.
#[derive(Debug)]
pub(super) struct Walk {
    root: PathBuf,
    open: Vec<ReadDir>,
}

impl Walk {
    /// A walk below `root`; empty if there is no such folder.
    pub(super) fn new(root: PathBuf) -> io::Result<Self> {
        // A link in place of the folder leads elsewhere, and nothing of ours lies there.
        match std::fs::symlink_metadata(&root) {
            Ok(found) if found.is_dir() => Ok(Self { open: vec![std::fs::read_dir(&root)?], root }),
            Ok(_) => Ok(Self { open: Vec::new(), root }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self { open: Vec::new(), root }),
            Err(error) => Err(error),
        }
    }

    fn visit(&mut self, entry: &DirEntry) -> io::Result<Option<Listed>> {
        let kind = entry.file_type()?;
        if kind.is_dir() {
            self.open.push(std::fs::read_dir(entry.path())?);
        }
        if !kind.is_file() {
            return Ok(None);
        }
        let metadata = entry.metadata()?;
        let path = entry.path();
        // A name that is not text was not made by us, and no pointer could name it.
        let Some(pointer) = path.strip_prefix(&self.root).ok().and_then(|path| path.to_str()) else {
            return Ok(None);
        };
        let pointer = pointer.replace(std::path::MAIN_SEPARATOR, "/");
        Ok(Some(Listed { pointer, len: metadata.len(), modified: modified(&metadata)? }))
    }
}

impl Iterator for Walk {
    /// An error concerns one file or folder; the walk goes on behind it.
    type Item = io::Result<Listed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let visited = match self.open.last_mut()?.next() {
                None => {
                    self.open.pop();
                    continue;
                }
                Some(Ok(entry)) => self.visit(&entry),
                Some(Err(error)) => {
                    // A directory that cannot be read on may give the same error for ever.
                    self.open.pop();
                    Err(error)
                }
            };
            match visited {
                Ok(None) => {}
                Ok(Some(listed)) => return Some(Ok(listed)),
                // It vanished between being seen and being looked at.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn modified(metadata: &Metadata) -> io::Result<Timestamp> {
    let millis = match metadata.modified()?.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |millis| -millis),
    };
    Ok(Timestamp::from_millis(millis))
}
