//! PartiQL: a statement becomes the reads and writes it stands for.

use std::sync::Arc;

use tabletheory_core::error::{CancellationCode, StoreError};
use tabletheory_core::expr::{Condition, Path, check};
use tabletheory_core::limits::{BATCH_STATEMENTS_MAX, TRANSACT_ITEMS_MAX};
use tabletheory_core::partiql::{self, Access, Command, Select};
use tabletheory_core::store::capacity::{ConsumedCapacity, ReturnCapacity};
use tabletheory_core::store::op::{
    BatchExecuteStatement, BatchExecuteStatementOutput, BatchStatementOutput, ExecuteStatement,
    ExecuteStatementOutput, ExecuteTransaction, ExecuteTransactionOutput, OnConditionFailure, ReturnValues,
    Statement, TransactAction, TransactGet, TransactGetItems, TransactWrite, TransactWriteItems,
    WriteReturns,
};
use tabletheory_core::{Item, Number, Response, Value};

use crate::commit::Work;
use crate::layout::Span;
use crate::op::item::perform;
use crate::op::read::{find_index, query_span, start_row_key};
use crate::op::transact::{self, Transaction};
use crate::page::{Page, Returned};
use crate::table::{Index, Table};
use crate::view::View;
use crate::write::Write;

/// What a request of statements comes to.
#[expect(clippy::large_enum_variant, reason = "it lives for one call and is matched at once")]
pub(crate) enum Outcome {
    Read(Response),
    Write(Work),
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

/// A statement as the write it stands for.
struct Lowered {
    write: Write,
    returns: WriteReturns,
    inserts: bool,
}

fn lower(
    view: &View<'_>,
    command: Command,
    on_condition_failure: OnConditionFailure,
) -> Result<Lowered, StoreError> {
    let table = Arc::clone(view.catalog.table(command.table())?);
    let inserts = matches!(command, Command::Insert(_));
    let values = match &command {
        Command::Update(update) => update.returning,
        Command::Delete(delete) => delete.returning,
        Command::Insert(_) | Command::Exists(_) | Command::Select(_) => ReturnValues::None,
    };
    let (action, condition) = action(&table, command)?;
    if let TransactAction::Update { update, .. } = &action {
        check::update(update)?;
    }
    let write = match action {
        TransactAction::Put { item } => Write::put(&table, item, condition)?,
        TransactAction::Update { key, update } => Write::update(&table, key, Some(update), condition)?,
        TransactAction::Delete { key } => Write::delete(&table, key, condition)?,
        TransactAction::ConditionCheck { key } => Write::check(&table, key, condition)?,
    };
    Ok(Lowered {
        write,
        returns: WriteReturns { values, on_condition_failure, ..WriteReturns::default() },
        inserts,
    })
}

/// What a writing statement does, and under which condition.
fn action(table: &Table, command: Command) -> Result<(TransactAction, Option<Condition>), StoreError> {
    let exists = || Condition::AttributeExists(Path::attribute(&table.keys[0].name));
    match command {
        Command::Insert(insert) => Ok((TransactAction::Put { item: insert.item }, Some(!exists()))),
        Command::Update(statement) => {
            let (key, rest) = single_item(table, statement.condition.as_ref())?;
            let condition = match rest {
                Some(rest) => exists().and(rest),
                None => exists(),
            };
            Ok((TransactAction::Update { key, update: statement.update }, Some(condition)))
        }
        Command::Delete(delete) => {
            let (key, rest) = single_item(table, delete.condition.as_ref())?;
            Ok((TransactAction::Delete { key }, rest))
        }
        Command::Exists(select) => {
            let (key, rest) = single_item(table, select.condition.as_ref())?;
            if rest.is_none() {
                return Err(StoreError::validation(
                    "EXISTS() must contain a single item read with additional condition",
                ));
            }
            Ok((TransactAction::ConditionCheck { key }, rest))
        }
        Command::Select(_) => Err(StoreError::validation("a SELECT is not a write")),
    }
}

/// The key of the one item that a writing statement names, and what else it asks.
fn single_item(
    table: &Table,
    condition: Option<&Condition>,
) -> Result<(Item, Option<Condition>), StoreError> {
    let names: Vec<&str> = table.keys.iter().map(|key| key.name.as_str()).collect();
    let incomplete =
        || StoreError::validation("Where clause does not contain a mandatory equality on all key attributes");
    let (key, rest) = partiql::split_key(condition.ok_or_else(incomplete)?, &names);
    if key.len() != names.len() {
        return Err(incomplete());
    }
    if let Some(name) = rest.as_ref().and_then(|rest| partiql::conflicting_key(rest, &names)) {
        return Err(StoreError::validation(format!(
            "Multiple conditions on same key {name}. Only single item Update/Insert/Delete are supported"
        )));
    }
    for part in &table.keys {
        if key.get(&part.name).is_some_and(|value| value.kind() != part.kind.value_type()) {
            return Err(StoreError::validation(format!(
                "Key attribute's data type should match its data type in table's schema: Key {}",
                part.name
            )));
        }
    }
    Ok((key, rest))
}

/// An INSERT that fails its condition met an item with the same key.
fn duplicate(error: StoreError, inserts: bool) -> StoreError {
    match error {
        StoreError::ConditionalCheckFailed { .. } if inserts => {
            StoreError::DuplicateItem("Duplicate primary key exists in table".to_owned())
        }
        other => other,
    }
}

/// A SELECT on its way to the pages it reads.
struct Selection<'v> {
    table: &'v Table,
    index: Option<&'v Index>,
    /// One span for each query, or the one of a scan.
    spans: Vec<Span>,
    filter: Option<Condition>,
    paths: Option<Vec<Path>>,
    forward: bool,
    key: Option<Item>,
}

