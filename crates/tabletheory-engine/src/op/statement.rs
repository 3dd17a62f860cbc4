//! PartiQL: statements become the reads and writes they stand for, alone, in a batch or in a transaction.

mod lowering;
mod selection;

use std::sync::Arc;

use lowering::{Lowered, action, duplicate, lower};
use selection::Selection;
use tabletheory_core::Response;
use tabletheory_core::error::{CancellationCode, StoreError};
use tabletheory_core::limits::{BATCH_STATEMENTS_MAX, TRANSACT_ITEMS_MAX};
use tabletheory_core::partiql::{self, Command};
use tabletheory_core::store::capacity::{ConsumedCapacity, ReturnCapacity};
use tabletheory_core::store::op::{
    BatchExecuteStatement, BatchExecuteStatementOutput, BatchStatementOutput, ExecuteStatement,
    ExecuteStatementOutput, ExecuteTransaction, ExecuteTransactionOutput, Statement, TransactGet,
    TransactGetItems, TransactWrite, TransactWriteItems, WriteReturns,
};

use crate::commit::Work;
use crate::op::item::perform;
use crate::op::transact::{self, Transaction};
use crate::view::View;

/// What a request of statements comes to.
pub(crate) enum Outcome {
    Read(Response),
    Write(Box<dyn Work>),
}

fn parse(statement: &Statement) -> Result<Command, StoreError> {
    partiql::parse(&statement.text, &statement.parameters)
}

/// `ExecuteStatement`.
pub(crate) fn execute(view: &View<'_>, request: ExecuteStatement) -> Result<Outcome, StoreError> {
    match parse(&request.statement)? {
        Command::Select(select) => {
            let output = Selection::new(view, &select)?.read(view, &request)?;
            Ok(Outcome::Read(Response::ExecuteStatement(Box::new(output))))
        }
        Command::Exists(_) => Err(StoreError::validation("EXISTS() is only supported in ExecuteTransaction")),
        command => {
            let write = lower(view, command, request.statement.on_condition_failure)?;
            let capacity = request.return_capacity;
            Ok(Outcome::Write(Box::new(move |group| {
                let returns = WriteReturns { capacity, ..write.returns };
                let output =
                    perform(group, write.write, returns).map_err(|error| duplicate(error, write.inserts))?;
                Ok(Response::ExecuteStatement(Box::new(ExecuteStatementOutput {
                    items: output.attributes.into_iter().collect(),
                    capacity: output.capacity,
                    ..ExecuteStatementOutput::default()
                })))
            })))
        }
    }
}

/// `BatchExecuteStatement`.
pub(crate) fn batch(view: &View<'_>, request: BatchExecuteStatement) -> Result<Outcome, StoreError> {
    check_count(request.statements.len(), BATCH_STATEMENTS_MAX, "statements")?;
    let commands: Vec<Result<Command, StoreError>> =
        request.statements.iter().map(|batched| parse(&batched.statement)).collect();
    let reads = commands.iter().filter(|command| command.as_ref().is_ok_and(Command::is_read)).count();
    let writes =
        commands.iter().filter(|command| command.as_ref().is_ok_and(|command| !command.is_read())).count();
    if reads > 0 && writes > 0 {
        return Err(StoreError::validation(
            "Transactions/Batches must contain either all read operations or all write operations",
        ));
    }
    let names: Vec<Option<String>> = commands
        .iter()
        .map(|command| command.as_ref().ok().map(|command| command.table().to_owned()))
        .collect();
    if writes == 0 {
        return Ok(Outcome::Read(batch_read(view, &request, commands, names)));
    }
    let lowered: Vec<Result<Lowered, StoreError>> = commands
        .into_iter()
        .zip(&request.statements)
        .map(|(command, batched)| lower(view, command?, batched.statement.on_condition_failure))
        .collect();
    let wanted = request.return_capacity;
    Ok(Outcome::Write(Box::new(move |group| {
        let mut output = BatchExecuteStatementOutput::default();
        for (lowered, table) in lowered.into_iter().zip(names) {
            let result = lowered.and_then(|lowered| {
                let returns = WriteReturns { capacity: wanted, ..lowered.returns };
                perform(group, lowered.write, returns).map_err(|error| duplicate(error, lowered.inserts))
            });
            let result = result.map(|written| {
                output.capacity.extend(written.capacity);
                written.attributes
            });
            output.responses.push(BatchStatementOutput { table, result });
        }
        Ok(Response::BatchExecuteStatement(Box::new(output)))
    })))
}

