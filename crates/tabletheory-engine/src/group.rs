//! A group of writes that will be committed, and made durable, together. Work that joins a group sees what earlier work
//! of the same group has written. Work that fails has written nothing.

use std::collections::HashMap;
use std::sync::Arc;

use tabletheory_core::StoreError;

use crate::cache::{RowId, RowRef, Slot};
use crate::catalog::{Catalog, FORMAT, StreamSpec, row};
use crate::ground::Ground;
use crate::kv::{Bytes, Persist, Space};
use crate::layout::record_key;
use crate::now::Now;
use crate::staging::{Staged, Staging};
use crate::table::{Rows, Table};

/// Writes on their way to one commit.
#[derive(Debug)]
pub(crate) struct Group<'g> {
    ground: &'g Ground,
    pub now: Now<'g>,
    pub catalog: Arc<Catalog>,
    catalog_changed: bool,
    /// The last sequence number given to a stream record.
    sequence: u64,
    sequence_changed: bool,
    staging: &'g mut Staging,
    staged_bytes: usize,
    /// Client request tokens that this group notes or forgets.
    tokens: HashMap<Vec<u8>, Option<Bytes>>,
    doomed: Vec<Space>,
    /// The numbers of rows that are removed with the commit.
    dropped: Vec<u64>,
    /// How often changes were begun.
    applied: usize,
    broken: Option<StoreError>,
}

/// What a committed group leaves behind.
#[derive(Debug)]
pub(crate) struct Committed<'g> {
    pub catalog: Arc<Catalog>,
    pub catalog_changed: bool,
    pub sequence: u64,
    /// Numbers of rows that are gone.
    pub dropped: Vec<u64>,
    staging: &'g Staging,
}

impl Committed<'_> {
    /// Rows whose counts changed.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &Arc<Rows>> {
        self.staging.counts.iter().map(|change| &change.rows)
    }
}

impl<'g> Group<'g> {
    pub(crate) fn new(
        ground: &'g Ground,
        catalog: Arc<Catalog>,
        sequence: u64,
        now: Now<'g>,
        staging: &'g mut Staging,
    ) -> Self {
        // A group that was given up may have left something.
        staging.clear();
        Self {
            ground,
            now,
            catalog,
            catalog_changed: false,
            sequence,
            sequence_changed: false,
            staging,
            staged_bytes: 0,
            tokens: HashMap::new(),
            doomed: Vec::new(),
            dropped: Vec::new(),
            applied: 0,
            broken: None,
        }
    }

    /// Applies changes that must stay together. If the storage fails halfway, the group cannot be committed any more.
    /// All changes are made in here.
    pub(crate) fn apply<T>(
        &mut self,
        changes: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.applied += 1;
        changes(self).inspect_err(|failure| self.broken = Some(failure.clone()))
    }

    /// How often changes were begun, and their bytes: another answer once work has begun to change the group.
    pub(crate) fn progress(&self) -> (usize, usize) {
        (self.applied, self.bytes())
    }

    /// Lets nobody commit the group any more.
    pub(crate) fn give_up(&mut self, why: StoreError) {
        self.broken = Some(why);
    }

    /// Why the group cannot be committed, if it cannot.
    pub(crate) fn broken(&self) -> Option<StoreError> {
        self.broken.clone()
    }

    /// How many bytes wait to be committed.
    pub(crate) fn bytes(&self) -> usize {
        self.staged_bytes + self.staging.batch.bytes()
    }

