//! Which tables and streams there are. Readers hold an unchanging catalog; the writer makes the next one and publishes
//! it together with the commit that stored it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tabletheory_core::keyed_hash::KeyedHash;
use tabletheory_core::schema::{KeyElement, StreamView};
use tabletheory_core::{StoreError, Timestamp};

use crate::definition;
use crate::error::EngineError;
use crate::kv::{Direction, Kv, Space};
use crate::layout::Span;
use crate::table::{Counts, Rows, TABLE_ARN_PREFIX, Table, TableSpec};

/// A stream of a table. It outlives its end, and its table, by a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StreamSpec {
    pub number: u64,
    pub table: String,
    pub label: String,
    pub view: StreamView,
    pub keys: Vec<KeyElement>,
    pub created_at: Timestamp,
    /// The sequence number that its first record can have.
    pub first_sequence: u64,
    /// When it ended, and the last sequence number it can have.
    pub ended: Option<(Timestamp, u64)>,
}

impl StreamSpec {
    /// The stream's resource name.
    pub(crate) fn arn(&self) -> String {
        format!("{TABLE_ARN_PREFIX}{}/stream/{}", self.table, self.label)
    }

    /// The name of the stream's one shard.
    pub(crate) fn shard(&self) -> String {
        format!("shardId-{:020}-{:08x}", self.created_at.millis(), self.number)
    }
}

/// The tables and streams at one moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Catalog {
    tables: HashMap<String, Arc<Table>, KeyedHash>,
    streams: BTreeMap<u64, Arc<StreamSpec>>,
    /// The next number for a space or a stream.
    pub next_number: u64,
}

impl Catalog {
    /// The table called `name`, which may also be given by its resource name.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.get(name.strip_prefix(TABLE_ARN_PREFIX).unwrap_or(name))
    }

    /// The table called `name`.
    ///
    /// # Errors
    /// The service's words when there is none.
    pub(crate) fn table(&self, name: &str) -> Result<&Arc<Table>, StoreError> {
        match self.find(name) {
            Some(table) => Ok(table),
            None => {
                definition::name(name.strip_prefix(TABLE_ARN_PREFIX).unwrap_or(name), "tableName")?;
                Err(StoreError::ResourceNotFound("Requested resource not found".to_owned()))
            }
        }
    }

    /// The same table as it is now, or `None` if it is gone, even if another one has its name.
    pub(crate) fn current(&self, table: &Table) -> Option<&Arc<Table>> {
        self.tables.get(&table.spec.name).filter(|current| current.spec.id == table.spec.id)
    }

    /// All tables by name.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }

    /// The stream with this number.
    pub(crate) fn stream(&self, number: u64) -> Option<&Arc<StreamSpec>> {
        self.streams.get(&number)
    }

    /// All streams, oldest first.
    pub(crate) fn streams(&self) -> impl DoubleEndedIterator<Item = &Arc<StreamSpec>> {
        self.streams.values()
    }

    /// Puts a table in place of the one with its name.
    pub(crate) fn put_table(&mut self, table: Arc<Table>) {
        self.tables.insert(table.spec.name.clone(), table);
    }

    /// Takes a table out.
    pub(crate) fn remove_table(&mut self, name: &str) {
        self.tables.remove(name);
    }

    /// Puts a stream in place of the one with its number.
    pub(crate) fn put_stream(&mut self, stream: Arc<StreamSpec>) {
        self.streams.insert(stream.number, stream);
    }

    /// Takes a stream out.
    pub(crate) fn remove_stream(&mut self, number: u64) {
        self.streams.remove(&number);
    }

    /// A number for a new space or stream.
    pub(crate) fn take_number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }
}

/// The keys of the catalog's own rows.
pub(crate) mod row {
    /// The format of everything stored, to be checked before anything else is read.
    pub(crate) const FORMAT: &[u8] = b"format";
    /// The next number for a space or a stream.
    pub(crate) const NEXT_NUMBER: &[u8] = b"next_number";
    /// The last sequence number given to a stream record.
    pub(crate) const SEQUENCE: &[u8] = b"sequence";
    /// What stands before a table's name.
    pub(crate) const TABLE: &str = "table/";
    /// What stands before a stream's number.
    pub(crate) const STREAM: &str = "stream/";

