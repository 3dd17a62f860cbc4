//! Why tables were not copied, compared or filled.

use std::path::PathBuf;

use tabletheory::table::{CopyError, Difference, TableError};
use tabletheory_core::StoreError;

use crate::export::ExportError;

/// Why tables were not copied, compared or filled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source has no such table.
    #[error("there is no table {table:?} in {store}")]
    NoTable {
        /// Its name.
        table: String,
        /// The store.
        store: String,
    },
    /// Nobody said which tables, and the source has none.
    #[error("there are no tables in {store}")]
    NoTables {
        /// The store.
        store: String,
    },
    /// Two tables would become one.
    #[error("two tables would be copied into {table:?}")]
    SameTarget {
        /// The target's name.
        table: String,
    },
    /// A table would be copied into itself.
    #[error("{table:?} in {store} would be copied into itself")]
    Itself {
        /// Its name.
        table: String,
        /// The store.
        store: String,
    },
    /// The target table is there and has another key.
    #[error("the table {table:?} in {store} cannot take these items: {difference}")]
    OtherKeys {
        /// The target's name.
        table: String,
        /// The store.
        store: String,
        /// What is different.
        difference: Box<Difference>,
    },
    /// The target table has items already.
    #[error("the table {table:?} in {store} is not empty: it holds {} items", counted(*items))]
    NotEmpty {
        /// The target's name.
        table: String,
        /// The store.
        store: String,
        /// How many items it is said to have; that may be hours old.
        items: u64,
    },
    /// The target table is not there, and an export does not say what its key is.
    #[error("{source_name} does not say what the key of {table:?} is, and there is no such table in {store}")]
    UnknownKey {
        /// The target's name.
        table: String,
        /// The export.
        source_name: String,
        /// The store of the target.
        store: String,
    },
    /// A table is not the one with which the copy began.
    #[error("the table {table:?} in {store} was made anew since the copy began")]
    Replaced {
        /// Its name.
        table: String,
        /// The store.
        store: String,
    },
    /// The file is no journal, or only a part of one.
    #[error("{} is no journal of a copy: {why}", path.display())]
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The journal is that of another copy.
    #[error("{} is the journal of another copy: {found}, not {wanted}", path.display())]
    OtherCopy {
        /// The file.
        path: PathBuf,
        /// Which copy it is of.
        found: String,
        /// Which copy was to go on.
        wanted: String,
    },
    /// There is a journal of a copy that has not come to its end.
    #[error("{} is the journal of a copy that has not come to its end: {found}", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// Which copy it is of.
        found: String,
    },
    /// There is no journal to go on from.
    #[error("there is no journal {}", path.display())]
    NoJournal {
        /// The file.
        path: PathBuf,
    },
    /// Another process uses the journal.
    #[error("another process goes on with the copy of {}", path.display())]
    InUse {
        /// The journal.
        path: PathBuf,
    },
    /// The journal cannot be read or written.
    #[error("the journal {} cannot be {doing}: {source}", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// What was done with it.
        doing: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// The copy of a table stopped; the journal knows where.
    #[error(transparent)]
    Copy(#[from] Box<CopyError>),
    /// The target table could not be made, or its switches not be set.
    #[error("{store}: {source}")]
    Table {
        /// The store.
        store: String,
        /// Why not.
        source: Box<TableError>,
    },
    /// An export cannot be read or written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// An attribute of a key cannot be missing.
    #[error("{attribute:?} is part of the key of {table:?}, and no item lacks it")]
    KeyAttribute {
        /// The table.
        table: String,
        /// The attribute.
        attribute: String,
    },
    /// A store refused, or could not be reached for as long as there was patience.
    #[error("{operation}{} in {store} failed: {source}", of_table(table))]
    Store {
        /// The store.
        store: String,
        /// The table, if it was about one.
        table: String,
        /// What was asked of it.
        operation: &'static str,
        /// What it said.
        source: StoreError,
    },
}

impl Error {
    /// What the store said, if it was a store.
    #[must_use]
    pub fn store_error(&self) -> Option<&StoreError> {
        use tabletheory::table::CopyFault;
        match self {
            Self::Store { source, .. } => Some(source),
            Self::Copy(error) => match &error.fault {
                CopyFault::Store { source, .. } => Some(source),
                _ => None,
            },
            Self::Table { source, .. } => match &**source {
                TableError::Store { source, .. } => Some(source),
                _ => None,
            },
            _ => None,
        }
    }
}

fn of_table(table: &str) -> String {
    if table.is_empty() { String::new() } else { format!(" of the table {table:?}") }
}

/// A count that a description gave: right after the first item it may still be none.
fn counted(items: u64) -> String {
    if items == 0 { "some".to_owned() } else { format!("about {items}") }
}