    pub(crate) fn ground(&self) -> &'g Ground {
        self.ground
    }

    /// The table as it is now.
    ///
    /// # Errors
    /// If it was removed since the request was checked.
    pub(crate) fn current(&self, table: &Table) -> Result<Arc<Table>, StoreError> {
        self.catalog
            .current(table)
            .cloned()
            .ok_or_else(|| StoreError::ResourceNotFound("Requested resource not found".to_owned()))
    }

    /// A row of a table, as earlier work of this group left it.
    pub(crate) fn read(&self, rows: &Rows, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match self.staging.rows.get(RowRef { rows: rows.number, key }) {
            Some(staged) => Ok(staged.row.clone()),
            None => self.ground.read(rows, key),
        }
    }

    /// Writes a row of a table, in place of `old`.
    pub(crate) fn put_row(&mut self, rows: &Arc<Rows>, key: Bytes, old: Option<&[u8]>, new: Bytes) {
        self.staging.count(
            rows,
            i64::from(old.is_none()),
            signed(new.len()) - signed(old.map_or(0, <[u8]>::len)),
        );
        self.stage(rows, key, Some(new));
    }

    /// Removes a row of a table.
    pub(crate) fn delete_row(&mut self, rows: &Arc<Rows>, key: Bytes, old: &[u8]) {
        self.staging.count(rows, -1, -signed(old.len()));
        self.stage(rows, key, None);
    }

    fn stage(&mut self, rows: &Rows, key: Bytes, row: Option<Bytes>) {
        self.staged_bytes += key.len() + row.as_ref().map_or(0, |row| row.len());
        let id = RowId { rows: rows.number, key };
        self.staging.rows.insert(id, Staged { space: rows.space.clone(), row });
    }

    /// Writes a row of an index. Nobody reads index rows by their key, so they are neither staged nor cached but in runs.
    pub(crate) fn put_index_row(
        &mut self,
        rows: &Arc<Rows>,
        key: Bytes,
        replaced_bytes: Option<usize>,
        new: Bytes,
    ) {
        self.staging.count(
            rows,
            i64::from(replaced_bytes.is_none()),
            signed(new.len()) - signed(replaced_bytes.unwrap_or(0)),
        );
        self.note_index_row(rows, &key);
        self.staging.batch.put(&rows.space, key, new);
    }

    fn note_index_row(&mut self, rows: &Rows, key: &[u8]) {
        if self.ground.cache.is_some() {
            self.staging.index_slots.push(Slot::of_row(rows.number, key));
        }
    }

    /// Removes a row of an index.
    pub(crate) fn delete_index_row(&mut self, rows: &Arc<Rows>, key: Bytes, bytes: usize) {
        self.staging.count(rows, -1, -signed(bytes));
        self.note_index_row(rows, &key);
        self.staging.batch.delete(&rows.space, key);
    }

    /// Stores the counts of these rows with the group, changed or not.
    pub(crate) fn include_counts(&mut self, rows: &Arc<Rows>) {
        if !self.dropped.contains(&rows.number) {
            self.staging.count(rows, 0, 0);
        }
    }

    /// What is noted under a client request token, as earlier work of this group left it.
    pub(crate) fn read_token(&self, token: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match self.tokens.get(token) {
            Some(noted) => Ok(noted.clone()),
            None => Ok(self.ground.kv.get(&self.ground.spaces.tokens, token)?),
        }
    }

    /// Sees to it that tokens can be noted.
    pub(crate) fn make_tokens(&self) -> Result<(), StoreError> {
        Ok(self.ground.kv.make(&self.ground.spaces.tokens)?)
    }

    /// Notes something under a client request token, after [`make_tokens`](Self::make_tokens).
    pub(crate) fn note_token(&mut self, token: Vec<u8>, noted: Vec<u8>) {
        let noted = Bytes::from(noted);
        self.staging.batch.put(&self.ground.spaces.tokens, token.clone(), noted.clone());
        self.tokens.insert(token, Some(noted));
    }

    /// Forgets a client request token.
    pub(crate) fn forget_token(&mut self, token: Vec<u8>) {
        self.staging.batch.delete(&self.ground.spaces.tokens, token.clone());
        self.tokens.insert(token, None);
    }

    /// Sees to it that records can be appended.
    pub(crate) fn make_streams(&self) -> Result<(), StoreError> {
        Ok(self.ground.kv.make(&self.ground.spaces.streams)?)
    }

    /// Appends a record to a stream, which began with [`make_streams`](Self::make_streams); `record` is given its sequence number.
    pub(crate) fn append_record(&mut self, stream: u64, record: Bytes) {
        self.sequence += 1;
        self.sequence_changed = true;
        let key = record_key(stream, self.sequence);
        self.staging.batch.put(&self.ground.spaces.streams, key, record);
    }

    /// The last sequence number given so far.
    pub(crate) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Removes records of a stream.
    pub(crate) fn delete_records(&mut self, keys: Vec<Bytes>) {
        for key in keys {
            self.staging.batch.delete(&self.ground.spaces.streams, key);
        }
    }

    /// Changes the catalog, and stores what changed.
    pub(crate) fn change_catalog<T>(&mut self, change: impl FnOnce(&mut Catalog) -> T) -> T {
        self.catalog_changed = true;
        let before = self.catalog.next_number;
        let catalog = Arc::make_mut(&mut self.catalog);
        let answer = change(catalog);
        let after = catalog.next_number;
        if after != before {
            let space = &self.ground.spaces.catalog;
            self.staging.batch.put(space, row::NEXT_NUMBER.to_vec(), after.to_le_bytes().to_vec());
            if before == 0 {
                self.staging.batch.put(space, row::FORMAT.to_vec(), FORMAT.as_bytes().to_vec());
            }
        }
        answer
    }

    /// Puts a table into the catalog.
    pub(crate) fn store_table(&mut self, table: Table) -> Arc<Table> {
        let stored = serde_json::to_vec(&table.spec).expect("a definition has only string keys");
        self.staging.batch.put(&self.ground.spaces.catalog, row::table(&table.spec.name), stored);
        let table = Arc::new(table);
        self.change_catalog(|catalog| catalog.put_table(Arc::clone(&table)));
        table
    }

    /// Takes a table out of the catalog. Its rows go once the commit is done.
    pub(crate) fn drop_table(&mut self, table: &Table) {
        self.staging.batch.delete(&self.ground.spaces.catalog, row::table(&table.spec.name));
        table.all_rows().for_each(|rows| self.drop_rows(rows));
        self.change_catalog(|catalog| catalog.remove_table(&table.spec.name));
    }

    /// Removes rows once the commit is done.
    pub(crate) fn drop_rows(&mut self, rows: &Rows) {
        self.staging.batch.delete(&self.ground.spaces.catalog, row::counts(rows.number));
        self.staging.counts.retain(|change| change.rows.number != rows.number);
        self.dropped.push(rows.number);
        self.doomed.push(rows.space.clone());
    }

    /// Puts a stream into the catalog.
    pub(crate) fn store_stream(&mut self, stream: StreamSpec) {
        let stored = serde_json::to_vec(&stream).expect("a definition has only string keys");
        self.staging.batch.put(&self.ground.spaces.catalog, row::stream(stream.number), stored);
        self.change_catalog(|catalog| catalog.put_stream(Arc::new(stream)));
    }

    /// Takes a stream out of the catalog.
    pub(crate) fn drop_stream(&mut self, number: u64) {
        self.staging.batch.delete(&self.ground.spaces.catalog, row::stream(number));
        self.change_catalog(|catalog| catalog.remove_stream(number));
    }

    /// Commits everything at once; the counts that changed are stored with it if `saves_counts`.
    pub(crate) fn commit(self, persist: Persist, saves_counts: bool) -> Result<Committed<'g>, StoreError> {
        assert!(self.broken.is_none(), "a group that the storage failed is given up, not committed");
        let Self { ground, staging, .. } = self;
        let catalog = &ground.spaces.catalog;
        for change in staging.counts.iter().filter(|_| saves_counts) {
            let stored = change.rows.counts.stored_after(change.items, change.bytes);
            staging.batch.put(catalog, row::counts(change.rows.number), stored.to_vec());
        }
        if self.sequence_changed {
            staging.batch.put(catalog, row::SEQUENCE.to_vec(), self.sequence.to_le_bytes().to_vec());
        }
        if let Some(cache) = &ground.cache {
            match staging.rows.alone() {
                Some(id) => cache.hold_alone(id),
                None => staging.rows.iter().for_each(|(id, _)| cache.hold(id)),
            }
            cache.hold_runs(&staging.index_slots);
        }
        // Rows of an index that was being filled are staged; once it is filled they are not. So staged rows come first.
        let committed = ground.kv.commit(staging.join(), persist);
        // After a failure the rows stay held: whether they are old or new is for the storage to say until the folder is opened
        // again, since no write is accepted after a failed one.
        committed?;
        let rows = staging.rows.drain();
        match &ground.cache {
            Some(cache) => {
                rows.for_each(|(id, staged)| cache.publish(id, staged.row));
                cache.publish_runs(&staging.index_slots);
            }
            None => drop(rows),
        }
        for change in &staging.counts {
            change.rows.counts.change(change.items, change.bytes);
        }
        for space in self.doomed {
            // Nothing names the space any more; if it cannot be removed now, the next opening removes it.
            let _ = self.ground.kv.delete_space(space);
        }
        Ok(Committed {
            catalog: self.catalog,
            catalog_changed: self.catalog_changed,
            sequence: self.sequence,
            dropped: self.dropped,
            staging,
        })
    }
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).expect("a row is far smaller than 8 EB")
}
