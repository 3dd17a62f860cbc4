//! INSERT, UPDATE, DELETE and EXISTS as the writes and checks they stand for.

use std::sync::Arc;

use tabletheory_core::expr::{Condition, Path, check};
use tabletheory_core::partiql::{self, Command};
use tabletheory_core::store::op::{OnConditionFailure, ReturnValues, TransactAction, WriteReturns};
use tabletheory_core::{Item, StoreError};

use crate::table::Table;
use crate::view::View;
use crate::write::Write;

/// A statement as the write it stands for.
pub(super) struct Lowered {
    pub(super) write: Write,
    pub(super) returns: WriteReturns,
    pub(super) inserts: bool,
}

pub(super) fn lower(
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
pub(super) fn action(
    table: &Table,
    command: Command,
) -> Result<(TransactAction, Option<Condition>), StoreError> {
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
pub(super) fn duplicate(error: StoreError, inserts: bool) -> StoreError {
    match error {
        StoreError::ConditionalCheckFailed { .. } if inserts => {
            StoreError::DuplicateItem("Duplicate primary key exists in table".to_owned())
        }
        other => other,
    }
}
