//! The generator: operations as the service's JSON requests, mostly sensible, sometimes broken on purpose.
//!
//! One file each for [`value`]s, for what [`expression`]s say, for the [`legacy`] parameters, for whole [`operation`]s, and for
//! the ways to [`spoil`] them.

mod expression;
mod legacy;
mod operation;
mod spoil;
mod value;

use serde_json::Value as Json;

use super::random::Random;

/// One operation to be performed by both stores.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operation {
    pub name: &'static str,
    pub body: Json,
}

impl Operation {
    pub(super) fn random(random: &mut Random) -> Self {
        let mut operation = operation::random(random);
        if random.percent(9) {
            spoil::spoil(random, &mut operation);
        }
        operation
    }

    /// Whether it can change items.
    pub(super) fn is_write(&self) -> bool {
        matches!(self.name, "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" | "TransactWriteItems")
    }
}
