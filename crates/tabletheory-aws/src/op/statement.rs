//! PartiQL operations: statements as text.

use aws_sdk_dynamodb::types::{BatchStatementRequest, BatchStatementResponse, ParameterizedStatement};
use tabletheory_core::StoreError;
use tabletheory_core::store::op::{
    BatchExecuteStatement, BatchExecuteStatementOutput, BatchStatement, BatchStatementOutput,
    ExecuteStatement, ExecuteStatementOutput, ExecuteTransaction, ExecuteTransactionOutput, Statement,
};

use super::item::on_failure;
use crate::call::{Call, send_to_tables};
use crate::effect::Effect;
use crate::integer::integer;
use crate::order::Ordered;
use crate::schema::{self, COMPLETE};
use crate::{capacity, error, value};

pub(super) async fn execute(
    call: &Call<'_>,
    request: ExecuteStatement,
) -> Result<ExecuteStatementOutput, StoreError> {
    let asked = call
        .tables
        .execute_statement()
        .statement(request.statement.text)
        .set_parameters(schema::list(request.statement.parameters, value::write))
        .set_return_values_on_condition_check_failure(on_failure(request.statement.on_condition_failure))
        .consistent_read(request.consistent)
        .set_next_token(request.next_token)
        .set_limit(integer(request.limit))
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked)?;
    Ok(ExecuteStatementOutput {
        items: value::read_items(answer.items)?.unwrap_or_default(),
        next_token: answer.next_token,
        last_evaluated_key: value::read_optional(answer.last_evaluated_key)?,
        capacity: answer.consumed_capacity.map(capacity::read),
    })
}

pub(super) async fn batch(
    call: &Call<'_>,
    request: BatchExecuteStatement,
) -> Result<BatchExecuteStatementOutput, StoreError> {
    let count = request.statements.len();
    let asked = call
        .tables
        .batch_execute_statement()
        .set_statements(Some(request.statements.into_iter().map(of_batch).collect()))
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked)?;
    let responses = value::one_each(answer.responses, count)?.into_iter();
    Ok(BatchExecuteStatementOutput {
        responses: responses.map(outcome).collect::<Result<_, _>>()?,
        capacity: capacity::read_all(answer.consumed_capacity),
    })
}

fn of_batch(statement: BatchStatement) -> BatchStatementRequest {
    let BatchStatement { statement, consistent } = statement;
    BatchStatementRequest::builder()
        .statement(statement.text)
        .set_parameters(schema::list(statement.parameters, value::write))
        .set_return_values_on_condition_check_failure(on_failure(statement.on_condition_failure))
        .consistent_read(consistent)
        .build()
        .expect(COMPLETE)
}

fn outcome(response: BatchStatementResponse) -> Result<BatchStatementOutput, StoreError> {
    let result = match response.error {
        Some(error) => Err(error::of_statement(error)),
        None => Ok(value::read_optional(response.item)?),
    };
    Ok(BatchStatementOutput { table: response.table_name, result })
}

pub(super) async fn transaction(
    call: &Call<'_>,
    request: ExecuteTransaction,
) -> Result<ExecuteTransactionOutput, StoreError> {
    let count = request.statements.len();
    let reads = request.statements.iter().all(Effect::reads);
    let asked = call
        .tables
        .execute_transaction()
        .set_transact_statements(Some(request.statements.into_iter().map(of_transaction).collect()))
        // Without one the SDK makes its own, so that its attempts are one transaction.
        .set_client_request_token(request.client_request_token)
        .set_return_consumed_capacity(capacity::wanted(request.return_capacity));
    let answer = send_to_tables!(call, asked, call.to_tables().interceptor(Ordered))?;
    let items = match answer.responses {
        // Writes return nothing, and nobody promises that it is said of each.
        responses if !reads && responses.as_ref().is_none_or(Vec::is_empty) => vec![None; count],
        responses => {
            let responses = value::one_each(responses, count)?.into_iter();
            responses.map(|response| value::read_optional(response.item)).collect::<Result<_, _>>()?
        }
    };
    Ok(ExecuteTransactionOutput { items, capacity: capacity::read_all(answer.consumed_capacity) })
}

fn of_transaction(statement: Statement) -> ParameterizedStatement {
    ParameterizedStatement::builder()
        .statement(statement.text)
        .set_parameters(schema::list(statement.parameters, value::write))
        .set_return_values_on_condition_check_failure(on_failure(statement.on_condition_failure))
        .build()
        .expect(COMPLETE)
}
