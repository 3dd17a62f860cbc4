//! Which table a database keeps a model in.

use std::borrow::Cow;
use std::sync::Arc;

use super::Db;
use crate::model::Model;

impl Db {
    /// The same database, which keeps the model `M` in this table, whatever the model names: for a table of each tenant, for
    /// tests, or for a name that stands in a configuration file. All that this database and its clones do with `M` is done in
    /// that table; other databases over the same store are as they were. Given twice, the last one holds.
    ///
    /// Only `M` moves: models that share a table are told one by one.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "notes")]
    /// struct Note {
    ///     #[model(pk)]
    ///     id: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// let (acme, globex) = (db.clone().with_table::<Note>("notes-acme"), db.with_table::<Note>("notes-globex"));
    /// acme.create_table::<Note>().await?;
    /// globex.create_table::<Note>().await?;
    ///
    /// acme.create(&Note { id: 1 }).await?;
    /// assert_eq!(acme.get(Note::key(1)).await?, Some(Note { id: 1 }));
    /// assert_eq!(globex.get(Note::key(1)).await?, None);
    /// assert_eq!(acme.table::<Note>().name(), "notes-acme");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn with_table<M: Model>(mut self, table: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.inner).renamed.insert::<M>(table.into());
        self
    }

    /// The table of a model. Nothing here asks the model itself.
    pub(super) fn table_of<M: Model>(&self) -> Cow<'_, str> {
        self.inner.renamed.table_of::<M>()
    }
}
