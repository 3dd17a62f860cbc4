//! Which spaces a store on disk has. fjall keeps a list of its own, but removes a space whose files it finds
//! incomplete without a word; this second list makes such a loss visible, and lets an interrupted creation or
//! deletion be finished.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use fjall::config::PartitioningPolicy;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode};
use parking_lot::Mutex;

use super::closing::Closing;
use super::error::KvError;
use super::folder;
use super::guard::guarded;
use super::keyspace::DiskSpace;

/// The spaces of one store, with the keyspace that records them: name → folder, or nothing while it is deleted.
pub(super) struct Spaces {
    records: Keyspace,
    open: Mutex<BTreeMap<String, Arc<DiskSpace>>>,
    database: Database,
    folder: PathBuf,
    closing: Arc<Closing>,
}

/// The keyspace of the records. No space may have this name.
const RECORDS: &str = "kv.spaces";

/// The key of the record that is no space's; their names do not begin with zero. It is put again with every change,
/// so that the highest number ever given to a change can always be found.
const CHANGED: &str = "\0changed";

/// The record of a space that is being deleted.
const DELETING: &[u8] = b"";

/// Spaces of one folder; some are left for the list of them and for late ones, which are not counted when they are made. When fjall opens a folder it puts one message for each space into a queue
/// of a thousand that nobody reads yet, and waits for room in it for ever.
pub(super) const SPACES_MAX: usize = 990;

/// More numbers than fjall hands out between two writes to the journal.
const SEQNO_GAP: u64 = 1 << 20;

impl Spaces {
    /// Opens every recorded space, and finishes what was interrupted.
    pub(super) fn open(database: &Database, closing: &Arc<Closing>) -> Result<Self, KvError> {
        // The numbers that fjall gave to its own list are not in the journal, and it counts on from the highest number
        // that is. It would give old numbers to new spaces, and lose them to older deletions.
        database.supervisor.seqno.fetch_max(database.seqno() + SEQNO_GAP);
        let folder = closing.folder().to_owned();
        let names: Vec<String> = database.list_keyspace_names().iter().map(ToString::to_string).collect();
        if !names.is_empty() && !names.iter().any(|name| name == RECORDS) {
            return Err(KvError::corrupt(&folder, "it has spaces but no list of them"));
        }
        let records = guarded("create a space in", &folder, || database.keyspace(RECORDS, keyspace_options))?;
        if names.is_empty() {
            folder::sync_trees(&folder)?;
        }
        let spaces = Self {
            records,
            open: Mutex::default(),
            database: database.clone(),
            folder,
            closing: closing.clone(),
        };
        spaces.open_recorded(&names)?;
        spaces.drop_unrecorded(&names)?;
        Ok(spaces)
    }

    /// A space, made or late. Nothing is created.
    pub(super) fn get(&self, name: &str) -> Arc<DiskSpace> {
        assert!(name != RECORDS && !name.starts_with('\0'), "{name:?} is no name for a space");
        let mut open = self.open.lock();
        let late = || Arc::new(DiskSpace::late(name));
        open.entry(name.to_owned()).or_insert_with(late).clone()
    }

    pub(super) fn names(&self) -> Vec<String> {
        let open = self.open.lock();
        open.values()
            .filter(|space| space.keyspace().is_some())
            .map(|space| space.name().to_owned())
            .collect()
    }

    /// How many more may be made.
    pub(super) fn left(&self) -> usize {
        let open = self.open.lock();
        SPACES_MAX.saturating_sub(open.values().filter(|space| space.keyspace().is_some()).count())
    }

    /// The keyspace of the records.
    pub(super) fn records(&self) -> &Keyspace {
        &self.records
    }

    /// Every keyspace that holds data, with that of the records.
    pub(super) fn keyspaces(&self) -> Vec<Keyspace> {
        let open = self.open.lock();
        open.values().filter_map(|space| space.keyspace().cloned()).chain([self.records.clone()]).collect()
    }

    /// Creates a space's files, unless it has them. The caller lets nobody commit meanwhile.
    pub(super) fn make(&self, space: &DiskSpace) -> Result<(), KvError> {
        self.make_with(space, keyspace_options())
    }

    fn make_with(&self, space: &DiskSpace, options: KeyspaceCreateOptions) -> Result<(), KvError> {
        if space.keyspace().is_some() {
            return Ok(());
        }
        self.record(None)?;
        let keyspace = self.keyspace(space.name(), options)?;
        folder::sync_trees(&self.folder)?;
        let keyspace_folder = keyspace.path().file_name().unwrap_or_default().as_encoded_bytes().to_vec();
        self.record(Some((space.name(), Some(&keyspace_folder))))?;
        space.give(keyspace, self.closing.clone());
        Ok(())
    }

    /// Deletes a space. The caller lets nobody commit meanwhile.
    pub(super) fn delete(&self, space: &DiskSpace) -> Result<(), KvError> {
        let Some(keyspace) = space.keyspace() else {
            self.open.lock().remove(space.name());
            return Ok(());
        };
        self.record(Some((space.name(), Some(DELETING))))?;
        self.open.lock().remove(space.name());
        self.delete_keyspace(keyspace.clone())?;
        self.record(Some((space.name(), None)))
    }

