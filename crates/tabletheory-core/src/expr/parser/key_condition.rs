//! Key conditions are written as conditions and mean less: one predicate for each key attribute, all joined by `AND`.
//! This narrows the tree. Which attributes are keys is the schema's business.

use super::super::ast::{Comparator, Condition, KeyCondition, KeyPredicate, Operand};
use crate::error::StoreError;
use crate::value::Value;

/// The predicates that `condition` joins, in the order written. Two for one attribute are left to the check.
pub(in super::super) fn key_condition(condition: Condition) -> Result<KeyCondition, StoreError> {
    let mut predicates = Vec::new();
    let mut waiting = vec![condition];
    while let Some(condition) = waiting.pop() {
        if let Condition::And(left, right) = condition {
            waiting.extend([*right, *left]);
            continue;
        }
        predicates.push(predicate(condition)?);
    }
    Ok(KeyCondition { predicates })
}

/// What an operand is to a key condition.
enum Part {
    Key(String),
    Value(Value),
}

fn part(operand: Operand) -> Result<Part, StoreError> {
    match operand {
        Operand::Path(path) if path.is_attribute() => Ok(Part::Key(path.root)),
        Operand::Path(_) => {
            Err(StoreError::validation("KeyConditionExpressions cannot have conditions on nested attributes"))
        }
        Operand::Value(value) => Ok(Part::Value(value)),
        Operand::Size(_) => {
            Err(StoreError::validation("KeyConditionExpressions cannot contain nested operations"))
        }
    }
}

fn predicate(condition: Condition) -> Result<(String, KeyPredicate), StoreError> {
    let operator = match condition {
        Condition::Compare(_, Comparator::Ne, _) => Comparator::Ne.symbol(),
        Condition::Compare(left, comparator, right) => {
            return comparison(part(left)?, comparator, part(right)?);
        }
        Condition::Between(operand, low, high) => {
            return match (part(operand)?, part(low)?, part(high)?) {
                (Part::Key(name), Part::Value(low), Part::Value(high)) => {
                    Ok((name, KeyPredicate::Between(low, high)))
                }
                (Part::Key(_), ..) => Err(several_attributes()),
                (Part::Value(_), ..) => Err(key_comes_first("BETWEEN")),
            };
        }
        Condition::BeginsWith(operand, prefix) => {
            return match (part(operand)?, part(prefix)?) {
                (Part::Key(name), Part::Value(prefix)) => Ok((name, KeyPredicate::BeginsWith(prefix))),
                (Part::Key(_), Part::Key(_)) => Err(several_attributes()),
                (Part::Value(_), _) => Err(key_comes_first("begins_with")),
            };
        }
        Condition::In(..) => "IN",
        Condition::AttributeExists(_) => "attribute_exists",
        Condition::AttributeNotExists(_) => "attribute_not_exists",
        Condition::AttributeType(..) => "attribute_type",
        Condition::Contains(..) => "contains",
        Condition::And(..) => "AND",
        Condition::Or(..) => "OR",
        Condition::Not(_) => "NOT",
    };
    Err(StoreError::validation(format!("Invalid operator used in KeyConditionExpression: {operator}")))
}

fn comparison(left: Part, comparator: Comparator, right: Part) -> Result<(String, KeyPredicate), StoreError> {
    let (name, comparator, value) = match (left, right) {
        (Part::Key(name), Part::Value(value)) => (name, comparator, value),
        (Part::Value(value), Part::Key(name)) => (name, comparator.mirrored(), value),
        (Part::Key(_), Part::Key(_)) => return Err(several_attributes()),
        (Part::Value(_), Part::Value(_)) => return Err(invalid_condition("No key attribute specified")),
    };
    let predicate = match comparator {
        Comparator::Lt => KeyPredicate::Lt(value),
        Comparator::Le => KeyPredicate::Le(value),
        Comparator::Gt => KeyPredicate::Gt(value),
        Comparator::Ge => KeyPredicate::Ge(value),
        Comparator::Eq | Comparator::Ne => KeyPredicate::Eq(value),
    };
    Ok((name, predicate))
}

fn several_attributes() -> StoreError {
    invalid_condition("Multiple attribute names used in one condition")
}

fn key_comes_first(operator: &str) -> StoreError {
    invalid_condition(&format!("{operator} operator must have the key attribute as its first operand"))
}

fn invalid_condition(complaint: &str) -> StoreError {
    StoreError::validation(format!("Invalid condition in KeyConditionExpression: {complaint}"))
}
