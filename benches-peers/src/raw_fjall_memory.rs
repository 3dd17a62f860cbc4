//! Raw fjall with its defaults and without syncing: what the library itself costs under an engine with `memory` durability.

use std::path::Path;

use anyhow::Result;
use fjall::{Database, Keyspace, KeyspaceCreateOptions};

use crate::contender::{Answer, Contender, Operation};
use crate::raw_fjall::{self, encode, encode_key};
use crate::record::Record;

pub(crate) struct RawFjallMemory {
    database: Database,
    items: Keyspace,
}

impl RawFjallMemory {
    /// Opens a folder.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        // As the engine asks for it: writes stay in the journal's buffer until it is full.
        let database = Database::builder(folder).manual_journal_persist(true).open()?;
        let options = || KeyspaceCreateOptions::default().manual_journal_persist(true);
        let items = database.keyspace("items", options)?;
        Ok(Self { database, items })
    }
}

impl Contender for RawFjallMemory {
    fn load(&self, records: &mut dyn Iterator<Item = Record>) -> Result<()> {
        raw_fjall::load(&self.database, &self.items, records)
    }

    fn call(&self, operation: Operation) -> Result<Answer> {
        match operation {
            Operation::Put(record) => {
                self.items.insert(encode_key(&record.key), encode(&record))?;
                Ok(Answer::Written)
            }
            other => raw_fjall::read(&self.items, &other),
        }
    }
}
