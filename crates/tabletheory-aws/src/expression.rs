//! Expression trees as the parts of a request: texts, and the names and values that their placeholders stand for.

use std::collections::HashMap;

use tabletheory_core::expr::{Condition, KeyCondition, ProjectionExpression, RenderScope, Update};

use crate::value::{self, Attributes};

/// The expressions of one request, which share their placeholders.
#[derive(Debug, Default)]
pub(crate) struct Expressions(RenderScope);

impl Expressions {
    pub(crate) fn condition(&mut self, condition: Option<&Condition>) -> Option<String> {
        condition.map(|condition| self.0.condition(condition))
    }

    pub(crate) fn projection(&mut self, projection: Option<&ProjectionExpression>) -> Option<String> {
        projection.map(|projection| self.0.projection(projection))
    }

    pub(crate) fn update(&mut self, update: Option<&Update>) -> Option<String> {
        update.map(|update| self.0.update(update))
    }

    pub(crate) fn key_condition(&mut self, condition: &KeyCondition) -> String {
        self.0.key_condition(condition)
    }

    /// `ExpressionAttributeNames` and `ExpressionAttributeValues`. The service refuses empty ones.
    pub(crate) fn into_parts(self) -> (Option<HashMap<String, String>>, Option<Attributes>) {
        let (names, values) = self.0.into_parts();
        let names = (!names.is_empty()).then(|| names.into_iter().collect());
        let values = (!values.is_empty())
            .then(|| values.into_iter().map(|(mark, value)| (mark, value::write(value))).collect());
        (names, values)
    }

    /// `ExpressionAttributeNames`, for requests whose expressions hold no values.
    pub(crate) fn into_names(self) -> Option<HashMap<String, String>> {
        self.into_parts().0
    }
}
