//! What a log may say about a request: its tables and the names of its attributes. Values never get here.

use std::collections::BTreeSet;

use tabletheory_core::expr::{Condition, ProjectionExpression, RenderScope};
use tabletheory_core::store::op::{BatchWrite, Statement, TransactAction, TransactWrite};
use tabletheory_core::{Item, Request, partiql};

/// The tables and attributes of a request, each once.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) tables: BTreeSet<String>,
    pub(crate) attributes: BTreeSet<String>,
}

impl Summary {
    /// What may be said about `request`.
    pub(crate) fn of(request: &Request) -> Self {
        let mut summary = Self::default();
        summary.add_tables(request);
        let mut scope = RenderScope::new();
        summary.add_attributes(request, &mut scope);
        summary.attributes.extend(scope.into_parts().0.into_values());
        summary
    }

    fn add_tables(&mut self, request: &Request) {
        match request {
            Request::CreateTable(request) => self.table(&request.table),
            Request::DescribeTable(request) => self.table(&request.table),
            Request::UpdateTable(request) => self.table(&request.table),
            Request::DeleteTable(request) => self.table(&request.table),
            Request::UpdateTimeToLive(request) => self.table(&request.table),
            Request::DescribeTimeToLive(request) => self.table(&request.table),
            // Resource names hold the table's.
            Request::TagResource(request) => self.table(&request.arn),
            Request::UntagResource(request) => self.table(&request.arn),
            Request::ListTagsOfResource(request) => self.table(&request.arn),
            Request::DescribeStream(request) => self.table(&request.arn),
            Request::GetShardIterator(request) => self.table(&request.arn),
            Request::GetItem(request) => self.table(&request.table),
            Request::PutItem(request) => self.table(&request.table),
            Request::UpdateItem(request) => self.table(&request.table),
            Request::DeleteItem(request) => self.table(&request.table),
            Request::Query(request) => self.table(&request.table),
            Request::Scan(request) => self.table(&request.table),
            Request::BatchGetItem(request) => self.tables.extend(request.tables.keys().cloned()),
            Request::BatchWriteItem(request) => self.tables.extend(request.tables.keys().cloned()),
            Request::TransactGetItems(request) => request.gets.iter().for_each(|get| self.table(&get.table)),
            Request::TransactWriteItems(request) => {
                request.writes.iter().for_each(|write| self.table(&write.table));
            }
            Request::ListStreams(request) => self.tables.extend(request.table.clone()),
            Request::ExecuteStatement(request) => self.statement(&request.statement),
            Request::BatchExecuteStatement(request) => {
                request.statements.iter().for_each(|each| self.statement(&each.statement));
            }
            Request::ExecuteTransaction(request) => {
                request.statements.iter().for_each(|each| self.statement(each));
            }
            Request::ListTables(_) | Request::GetRecords(_) => {}
        }
    }

    fn add_attributes(&mut self, request: &Request, scope: &mut RenderScope) {
        match request {
            Request::GetItem(request) => {
                self.names(&request.key);
                projection(scope, request.projection.as_ref());
            }
            Request::PutItem(request) => {
                self.names(&request.item);
                condition(scope, request.condition.as_ref());
            }
            Request::UpdateItem(request) => {
                self.names(&request.key);
                condition(scope, request.condition.as_ref());
                if let Some(update) = &request.update {
                    scope.update(update);
                }
            }
            Request::DeleteItem(request) => {
                self.names(&request.key);
                condition(scope, request.condition.as_ref());
            }
            Request::Query(request) => {
                scope.key_condition(&request.key_condition);
                condition(scope, request.filter.as_ref());
                projection(scope, request.projection.as_ref());
            }
            Request::Scan(request) => {
                condition(scope, request.filter.as_ref());
                projection(scope, request.projection.as_ref());
            }
            Request::BatchGetItem(request) => {
                for wanted in request.tables.values() {
                    wanted.keys.iter().for_each(|key| self.names(key));
                    projection(scope, wanted.projection.as_ref());
                }
            }
            Request::BatchWriteItem(request) => {
                for BatchWrite::Put(item) | BatchWrite::Delete(item) in request.tables.values().flatten() {
                    self.names(item);
                }
            }
            Request::TransactGetItems(request) => {
                for get in &request.gets {
                    self.names(&get.key);
                    projection(scope, get.projection.as_ref());
                }
            }
            Request::TransactWriteItems(request) => {
                request.writes.iter().for_each(|write| self.write(write, scope));
            }
            // Definitions and statements are not worth the words, or hold values between their names.
            _ => {}
        }
    }

    fn write(&mut self, write: &TransactWrite, scope: &mut RenderScope) {
        match &write.action {
            TransactAction::Put { item } => self.names(item),
            TransactAction::Delete { key } | TransactAction::ConditionCheck { key } => self.names(key),
            TransactAction::Update { key, update } => {
                self.names(key);
                scope.update(update);
            }
        }
        condition(scope, write.condition.as_ref());
    }

    fn table(&mut self, table: &str) {
        self.tables.insert(table.to_owned());
    }

    /// A statement's text holds values, so only the table that it names is kept, if it can be read.
    fn statement(&mut self, statement: &Statement) {
        if let Ok(command) = partiql::parse(&statement.text, &statement.parameters) {
            self.table(command.table());
        }
    }

    fn names(&mut self, item: &Item) {
        self.attributes.extend(item.names().map(str::to_owned));
    }
}

fn condition(scope: &mut RenderScope, wanted: Option<&Condition>) {
    if let Some(wanted) = wanted {
        scope.condition(wanted);
    }
}

fn projection(scope: &mut RenderScope, wanted: Option<&ProjectionExpression>) {
    if let Some(wanted) = wanted {
        scope.projection(wanted);
    }
}
