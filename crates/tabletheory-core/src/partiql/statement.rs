//! The statements themselves: their clauses, in the order the service wants them.

use super::command::{Command, Delete, Insert, OrderKey, Select, UpdateStatement};
use super::cursor::Cursor;
use super::lexer::Lexeme;
use super::path::column_name;
use super::refusal::{leftover, malformed};
use super::{assignment, condition, literal, path};
use crate::error::StoreError;
use crate::expr::{Condition, ProjectionExpression};
use crate::store::op::ReturnValues;

/// One statement and nothing after it but a semicolon.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Command, StoreError> {
    let command = command(cursor)?;
    cursor.take_symbol(";");
    if !cursor.is_at_end() {
        return Err(leftover());
    }
    if let Command::Select(select) | Command::Exists(select) = &command {
        check(select)?;
    }
    Ok(command)
}

fn command(cursor: &mut Cursor<'_>) -> Result<Command, StoreError> {
    if cursor.is_at_end() {
        Err(cursor.unexpected())
    } else if cursor.take_word("select") {
        select(cursor).map(Command::Select)
    } else if cursor.take_word("insert") {
        insert(cursor).map(Command::Insert)
    } else if cursor.take_word("update") {
        update(cursor).map(Command::Update)
    } else if cursor.take_word("from") {
        from_first_update(cursor).map(Command::Update)
    } else if cursor.take_word("delete") {
        delete(cursor).map(Command::Delete)
    } else if cursor.called_function().as_deref() == Some("exists") {
        exists(cursor).map(Command::Exists)
    } else {
        Err(malformed("Expected data manipulation"))
    }
}

fn exists(cursor: &mut Cursor<'_>) -> Result<Select, StoreError> {
    cursor.take_word("exists");
    cursor.expect_symbol("(", "LEFT_PAREN")?;
    cursor.expect_word("select")?;
    let select = select(cursor)?;
    cursor.expect_symbol(")", "RIGHT_PAREN")?;
    Ok(select)
}

fn select(cursor: &mut Cursor<'_>) -> Result<Select, StoreError> {
    let projection = projection(cursor)?;
    cursor.expect_word("from")?;
    let Some(table) = cursor.take_name() else { return Err(cursor.unexpected()) };
    let mut index = None;
    if cursor.take_symbol(".") {
        index = Some(cursor.take_name().ok_or_else(|| malformed("Invalid path dot component"))?);
    }
    refuse_alias(cursor)?;
    let condition = where_clause(cursor)?;
    let order = order_clause(cursor)?;
    refuse_foreign_clause(cursor)?;
    Ok(Select { table, index, projection, condition, order })
}

/// `*`, which is no projection at all, or paths.
fn projection(cursor: &mut Cursor<'_>) -> Result<Option<ProjectionExpression>, StoreError> {
    if cursor.take_symbol("*") {
        if cursor.is_at_symbol(",") {
            return Err(StoreError::validation(
                "Other attributes should not be present in the projection when '*' is used.",
            ));
        }
        return Ok(None);
    }
    let mut paths = Vec::new();
    loop {
        if cursor.called_function().is_some() || literal::is_next(cursor) {
            let place = cursor.place();
            return Err(StoreError::validation(format!("Unexpected path component at {place}")));
        }
        let Some(path) = path::path(cursor)? else { return Err(cursor.unexpected()) };
        paths.push(path);
        refuse_alias(cursor)?;
        if !cursor.take_symbol(",") {
            return Ok(Some(ProjectionExpression { paths }));
        }
    }
}

/// What can be judged only when the whole statement was read.
fn check(select: &Select) -> Result<(), StoreError> {
    let paths = select.projection.iter().flat_map(|projection| &projection.paths);
    let mut columns: Vec<String> = paths.map(column_name).collect();
    columns.sort_unstable();
    if let Some(pair) = columns.windows(2).find(|pair| pair[0] == pair[1]) {
        // The answer is an item, where each name has one value.
        let message = format!("Duplicate identifiers in select clause: {}", pair[0]);
        return Err(StoreError::validation(message));
    }
    if !select.order.is_empty() && select.condition.is_none() {
        return Err(StoreError::validation(
            "Must have WHERE clause in the statement when using ORDER BY clause.",
        ));
    }
    Ok(())
}

