//! Checks of updates: first the paths that are changed, then what they are changed to.

use super::super::ast::{Action, SetOperand, SetValue, Update};
use super::super::kind::ExpressionKind;
use super::path::{apart, depth, itself};
use super::{Complaint, Operators, empty, one_of};
use crate::error::StoreError;
use crate::value::{Value, ValueType};

/// Refuses an update that could not be applied to any item.
///
/// # Errors
/// [`StoreError::Validation`] in the service's words.
pub fn update(update: &Update) -> Result<(), StoreError> {
    if update.actions.is_empty() {
        return Err(empty(ExpressionKind::Update));
    }
    walk(update).map_err(|complaint| ExpressionKind::Update.invalid(complaint))
}

fn walk(update: &Update) -> Result<(), Complaint> {
    update.actions.iter().map(Action::path).try_for_each(depth)?;
    apart(update.actions.iter().map(Action::path))?;
    let mut operators = Operators::default();
    for action in &update.actions {
        match action {
            Action::Set(_, value) => check_value(value, &mut operators)?,
            Action::Remove(_) => {}
            Action::Add(_, value) => {
                let addable = matches!(value, Value::N(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_));
                check_change("ADD", addable, value)?;
            }
            Action::Delete(_, value) => {
                let members = matches!(value, Value::Ss(_) | Value::Ns(_) | Value::Bs(_));
                check_change("DELETE", members, value)?;
            }
        }
    }
    Ok(())
}

fn check_value(value: &SetValue, operators: &mut Operators) -> Result<(), Complaint> {
    let (sign, terms) = match value {
        SetValue::Operand(SetOperand::ListAppend(first, second)) => {
            operators.add_one()?;
            for list in [first, second] {
                check_operand(list, operators)?;
                one_of("list_append", kind_of(list), &[ValueType::L])?;
            }
            return Ok(());
        }
        SetValue::Operand(operand) => return check_operand(operand, operators),
        SetValue::Plus(left, right) => ("+", [left, right]),
        SetValue::Minus(left, right) => ("-", [left, right]),
    };
    operators.add_one()?;
    for term in terms {
        check_operand(term, operators)?;
        one_of(sign, kind_of(term), &[ValueType::N])?;
    }
    Ok(())
}

/// Checks an operand that stands inside another or beside a sign, where `list_append` may not.
fn check_operand(mut operand: &SetOperand, operators: &mut Operators) -> Result<(), Complaint> {
    loop {
        match operand {
            SetOperand::Path(path) => return depth(path),
            SetOperand::Value(_) => return Ok(()),
            SetOperand::IfNotExists(path, otherwise) => {
                operators.add_one()?;
                depth(path)?;
                if matches!(&**otherwise, SetOperand::Path(other) if other == path) {
                    return Err(itself("if_not_exists", path));
                }
                operand = otherwise;
            }
            SetOperand::ListAppend(..) => {
                let complaint = "The function is not allowed to be used this way in an expression;";
                return Err(format!("{complaint} function: list_append"));
            }
        }
    }
}

/// The operand's type, where the request alone decides it.
fn kind_of(operand: &SetOperand) -> Option<ValueType> {
    match operand {
        SetOperand::Value(value) => Some(value.kind()),
        SetOperand::Path(_) | SetOperand::IfNotExists(..) | SetOperand::ListAppend(..) => None,
    }
}

fn check_change(operator: &str, fits: bool, value: &Value) -> Result<(), Complaint> {
    if fits {
        return Ok(());
    }
    let complaint = "Incorrect operand type for operator or function;";
    let found = long_name(value.kind());
    Err(format!(
        "{complaint} operator: {operator}, operand type: {found}, typeSet: ALLOWED_FOR_{operator}_OPERAND"
    ))
}

/// The names that only complaints about `ADD` and `DELETE` use.
fn long_name(kind: ValueType) -> &'static str {
    match kind {
        ValueType::S => "STRING",
        ValueType::N => "NUMBER",
        ValueType::B => "BINARY",
        ValueType::Bool => "BOOLEAN",
        ValueType::Null => "NULL",
        ValueType::L => "LIST",
        ValueType::M => "MAP",
        ValueType::Ss => "STRING_SET",
        ValueType::Ns => "NUMBER_SET",
        ValueType::Bs => "BINARY_SET",
    }
}
