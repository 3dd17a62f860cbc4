//! What operators and functions demand of their operands. Values of the item are judged when the item is there; values
//! of the statement are judged here.

use crate::error::StoreError;
use crate::expr::{Comparator, Operand, Path, SetOperand};
use crate::value::{Value, ValueType};

/// The complaint about an operand of the wrong type.
pub(super) fn incorrect_type(operator: &str, kind: ValueType) -> StoreError {
    StoreError::validation(format!(
        "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {}",
        kind.name()
    ))
}

/// The path that `operand` is.
pub(super) fn document_path(operand: Operand, operator: &str) -> Result<Path, StoreError> {
    match operand {
        Operand::Path(path) => Ok(path),
        Operand::Value(_) | Operand::Size(_) => Err(StoreError::validation(format!(
            "Operator or function requires a document path; operator or function: {operator}"
        ))),
    }
}

/// Whether a comparison asks which side is larger.
pub(super) fn orders(comparator: Comparator) -> bool {
    !matches!(comparator, Comparator::Eq | Comparator::Ne)
}

/// Only strings, numbers and bytes have an order.
pub(super) fn check_ordered(operand: &Operand, operator: &str) -> Result<(), StoreError> {
    check_value(operand, operator, &[ValueType::S, ValueType::N, ValueType::B])
}

/// Only strings and bytes begin with something.
pub(super) fn check_prefix(operand: &Operand, operator: &str) -> Result<(), StoreError> {
    check_value(operand, operator, &[ValueType::S, ValueType::B])
}

/// A number, a truth value and null have no size.
pub(super) fn check_sized(operand: &Operand) -> Result<(), StoreError> {
    use ValueType::{B, Bs, L, M, Ns, S, Ss};
    if matches!(operand, Operand::Size(_)) {
        return Err(incorrect_type("size", ValueType::N));
    }
    check_value(operand, "size", &[S, B, Ss, Ns, Bs, L, M])
}

/// `attribute_type` wants a type's name, in a string.
pub(super) fn check_type_name(operand: &Operand) -> Result<(), StoreError> {
    match operand {
        Operand::Value(Value::S(name)) if ValueType::from_name(name).is_none() => {
            Err(StoreError::validation(format!(
                "Invalid attribute type name found; type: {name}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
            )))
        }
        _ => check_value(operand, "attribute_type", &[ValueType::S]),
    }
}

fn check_value(operand: &Operand, operator: &str, allowed: &[ValueType]) -> Result<(), StoreError> {
    match operand {
        Operand::Value(value) if !allowed.contains(&value.kind()) => {
            Err(incorrect_type(operator, value.kind()))
        }
        _ => Ok(()),
    }
}

/// `+`, `-` and `list_append` take one type each.
pub(super) fn check_set_operand(
    operand: &SetOperand,
    operator: &str,
    wanted: ValueType,
) -> Result<(), StoreError> {
    let kind = match operand {
        SetOperand::Path(_) => return Ok(()),
        SetOperand::Value(value) => value.kind(),
        SetOperand::IfNotExists(_, otherwise) => return check_set_operand(otherwise, operator, wanted),
        SetOperand::ListAppend(..) => ValueType::L,
    };
    if kind == wanted { Ok(()) } else { Err(incorrect_type(operator, kind)) }
}
