//! Which spaces a store on disk has. fjall keeps a list of its own, but removes a space whose files it finds
//! incomplete without a word; this second list makes such a loss visible, and lets an interrupted creation or
//! deletion be finished.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode};
use parking_lot::Mutex;

use super::{KvError, KvOptions, disk::DiskSpace, folder, guard::guarded};

/// The spaces of one store, with the keyspace that records them: name → folder, or nothing while it is deleted.
pub(super) struct Spaces {
    records: Keyspace,
    open: Mutex<BTreeMap<String, Arc<DiskSpace>>>,
    /// Whether this opening has left its mark in the journal, see [`Spaces::mark_opening`].
    is_marked: AtomicBool,
}

/// The keyspace of the records. No space may have this name.
const RECORDS: &str = "kv.spaces";

/// The key of the record that is no space's; their names do not begin with zero.
const OPENING: &str = "\0opening";

/// More numbers than fjall hands out between two writes to the journal.
const SEQNO_GAP: u64 = 1 << 20;

/// The record of a space that is being deleted.
const DELETING: &[u8] = b"";

impl Spaces {
    /// Opens every recorded space, and finishes what was interrupted.
    pub(super) fn open(database: &Database, folder: &Path, options: &KvOptions) -> Result<Self, KvError> {
        // The numbers that fjall gave to its own list are not in the journal, and it counts on from the highest number
        // that is. It would give old numbers to new spaces, and lose them to older deletions.
        database.supervisor.seqno.fetch_max(database.seqno() + SEQNO_GAP);
        let names: Vec<String> = database.list_keyspace_names().iter().map(ToString::to_string).collect();
        if !names.is_empty() && !names.iter().any(|name| name == RECORDS) {
            return Err(KvError::Corrupt {
                file: folder.to_owned(),
                detail: "it has spaces but no list of them".to_owned(),
            });
        }
        let records = keyspace(database, folder, options, RECORDS)?;
        if names.is_empty() {
            folder::sync_trees(folder)?;
        }
        let spaces = Self { records, open: Mutex::default(), is_marked: AtomicBool::new(false) };
        for entry in spaces.records.iter() {
            let (name, record) = guarded("read", spaces.records.path(), || entry.into_inner())?;
            let name = String::from_utf8_lossy(&name).into_owned();
            if name == OPENING {
                continue;
            }
            let exists = names.contains(&name);
            if *record == *DELETING {
                spaces.finish_deletion(database, folder, options, &name, exists)?;
            } else if exists {
                let space = DiskSpace::new(keyspace(database, folder, options, &name)?);
                spaces.open.lock().insert(name, Arc::new(space));
            } else {
                let keyspace_folder = folder.join("keyspaces").join(&*String::from_utf8_lossy(&record));
                let detail = format!("the files of space {name} are missing or incomplete");
                return Err(KvError::Corrupt { file: keyspace_folder, detail });
            }
        }
        spaces.drop_unrecorded(database, folder, options, &names)?;
        Ok(spaces)
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<DiskSpace>> {
        self.open.lock().get(name).cloned()
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.open.lock().keys().cloned().collect()
    }

    /// Every keyspace that holds data, with that of the records.
    pub(super) fn keyspaces(&self) -> Vec<Keyspace> {
        let open = self.open.lock();
        open.values().map(|space| space.keyspace().clone()).chain([self.records.clone()]).collect()
    }

    /// Creates a space, unless somebody else just did. The caller lets nobody commit meanwhile.
    pub(super) fn create(
        &self,
        database: &Database,
        folder: &Path,
        options: &KvOptions,
        name: &str,
    ) -> Result<Arc<DiskSpace>, KvError> {
        assert!(name != RECORDS && !name.starts_with('\0'), "{name:?} is no name for a space");
        if let Some(space) = self.get(name) {
            return Ok(space);
        }
        self.mark_opening(database, folder)?;
        let keyspace = keyspace(database, folder, options, name)?;
        folder::sync_trees(folder)?;
        let keyspace_folder = keyspace.path().file_name().unwrap_or_default().as_encoded_bytes().to_vec();
        self.record(database, folder, name, Some(&keyspace_folder))?;
        let space = Arc::new(DiskSpace::new(keyspace));
        self.open.lock().insert(name.to_owned(), space.clone());
        Ok(space)
    }

    /// Deletes a space. The caller lets nobody commit meanwhile.
    pub(super) fn delete(
        &self,
        database: &Database,
        folder: &Path,
        space: &Arc<DiskSpace>,
    ) -> Result<(), KvError> {
        self.mark_opening(database, folder)?;
        self.record(database, folder, space.name(), Some(DELETING))?;
        self.open.lock().remove(space.name());
        guarded("delete", space.keyspace().path(), || database.delete_keyspace(space.keyspace().clone()))?;
        self.record(database, folder, space.name(), None)
    }

    /// Writes to the journal before the first change of fjall's own list, so that the numbers of this opening's
    /// changes are above those of every earlier opening, and below those of every later one.
    fn mark_opening(&self, database: &Database, folder: &Path) -> Result<(), KvError> {
        if !self.is_marked.load(Ordering::Acquire) {
            self.record(database, folder, OPENING, Some(b"opened"))?;
            self.is_marked.store(true, Ordering::Release);
        }
        Ok(())
    }

    fn record(
        &self,
        database: &Database,
        folder: &Path,
        name: &str,
        value: Option<&[u8]>,
    ) -> Result<(), KvError> {
        let mut writes =
            OwnedWriteBatch::with_capacity(database.clone(), 1).durability(Some(PersistMode::SyncData));
        match value {
            Some(value) => writes.insert(&self.records, name, value),
            None => writes.remove(&self.records, name),
        }
        guarded("write the journal of", folder, || writes.commit())
    }

    fn finish_deletion(
        &self,
        database: &Database,
        folder: &Path,
        options: &KvOptions,
        name: &str,
        exists: bool,
    ) -> Result<(), KvError> {
        self.mark_opening(database, folder)?;
        if exists {
            let rest = keyspace(database, folder, options, name)?;
            guarded("delete", folder, || database.delete_keyspace(rest))?;
        }
        self.record(database, folder, name, None)
    }

    /// A space without a record was being created when the process ended: nobody was given it, so it is empty.
    fn drop_unrecorded(
        &self,
        database: &Database,
        folder: &Path,
        options: &KvOptions,
        names: &[String],
    ) -> Result<(), KvError> {
        for name in names {
            if name == RECORDS || self.get(name).is_some() || !database.keyspace_exists(name) {
                continue;
            }
            let stray = keyspace(database, folder, options, name)?;
            if !guarded("read", stray.path(), || stray.is_empty())? {
                let detail = format!("space {name} holds data but is not in the list of spaces");
                return Err(KvError::Corrupt { file: stray.path().to_owned(), detail });
            }
            self.mark_opening(database, folder)?;
            guarded("delete", folder, || database.delete_keyspace(stray))?;
        }
        Ok(())
    }
}

fn keyspace(
    database: &Database,
    folder: &Path,
    options: &KvOptions,
    name: &str,
) -> Result<Keyspace, KvError> {
    let create = || {
        KeyspaceCreateOptions::default()
            .max_memtable_size(options.memtable_bytes)
            .manual_journal_persist(true)
    };
    guarded("create a space in", folder, || database.keyspace(name, create))
}
