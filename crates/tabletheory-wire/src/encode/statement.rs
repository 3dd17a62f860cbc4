//! Answers of PartiQL statements, alone or in a batch. A statement of a batch fails by itself, inside the answer.

use serde::Serialize;
use tabletheory_core::store::op::{
    BatchExecuteStatementOutput, BatchStatementOutput, ExecuteStatementOutput,
};
use tabletheory_core::{Item, StoreError};

use super::capacity::{Cost, Costs, costs};
use super::list::List;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Executed<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    consumed_capacity: Option<Cost<'a>>,
    items: &'a [Item],
    #[serde(skip_serializing_if = "Option::is_none")]
    last_evaluated_key: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_token: Option<&'a str>,
}

/// `ExecuteStatement`.
pub(super) fn executed(output: &ExecuteStatementOutput) -> impl Serialize {
    Executed {
        consumed_capacity: output.capacity.as_ref().map(Cost::from),
        items: &output.items,
        last_evaluated_key: output.last_evaluated_key.as_ref(),
        next_token: output.next_token.as_deref(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Batch<'a> {
    #[serde(skip_serializing_if = "List::is_empty")]
    consumed_capacity: Costs<'a>,
    responses: List<'a, BatchStatementOutput, Outcome<'a>>,
}

/// `BatchExecuteStatement`.
pub(super) fn batch(output: &BatchExecuteStatementOutput) -> impl Serialize {
    Batch { consumed_capacity: costs(&output.capacity), responses: List(&output.responses, Outcome::from) }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Outcome<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_name: Option<&'a str>,
}

impl<'a> From<&'a BatchStatementOutput> for Outcome<'a> {
    fn from(output: &'a BatchStatementOutput) -> Self {
        Self {
            error: output.result.as_ref().err().map(Failure::from),
            item: output.result.as_ref().ok().and_then(Option::as_ref),
            table_name: output.table.as_deref(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Failure<'a> {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a Item>,
    message: String,
}

impl<'a> From<&'a StoreError> for Failure<'a> {
    fn from(error: &'a StoreError) -> Self {
        let item = match error {
            StoreError::ConditionalCheckFailed { item } => item.as_deref(),
            _ => None,
        };
        Self { code: code(error), item, message: error.to_string() }
    }
}

/// The service's `BatchStatementErrorCodeEnum`, which has other names than the exceptions.
fn code(error: &StoreError) -> &'static str {
    match error {
        StoreError::ConditionalCheckFailed { .. } => "ConditionalCheckFailed",
        StoreError::ItemCollectionSizeLimitExceeded(_) => "ItemCollectionSizeLimitExceeded",
        StoreError::RequestLimitExceeded(_) => "RequestLimitExceeded",
        StoreError::Validation(_) => "ValidationError",
        StoreError::ProvisionedThroughputExceeded(_) => "ProvisionedThroughputExceeded",
        StoreError::TransactionConflict(_) => "TransactionConflict",
        StoreError::Throttling(_) => "ThrottlingError",
        StoreError::ResourceNotFound(_) => "ResourceNotFound",
        StoreError::AccessDenied(_) => "AccessDenied",
        StoreError::DuplicateItem(_) => "DuplicateItem",
        // The others have no name here, because no statement of a batch can meet them.
        _ => "InternalServerError",
    }
}
