//! What a group of writes gathers until it is committed. It outlives the group, so that a group of one write, which most are
//! where nobody waits for the disk, allocates nothing for it.

use std::collections::HashMap;
use std::sync::Arc;

use tabletheory_core::keyed_hash::KeyedHash;

use crate::cache::{RowId, RowRef, Slot};
use crate::kv::{Batch, Bytes, Space};
use crate::table::Rows;

/// What a large group has grown beyond this is not kept for the next one.
const ENTRIES_KEPT: usize = 1024;

/// What a group gathers.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    /// Rows of tables.
    pub rows: StagedRows,
    /// Everything else that is written.
    pub batch: Batch,
    /// Where the cache tells of the partitions of indexes whose rows are in the batch.
    pub index_slots: Vec<Slot>,
    pub counts: Vec<CountChange>,
}

impl Staging {
    /// Forgets everything and keeps the room for the next group.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.batch.clear(ENTRIES_KEPT);
        clear(&mut self.index_slots);
        clear(&mut self.counts);
    }

    /// Notes that rows and their bytes became more or fewer.
    pub(crate) fn count(&mut self, rows: &Arc<Rows>, items: i64, bytes: i64) {
        match self.counts.iter_mut().find(|change| change.rows.number == rows.number) {
            Some(change) => {
                change.items += items;
                change.bytes += bytes;
            }
            None => self.counts.push(CountChange { rows: Arc::clone(rows), items, bytes }),
        }
    }

    /// Puts the rows before everything else that is written, and makes all of it one batch.
    pub(crate) fn join(&mut self) -> &mut Batch {
        let others = self.batch.len();
        for (id, staged) in self.rows.iter() {
            match &staged.row {
                Some(row) => self.batch.put(&staged.space, id.key.clone(), row.clone()),
                None => self.batch.delete(&staged.space, id.key.clone()),
            }
        }
        self.batch.move_to_end(others);
        &mut self.batch
    }
}

fn clear<T>(entries: &mut Vec<T>) {
    entries.clear();
    entries.shrink_to(ENTRIES_KEPT);
}

/// Changes of a space's counts.
#[derive(Debug)]
pub(crate) struct CountChange {
    pub rows: Arc<Rows>,
    pub items: i64,
    pub bytes: i64,
}

/// Rows of tables as a group will leave them, however often it writes them.
#[derive(Debug, Default)]
pub(crate) struct StagedRows {
    /// The row that was written first: a group of one row asks no map.
    first: Option<(RowId, Staged)>,
    others: HashMap<RowId, Staged, KeyedHash>,
}

/// A row as the group will leave it.
#[derive(Debug)]
pub(crate) struct Staged {
    pub space: Space,
    pub row: Option<Bytes>,
}

impl StagedRows {
    /// The row, if the group writes it.
    pub(crate) fn get(&self, row: RowRef<'_>) -> Option<&Staged> {
        match &self.first {
            Some((id, staged)) if row.is(id) => Some(staged),
            Some(_) if !self.others.is_empty() => self.others.get(&RowId::from(row)),
            _ => None,
        }
    }

    /// Writes the row, whatever the group has written there before.
    pub(crate) fn insert(&mut self, id: RowId, staged: Staged) {
        match &mut self.first {
            None => self.first = Some((id, staged)),
            Some((first, before)) if *first == id => *before = staged,
            Some(_) => {
                self.others.insert(id, staged);
            }
        }
    }

    /// The row, if the group writes no other.
    pub(crate) fn alone(&self) -> Option<&RowId> {
        self.first.as_ref().filter(|_| self.others.is_empty()).map(|(id, _)| id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&RowId, &Staged)> {
        self.first.iter().map(|(id, staged)| (id, staged)).chain(&self.others)
    }

    /// Takes all rows out.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (RowId, Staged)> {
        self.first.take().into_iter().chain(self.others.drain())
    }

    fn clear(&mut self) {
        self.first = None;
        self.others.clear();
        self.others.shrink_to(ENTRIES_KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kv::Kv;

    const FIRST: RowRef<'static> = RowRef { rows: 1, key: b"first" };
    const SECOND: RowRef<'static> = RowRef { rows: 1, key: b"second" };

    fn stage(rows: &mut StagedRows, row: RowRef<'_>, value: &[u8]) {
        let space = Kv::memory().space("rows-1").unwrap();
        rows.insert(row.into(), Staged { space, row: Some(value.into()) });
    }

    fn value(rows: &StagedRows, row: RowRef<'_>) -> Option<Vec<u8>> {
        rows.get(row).and_then(|staged| staged.row.as_ref()).map(|row| row.to_vec())
    }

    #[test]
    fn the_last_write_of_a_row_counts_whichever_came_first() {
        for order in [[FIRST, SECOND], [SECOND, FIRST]] {
            let mut rows = StagedRows::default();
            for turn in [&b"old"[..], b"new"] {
                order.iter().for_each(|row| stage(&mut rows, *row, turn));
            }
            assert_eq!(
                [FIRST, SECOND].map(|row| value(&rows, row)),
                [Some(b"new".to_vec()), Some(b"new".to_vec())]
            );
            assert_eq!(value(&rows, RowRef { rows: 2, key: FIRST.key }), None, "rows of another table");
            assert_eq!(rows.iter().count(), 2);
        }
    }

    #[test]
    fn a_row_is_alone_until_another_is_staged() {
        let mut rows = StagedRows::default();
        assert_eq!(rows.alone(), None);
        for _ in 0..2 {
            stage(&mut rows, FIRST, b"row");
            assert_eq!(rows.alone(), Some(&RowId::from(FIRST)));
        }
        stage(&mut rows, SECOND, b"row");
        assert_eq!(rows.alone(), None);
    }

    #[test]
    fn what_is_drained_or_cleared_is_not_there_for_the_next_group() {
        let mut staging = Staging::default();
        for _ in 0..2 {
            stage(&mut staging.rows, FIRST, b"row");
            stage(&mut staging.rows, SECOND, b"row");
            assert_eq!(staging.join().len(), 2);
            assert_eq!(staging.rows.drain().count(), 2);
            assert!(staging.rows.get(FIRST).is_none() && staging.rows.get(SECOND).is_none());
            stage(&mut staging.rows, SECOND, b"row");
            staging.clear();
            assert!(staging.rows.iter().next().is_none() && staging.batch.is_empty());
        }
    }

    #[test]
    fn rows_come_before_what_was_written_beside_them() {
        let kv = Kv::memory();
        let space = kv.space("rows-1").unwrap();
        let mut staging = Staging::default();
        staging.batch.put(&space, &b"key"[..], &b"beside"[..]);
        staging.rows.insert(
            RowRef { rows: 1, key: b"key" }.into(),
            Staged { space: space.clone(), row: Some(b"row"[..].into()) },
        );
        kv.commit(staging.join(), crate::kv::Persist::None).unwrap();
        assert_eq!(kv.get(&space, b"key").unwrap().as_deref(), Some(&b"beside"[..]), "the last write wins");
    }
}
