//! What earlier versions noted with each space: at which size fjall seals its memtable by itself. fjall goes by it for good, and offers no
//! way to ask for it.

use std::path::Path;

use fjall::{AbstractTree, SeqNo};
use lsm_tree::{Config, Guard, SequenceNumberCounter};

use super::error::KvError;
use super::guard::guarded;

/// The tree in which fjall keeps what it was told of the others.
const META: &str = "keyspaces/0";
/// What the keys of such notes begin with; the number of a tree and the name of an option follow.
const NOTES: &[u8] = b"c";
const MEMTABLE_BYTES: &[u8] = b"max_memtable_size";

/// The smallest such size in a folder that is not open. The spaces of this version have none.
///
/// # Errors
/// `Corrupt`; `Io`.
pub(super) fn least_memtable_bytes(folder: &Path) -> Result<u64, KvError> {
    let meta = folder.join(META);
    if !meta.join("current").exists() {
        return Ok(u64::MAX);
    }
    guarded("read", &meta, || {
        let (numbers, visible) = (SequenceNumberCounter::default(), SequenceNumberCounter::default());
        let tree = Config::new(&meta, numbers, visible).open()?;
        let mut least = u64::MAX;
        for note in tree.prefix(NOTES, SeqNo::MAX, None) {
            let (key, value) = note.into_inner()?;
            if key.ends_with(MEMTABLE_BYTES)
                && let Ok(bytes) = (*value).try_into()
            {
                least = least.min(u64::from_le_bytes(bytes));
            }
        }
        Ok(least)
    })
}

#[cfg(test)]
mod tests {
    use fjall::{Database, KeyspaceCreateOptions};
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn the_least_size_of_all_spaces_is_told() {
        let folder = TempDir::new().unwrap();
        assert_eq!(least_memtable_bytes(folder.path()).unwrap(), u64::MAX, "there are none");
        for (space, noted, least) in
            [("new", u64::MAX, u64::MAX), ("small", 5_000, 5_000), ("large", 80_000, 5_000)]
        {
            let database = Database::builder(folder.path()).open().unwrap();
            let options = || KeyspaceCreateOptions::default().max_memtable_size(noted);
            database.keyspace(space, options).unwrap();
            drop(database);
            assert_eq!(least_memtable_bytes(folder.path()).unwrap(), least, "{space}");
        }
    }
}
