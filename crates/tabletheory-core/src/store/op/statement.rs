//! PartiQL operations: statements as text.

use crate::error::StoreError;
use crate::item::Item;
use crate::store::capacity::{ConsumedCapacity, ReturnCapacity};
use crate::store::op::item::OnConditionFailure;
use crate::value::Value;

/// A statement and the values for its question marks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statement {
    /// The text.
    pub text: String,
    /// One value for each `?`, in order.
    pub parameters: Vec<Value>,
    /// What a failed condition returns.
    pub on_condition_failure: OnConditionFailure,
}

/// Runs one statement.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExecuteStatement {
    /// The statement.
    pub statement: Statement,
    /// Whether a SELECT must see every write acknowledged before it.
    pub consistent: bool,
    /// Where the previous page ended.
    pub next_token: Option<String>,
    /// Visit at most this many items.
    pub limit: Option<u32>,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

/// What a statement returned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExecuteStatementOutput {
    /// The items of a SELECT, or the attributes of a RETURNING clause.
    pub items: Vec<Item>,
    /// Where this page ended, if there are more.
    pub next_token: Option<String>,
    /// The key it ended at.
    pub last_evaluated_key: Option<Item>,
    /// The cost, if asked for.
    pub capacity: Option<ConsumedCapacity>,
}

/// One statement of a batch.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchStatement {
    /// The statement.
    pub statement: Statement,
    /// Whether a SELECT must see every write acknowledged before it.
    pub consistent: bool,
}

/// Runs up to 25 statements, each by itself: all reads or all writes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchExecuteStatement {
    /// The statements.
    pub statements: Vec<BatchStatement>,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

/// What one statement of a batch came to.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchStatementOutput {
    /// The statement's table, where it is known.
    pub table: Option<String>,
    /// The item of a SELECT that found one, nothing for a write, or why it failed.
    pub result: Result<Option<Item>, StoreError>,
}

/// One outcome for each statement, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BatchExecuteStatementOutput {
    /// The outcomes.
    pub responses: Vec<BatchStatementOutput>,
    /// The cost for each table, if asked for.
    pub capacity: Vec<ConsumedCapacity>,
}

/// Runs up to 100 statements together or not at all: all reads or all writes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExecuteTransaction {
    /// The statements.
    pub statements: Vec<Statement>,
    /// Makes the request safe to repeat for ten minutes.
    pub client_request_token: Option<String>,
    /// Whether to report the cost.
    pub return_capacity: ReturnCapacity,
}

/// What the statements returned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExecuteTransactionOutput {
    /// One entry for each statement, in order.
    pub items: Vec<Option<Item>>,
    /// The cost for each table, if asked for.
    pub capacity: Vec<ConsumedCapacity>,
}
