//! The words the cases are written in: literals of items, expressions and tables. Nothing here asserts anything.

pub(super) mod expression;
pub(super) mod item;
pub(super) mod table;

pub(super) use expression::*;
pub(super) use item::*;
pub(super) use table::*;

/// The request breaks a rule.
pub(super) const VALIDATION: &str = "ValidationException";
/// The condition was false.
pub(super) const CONDITION_FAILED: &str = "ConditionalCheckFailedException";
/// No such table, index or stream.
pub(super) const NOT_FOUND: &str = "ResourceNotFoundException";
/// The table exists already, or is being changed.
pub(super) const IN_USE: &str = "ResourceInUseException";
/// Nothing of the transaction was applied.
pub(super) const CANCELED: &str = "TransactionCanceledException";
/// The token belongs to another request.
pub(super) const MISMATCH: &str = "IdempotentParameterMismatchException";
/// A PartiQL INSERT met an item with the same key.
pub(super) const DUPLICATE: &str = "DuplicateItemException";
