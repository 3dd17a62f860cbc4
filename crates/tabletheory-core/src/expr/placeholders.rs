//! The door for expressions that arrive as text: it takes a request's placeholders once, turns each expression into a
//! checked tree, and at the end refuses placeholders that nothing used.

use std::collections::BTreeMap;

use super::ast::{Condition, KeyCondition, ProjectionExpression, Update};
use super::kind::ExpressionKind;
use super::substitution::{NAMES, Substitutions, VALUES};
use super::{check, parser};
use crate::error::StoreError;
use crate::value::Value;

/// `ExpressionAttributeNames` and `ExpressionAttributeValues` of one request, while its expressions are read.
///
/// ```
/// use std::collections::BTreeMap;
/// use tabletheory_core::expr::{Condition, Comparator, Operand, Path, Placeholders};
/// use tabletheory_core::Value;
///
/// # fn main() -> Result<(), tabletheory_core::StoreError> {
/// let names = BTreeMap::from([("#s".to_owned(), "status".to_owned())]);
/// let values = BTreeMap::from([(":s".to_owned(), Value::s("open"))]);
/// let mut placeholders = Placeholders::new(Some(names), Some(values))?;
/// let condition = placeholders.condition("#s = :s")?;
/// placeholders.finish()?;
///
/// let status = Operand::Path(Path::attribute("status"));
/// assert_eq!(condition, Condition::Compare(status, Comparator::Eq, Value::s("open").into()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Placeholders {
    substitutions: Substitutions,
}

impl Placeholders {
    /// Refuses placeholders that come without an expression to use them. Ask before [`Placeholders::new`]: the service
    /// complains about this first.
    ///
    /// `expressions` are those the operation can carry, present or not, in the order in which the service names them:
    /// update before condition, filter before key condition.
    ///
    /// # Errors
    /// [`StoreError::Validation`] in the service's words.
    pub fn require_expressions(
        names: Option<&BTreeMap<String, String>>,
        values: Option<&BTreeMap<String, Value>>,
        expressions: &[(ExpressionKind, Option<&str>)],
    ) -> Result<(), StoreError> {
        if names.is_some() && expressions.iter().all(|(_, text)| text.is_none()) {
            return Err(StoreError::validation(format!(
                "{NAMES} can only be specified when using expressions"
            )));
        }
        // A projection has no use for values.
        let takers = expressions.iter().filter(|(kind, _)| *kind != ExpressionKind::Projection);
        if values.is_some() && takers.clone().all(|(_, text)| text.is_none()) {
            let verb = if takers.clone().count() == 1 { "is" } else { "are" };
            let kinds = takers.map(|(kind, _)| kind.name()).collect::<Vec<_>>().join(" and ");
            let message =
                format!("{VALUES} can only be specified when using expressions: {kinds} {verb} null");
            return Err(StoreError::validation(message));
        }
        Ok(())
    }

    /// Takes the placeholders of a request.
    ///
    /// # Errors
    /// [`StoreError::Validation`] if a map is empty, a placeholder is not a `#` or `:` with letters, digits and
    /// underscores, or an attribute name is empty or too long.
    pub fn new(
        names: Option<BTreeMap<String, String>>,
        values: Option<BTreeMap<String, Value>>,
    ) -> Result<Self, StoreError> {
        Ok(Self { substitutions: Substitutions::new(names, values)? })
    }

    /// The condition of a write.
    ///
    /// # Errors
    /// [`StoreError::Validation`] if the text is not a condition that could hold, in the service's words.
    pub fn condition(&mut self, text: &str) -> Result<Condition, StoreError> {
        self.checked_condition(ExpressionKind::Condition, text)
    }

    /// The filter of a read.
    ///
    /// # Errors
    /// [`StoreError::Validation`] if the text is not a condition that could hold, in the service's words.
    pub fn filter(&mut self, text: &str) -> Result<Condition, StoreError> {
        self.checked_condition(ExpressionKind::Filter, text)
    }

    /// The key condition of a query. Which attributes are keys is not known here.
    ///
    /// # Errors
    /// [`StoreError::Validation`] if the text is not a list of predicates on attributes, in the service's words.
    pub fn key_condition(&mut self, text: &str) -> Result<KeyCondition, StoreError> {
        let condition = self.checked_condition(ExpressionKind::KeyCondition, text)?;
        let narrowed = parser::key_condition(condition)?;
        check::key_condition(&narrowed)?;
        Ok(narrowed)
    }

    /// The changes of an update, in the order of the text.
    ///
    /// # Errors
    /// [`StoreError::Validation`] if the text is not an update that could be applied, in the service's words.
    pub fn update(&mut self, text: &str) -> Result<Update, StoreError> {
        let update = parser::update(text, &mut self.substitutions)?;
        check::update(&update)?;
        Ok(update)
    }

    /// The paths that a read returns.
    ///
    /// # Errors
    /// [`StoreError::Validation`] if the text is not a list of paths that keep apart, in the service's words.
    pub fn projection(&mut self, text: &str) -> Result<ProjectionExpression, StoreError> {
        let projection = parser::projection(text, &mut self.substitutions)?;
        check::projection(&projection)?;
        Ok(projection)
    }

    /// Ends the reading of a request.
    ///
    /// # Errors
    /// [`StoreError::Validation`] if a placeholder was sent and not used.
    pub fn finish(self) -> Result<(), StoreError> {
        self.substitutions.refuse_unused()
    }

    fn checked_condition(&mut self, kind: ExpressionKind, text: &str) -> Result<Condition, StoreError> {
        let condition = parser::condition(kind, text, &mut self.substitutions)?;
        check::condition(&condition, kind)?;
        Ok(condition)
    }
}

#[cfg(test)]
mod tests;