    pub(crate) fn table(name: &str) -> Vec<u8> {
        format!("{TABLE}{name}").into_bytes()
    }

    pub(crate) fn stream(number: u64) -> Vec<u8> {
        format!("{STREAM}{number:020}").into_bytes()
    }

    /// The counts of the numbered space.
    pub(crate) fn counts(number: u64) -> Vec<u8> {
        format!("counts/{number:020}").into_bytes()
    }
}

/// The version of the format that this program writes, stored with the first table. Older ones are read, newer ones refused.
pub(crate) const FORMAT: &str = "1";

/// The name of the space with this number.
pub(crate) fn space_name(number: u64) -> String {
    format!("rows-{number}")
}

/// Opens the rows with this number, and the catalog before them, which is to tell of them.
pub(crate) fn open_rows(kv: &Kv, catalog_space: &Space, number: u64) -> Result<Arc<Rows>, EngineError> {
    kv.make(catalog_space)?;
    let space = kv.space(&space_name(number))?;
    let counts = match kv.get(catalog_space, &row::counts(number))? {
        None => Counts::default(),
        Some(stored) => Counts::from_stored(&stored).ok_or_else(|| damaged("the counts of a table"))?,
    };
    Ok(Arc::new(Rows { number, space, counts }))
}

/// Reads the catalog from its space, and removes the rows of tables that were being made or removed when the process
/// died: nothing names them.
pub(crate) fn recover(kv: &Kv, space: &Space) -> Result<Catalog, EngineError> {
    let next_number = read_number(kv, space, row::NEXT_NUMBER)?;
    check_format(kv, space, next_number)?;
    let mut catalog = Catalog { next_number, ..Catalog::default() };
    let snapshot = kv.snapshot();
    for stored in snapshot.range(space, Span::prefix(row::STREAM.into()).bounds(), Direction::Forward) {
        let stream: StreamSpec = parse(&stored?.1, "a stream")?;
        catalog.put_stream(Arc::new(stream));
    }
    for stored in snapshot.range(space, Span::prefix(row::TABLE.into()).bounds(), Direction::Forward) {
        let spec: TableSpec = parse(&stored?.1, "a table")?;
        let table = Table::new(spec, |number| open_rows(kv, space, number))?;
        catalog.put_table(Arc::new(table));
    }
    drop(snapshot);
    let rows = catalog.tables().flat_map(|table| table.all_rows());
    let known: Vec<String> = rows.map(|rows| space_name(rows.number)).collect();
    for name in kv.space_names() {
        if name.starts_with("rows-") && !known.contains(&name) {
            kv.delete_space(kv.space(&name)?)?;
        }
    }
    Ok(catalog)
}

fn check_format(kv: &Kv, space: &Space, next_number: u64) -> Result<(), EngineError> {
    match kv.get(space, row::FORMAT)? {
        // It is stored with the first number that is given, and before that there is nothing it could be the format of.
        None if next_number == 0 => Ok(()),
        None => Err(damaged("the format")),
        Some(stored) if &*stored == FORMAT.as_bytes() => Ok(()),
        Some(stored) => Err(EngineError::Format {
            found: String::from_utf8_lossy(&stored).into_owned(),
            known: FORMAT.to_owned(),
        }),
    }
}

/// A number that the catalog stores, zero if it never did.
pub(crate) fn read_number(kv: &Kv, space: &Space, key: &[u8]) -> Result<u64, EngineError> {
    match kv.get(space, key)? {
        None => Ok(0),
        Some(stored) => {
            let bytes = (*stored).try_into().map_err(|_| damaged("a number of the catalog"))?;
            Ok(u64::from_le_bytes(bytes))
        }
    }
}

fn parse<T: for<'de> Deserialize<'de>>(stored: &[u8], what: &str) -> Result<T, EngineError> {
    serde_json::from_slice(stored).map_err(|_| damaged(what))
}

fn damaged(what: &str) -> EngineError {
    EngineError::Catalog { what: what.to_owned() }
}
