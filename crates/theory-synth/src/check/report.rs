//! What was found, in words that name the table, the value and what to do.

use std::fmt;

use tabletheory::table::Conflict;

use super::fault::Fault;
use crate::kind::Kind;

/// Why a template cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It is something else.
    #[error("it is no template: there are no Resources in it")]
    NoTemplate,
    /// A table was named that is not there.
    #[error(
        "there is no table {table} in the template, by its logical id or by its TableName; there is {}",
        list(tables)
    )]
    NoSuchTable {
        /// What was named.
        table: String,
        /// What is there.
        tables: Vec<String>,
    },
    /// It was said what the one table is for, and there is not one.
    #[error("which table holds {}? Say it with --table ID={}; there is {}", kind.holds(), kind.name(), list(tables))]
    WhichTable {
        /// What it is for.
        kind: Kind,
        /// What is there.
        tables: Vec<String>,
    },
    /// Nothing is known of any table, so nothing was compared, which is not to be taken for good.
    #[error(
        "nothing says what the tables of the template are for ({}): no function names one in its environment; say it with --table ID=KIND",
        list(tables)
    )]
    NothingKnown {
        /// What is there.
        tables: Vec<String>,
    },
    /// Models contradict each other.
    #[error(transparent)]
    Conflict(#[from] Conflict),
}

fn list(tables: &[String]) -> String {
    if tables.is_empty() { "no table".to_owned() } else { tables.join(", ") }
}

/// One table, compared with one of its uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The logical id of the table.
    pub id: String,
    /// Why it was compared.
    pub because: String,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// What was found in a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What was compared.
    pub checked: Vec<Checked>,
    /// The tables of which nothing is known, and which were not compared.
    pub unknown: Vec<String>,
}

impl Report {
    /// Whether the runtime can work with every table that was compared.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.checked.iter().all(|checked| checked.faults.is_empty())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Checked { id, because, faults } in &self.checked {
            let verdict = if faults.is_empty() { "good" } else { "refused" };
            writeln!(f, "{id}: {verdict} ({because})")?;
            for fault in faults {
                writeln!(f, "  - {fault}; {}", fault.advice())?;
            }
        }
        for id in &self.unknown {
            writeln!(f, "{id}: not compared, because nothing says what it is for")?;
        }
        Ok(())
    }
}
