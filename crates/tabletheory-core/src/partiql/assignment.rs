//! The clauses of an `UPDATE`: `SET path = value, …` and `REMOVE path`, as often and in whatever order they come.

use super::cursor::Cursor;
use super::lexer::Place;
use super::refusal::malformed;
use super::{literal, operand, path};
use crate::error::StoreError;
use crate::expr::{Action, Path, SetOperand, SetValue, Update};
use crate::value::{Value, ValueType};

/// All clauses that follow each other here. There is at least one.
pub(super) fn update(cursor: &mut Cursor<'_>) -> Result<Update, StoreError> {
    let mut actions = Vec::new();
    loop {
        if cursor.take_word("set") {
            actions.push(assignment(cursor)?);
            while cursor.take_symbol(",") {
                actions.push(assignment(cursor)?);
            }
        } else if cursor.take_word("remove") {
            actions.push(Action::Remove(path::simple_path(cursor)?));
        } else if actions.is_empty() {
            return Err(malformed("Expected data manipulation"));
        } else {
            return Ok(Update { actions });
        }
    }
}

fn assignment(cursor: &mut Cursor<'_>) -> Result<Action, StoreError> {
    let target = path::simple_path(cursor)?;
    cursor.expect_symbol("=", "=")?;
    cursor.expect_right_side()?;
    match cursor.called_function().as_deref() {
        Some(function @ ("set_add" | "set_delete")) => change_set(cursor, function, target),
        _ => Ok(Action::Set(target, set_value(cursor)?)),
    }
}

/// `a = set_add(a, <<…>>)` adds members and `set_delete` takes them away: the service's ADD and DELETE in other words.
fn change_set(cursor: &mut Cursor<'_>, function: &str, target: Path) -> Result<Action, StoreError> {
    let (name, place) = (function.to_ascii_uppercase(), cursor.place());
    let refuse = |reason: &str, place: Place| StoreError::validation(format!("{reason} at {place}"));
    let Ok([first, second]) = <[Argument; 2]>::try_from(arguments(cursor)?) else {
        return Err(refuse(&format!("{name} must have exactly two arguments"), place));
    };
    if first.operand != SetOperand::Path(target.clone()) {
        return Err(refuse(&format!("The first argument to {name} must equal the assignment value"), place));
    }
    match second.operand {
        SetOperand::Value(members @ (Value::Ss(_) | Value::Ns(_) | Value::Bs(_))) => Ok(match function {
            "set_add" => Action::Add(target, members),
            _ => Action::Delete(target, members),
        }),
        // The service points at the first argument, whatever is wrong with the second.
        _ => {
            let reason = format!("The second argument to {name} must be a value with type SET");
            Err(refuse(&reason, first.place))
        }
    }
}

fn set_value(cursor: &mut Cursor<'_>) -> Result<SetValue, StoreError> {
    let left = if cursor.take_symbol("(") {
        let inner = cursor.nested(set_value)?;
        cursor.expect_symbol(")", "RIGHT_PAREN")?;
        match inner {
            SetValue::Operand(operand) => operand,
            whole => return Ok(whole),
        }
    } else {
        set_operand(cursor)?
    };
    let plus = cursor.take_symbol("+");
    if !plus && !cursor.take_symbol("-") {
        return Ok(SetValue::Operand(left));
    }
    let operator = if plus { "+" } else { "-" };
    cursor.count_operator()?;
    cursor.expect_right_side()?;
    let right = set_operand(cursor)?;
    operand::check_set_operand(&left, operator, ValueType::N)?;
    operand::check_set_operand(&right, operator, ValueType::N)?;
    Ok(if plus { SetValue::Plus(left, right) } else { SetValue::Minus(left, right) })
}

fn set_operand(cursor: &mut Cursor<'_>) -> Result<SetOperand, StoreError> {
    if literal::is_next(cursor) {
        return literal::value(cursor).map(SetOperand::Value);
    }
    if let Some(function) = cursor.called_function() {
        return call(cursor, &function);
    }
    match path::path(cursor)? {
        Some(path) => Ok(SetOperand::Path(path)),
        None => Err(cursor.unexpected()),
    }
}

fn call(cursor: &mut Cursor<'_>, function: &str) -> Result<SetOperand, StoreError> {
    if !matches!(function, "list_append" | "if_not_exists") {
        let place = cursor.place();
        return Err(StoreError::validation(format!("Unrecognized function: {function} at {place}")));
    }
    cursor.count_operator()?;
    let arguments = arguments(cursor)?;
    let count = arguments.len();
    let Ok([first, second]) = <[Argument; 2]>::try_from(arguments) else {
        return Err(StoreError::validation(format!(
            "Incorrect number of operands for operator or function; operator or function: {function}, \
             number of operands: {count}"
        )));
    };
    let (first, second) = (first.operand, Box::new(second.operand));
    if function == "list_append" {
        operand::check_set_operand(&first, function, ValueType::L)?;
        operand::check_set_operand(&second, function, ValueType::L)?;
        return Ok(SetOperand::ListAppend(Box::new(first), second));
    }
    match first {
        SetOperand::Path(path) => Ok(SetOperand::IfNotExists(path, second)),
        _ => Err(StoreError::validation(
            "Operator or function requires a document path; operator or function: if_not_exists",
        )),
    }
}

struct Argument {
    operand: SetOperand,
    place: Place,
}

/// The operands of a call whose name comes next.
fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<Argument>, StoreError> {
    cursor.advance();
    cursor.advance();
    let mut arguments = Vec::new();
    while !(arguments.is_empty() && cursor.is_at_symbol(")")) {
        if cursor.is_at_end() {
            return Err(cursor.unexpected());
        }
        let place = cursor.place();
        arguments.push(Argument { operand: cursor.nested(set_operand)?, place });
        if !cursor.take_symbol(",") {
            break;
        }
    }
    cursor.expect_symbol(")", "RIGHT_PAREN")?;
    Ok(arguments)
}