    fn open_recorded(&self, names: &[String]) -> Result<(), KvError> {
        for entry in self.records.iter() {
            let (name, record) = guarded("read", self.records.path(), || entry.into_inner())?;
            let name = String::from_utf8_lossy(&name).into_owned();
            let exists = names.contains(&name);
            if name == CHANGED {
                continue;
            } else if *record == *DELETING {
                self.finish_deletion(&name, exists)?;
            } else if exists {
                self.get(&name).give(self.keyspace(&name, keyspace_options())?, self.closing.clone());
            } else {
                let file = self.folder.join("keyspaces").join(&*String::from_utf8_lossy(&record));
                let detail = format!("the files of space {name} are missing or incomplete");
                return Err(KvError::corrupt(&file, detail));
            }
        }
        Ok(())
    }

    fn finish_deletion(&self, name: &str, exists: bool) -> Result<(), KvError> {
        if exists {
            self.record(None)?;
            self.delete_keyspace(self.keyspace(name, keyspace_options())?)?;
        }
        self.record(Some((name, None)))
    }

    /// A space without a record was being created when the process ended: nobody was given it, so it is empty.
    fn drop_unrecorded(&self, names: &[String]) -> Result<(), KvError> {
        let recorded = self.names();
        for name in names {
            if name == RECORDS || recorded.contains(name) || !self.database.keyspace_exists(name) {
                continue;
            }
            let stray = self.keyspace(name, keyspace_options())?;
            if !guarded("read", stray.path(), || stray.is_empty())? {
                let detail = format!("space {name} holds data but is not in the list of spaces");
                return Err(KvError::corrupt(stray.path(), detail));
            }
            self.record(None)?;
            self.delete_keyspace(stray)?;
        }
        Ok(())
    }

    /// Notes a change of fjall's own list before or after it is made. The list's numbers are not in the journal;
    /// this one is, and keeps them above those of every earlier change and below those of every later one.
    fn record(&self, change: Option<(&str, Option<&[u8]>)>) -> Result<(), KvError> {
        let mut writes = OwnedWriteBatch::with_capacity(self.database.clone(), 2);
        writes.insert(&self.records, CHANGED, "");
        match change {
            Some((name, Some(record))) => writes.insert(&self.records, name, record),
            Some((name, None)) => writes.remove(&self.records, name),
            None => {}
        }
        let writes = writes.durability(Some(PersistMode::SyncData));
        guarded("write the journal of", &self.folder, || writes.commit())
    }

    fn keyspace(&self, name: &str, options: KeyspaceCreateOptions) -> Result<Keyspace, KvError> {
        guarded("create a space in", &self.folder, || self.database.keyspace(name, || options))
    }

    fn delete_keyspace(&self, keyspace: Keyspace) -> Result<(), KvError> {
        let path = keyspace.path().to_owned();
        guarded("delete", &path, || self.database.delete_keyspace(keyspace))
    }
}

/// The index and the filter of a file below the first level are cut into blocks, of which a read fetches the one it needs. fjall would do
/// so from the third level on: above it they are one block each, a megabyte for a file, and once a table's indexes outgrow the
/// block cache every read of a cold item would fetch and verify that whole.
fn keyspace_options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        // The store seals memtables itself.
        .max_memtable_size(u64::MAX)
        .manual_journal_persist(true)
        .index_block_partitioning_policy(PartitioningPolicy::new([false, true]))
        .filter_block_partitioning_policy(PartitioningPolicy::new([false, true]))
}

#[cfg(test)]
mod tests {
    use fjall::AbstractTree;
    use tempfile::TempDir;

    use super::*;
    use crate::kv::{Batch, Kv, KvOptions, Medium, Persist, Space};

    /// Earlier versions noted in each space when fjall seals its memtable. It then does so beside the store, in its own way: between the
    /// sync of the journal and the file, or never again, once commits have filled the queue that its threads themselves write to.
    #[test]
    fn the_store_seals_memtables_before_fjall_does() {
        const MEMTABLE_BYTES: u64 = 64 * 1024;
        let folder = TempDir::new().unwrap();
        let options = KvOptions { write_buffer_bytes: 4 * 1024 * 1024, ..KvOptions::default() };
        let value = |n: u32| n.to_be_bytes().repeat(64);
        for (opening, rows) in [(0, 100_u32), (1, 4_000)] {
            let kv = Kv::open(folder.path(), &options).unwrap();
            let Medium::Disk(disk) = &kv.0 else { unreachable!("it was opened in a folder") };
            let spaces: Vec<_> = ["one", "two"].map(|name| kv.late_space(name)).into();
            if opening == 0 {
                let bounded = keyspace_options().max_memtable_size(MEMTABLE_BYTES);
                for space in &spaces {
                    disk.trees.spaces.make_with(space.on_disk(), bounded.clone()).unwrap();
                }
            }
            for n in 0..rows {
                let mut batch = Batch::default();
                spaces.iter().for_each(|space| batch.put(space, n.to_be_bytes(), value(n + opening)));
                kv.commit(&mut batch, Persist::None).unwrap();
                let memtable_bytes = |space: &Space| space.on_disk().made().tree.active_memtable().size();
                assert!(
                    spaces.iter().all(|space| memtable_bytes(space) <= MEMTABLE_BYTES),
                    "fjall seals row {n}"
                );
            }
            for n in (0..rows).step_by(97) {
                for space in &spaces {
                    assert_eq!(
                        kv.get(space, &n.to_be_bytes()).unwrap().as_deref(),
                        Some(&*value(n + opening))
                    );
                }
            }
            kv.flush().unwrap();
        }
    }
}
