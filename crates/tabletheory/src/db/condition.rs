//! On which condition a write is done, and what is said when the condition was false. The same for all writes of one item.

use tabletheory_core::Item;
use tabletheory_core::expr::Condition;
use tabletheory_core::store::op::{OnConditionFailure, WriteReturns};

use super::Db;
use super::guard::Guard;
use crate::error::Error;
use crate::field::Filter;
use crate::model::Model;

/// What was asked for before, and this too.
pub(super) fn joined<M>(asked: Option<Filter<M>>, condition: Filter<M>) -> Filter<M> {
    match asked {
        Some(asked) => asked & condition,
        None => condition,
    }
}

/// Both conditions, of those there are.
pub(super) fn both(one: Option<Condition>, other: Option<Condition>) -> Option<Condition> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.and(other)),
        (one, other) => one.or(other),
    }
}

/// A conditional write asks for the item that stands in its way.
pub(super) fn returns(condition: &Option<Condition>) -> WriteReturns {
    let on_condition_failure =
        if condition.is_some() { OnConditionFailure::AllOld } else { OnConditionFailure::None };
    WriteReturns { on_condition_failure, ..WriteReturns::default() }
}

impl Db {
    /// The error of a write whose condition was false, with the item that it met, as far as that is one of the model.
    pub(super) async fn refused<M: Model>(
        &self,
        table: String,
        guard: Option<Guard>,
        item: Option<Box<Item>>,
    ) -> Error<M> {
        let same_version = guard.is_none_or(|guard| guard.holds(item.as_deref()));
        let current = match item {
            Some(item) => self.read::<M, M>(&table, *item).await.ok().map(Box::new),
            None => None,
        };
        let model = M::NAME;
        if same_version {
            Error::ConditionFailed { model, table, current }
        } else {
            Error::VersionConflict { model, table, current }
        }
    }
}