fn insert(cursor: &mut Cursor<'_>) -> Result<Insert, StoreError> {
    cursor.expect_word("into")?;
    let table = changed_table(cursor)?;
    if !cursor.take_word("value") {
        return Err(match cursor.peek() {
            None => cursor.unexpected(),
            // SQL's column list and VALUES are no part of the dialect.
            Some(Lexeme::Keyword(_) | Lexeme::Symbol("(")) => malformed("Unexpected keyword"),
            Some(_) => leftover(),
        });
    }
    Ok(Insert { table, item: literal::item(cursor)? })
}

fn update(cursor: &mut Cursor<'_>) -> Result<UpdateStatement, StoreError> {
    let table = changed_table(cursor)?;
    refuse_alias(cursor)?;
    let update = assignment::update(cursor)?;
    let condition = where_clause(cursor)?;
    let returning = returning_clause(cursor)?;
    Ok(UpdateStatement { table, update, condition, returning })
}

/// `FROM … WHERE … SET …`: an update with its clauses the other way round.
fn from_first_update(cursor: &mut Cursor<'_>) -> Result<UpdateStatement, StoreError> {
    let table = changed_table(cursor)?;
    refuse_alias(cursor)?;
    let condition = where_clause(cursor)?;
    let update = assignment::update(cursor)?;
    let returning = returning_clause(cursor)?;
    Ok(UpdateStatement { table, update, condition, returning })
}

fn delete(cursor: &mut Cursor<'_>) -> Result<Delete, StoreError> {
    cursor.expect_word("from")?;
    let table = changed_table(cursor)?;
    refuse_alias(cursor)?;
    let condition = where_clause(cursor)?;
    let returning = returning_clause(cursor)?;
    match returning {
        ReturnValues::None | ReturnValues::AllOld => Ok(Delete { table, condition, returning }),
        // There is nothing new about an item that is gone, and nothing of it was modified.
        _ => Err(malformed("Expected ALL OLD * in the RETURNING clause of a DELETE")),
    }
}

fn changed_table(cursor: &mut Cursor<'_>) -> Result<String, StoreError> {
    cursor.take_name().ok_or_else(|| malformed("Expected identifier for simple path"))
}

fn where_clause(cursor: &mut Cursor<'_>) -> Result<Option<Condition>, StoreError> {
    if cursor.take_word("where") { condition::condition(cursor).map(Some) } else { Ok(None) }
}

fn order_clause(cursor: &mut Cursor<'_>) -> Result<Vec<OrderKey>, StoreError> {
    let mut order = Vec::new();
    if !cursor.take_word("order") {
        return Ok(order);
    }
    cursor.expect_word("by")?;
    loop {
        let Some(path) = path::path(cursor)? else { return Err(cursor.unexpected()) };
        if !path.is_attribute() {
            return Err(StoreError::validation(format!(
                "Variable reference {path} in ORDER BY clause must be part of the primary key"
            )));
        }
        let descending = cursor.take_word("desc");
        if !descending {
            cursor.take_word("asc");
        }
        order.push(OrderKey { attribute: path.root, descending });
        if !cursor.take_symbol(",") {
            return Ok(order);
        }
    }
}

fn returning_clause(cursor: &mut Cursor<'_>) -> Result<ReturnValues, StoreError> {
    if !cursor.take_word("returning") {
        return Ok(ReturnValues::None);
    }
    let all = cursor.take_word("all");
    if !all && !cursor.take_word("modified") {
        return Err(malformed("Expected ALL or MODIFIED"));
    }
    let old = cursor.take_word("old");
    if !old && !cursor.take_word("new") {
        return Err(malformed("Expected OLD or NEW"));
    }
    cursor.expect_symbol("*", "STAR")?;
    Ok(match (all, old) {
        (true, true) => ReturnValues::AllOld,
        (true, false) => ReturnValues::AllNew,
        (false, true) => ReturnValues::UpdatedOld,
        (false, false) => ReturnValues::UpdatedNew,
    })
}

fn refuse_alias(cursor: &Cursor<'_>) -> Result<(), StoreError> {
    match cursor.peek() {
        Some(Lexeme::Keyword("as") | Lexeme::Word(_) | Lexeme::Name(_)) => {
            Err(StoreError::validation("Aliasing is not supported"))
        }
        _ => Ok(()),
    }
}

/// Clauses that SQL has and the dialect has not.
fn refuse_foreign_clause(cursor: &Cursor<'_>) -> Result<(), StoreError> {
    match cursor.peek() {
        Some(Lexeme::Keyword(clause @ ("limit" | "group" | "having"))) => Err(StoreError::validation(
            format!("Unsupported clause: {} at {}", clause.to_ascii_uppercase(), cursor.place()),
        )),
        _ => Ok(()),
    }
}
