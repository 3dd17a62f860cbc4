//! Where a copy stands, in a file that survives the death of its process: each state is written beside it, synced and renamed over it.
//! It holds keys of items, so that only its owner can read it.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tabletheory::table::Checkpoint;
use tempfile::NamedTempFile;

use crate::error::Error;
use crate::pair::Pair;

/// What a journal begins with. Another form is another number.
const START: &str = "theory-copy 1 ";

/// The journal of a copy, locked for this process.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// Held as long as the journal is.
    lock: File,
    pub(crate) state: State,
}

/// Where a copy stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct State {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) tables: Vec<Entry>,
}

/// Where the copy of one table stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) pair: Pair,
    /// The identities of the tables, so that a table that was made anew is known; empty where a store has none.
    pub(crate) from_id: String,
    /// None until the target is known to be there.
    pub(crate) to_id: Option<String>,
    /// Whether the target was made for this copy.
    pub(crate) is_made: bool,
    /// Whether the target had items of its own when the copy began. They stay, and are no difference.
    #[serde(default)]
    pub(crate) has_own: bool,
    pub(crate) stage: Stage,
    /// From where it goes on; none if nothing is copied.
    pub(crate) checkpoint: Option<Checkpoint>,
}

/// How far the copy of a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    /// Nothing is copied.
    Waiting,
    /// Items are being copied.
    Copying,
    /// All items are copied, and not yet compared.
    Copied,
    /// The tables were found equal, and everything is switched on.
    Done,
}

impl Journal {
    /// Begins the journal of a new copy.
    ///
    /// # Errors
    /// If there is a journal of an unfinished copy, another process has it, or it cannot be written.
    pub fn begin(path: &Path, from: &str, to: &str) -> Result<Self, Error> {
        let lock = lock(path)?;
        Self::look(path)?;
        let state = State { from: from.to_owned(), to: to.to_owned(), tables: Vec::new() };
        let journal = Self { path: path.to_owned(), lock, state };
        // That it can be written is known before anything else changes.
        journal.save()?;
        Ok(journal)
    }

    /// Looks whether a new copy can have this journal. Nothing is written.
    ///
    /// # Errors
    /// If there is a journal of an unfinished copy, or another file.
    pub fn look(path: &Path) -> Result<(), Error> {
        match read(path) {
            Ok(State { from, to, .. }) => {
                Err(Error::Unfinished { path: path.to_owned(), found: between(&from, &to) })
            }
            Err(Error::NoJournal { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Opens the journal of a copy that goes on.
    ///
    /// # Errors
    /// If there is none, it is damaged or of another copy, or another process has it.
    pub fn resume(path: &Path, from: &str, to: &str) -> Result<Self, Error> {
        if !path.exists() {
            return Err(Error::NoJournal { path: path.to_owned() });
        }
        let lock = lock(path)?;
        let state = read(path)?;
        if (state.from.as_str(), state.to.as_str()) != (from, to) {
            let found = between(&state.from, &state.to);
            return Err(Error::OtherCopy { path: path.to_owned(), found, wanted: between(from, to) });
        }
        let journal = Self { path: path.to_owned(), lock, state };
        journal.save()?;
        Ok(journal)
    }

    /// The tables of the copy; none if it was ended before it knew them.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        self.state.tables.iter().map(|entry| entry.pair.clone()).collect()
    }

    /// Writes the state down.
    pub(crate) fn save(&self) -> Result<(), Error> {
        let failed = |source| Error::Journal { path: self.path.clone(), doing: "written", source };
        let body = serde_json::to_string(&self.state).expect("a state is plain data with text for keys");
        let folder = folder(&self.path);
        // A temporary file is its owner's alone, and stays so under its new name.
        let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
        let head = format!("{START}{}\n", checksum(body.as_bytes()));
        file.write_all(head.as_bytes()).and_then(|()| file.write_all(body.as_bytes())).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        sync_folder(folder).map_err(failed)
    }

    /// Ends a journal whose copy came to its end.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn finish(self) -> Result<(), Error> {
        let failed = |source| Error::Journal { path: self.path.clone(), doing: "removed", source };
        std::fs::remove_file(&self.path).map_err(failed)?;
        sync_folder(folder(&self.path)).map_err(failed)?;
        // Whoever waits for the lock finds it free, or makes another.
        let _ = std::fs::remove_file(lock_path(&self.path));
        drop(self.lock);
        Ok(())
    }
}

fn between(from: &str, to: &str) -> String {
    format!("from {from} to {to}")
}

fn read(path: &Path) -> Result<State, Error> {
    let wrong = |why: &str| Error::NotAJournal { path: path.to_owned(), why: why.to_owned() };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Error::NoJournal { path: path.to_owned() });
        }
        Err(source) => return Err(Error::Journal { path: path.to_owned(), doing: "read", source }),
    };
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong("it is no text"))?;
    let rest = text.strip_prefix(START).ok_or_else(|| wrong(&format!("it does not begin with {START:?}")))?;
    let (sum, body) = rest.split_once('\n').ok_or_else(|| wrong("it ends after its first line"))?;
    if sum != checksum(body.as_bytes()) {
        return Err(wrong("its checksum is not that of its text; it was changed, or cut off"));
    }
    serde_json::from_str(body).map_err(|error| wrong(&error.to_string()))
}

fn checksum(body: &[u8]) -> String {
    Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes the journal for this process. The lock lies beside the journal, which is another file after each save.
fn lock(path: &Path) -> Result<File, Error> {
    let failed = |source| Error::Journal { path: path.to_owned(), doing: "locked", source };
    let file = File::options().create(true).append(true).open(lock_path(path)).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::InUse { path: path.to_owned() }),
        Err(std::fs::TryLockError::Error(source)) => Err(failed(source)),
    }
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new name lasts when its folder is synced, where folders can be.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests;
