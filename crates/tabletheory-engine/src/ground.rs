//! What all work stands on: the storage, the spaces that belong to no single table, and the cache of rows before them.

use tabletheory_core::StoreError;

use crate::cache::{RowCache, RowRef};
use crate::kv::{Bytes, Kv, Space};
use crate::table::Rows;

/// The spaces that belong to no single table. Each is made when something is first to be written to it: a new folder answers
/// sooner for it.
#[derive(Debug, Clone)]
pub(crate) struct SystemSpaces {
    /// Tables, streams, counts.
    pub catalog: Space,
    /// Stream records by stream and sequence number.
    pub streams: Space,
    /// Client request tokens and what was asked under them.
    pub tokens: Space,
}

impl SystemSpaces {
    pub(crate) fn of(kv: &Kv) -> Self {
        Self {
            catalog: kv.late_space("catalog"),
            streams: kv.late_space("streams"),
            tokens: kv.late_space("tokens"),
        }
    }
}

/// Where rows are: what readers and the writer stand on. It outlives every group of writes.
#[derive(Debug)]
pub(crate) struct Ground {
    pub kv: Kv,
    pub spaces: SystemSpaces,
    /// Absent when the storage is itself memory, or nothing is to be spent on items that are read often.
    pub cache: Option<RowCache>,
}

impl Ground {
    /// A row as it was last committed.
    pub(crate) fn read(&self, rows: &Rows, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let load = || self.kv.get(&rows.space, key);
        let found = match &self.cache {
            Some(cache) => cache.get(RowRef { rows: rows.number, key }, load),
            None => load(),
        };
        Ok(found?)
    }
}
