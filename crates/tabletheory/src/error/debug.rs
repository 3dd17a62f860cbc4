//! How errors look in logs: what happened and where, never a value of an item.

use std::fmt;

use tabletheory_core::StoreError;

use super::Error;

/// A store's error by its code and its words, without the items that it carries.
struct Shown<'e>(&'e StoreError);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code(), self.0)
    }
}

/// The variant and where it happened. The current item is not shown: errors end up in logs.
impl<M> fmt::Debug for Error<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let current = |current: &Option<Box<M>>| if current.is_some() { "Some(..)" } else { "None" };
        let refused = |f: &mut fmt::Formatter<'_>, name, model, table, held: &Option<Box<M>>| {
            let mut shown = f.debug_struct(name);
            shown.field("model", model).field("table", table);
            shown.field("current", &format_args!("{}", current(held))).finish()
        };
        match self {
            Self::ConditionFailed { model, table, current } => {
                refused(f, "ConditionFailed", model, table, current)
            }
            Self::VersionConflict { model, table, current } => {
                refused(f, "VersionConflict", model, table, current)
            }
            Self::NotFound { model, table } => {
                f.debug_struct("NotFound").field("model", model).field("table", table).finish()
            }
            Self::LeaseHeld { until } => f.debug_struct("LeaseHeld").field("until", until).finish(),
            Self::LeaseNotOwned => f.write_str("LeaseNotOwned"),
            Self::TransactionFailed(failure) => f.debug_tuple("TransactionFailed").field(failure).finish(),
            Self::TokenReused(error) => f.debug_tuple("TokenReused").field(&Shown(error)).finish(),
            Self::Bulk(fault) => f.debug_tuple("Bulk").field(fault).finish(),
            Self::Incomplete { done, left, cause } => {
                let mut shown = f.debug_struct("Incomplete");
                shown
                    .field("done", done)
                    .field("left", left)
                    .field("cause", &cause.as_ref().map(Shown))
                    .finish()
            }
            Self::Throttled(error) => f.debug_tuple("Throttled").field(&Shown(error)).finish(),
            Self::Validation(message) => f.debug_tuple("Validation").field(message).finish(),
            Self::NotProjected { model, index, attribute } => {
                let mut shown = f.debug_struct("NotProjected");
                shown.field("model", model).field("index", index).field("attribute", attribute).finish()
            }
            Self::TooManyGroups { model, attribute, max } => {
                let mut shown = f.debug_struct("TooManyGroups");
                shown.field("model", model).field("attribute", attribute).field("max", max).finish()
            }
            Self::InexactSum { model, attribute } => {
                f.debug_struct("InexactSum").field("model", model).field("attribute", attribute).finish()
            }
            Self::Model { table, source } => {
                f.debug_struct("Model").field("table", table).field("source", source).finish()
            }
            Self::Encryption { table, source } => {
                f.debug_struct("Encryption").field("table", table).field("source", source).finish()
            }
            Self::Cursor(error) => f.debug_tuple("Cursor").field(error).finish(),
            Self::Store(error) => f.debug_tuple("Store").field(&Shown(error)).finish(),
        }
    }
}
