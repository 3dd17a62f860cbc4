//! Exports of several tables as one store.

use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::ListTablesOutput;
use tabletheory_core::{Request, Response, Store, StoreError};

use super::source::ExportStore;

/// Exports of several tables, each of another.
#[derive(Debug)]
pub struct Exports {
    exports: Vec<ExportStore>,
}

impl Exports {
    /// These exports.
    #[must_use]
    pub fn new(exports: Vec<ExportStore>) -> Self {
        Self { exports }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &ExportStore> {
        self.exports.iter()
    }
}

impl Store for Exports {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        let table = match &request {
            Request::ListTables(_) => {
                let tables = self.iter().map(|export| export.table().to_owned()).collect();
                let output = ListTablesOutput { tables, last_evaluated: None };
                return Box::pin(std::future::ready(Ok(Response::ListTables(Box::new(output)))));
            }
            Request::DescribeTable(describe) => &describe.table,
            Request::DescribeTimeToLive(describe) => &describe.table,
            Request::Scan(scan) => &scan.table,
            other => {
                let refused = format!("an export can only be read; {} is refused", other.name());
                return Box::pin(std::future::ready(Err(StoreError::Validation(refused))));
            }
        };
        match self.iter().find(|export| export.table() == table) {
            Some(export) => export.call(request),
            None => {
                let missing = StoreError::ResourceNotFound(format!("there is no export of {table}"));
                Box::pin(std::future::ready(Err(missing)))
            }
        }
    }
}
