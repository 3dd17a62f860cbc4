//! DynamoDB's dialect of PartiQL: a statement's text and its parameters become a [`Command`] made of the same conditions,
//! updates and projections that every other operation uses. [`plan`] and [`split_key`] find the
//! keys in a `WHERE` clause.
//!
//! Whether tables, indexes and attributes exist, and whether a write names one whole key, is the engine's to say: it
//! knows the schema.

mod assignment;
mod command;
mod condition;
mod cursor;
mod keys;
mod keyword;
mod lexer;
mod literal;
mod operand;
mod path;
mod refusal;
mod statement;
#[cfg(test)]
mod tests;

pub use command::{Command, Delete, Insert, OrderKey, Select, UpdateStatement};
pub use keys::{Access, Plan, conflicting_key, plan, split_key};
pub use path::column_name;

use crate::error::StoreError;
use crate::limits::STATEMENT_LENGTH_MAX;
use crate::value::Value;
use cursor::Cursor;
use lexer::Lexeme;

/// Reads one statement; each `?` stands for the next of `parameters`.
///
/// ```
/// use tabletheory_core::partiql::{self, Command};
/// use tabletheory_core::{Item, Value};
///
/// let text = "INSERT INTO \"Pages\" VALUE {'pk': ?, 'hits': 1}";
/// let Command::Insert(insert) = partiql::parse(text, &[Value::s("CACHE#1")])? else { unreachable!() };
/// assert_eq!(insert.table, "Pages");
/// assert_eq!(insert.item, Item::from([("pk", Value::s("CACHE#1")), ("hits", Value::n(1))]));
/// # Ok::<(), tabletheory_core::StoreError>(())
/// ```
///
/// # Errors
///
/// [`StoreError::Validation`] in the service's words: the text is no statement, it asks for what the dialect does not
/// have, or the number of `parameters` is not the number of question marks.
pub fn parse(text: &str, parameters: &[Value]) -> Result<Command, StoreError> {
    check_length(text)?;
    let tokens = lexer::tokenize(text)?;
    let marks = tokens.iter().filter(|token| token.lexeme == Lexeme::Parameter).count();
    if marks != parameters.len() {
        return Err(StoreError::validation("Number of parameters in request and statement don't match."));
    }
    statement::parse(&mut Cursor::new(tokens, parameters))
}

/// The service counts characters, not bytes.
fn check_length(text: &str) -> Result<(), StoreError> {
    let broken = match text.chars().count() {
        0 => "greater than or equal to 1".to_owned(),
        length if length > STATEMENT_LENGTH_MAX => format!("less than or equal to {STATEMENT_LENGTH_MAX}"),
        _ => return Ok(()),
    };
    Err(StoreError::validation(format!(
        "1 validation error detected: Value '{text}' at 'statement' failed to satisfy constraint: \
         Member must have length {broken}"
    )))
}