impl<'v> Selection<'v> {
    fn new(view: &'v View<'_>, select: &Select) -> Result<Self, StoreError> {
        let table = view.catalog.table(&select.table)?;
        let index = find_index(table, select.index.as_deref())?;
        let (keys, shape) = match index {
            None => (&table.keys, &table.shape),
            Some(index) => (&index.keys, &index.shape),
        };
        let named = |names: &'v [String]| names.iter().map(String::as_str).collect::<Vec<_>>();
        let plan = partiql::plan(select.condition.as_ref(), &named(&shape.partition), &named(&shape.sort))?;
        let spans = match &plan.access {
            Access::Scan => vec![Span::segment(0, 1)],
            Access::Query(queries) => {
                queries.iter().map(|query| query_span(keys, shape, query)).collect::<Result<Vec<_>, _>>()?
            }
        };
        let forward = order(select, index.map_or(&table.shape, |index| &index.shape))?;
        Ok(Self {
            table,
            index,
            spans,
            forward,
            key: plan.key(),
            filter: plan.filter,
            paths: select.projection.clone().map(|projection| projection.paths),
        })
    }

    fn page(
        &self,
        span: Span,
        limit: Option<u32>,
        consistent: bool,
        return_capacity: ReturnCapacity,
    ) -> Page<'_> {
        let returned = match &self.paths {
            None => Returned::Row,
            Some(paths) => {
                Returned::Paths(tabletheory_core::expr::ProjectionExpression { paths: paths.clone() })
            }
        };
        Page {
            table: self.table,
            index: self.index,
            span,
            forward: self.forward,
            limit,
            filter: self.filter.clone(),
            returned,
            consistent,
            return_capacity,
        }
    }

    /// Reads one page, going from query to query until the limit or the page's size is reached.
    fn read(
        &self,
        view: &View<'_>,
        request: &ExecuteStatement,
    ) -> Result<ExecuteStatementOutput, StoreError> {
        let mut output = ExecuteStatementOutput::default();
        let mut left = request.limit;
        if left == Some(0) {
            return Err(StoreError::validation(
                "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value \
                 greater than or equal to 1",
            ));
        }
        let start = request.next_token.as_deref().map(Place::from_text).transpose()?.unwrap_or_default();
        for (number, span) in self.spans.iter().enumerate().skip(start.query) {
            let span = match &start.key {
                Some(key) if number == start.query => {
                    let row_key = start_row_key(self.table, self.index, key)?;
                    span.clone().resume(&row_key, self.forward)
                }
                _ => span.clone(),
            };
            let page = self.page(span, left, request.consistent, request.return_capacity).read(view)?;
            let scanned = u32::try_from(page.scanned_count).unwrap_or(u32::MAX);
            output.items.extend(page.items.unwrap_or_default().into_iter().map(|item| self.columns(item)));
            add_capacity(&mut output.capacity, page.capacity);
            left = left.map(|left| left.saturating_sub(scanned));
            if let Some(key) = page.last_evaluated_key {
                let place = Place { query: number, key: Some(key.clone()) };
                output.next_token = Some(place.to_text());
                output.last_evaluated_key = Some(key);
                break;
            }
            if left == Some(0) && number + 1 < self.spans.len() {
                output.next_token = Some(Place { query: number + 1, key: None }.to_text());
                break;
            }
        }
        Ok(output)
    }

    /// The columns of a SELECT: the last part of each path names its value.
    fn columns(&self, item: Item) -> Item {
        match &self.paths {
            None => item,
            Some(paths) if paths.iter().all(Path::is_attribute) => item,
            Some(paths) => paths
                .iter()
                .filter_map(|path| Some((partiql::column_name(path), path.get(&item)?.clone())))
                .collect(),
        }
    }

    /// The key of the one item that a SELECT of a batch or a transaction reads.
    fn single_key(&self) -> Result<Item, StoreError> {
        let key = self.key.clone().filter(|key| self.index.is_none() && key.len() == self.table.keys.len());
        key.ok_or_else(|| {
            StoreError::validation("Select statements within ExecuteTransaction and BatchExecuteStatement must specify the primary key in the where clause.")
        })
    }
}

