//! What the service refuses in an expression before it looks at an item: operand types, operand counts, bounds, paths
//! that get in each other's way. Trees from builders and trees from text pass through the same checks.
//!
//! Trees may be deep and hostile: every walk here keeps its own stack or stops at a limit.

mod condition;
mod key_condition;
mod path;
mod update;

pub use condition::condition;
pub use key_condition::key_condition;
pub use path::projection;
pub use update::update;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::kind::ExpressionKind;
use crate::error::StoreError;
use crate::limits::EXPRESSION_OPERATORS_MAX;
use crate::value::{Value, ValueType};

/// Every type as the service lists them, in its order.
const TYPE_SET: &str = "{S,SS,L,M,N,NS,BS,B,NULL,BOOL}";

/// What went wrong, to be put behind `Invalid …Expression: `.
type Complaint = String;

fn empty(kind: ExpressionKind) -> StoreError {
    kind.invalid("The expression can not be empty;")
}

/// Counts operators and functions up to the limit.
#[derive(Debug, Default)]
struct Operators {
    count: usize,
}

impl Operators {
    fn add_one(&mut self) -> Result<(), Complaint> {
        self.count += 1;
        if self.count > EXPRESSION_OPERATORS_MAX {
            return Err(format!(
                "The expression contains too many operators; operator count: {}",
                self.count
            ));
        }
        Ok(())
    }
}

fn wrong_type(operator: &str, found: &str) -> Complaint {
    let complaint = "Incorrect operand type for operator or function;";
    format!("{complaint} operator or function: {operator}, operand type: {found}")
}

/// Refuses an operand whose type is known and not among `allowed`.
fn one_of(operator: &str, found: Option<ValueType>, allowed: &[ValueType]) -> Result<(), Complaint> {
    match found {
        Some(found) if !allowed.contains(&found) => Err(wrong_type(operator, found.name())),
        _ => Ok(()),
    }
}

/// The types that have an order.
const ORDERED: [ValueType; 3] = [ValueType::S, ValueType::N, ValueType::B];
/// The types that have prefixes.
const PREFIXED: [ValueType; 2] = [ValueType::S, ValueType::B];

/// Refuses bounds of different types, and bounds between which nothing lies.
fn bounds(low: &Value, high: &Value) -> Result<(), Complaint> {
    let reversed = match (low, high) {
        (Value::S(low), Value::S(high)) => low > high,
        (Value::N(low), Value::N(high)) => low > high,
        (Value::B(low), Value::B(high)) => low > high,
        _ => low.kind() != high.kind(),
    };
    if !reversed {
        return Ok(());
    }
    let complaint = if low.kind() == high.kind() {
        "upper bound to be greater than or equal to lower bound"
    } else {
        "same data type for lower and upper bounds"
    };
    let (low, high) = (literal(low), literal(high));
    Err(format!(
        "The BETWEEN operator requires {complaint}; lower bound operand: {low}, upper bound operand: {high}"
    ))
}

/// A bound as the service shows it. Only types that have an order come here.
fn literal(value: &Value) -> String {
    let kind = value.kind().name();
    match value {
        Value::S(text) => format!("AttributeValue: {{{kind}:{text}}}"),
        Value::N(number) => format!("AttributeValue: {{{kind}:{number}}}"),
        Value::B(bytes) => format!("AttributeValue: {{{kind}:{}}}", STANDARD.encode(bytes)),
        _ => format!("AttributeValue: {{{kind}}}"),
    }
}

#[cfg(test)]
mod tests;
