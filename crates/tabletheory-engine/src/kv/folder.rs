//! Looks at a folder before fjall opens it, for what fjall would trust or tidy away without a word: a creation that
//! never finished, damaged journals (see `journal`), version files that contradict their checksum, table files whose
//! contents do (see `archive`), a lost root. The blocks of a table are checked by fjall whenever they are read. What
//! earlier versions told fjall of the spaces is looked up on the way (see `noted`).

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use xxhash_rust::xxh3::xxh3_128;

use super::emptied::{self, Emptied};
use super::error::{KvError, SYNC};
use super::options::JournalDamage;
use super::{archive, journal, journals, noted};

/// The file that says which format the folder has; written last when a folder is created.
const FORMAT: &str = "version";
/// How that file begins; the number of the format follows.
const FORMAT_NAME: &[u8] = b"FJL";
/// The folder of the trees, one folder for each; number 0 lists the others.
const TREES: &str = "keyspaces";
/// The file that names a tree's version file, with its checksum.
const CURRENT: &str = "current";

/// What a folder that holds a store tells of it.
pub(super) struct Found {
    pub(super) journal_end: journal::End,
    /// At which size of a memtable fjall seals it by itself.
    pub(super) memtable_bytes: u64,
}

/// Checks `folder` and repairs what only an interruption can explain. Tells what it found, unless there is no store yet.
///
/// # Errors
/// `Corrupt`, naming the file; `Locked`; `Io`.
pub(super) fn check(folder: &Path, damage: JournalDamage) -> Result<Option<Found>, KvError> {
    if !exists(folder)? {
        return Ok(None);
    }
    let _lock = lock(folder, 3)?;
    match fs::read(folder.join(FORMAT)) {
        Ok(format) if format.starts_with(FORMAT_NAME) && format.len() > FORMAT_NAME.len() => {}
        Ok(_) => return remove_unfinished(folder).map(|()| None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return remove_unfinished(folder).map(|()| None);
        }
        Err(source) => return Err(KvError::io("read", &folder.join(FORMAT), source)),
    }
    let journal_end = journal::check(folder, damage)?;
    check_trees(&folder.join(TREES))?;
    Ok(Some(Found { journal_end, memtable_bytes: noted::least_memtable_bytes(folder)? }))
}

/// Makes `folder` if it is not there, so that a power loss cannot take its name away again.
///
/// # Errors
/// `Io`.
pub(super) fn create(folder: &Path) -> Result<(), KvError> {
    if exists(folder)? {
        return Ok(());
    }
    // A relative path of one word lies in the current folder, which has an empty name.
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create(parent)?;
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(KvError::io("create", folder, error))
        }
        _ => sync(parent),
    }
}

/// Makes the names in the folder of the trees survive a power loss. fjall syncs what is in a new tree's folder, but not
/// the name of that folder.
///
/// # Errors
/// `Io`.
pub(super) fn sync_trees(folder: &Path) -> Result<(), KvError> {
    sync(&folder.join(TREES))
}

fn sync(folder: &Path) -> Result<(), KvError> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(|source| KvError::io(SYNC, folder, source))
}

/// fjall's lock on a folder.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process that is just being spawned has a copy of it. If unlocking
        // fails, closing is all that is left.
        let _ = self.0.unlock();
    }
}

/// Empties the journals of a closed folder whose table files hold everything, so that the next opening replays
/// nothing. What they went up to is noted first: without it, an empty journal could not be told from a lost one. If the
/// folder is open again, or still, nothing is done.
///
/// # Errors
/// `Io`; the journals are then replayed in vain.
pub(super) fn empty_journals(folder: &Path, last_seqno: u64) -> Result<(), KvError> {
    let _lock = lock(folder, 1)?;
    let mut journals = journals::journals(folder)?;
    let Some(active) = journals.pop() else { return Ok(()) };
    emptied::note(folder, Emptied { seqno: last_seqno, journal: journals::number_of(&active) })?;
    for journal in journals {
        // Oldest first: a gap would look like a loss.
        fs::remove_file(&journal).map_err(|source| KvError::io("remove", &journal, source))?;
    }
    journal::truncate(&active, 0).map_err(|source| KvError::io("empty", &active, source))
}