/// Whether the items come in ascending order.
fn order(select: &Select, shape: &crate::layout::RowShape) -> Result<bool, StoreError> {
    let mut forward = true;
    for key in &select.order {
        let is_sort = shape.sort.contains(&key.attribute);
        if !is_sort && !shape.partition.contains(&key.attribute) {
            return Err(StoreError::validation(format!(
                "Variable reference {} in ORDER BY clause must be part of the primary key",
                key.attribute
            )));
        }
        if is_sort {
            forward = !key.descending;
        }
    }
    Ok(forward)
}

fn add_capacity(sum: &mut Option<ConsumedCapacity>, more: Option<ConsumedCapacity>) {
    match (sum, more) {
        (sum @ None, more) => *sum = more,
        (Some(sum), Some(more)) => {
            sum.units.total += more.units.total;
            if let (Some(share), Some(more)) = (&mut sum.table_units, more.table_units) {
                share.total += more.total;
            }
        }
        (Some(_), None) => {}
    }
}

/// Where a page of a SELECT ended.
#[derive(Debug, Default)]
struct Place {
    query: usize,
    key: Option<Item>,
}

impl Place {
    fn to_text(&self) -> String {
        let query = Number::from(u64::try_from(self.query).unwrap_or(u64::MAX));
        let mut place = Item::from([("query", Value::N(query))]);
        if let Some(key) = &self.key {
            place.insert("key", key.clone());
        }
        crate::codec::encode(&place).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn from_text(text: &str) -> Result<Self, StoreError> {
        let unknown = || StoreError::validation("Invalid NextToken: it was not made by ExecuteStatement");
        let pairs = text.as_bytes().chunks(2).map(|pair| {
            let digits = std::str::from_utf8(pair).ok().filter(|digits| digits.len() == 2)?;
            u8::from_str_radix(digits, 16).ok()
        });
        let bytes: Vec<u8> = pairs.collect::<Option<_>>().ok_or_else(unknown)?;
        let mut place = crate::codec::decode(&bytes).map_err(|_| unknown())?;
        let query = place.get("query").and_then(Value::as_n).and_then(Number::to_u64).ok_or_else(unknown)?;
        let key = match place.remove("key") {
            Some(Value::M(key)) => Some(key),
            None => None,
            Some(_) => return Err(unknown()),
        };
        Ok(Self { query: usize::try_from(query).map_err(|_| unknown())?, key })
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
