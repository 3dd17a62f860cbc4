//! Checks of conditions and filters, from left to right.

use super::super::ast::{Comparator, Condition, Operand, Path};
use super::super::kind::ExpressionKind;
use super::path::{depth, itself};
use super::{Complaint, ORDERED, Operators, PREFIXED, TYPE_SET, bounds, one_of, wrong_type};
use crate::error::StoreError;
use crate::limits::IN_OPERANDS_MAX;
use crate::value::{Value, ValueType};

/// Refuses a condition that no item could be held against.
///
/// # Errors
/// [`StoreError::Validation`] in the service's words, naming `kind`.
pub fn condition(condition: &Condition, kind: ExpressionKind) -> Result<(), StoreError> {
    walk(condition).map_err(|complaint| kind.invalid(complaint))
}

fn walk(condition: &Condition) -> Result<(), Complaint> {
    let mut operators = Operators::default();
    let mut waiting = vec![condition];
    while let Some(condition) = waiting.pop() {
        operators.add_one()?;
        match condition {
            Condition::And(left, right) | Condition::Or(left, right) => waiting.extend([&**right, &**left]),
            Condition::Not(inner) => waiting.push(inner),
            leaf => check_leaf(leaf, &mut operators)?,
        }
    }
    Ok(())
}

fn check_leaf(condition: &Condition, operators: &mut Operators) -> Result<(), Complaint> {
    match condition {
        Condition::Compare(left, comparator, right) => {
            check_operands([left, right], operators)?;
            distinct(comparator.symbol(), left, [right])?;
            if !matches!(comparator, Comparator::Eq | Comparator::Ne) {
                one_of(comparator.symbol(), kind_of(left), &ORDERED)?;
                one_of(comparator.symbol(), kind_of(right), &ORDERED)?;
            }
            Ok(())
        }
        Condition::Between(operand, low, high) => {
            check_operands([operand, low, high], operators)?;
            distinct("BETWEEN", operand, [low, high])?;
            for operand in [operand, low, high] {
                one_of("BETWEEN", kind_of(operand), &ORDERED)?;
            }
            match (low, high) {
                (Operand::Value(low), Operand::Value(high)) => bounds(low, high),
                _ => Ok(()),
            }
        }
        Condition::In(operand, candidates) => check_in(operand, candidates, operators),
        Condition::AttributeExists(path) | Condition::AttributeNotExists(path) => depth(path),
        Condition::AttributeType(path, name) => {
            depth(path)?;
            check_operand(name, operators)?;
            check_type_name(path, name)
        }
        Condition::BeginsWith(operand, prefix) => {
            check_operands([operand, prefix], operators)?;
            distinct("begins_with", operand, [prefix])?;
            one_of("begins_with", kind_of(operand), &PREFIXED)?;
            one_of("begins_with", kind_of(prefix), &PREFIXED)
        }
        Condition::Contains(operand, element) => {
            check_operands([operand, element], operators)?;
            distinct("contains", operand, [element])
        }
        // Their operands are conditions, which the walk visits by itself.
        Condition::And(..) | Condition::Or(..) | Condition::Not(_) => Ok(()),
    }
}

fn check_in(operand: &Operand, candidates: &[Operand], operators: &mut Operators) -> Result<(), Complaint> {
    let count = candidates.len();
    if count > IN_OPERANDS_MAX {
        return Err(format!(
            "The IN operator is provided with too many operands; number of operands: {count}"
        ));
    }
    if count == 0 {
        // No text can say this, only a builder; the service would not get past the empty parentheses.
        return Err("Syntax error; token: \")\", near: \"()\"".to_owned());
    }
    check_operand(operand, operators)?;
    check_operands(candidates, operators)?;
    distinct("IN", operand, candidates)
}

fn check_operands<'o>(
    operands: impl IntoIterator<Item = &'o Operand>,
    operators: &mut Operators,
) -> Result<(), Complaint> {
    operands.into_iter().try_for_each(|operand| check_operand(operand, operators))
}

fn check_operand(operand: &Operand, operators: &mut Operators) -> Result<(), Complaint> {
    match operand {
        Operand::Path(path) => depth(path),
        Operand::Value(_) => Ok(()),
        Operand::Size(sized) => {
            operators.add_one()?;
            if let Operand::Path(path) = &**sized {
                depth(path)?;
            }
            // A size is a number and has none itself: that ends a tower of them here.
            match kind_of(sized) {
                Some(found @ (ValueType::N | ValueType::Bool | ValueType::Null)) => {
                    Err(wrong_type("size", found.name()))
                }
                _ => Ok(()),
            }
        }
    }
}

/// The operand's type, where the request alone decides it.
fn kind_of(operand: &Operand) -> Option<ValueType> {
    match operand {
        Operand::Path(_) => None,
        Operand::Value(value) => Some(value.kind()),
        Operand::Size(_) => Some(ValueType::N),
    }
}

/// Refuses to hold an attribute against itself.
fn distinct<'o>(
    operator: &str,
    first: &Operand,
    others: impl IntoIterator<Item = &'o Operand>,
) -> Result<(), Complaint> {
    let Operand::Path(path) = first else { return Ok(()) };
    if !others.into_iter().any(|other| other == first) {
        return Ok(());
    }
    Err(itself(operator, path))
}

fn check_type_name(path: &Path, name: &Operand) -> Result<(), Complaint> {
    match name {
        Operand::Value(Value::S(name)) if ValueType::from_name(name).is_some() => Ok(()),
        Operand::Value(Value::S(name)) => {
            Err(format!("Invalid attribute type name found; type: {name}, valid types: {TYPE_SET}"))
        }
        Operand::Value(value) => Err(wrong_type("attribute_type", value.kind().name())),
        Operand::Size(_) => Err(wrong_type("attribute_type", ValueType::N.name())),
        Operand::Path(other) if other == path => Err(itself("attribute_type", path)),
        // An attribute could hold anything: the service says so with all the types.
        Operand::Path(_) => Err(wrong_type("attribute_type", TYPE_SET)),
    }
}
