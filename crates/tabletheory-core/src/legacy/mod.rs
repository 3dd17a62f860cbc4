//! The parameters that expressions replaced, as the service still takes them: `Expected`, `QueryFilter`, `ScanFilter`,
//! `KeyConditions`, `AttributeUpdates`, `AttributesToGet`. Here they become expression trees or are refused in the
//! service's words, so nothing behind this module knows of them.

mod comparison;
mod condition;
mod key_condition;
mod projection;
mod update;

pub use condition::{condition, filter};
pub use key_condition::key_condition;
pub use projection::projection;
pub use update::update;

use crate::error::StoreError;
use crate::value::Value;

/// How an attribute is compared with values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LegacyOperator {
    /// Equal to the value.
    Eq,
    /// Missing, or not equal to the value.
    Ne,
    /// At most the value.
    Le,
    /// Less than the value.
    Lt,
    /// At least the value.
    Ge,
    /// Greater than the value.
    Gt,
    /// There is such an attribute, even if it is the null value.
    NotNull,
    /// There is no such attribute.
    Null,
    /// A string, set or list with the value in it.
    Contains,
    /// Anything else that is not missing.
    NotContains,
    /// A string or bytes with the value at the beginning.
    BeginsWith,
    /// Equal to one of the values.
    In,
    /// From the first value to the second, both included.
    Between,
}

impl LegacyOperator {
    /// Every operator, in the order of the enum.
    #[cfg(test)]
    const ALL: [Self; 13] = [
        Self::Eq,
        Self::Ne,
        Self::Le,
        Self::Lt,
        Self::Ge,
        Self::Gt,
        Self::NotNull,
        Self::Null,
        Self::Contains,
        Self::NotContains,
        Self::BeginsWith,
        Self::In,
        Self::Between,
    ];

    /// The service's name for it, such as `BEGINS_WITH`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Eq => "EQ",
            Self::Ne => "NE",
            Self::Le => "LE",
            Self::Lt => "LT",
            Self::Ge => "GE",
            Self::Gt => "GT",
            Self::NotNull => "NOT_NULL",
            Self::Null => "NULL",
            Self::Contains => "CONTAINS",
            Self::NotContains => "NOT_CONTAINS",
            Self::BeginsWith => "BEGINS_WITH",
            Self::In => "IN",
            Self::Between => "BETWEEN",
        }
    }
}

/// How the comparisons of several attributes are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ConditionalOperator {
    /// All of them hold.
    #[default]
    And,
    /// One of them holds.
    Or,
}

/// What `Expected` says of one attribute: either by `value` and `exists`, or by `operator` and one of `value` and
/// `values`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expected {
    /// `Value`: what the attribute is, or what it is compared with.
    pub value: Option<Value>,
    /// `Exists`: whether there is such an attribute.
    pub exists: Option<bool>,
    /// `ComparisonOperator`.
    pub operator: Option<LegacyOperator>,
    /// `AttributeValueList`: what the attribute is compared with.
    pub values: Option<Vec<Value>>,
}

/// What `QueryFilter`, `ScanFilter` or `KeyConditions` says of one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// `ComparisonOperator`.
    pub operator: LegacyOperator,
    /// `AttributeValueList`; empty if absent.
    pub values: Vec<Value>,
}

/// What `AttributeUpdates` does to one attribute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttributeUpdate {
    /// `Action`.
    pub action: UpdateAction,
    /// `Value`.
    pub value: Option<Value>,
}

/// The actions of `AttributeUpdates`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum UpdateAction {
    /// Sets the attribute. This is meant when no action is given.
    #[default]
    Put,
    /// Adds to a number, a set or a list, making it if it is missing.
    Add,
    /// Takes members from a set; without a value, removes the attribute.
    Delete,
}

/// Refuses a request that names parameters of both kinds, in the order in which they are listed. `KeyConditions` goes
/// together with every expression but `KeyConditionExpression`: list it only beside that one.
///
/// ```
/// use tabletheory_core::legacy::refuse_mixed;
///
/// assert!(refuse_mixed(&["AttributesToGet"], &[]).is_ok());
/// assert!(refuse_mixed(&["AttributesToGet"], &["FilterExpression"]).is_err());
/// ```
///
/// # Errors
/// If there are names on both sides.
pub fn refuse_mixed(non_expression: &[&str], expression: &[&str]) -> Result<(), StoreError> {
    if non_expression.is_empty() || expression.is_empty() {
        return Ok(());
    }
    Err(StoreError::validation(format!(
        "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: \
         {{{}}} Expression parameters: {{{}}}",
        non_expression.join(", "),
        expression.join(", ")
    )))
}

/// The refusal that most of these parameters share.
fn invalid(what: impl std::fmt::Display) -> StoreError {
    StoreError::validation(format!("One or more parameter values were invalid: {what}"))
}

/// Refuses an empty attribute name. No item can have one, so it must not reach a tree.
fn check_name(name: &str) -> Result<(), StoreError> {
    if name.is_empty() { Err(StoreError::validation("Empty attribute name")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_both_kinds_are_named_in_the_refusal() {
        assert_eq!(refuse_mixed(&[], &["UpdateExpression"]), Ok(()));
        assert_eq!(
            refuse_mixed(&["AttributeUpdates", "Expected"], &["UpdateExpression", "ConditionExpression"]),
            Err(StoreError::validation(
                "Can not use both expression and non-expression parameters in the same request: Non-expression \
                 parameters: {AttributeUpdates, Expected} Expression parameters: {UpdateExpression, ConditionExpression}"
            ))
        );
    }
}
