//! The models that one database keeps in other tables than they name.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;

use crate::model::Model;

/// The models that are kept in other tables than they name. Mostly there are none, and then a lookup costs nothing.
#[derive(Clone, Default)]
pub(crate) struct Renamed {
    /// In the order of their types.
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    kind: TypeId,
    model: &'static str,
    table: String,
}

impl Renamed {
    /// Keeps the model in this table.
    pub(crate) fn insert<M: Model>(&mut self, table: String) {
        let kind = TypeId::of::<M>();
        match self.place(kind) {
            Ok(at) => self.entries[at].table = table,
            Err(at) => self.entries.insert(at, Entry { kind, model: M::NAME, table }),
        }
    }

    /// The table of a model: the one it is kept in, or else the one it names.
    pub(crate) fn table_of<M: Model>(&self) -> Cow<'_, str> {
        match self.place(TypeId::of::<M>()) {
            Ok(at) => Cow::Borrowed(&self.entries[at].table),
            Err(_) => M::table(),
        }
    }

    fn place(&self, kind: TypeId) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&kind, |entry| entry.kind)
    }
}

impl fmt::Debug for Renamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries.iter().map(|entry| (entry.model, &entry.table))).finish()
    }
}
