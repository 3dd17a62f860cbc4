//! The row of the slots, and the requests that change it: one slot at a time, so that expressions stay small.

use tabletheory::tenure::Tenure;
use tabletheory_core::expr::{Action, Comparator, Condition, Path, Update};
use tabletheory_core::store::op::{GetItem, OnConditionFailure, ReturnValues, UpdateItem, WriteReturns};
use tabletheory_core::{Entropy, Item, Timestamp, Value};

use super::tenure::{TERM_MAX, horizon_ms};
use crate::state::{between, compare, set, whole};

const SORT_KEY: &str = "SLOTS";
/// The table may forget the row so long after anybody's slot ended: a holder with a longer term may have written before.
const KEPT_SECONDS: i64 = 2 * TERM_MAX.as_secs().cast_signed();

/// Whose a slot is. Random, and drawn for each request.
pub(super) type Token = [u8; 12];

pub(super) fn draw(entropy: &dyn Entropy) -> Token {
    let bits = entropy.bits().to_be_bytes();
    std::array::from_fn(|place| bits[place])
}

/// The rows of one table.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) table: String,
}

impl Rows {
    /// Takes a slot if it is free, or ours already and no longer than asked for: then the first answer was lost. The bound keeps
    /// a double that arrives late from shortening a slot that was renewed since.
    pub(super) fn acquire(&self, partition: &str, slot: usize, token: &Token, tenure: &Tenure) -> UpdateItem {
        // A comparison with what is missing or of another type is false, so a slot that is wrong is free.
        let until = until_name(slot);
        let held = between(&until, tenure.asked_at.millis().saturating_add(1), horizon_ms(tenure.asked_at));
        let mut actions = vec![set(&token_name(slot), Value::B(token.to_vec()))];
        actions.extend(lasting(slot, tenure));
        let condition = (!held).or(ours_until(slot, token, tenure));
        self.update(partition, actions, condition, ReturnValues::AllNew)
    }

    /// Makes the slot last longer if it is still ours, and never shorter. A slot that lapsed and that nobody took is still ours.
    pub(super) fn renew(&self, partition: &str, slot: usize, token: &Token, tenure: &Tenure) -> UpdateItem {
        let condition = ours_until(slot, token, tenure);
        self.update(partition, lasting(slot, tenure), condition, ReturnValues::None)
    }

    pub(super) fn release(&self, partition: &str, slot: usize, token: &Token) -> UpdateItem {
        let actions = [token_name(slot), until_name(slot)].map(|name| Action::Remove(Path::attribute(name)));
        self.update(partition, actions.into(), is_ours(slot, token), ReturnValues::None)
    }

    pub(super) fn read(&self, partition: &str) -> GetItem {
        let (table, key) = (self.table.clone(), key(partition));
        GetItem { table, key, consistent: true, ..GetItem::default() }
    }

    fn update(
        &self,
        partition: &str,
        actions: Vec<Action>,
        condition: Condition,
        values: ReturnValues,
    ) -> UpdateItem {
        UpdateItem {
            table: self.table.clone(),
            key: key(partition),
            update: Some(Update { actions }),
            condition: Some(condition),
            returns: WriteReturns {
                values,
                on_condition_failure: OnConditionFailure::AllOld,
                ..WriteReturns::default()
            },
        }
    }
}

/// The slots that the row says are held, each with its end.
pub(super) fn held(row: &Item, now: Timestamp) -> impl Iterator<Item = (usize, i64)> {
    row.iter().filter_map(move |(name, value)| {
        let slot = name.strip_prefix('u')?.parse().ok()?;
        let until_ms = value.as_n()?.to_i64()?;
        (until_ms > now.millis() && until_ms <= horizon_ms(now)).then_some((slot, until_ms))
    })
}

/// Until when the row says that a slot is held by `token`.
pub(super) fn held_by(row: &Item, slot: usize, token: &Token) -> Option<i64> {
    match row.get(&token_name(slot)) {
        Some(Value::B(bytes)) if bytes[..] == token[..] => whole(row, &until_name(slot)),
        _ => None,
    }
}

fn key(partition: &str) -> Item {
    Item::from([("Identifier", partition), ("WindowTime", SORT_KEY)])
}

fn lasting(slot: usize, tenure: &Tenure) -> Vec<Action> {
    let expires_at = tenure.asked_at.seconds().saturating_add(KEPT_SECONDS);
    vec![set(&until_name(slot), Value::n(tenure.ends_at.millis())), set("ExpiresAt", Value::n(expires_at))]
}

fn ours_until(slot: usize, token: &Token, tenure: &Tenure) -> Condition {
    let until = Value::n(tenure.ends_at.millis());
    is_ours(slot, token).and(compare(&until_name(slot), Comparator::Le, until))
}

fn is_ours(slot: usize, token: &Token) -> Condition {
    compare(&token_name(slot), Comparator::Eq, Value::B(token.to_vec()))
}

fn token_name(slot: usize) -> String {
    format!("t{slot}")
}

fn until_name(slot: usize) -> String {
    format!("u{slot}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_wrong_holds_nothing() {
        let now = Timestamp::from_millis(1_000);
        let row = Item::from([
            ("ExpiresAt", Value::n(5)),
            ("u", Value::n(2_000)),
            ("ux", Value::n(2_000)),
            ("u1", Value::s("2000")),
            ("u2", Value::n(1_000)),
            ("u3", Value::n(1_001)),
            ("u4", Value::n(horizon_ms(now))),
            ("u5", Value::n(horizon_ms(now) + 1)),
        ]);
        let mut held: Vec<_> = held(&row, now).collect();
        held.sort_unstable();
        assert_eq!(held, [(3, 1_001), (4, horizon_ms(now))]);
    }
}
