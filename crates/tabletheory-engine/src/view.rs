//! What a read sees: the tables at one moment, and the storage below.

use std::sync::Arc;

use tabletheory_core::{Item, StoreError};

use crate::catalog::Catalog;
use crate::codec;
use crate::ground::Ground;
use crate::now::Now;
use crate::table::Table;

/// A reader's view of the engine.
#[derive(Debug)]
pub(crate) struct View<'v> {
    pub ground: &'v Ground,
    pub catalog: Arc<Catalog>,
    pub now: Now<'v>,
}

impl View<'_> {
    /// The item whose row has this key.
    pub(crate) fn item(&self, table: &Table, row_key: &[u8]) -> Result<Option<Item>, StoreError> {
        match self.ground.read(&table.rows, row_key)? {
            None => Ok(None),
            Some(bytes) => Ok(Some(codec::decode(&bytes)?)),
        }
    }
}
