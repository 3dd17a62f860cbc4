//! Requests with PartiQL statements. The statements stay texts: the store reads them.

use tabletheory_core::StoreError;
use tabletheory_core::store::op::{
    BatchExecuteStatement, BatchStatement, ExecuteStatement, ExecuteTransaction, OnConditionFailure,
    Statement,
};

use super::{attribute, name};
use crate::constraint::Constraints;
use crate::shape::{Flag, Integer, List, Raw, Text, structure};

/// Beyond what the service allows, so that it is the store that complains.
const STATEMENTS_MAX: usize = 1000;

structure! {
    /// The members of `ExecuteStatement`, and of one statement among several.
    StatementShape {
        text: Text<'a> = "Statement",
        parameters: List<Raw<'a>> = "Parameters",
        consistent: Flag = "ConsistentRead",
        next_token: Text<'a> = "NextToken",
        limit: Integer = "Limit",
        capacity: Text<'a> = "ReturnConsumedCapacity",
        on_condition_failure: Text<'a> = "ReturnValuesOnConditionCheckFailure",
    }
}

structure! {
    /// The members of `BatchExecuteStatement`.
    BatchShape {
        statements: List<StatementShape<'a>, STATEMENTS_MAX> = "Statements",
        capacity: Text<'a> = "ReturnConsumedCapacity",
    }
}

structure! {
    /// The members of `ExecuteTransaction`.
    TransactionShape {
        statements: List<StatementShape<'a>, STATEMENTS_MAX> = "TransactStatements",
        token: Text<'a> = "ClientRequestToken",
        capacity: Text<'a> = "ReturnConsumedCapacity",
    }
}

/// Reads an `ExecuteStatement`.
pub(super) fn execute(mut shape: StatementShape<'_>) -> Result<ExecuteStatement, StoreError> {
    let mut constraints = Constraints::default();
    let on_condition_failure = check(&mut constraints, "", &mut shape);
    let limit = constraints.count("limit", 1, shape.limit);
    let capacity = shape.capacity.take();
    let return_capacity = constraints.one_of("returnConsumedCapacity", capacity, name::CAPACITY);
    constraints.finish()?;
    let consistent = shape.consistent.is_some_and(|Flag(flag)| flag);
    let next_token = shape.next_token.take().map(Text::into_string);
    let statement = statement(shape, on_condition_failure)?;
    let return_capacity = return_capacity.unwrap_or_default();
    Ok(ExecuteStatement { statement, consistent, next_token, limit, return_capacity })
}

/// Reads a `BatchExecuteStatement`.
pub(super) fn batch(shape: BatchShape<'_>) -> Result<BatchExecuteStatement, StoreError> {
    let mut constraints = Constraints::default();
    let drafts = drafts(&mut constraints, "statements", shape.statements);
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    constraints.finish()?;
    let read = |(shape, on_condition_failure): Draft<'_>| {
        let consistent = shape.consistent.is_some_and(|Flag(flag)| flag);
        Ok(BatchStatement { statement: statement(shape, on_condition_failure)?, consistent })
    };
    let statements = drafts.into_iter().map(read).collect::<Result<_, StoreError>>()?;
    Ok(BatchExecuteStatement { statements, return_capacity: return_capacity.unwrap_or_default() })
}

/// Reads an `ExecuteTransaction`.
pub(super) fn transaction(shape: TransactionShape<'_>) -> Result<ExecuteTransaction, StoreError> {
    let mut constraints = Constraints::default();
    let drafts = drafts(&mut constraints, "transactStatements", shape.statements);
    let return_capacity = constraints.one_of("returnConsumedCapacity", shape.capacity, name::CAPACITY);
    constraints.finish()?;
    let statements = drafts.into_iter().map(|(shape, on_failure)| statement(shape, on_failure));
    Ok(ExecuteTransaction {
        statements: statements.collect::<Result<_, _>>()?,
        client_request_token: shape.token.map(Text::into_string),
        return_capacity: return_capacity.unwrap_or_default(),
    })
}

type Draft<'a> = (StatementShape<'a>, OnConditionFailure);

fn drafts<'a>(
    constraints: &mut Constraints,
    parameter: &str,
    statements: Option<List<StatementShape<'a>, STATEMENTS_MAX>>,
) -> Vec<Draft<'a>> {
    let statements = constraints.required(parameter, statements).0.into_iter().enumerate();
    let check = |(at, mut shape): (usize, StatementShape<'a>)| {
        let on_failure = check(constraints, &format!("{parameter}.{}.member.", at + 1), &mut shape);
        (shape, on_failure)
    };
    statements.map(check).collect()
}

fn check(constraints: &mut Constraints, place: &str, shape: &mut StatementShape<'_>) -> OnConditionFailure {
    constraints.required(format!("{place}statement"), shape.text.as_ref().map(|_| ()));
    let member = format!("{place}returnValuesOnConditionCheckFailure");
    constraints
        .one_of(member, shape.on_condition_failure.take(), name::ON_CONDITION_FAILURE)
        .unwrap_or_default()
}

fn statement(
    shape: StatementShape<'_>,
    on_condition_failure: OnConditionFailure,
) -> Result<Statement, StoreError> {
    let parameters = shape.parameters.as_ref().map(attribute::values).transpose()?.unwrap_or_default();
    Ok(Statement { text: shape.text.unwrap_or_default().into_string(), parameters, on_condition_failure })
}
