//! The row: the three conditional writes that a lease is made of, and what a row that is there says.

use tabletheory_core::expr::{Action, Comparator, Condition, Path, SetOperand, SetValue, Update};
use tabletheory_core::store::op::{DeleteItem, OnConditionFailure, ReturnValues, UpdateItem, WriteReturns};
use tabletheory_core::{Item, Timestamp, Value};

use super::settings::LeaseSettings;
use crate::tenure::Tenure;

/// The lease rows of one table.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) table: String,
    pub(super) settings: LeaseSettings,
}

impl Rows {
    pub(super) fn key(&self, pk: &str) -> Item {
        Item::from([
            (self.settings.pk.as_str(), pk),
            (self.settings.sk.as_str(), self.settings.lock_sk.as_str()),
        ])
    }

    /// Takes the lease if it is free, or ours already and no longer than asked for: then the first answer was lost. The
    /// bound keeps a double that arrives late from shortening a lease that was refreshed since.
    pub(super) fn acquire(&self, pk: &str, token: &str, tenure: &Tenure) -> UpdateItem {
        let free = Condition::AttributeNotExists(Path::attribute(&self.settings.pk))
            .or(self.expires(Comparator::Le, tenure.asked_at));
        let ours = self.is_token(token).and(self.expires(Comparator::Le, tenure.ends_at));
        let mut actions = vec![Action::Set(Path::attribute(&self.settings.token), given(token))];
        actions.extend(self.lasting(tenure));
        if self.settings.ttl_buffer_seconds == 0 {
            // A former holder with other settings may have left a time at which the service deletes the row.
            actions.push(Action::Remove(Path::attribute(&self.settings.ttl)));
        }
        actions.push(self.grown_fence(tenure.asked_at));
        self.update(pk, actions, free.or(ours), ReturnValues::UpdatedNew)
    }

    /// Makes the lease last longer if it is still held by `token`, and never shorter.
    pub(super) fn refresh(&self, pk: &str, token: &str, tenure: &Tenure) -> UpdateItem {
        let condition =
            self.still_held(token, tenure.asked_at).and(self.expires(Comparator::Le, tenure.ends_at));
        self.update(pk, self.lasting(tenure), condition, ReturnValues::None)
    }

    pub(super) fn release(&self, pk: &str, token: &str) -> DeleteItem {
        DeleteItem {
            table: self.table.clone(),
            key: self.key(pk),
            condition: Some(self.is_token(token)),
            returns: WriteReturns::default(),
        }
    }

    /// The law of the holder: the token is ours and the lease has not ended.
    pub(super) fn still_held(&self, token: &str, now: Timestamp) -> Condition {
        self.is_token(token).and(self.expires(Comparator::Gt, now))
    }

    /// Until when the row says that it is held, if it says so.
    pub(super) fn held_until(&self, row: &Item) -> Option<Timestamp> {
        row.get(&self.settings.expires_at)?.as_n()?.to_i64().map(Timestamp::from_seconds)
    }

    /// Whether `token` holds the row.
    pub(super) fn is_held_by(&self, row: &Item, token: &str) -> bool {
        row.get(&self.settings.token).and_then(Value::as_s) == Some(token)
    }

    pub(super) fn fence(&self, row: &Item) -> Option<u64> {
        row.get(&self.settings.fence)?.as_n()?.to_u64()
    }

    fn update(
        &self,
        pk: &str,
        actions: Vec<Action>,
        condition: Condition,
        values: ReturnValues,
    ) -> UpdateItem {
        UpdateItem {
            table: self.table.clone(),
            key: self.key(pk),
            update: Some(Update { actions }),
            condition: Some(condition),
            returns: WriteReturns {
                values,
                on_condition_failure: OnConditionFailure::AllOld,
                ..WriteReturns::default()
            },
        }
    }

    fn lasting(&self, tenure: &Tenure) -> Vec<Action> {
        let expires_at = tenure.ends_at.seconds();
        let mut actions = vec![Action::Set(Path::attribute(&self.settings.expires_at), given(expires_at))];
        if self.settings.ttl_buffer_seconds > 0 {
            let ttl = expires_at.saturating_add(i64::from(self.settings.ttl_buffer_seconds));
            actions.push(Action::Set(Path::attribute(&self.settings.ttl), given(ttl)));
        }
        actions
    }

    /// One more than the last fence. Without a last one the clock's milliseconds stand in, because the fences of a row
    /// that was deleted must not be given out again.
    fn grown_fence(&self, now: Timestamp) -> Action {
        let fence = Path::attribute(&self.settings.fence);
        let start = SetOperand::Value(now.millis().max(0).into());
        let last = SetOperand::IfNotExists(fence.clone(), Box::new(start));
        Action::Set(fence, SetValue::Plus(last, SetOperand::Value(1.into())))
    }

    fn is_token(&self, token: &str) -> Condition {
        Condition::Compare(
            Path::attribute(&self.settings.token).into(),
            Comparator::Eq,
            Value::s(token).into(),
        )
    }

    fn expires(&self, comparator: Comparator, moment: Timestamp) -> Condition {
        let seconds = Value::n(moment.seconds());
        Condition::Compare(Path::attribute(&self.settings.expires_at).into(), comparator, seconds.into())
    }
}

fn given(value: impl Into<Value>) -> SetValue {
    SetValue::Operand(SetOperand::Value(value.into()))
}