fn batch_read(
    view: &View<'_>,
    request: &BatchExecuteStatement,
    commands: Vec<Result<Command, StoreError>>,
    names: Vec<Option<String>>,
) -> Response {
    let mut output = BatchExecuteStatementOutput::default();
    for ((command, batched), table) in commands.into_iter().zip(&request.statements).zip(names) {
        let read = || -> Result<_, StoreError> {
            let Command::Select(select) = command? else { unreachable!("a batch of reads has only SELECTs") };
            let selection = Selection::new(view, &select)?;
            selection.single_key()?;
            let span = selection.spans[0].clone();
            let page = selection.page(span, None, batched.consistent, request.return_capacity).read(view)?;
            let item = page.items.unwrap_or_default().pop().map(|item| selection.columns(item));
            Ok((item, page.capacity))
        };
        let result = read().map(|(item, capacity)| {
            output.capacity.extend(capacity);
            item
        });
        output.responses.push(BatchStatementOutput { table, result });
    }
    Response::BatchExecuteStatement(Box::new(output))
}

fn check_count(count: usize, most: usize, member: &str) -> Result<(), StoreError> {
    if (1..=most).contains(&count) {
        return Ok(());
    }
    let (bound, edge) = if count == 0 { ("greater", 1) } else { ("less", most) };
    Err(StoreError::validation(format!(
        "1 validation error detected: Value at '{member}' failed to satisfy constraint: Member must have length {bound} \
         than or equal to {edge}"
    )))
}

/// `ExecuteTransaction`.
pub(crate) fn transaction(view: &View<'_>, request: ExecuteTransaction) -> Result<Outcome, StoreError> {
    check_count(request.statements.len(), TRANSACT_ITEMS_MAX, "transactStatements")?;
    let commands = request.statements.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    let reads = commands.iter().filter(|command| command.is_read()).count();
    if reads == commands.len() {
        return transaction_read(view, &commands, request.return_capacity).map(Outcome::Read);
    }
    if reads > 0 {
        return Err(StoreError::validation(
            "Transactions/Batches must contain either all read operations or all write operations",
        ));
    }
    let inserts: Vec<bool> = commands.iter().map(|command| matches!(command, Command::Insert(_))).collect();
    let mut writes = Vec::with_capacity(commands.len());
    for (command, statement) in commands.into_iter().zip(&request.statements) {
        let table = Arc::clone(view.catalog.table(command.table())?);
        let (action, condition) = action(&table, command)?;
        writes.push(TransactWrite {
            table: table.spec.name.clone(),
            action,
            condition,
            on_condition_failure: statement.on_condition_failure,
        });
    }
    let count = writes.len();
    let transaction = Transaction::prepare(
        view,
        TransactWriteItems {
            writes,
            client_request_token: request.client_request_token,
            return_capacity: request.return_capacity,
            collection_metrics: false,
        },
    )?;
    Ok(Outcome::Write(Box::new(move |group| {
        let output = transaction.perform(group).map_err(|error| duplicates(error, &inserts))?;
        let output = ExecuteTransactionOutput { items: vec![None; count], capacity: output.capacity };
        Ok(Response::ExecuteTransaction(Box::new(output)))
    })))
}

/// INSERTs whose condition failed met items with the same keys.
fn duplicates(error: StoreError, inserts: &[bool]) -> StoreError {
    let StoreError::TransactionCanceled { mut reasons } = error else { return error };
    for (reason, inserts) in reasons.iter_mut().zip(inserts) {
        if *inserts && reason.code == CancellationCode::ConditionalCheckFailed {
            reason.code = CancellationCode::DuplicateItem;
            reason.message = Some("Duplicate primary key exists in table".to_owned());
        }
    }
    StoreError::TransactionCanceled { reasons }
}

fn transaction_read(
    view: &View<'_>,
    commands: &[Command],
    return_capacity: ReturnCapacity,
) -> Result<Response, StoreError> {
    let mut gets = Vec::with_capacity(commands.len());
    let mut selections = Vec::with_capacity(commands.len());
    for command in commands {
        let Command::Select(select) = command else {
            unreachable!("a transaction of reads has only SELECTs")
        };
        let selection = Selection::new(view, select)?;
        let key = selection.single_key()?;
        gets.push(TransactGet { table: select.table.clone(), key, projection: select.projection.clone() });
        selections.push(selection);
    }
    let output = transact::get(view, TransactGetItems { gets, return_capacity })?;
    let items = output.items.into_iter().zip(&selections);
    let items = items.map(|(item, selection)| item.map(|item| selection.columns(item))).collect();
    let capacity: Vec<ConsumedCapacity> = output.capacity;
    Ok(Response::ExecuteTransaction(Box::new(ExecuteTransactionOutput { items, capacity })))
}
