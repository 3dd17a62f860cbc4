//! Which expression of a request a text or a tree is. The name opens every complaint about it.

use crate::error::StoreError;

/// The expressions a request may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExpressionKind {
    /// What must be true of the item that a write meets.
    Condition,
    /// Which of the items visited by a read are returned.
    Filter,
    /// Which keys a query visits.
    KeyCondition,
    /// What an update changes.
    Update,
    /// What a read returns of an item.
    Projection,
}

impl ExpressionKind {
    /// The request's parameter, such as `ConditionExpression`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Condition => "ConditionExpression",
            Self::Filter => "FilterExpression",
            Self::KeyCondition => "KeyConditionExpression",
            Self::Update => "UpdateExpression",
            Self::Projection => "ProjectionExpression",
        }
    }

    /// The error that says what is wrong with an expression of this kind.
    pub(crate) fn invalid(self, complaint: impl std::fmt::Display) -> StoreError {
        StoreError::validation(format!("Invalid {self}: {complaint}"))
    }
}

impl std::fmt::Display for ExpressionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
