//! Checks of key conditions. Which attributes are keys, and which predicates their roles allow, the schema decides.

use super::super::ast::{KeyCondition, KeyPredicate};
use super::super::kind::ExpressionKind;
use super::{Complaint, ORDERED, PREFIXED, bounds, empty, one_of};
use crate::error::StoreError;
use crate::value::Value;

/// Refuses a key condition that no key could be held against.
///
/// # Errors
/// [`StoreError::Validation`] in the service's words.
pub fn key_condition(condition: &KeyCondition) -> Result<(), StoreError> {
    let kind = ExpressionKind::KeyCondition;
    if condition.predicates.is_empty() {
        return Err(empty(kind));
    }
    for (at, (name, predicate)) in condition.predicates.iter().enumerate() {
        check_predicate(predicate).map_err(|complaint| kind.invalid(complaint))?;
        if condition.predicates[..at].iter().any(|(known, _)| known == name) {
            return Err(StoreError::validation(
                "KeyConditionExpressions must only contain one condition per key",
            ));
        }
    }
    Ok(())
}

fn check_predicate(predicate: &KeyPredicate) -> Result<(), Complaint> {
    match predicate {
        KeyPredicate::Eq(_) => Ok(()),
        KeyPredicate::Lt(value) => ordered("<", value),
        KeyPredicate::Le(value) => ordered("<=", value),
        KeyPredicate::Gt(value) => ordered(">", value),
        KeyPredicate::Ge(value) => ordered(">=", value),
        KeyPredicate::Between(low, high) => {
            ordered("BETWEEN", low)?;
            ordered("BETWEEN", high)?;
            bounds(low, high)
        }
        KeyPredicate::BeginsWith(prefix) => one_of("begins_with", Some(prefix.kind()), &PREFIXED),
    }
}

fn ordered(operator: &str, value: &Value) -> Result<(), Complaint> {
    one_of(operator, Some(value.kind()), &ORDERED)
}
