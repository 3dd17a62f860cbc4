//! One side of a copy: a store, and what is asked of it before anything moves.

use std::sync::Arc;
use std::time::Duration;

use tabletheory::table::TableError;
use tabletheory_core::schema::{TableDescription, TableStatus};
use tabletheory_core::store::op::{DescribeTable, DescribeTimeToLive, ListTables, Scan};
use tabletheory_core::{Operation, Store, StoreError};

use crate::error::Error;
use crate::patience::Patience;

/// A store, and what people call it.
#[derive(Debug, Clone)]
pub struct Side {
    /// The store.
    pub store: Arc<dyn Store>,
    /// What people call it, and by which a journal knows it again.
    pub name: String,
    /// How long is waited for a store that is busy or out of reach.
    pub patience: Duration,
}

impl Side {
    /// A store that is waited for as long as DynamoDB may need to make room: five minutes.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, name: impl Into<String>) -> Self {
        Self { store, name: name.into(), patience: Duration::from_secs(300) }
    }

    /// The same, waited for as long as this.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The names of its tables.
    ///
    /// # Errors
    /// If the store does not tell.
    pub async fn tables(&self) -> Result<Vec<String>, Error> {
        let (mut tables, mut start_after) = (Vec::new(), None);
        loop {
            let page = self.ask("", ListTables { start_after, limit: None }).await?;
            tables.extend(page.tables);
            start_after = page.last_evaluated;
            if start_after.is_none() {
                return Ok(tables);
            }
        }
    }

    /// The table, if it is there.
    ///
    /// # Errors
    /// If the store does not tell.
    pub async fn describe(&self, table: &str) -> Result<Option<TableDescription>, Error> {
        match self.ask(table, DescribeTable { table: table.to_owned() }).await {
            Ok(described) => Ok(Some(described.table)),
            Err(Error::Store { source: StoreError::ResourceNotFound(_), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The table, if it is there. One that is being made is waited for: nobody can read it before.
    pub(crate) async fn describe_made(&self, table: &str) -> Result<Option<TableDescription>, Error> {
        let mut patience = Patience::new(self.patience);
        loop {
            let found = self.describe(table).await?;
            if found.as_ref().is_none_or(|found| found.status != TableStatus::Creating) {
                return Ok(found);
            }
            if !patience.wait().await {
                let (table, waited) = (table.to_owned(), self.patience);
                let source = Box::new(TableError::StillBusy { table, doing: "being made", waited });
                return Err(Error::Table { store: self.name.clone(), source });
            }
        }
    }

    /// The attribute by which items of a table expire.
    ///
    /// # Errors
    /// If the store does not tell.
    pub async fn time_to_live(&self, table: &str) -> Result<Option<String>, Error> {
        Ok(self.ask(table, DescribeTimeToLive { table: table.to_owned() }).await?.attribute)
    }

    /// Whether a table has no item. What a description counts may be hours old.
    pub(crate) async fn is_empty(&self, table: &str) -> Result<bool, Error> {
        let mut start_key = None;
        loop {
            let (table, limit) = (table.to_owned(), Some(1));
            let page = self
                .ask(&table.clone(), Scan { table, start_key, limit, consistent: true, ..Scan::default() })
                .await?;
            start_key = page.last_evaluated_key;
            match (page.count, &start_key) {
                (0, Some(_)) => {}
                (count, _) => return Ok(count == 0),
            }
        }
    }

    /// Asks until there is an answer, or patience ends.
    pub(crate) async fn ask<O: Operation + Clone>(
        &self,
        table: &str,
        operation: O,
    ) -> Result<O::Output, Error> {
        let name = operation.clone().into_request().name();
        let asked = Patience::new(self.patience).send(&*self.store, operation).await;
        asked.map_err(|source| self.failed(table, name, source))
    }

    /// That this was asked and refused.
    pub(crate) fn failed(&self, table: &str, operation: &'static str, source: StoreError) -> Error {
        Error::Store { store: self.name.clone(), table: table.to_owned(), operation, source }
    }
}