/// Takes fjall's own lock while the folder is looked at. fjall takes it again when it opens the folder.
#[expect(clippy::disallowed_methods, reason = "another process may be just about to end; nothing tells when")]
fn lock(folder: &Path, tries: u32) -> Result<Lock, KvError> {
    let path = folder.join("lock");
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|source| KvError::io("open", &path, source))?;
    for _ in 0..tries {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(50)),
            Err(TryLockError::Error(source)) => return Err(KvError::io("lock", &path, source)),
        }
    }
    Err(KvError::Locked { path: folder.to_owned() })
}

/// Without the format file, creation was interrupted: nobody was ever given the folder, and what is left of it keeps
/// fjall from creating it again. But a folder that holds data has lost its format file.
fn remove_unfinished(folder: &Path) -> Result<(), KvError> {
    let trees = folder.join(TREES);
    let has_trees = exists(&trees)? && entries(&trees)?.next().is_some();
    let journals = journals::journals(folder)?;
    let mut is_blank = !has_trees;
    for journal in &journals {
        is_blank = is_blank && journal::is_blank(journal)?;
    }
    if !is_blank {
        return Err(KvError::corrupt(
            &folder.join(FORMAT),
            "it is missing or incomplete, and the folder holds data",
        ));
    }
    for leftover in journals.into_iter().chain([folder.join(FORMAT)]) {
        if exists(&leftover)? {
            fs::remove_file(&leftover).map_err(|source| KvError::io("remove", &leftover, source))?;
        }
    }
    Ok(())
}

fn check_trees(trees: &Path) -> Result<(), KvError> {
    let root = trees.join("0").join(CURRENT);
    let has_root = exists(&root)?;
    if !exists(trees)? {
        return Err(KvError::corrupt(trees, "it is missing"));
    }
    for entry in entries(trees)? {
        let tree = entry.map_err(|source| KvError::io("list", trees, source))?.path();
        let name = tree.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !tree.is_dir() {
            continue;
        }
        if name.parse::<u64>().is_err() {
            return Err(KvError::corrupt(&tree, "it is not a folder of this store"));
        }
        if !has_root && name != "0" {
            // fjall would start an empty list, and then remove every tree that is not in it.
            return Err(KvError::corrupt(&root, "the list of spaces is missing"));
        }
        if exists(&tree.join(CURRENT))? {
            for table in archive::table_ids(&version_file(&tree)?)? {
                archive::check(&tree.join("tables").join(table.to_string()))?;
            }
        }
    }
    Ok(())
}

/// A tree's version file, compared with the checksum beside its name. fjall stores that checksum but does not look at
/// it, and the file decides which tables are read, and in which order.
fn version_file(tree: &Path) -> Result<PathBuf, KvError> {
    let current = tree.join(CURRENT);
    let bytes = fs::read(&current).map_err(|source| KvError::io("read", &current, source))?;
    let parts = <&[u8; 25]>::try_from(bytes.as_slice()).ok().and_then(|bytes| {
        let (number, rest) = bytes.split_first_chunk()?;
        let (checksum, kind) = rest.split_first_chunk()?;
        // The kind of checksum; 0 is XXH3, and there is no other.
        (kind == [0]).then(|| (u64::from_le_bytes(*number), u128::from_le_bytes(*checksum)))
    });
    let Some((number, checksum)) = parts else {
        return Err(KvError::corrupt(&current, "it does not name a version"));
    };
    let version = tree.join(format!("v{number}"));
    match fs::read(&version) {
        Ok(bytes) if xxh3_128(&bytes) == checksum => Ok(version),
        Ok(_) => Err(KvError::corrupt(&version, "it contradicts the checksum in `current`")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(KvError::corrupt(&version, "`current` names it, but it is missing"))
        }
        Err(source) => Err(KvError::io("read", &version, source)),
    }
}

fn entries(folder: &Path) -> Result<fs::ReadDir, KvError> {
    fs::read_dir(folder).map_err(|source| KvError::io("list", folder, source))
}

fn exists(path: &Path) -> Result<bool, KvError> {
    path.try_exists().map_err(|source| KvError::io("look at", path, source))
}
