//! The log: every moment is kept, so any period holds exactly the limit. A row is replaced as a whole if it is still the same.

use std::time::Duration;

use tabletheory_core::expr::{Comparator, Condition, Path};
use tabletheory_core::{Item, Timestamp, Value};

use super::stand::{millis, stand};
use crate::decision::Standing;
use crate::limit::Limit;
use crate::state::{SKEW_MAX_MS, State, Step, compare, damaged, moment, set};

/// The moments that still count. Those from further ahead than clocks differ are a clock's mistake.
fn counting<'a>(limit: &Limit, state: Option<&'a State>, now: Timestamp) -> impl Iterator<Item = i64> + 'a {
    let moments: &[i64] = match state {
        Some(State::Log(moments)) => moments,
        _ => &[],
    };
    let after_ms = now.millis().saturating_sub(limit.period_ms());
    let until_ms = now.millis().saturating_add(SKEW_MAX_MS);
    moments.iter().copied().filter(move |moment| *moment > after_ms && *moment <= until_ms)
}

pub(super) fn judge(
    limit: &Limit,
    state: Option<&State>,
    now: Timestamp,
    cost: u64,
) -> Result<State, Duration> {
    let mut moments: Vec<i64> = counting(limit, state, now).collect();
    // Processes whose clocks differ do not come in order.
    moments.sort_unstable();
    let count = moments.len() as u64;
    let beyond = count.saturating_add(cost).saturating_sub(limit.amount());
    if beyond == 0 || cost == 0 {
        moments.extend((0..cost).map(|_| now.millis()));
        moments.sort_unstable();
        return Ok(State::Log(moments));
    }
    // So many have to be forgotten first, the earliest of them.
    let last = usize::try_from(beyond).ok().and_then(|beyond| moments.get(beyond - 1));
    let free_at_ms = last.map_or(now.millis(), |moment| *moment).saturating_add(limit.period_ms());
    Err(millis(free_at_ms.saturating_sub(now.millis()).max(1)))
}

pub(super) fn standing(limit: &Limit, state: Option<&State>, now: Timestamp) -> Standing {
    let used = counting(limit, state, now).count() as u64;
    let earliest = counting(limit, state, now).min();
    let reset_ms =
        earliest.map_or(0, |moment| moment.saturating_add(limit.period_ms()).saturating_sub(now.millis()));
    stand(limit, used, millis(reset_ms))
}

/// The row is as it was guessed, and becomes what it is with this request. Without `bounded` the limit may be exceeded, by no
/// more than the limit itself: a row has its size.
pub(crate) fn step(
    limit: &Limit,
    attribute: &str,
    guess: Option<&State>,
    now: Timestamp,
    cost: u64,
    bounded: bool,
) -> Step {
    let next = match judge(limit, guess, now, cost) {
        Ok(State::Log(moments)) => moments,
        _ if bounded => return Step::begin(Some(never(attribute)), Vec::new()),
        _ => {
            let room =
                limit.amount().saturating_mul(2).saturating_sub(counting(limit, guess, now).count() as u64);
            counting(limit, guess, now).chain((0..cost.min(room)).map(|_| now.millis())).collect()
        }
    };
    Step::begin(Some(unchanged(attribute, guess)), vec![set(attribute, list(&next))])
}

/// Gives back what was counted at the moment `charged`, if it still counts.
pub(crate) fn give_back(attribute: &str, state: Option<&State>, charged: Timestamp, amount: u64) -> Step {
    let Some(State::Log(moments)) = state else { return Step::nothing() };
    let mut left = amount;
    let mut keep = |moment: &i64| {
        let is_given = left > 0 && *moment == charged.millis();
        left -= u64::from(is_given);
        !is_given
    };
    let next: Vec<i64> = moments.iter().copied().filter(|moment| keep(moment)).collect();
    if next.len() == moments.len() {
        return Step::nothing();
    }
    Step::onwards(unchanged(attribute, state), set(attribute, list(&next)))
}

fn unchanged(attribute: &str, guess: Option<&State>) -> Condition {
    match guess {
        Some(State::Log(moments)) => compare(attribute, Comparator::Eq, list(moments)),
        _ => Condition::AttributeNotExists(Path::attribute(attribute)),
    }
}

/// No row passes: what is there is wanted, and nothing is to change.
fn never(attribute: &str) -> Condition {
    compare(attribute, Comparator::Eq, Value::Null)
}

fn list(moments: &[i64]) -> Value {
    Value::L(moments.iter().map(|moment| Value::n(*moment)).collect())
}

pub(crate) fn read(item: &Item, attribute: &str) -> Option<State> {
    let moments: Option<Vec<i64>> = match item.get(attribute)? {
        Value::L(moments) => moments.iter().map(moment).collect(),
        _ => None,
    };
    Some(moments.map_or_else(|| damaged(item, [attribute]), State::Log))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit::per_second(3).sliding_log();

    fn check(moments: &[i64], now_ms: i64, cost: u64, expected: Result<&[i64], u64>) {
        let said = judge(&LIMIT, Some(&State::Log(moments.to_vec())), Timestamp::from_millis(now_ms), cost);
        let expected = expected.map(|moments| State::Log(moments.to_vec())).map_err(Duration::from_millis);
        assert_eq!(said, expected, "{moments:?} and {cost} at {now_ms}");
    }

    #[test]
    fn a_log_counts_exactly_the_last_period() {
        check(&[], 5_000, 2, Ok(&[5_000, 5_000]));
        check(&[4_000, 4_001, 4_500], 5_000, 1, Ok(&[4_001, 4_500, 5_000]));
        check(&[4_001, 4_500, 4_600], 5_000, 1, Err(1));
        check(&[4_001, 4_500, 4_600], 5_000, 2, Err(500));
        check(&[4_001, 4_500, 4_600], 5_000, 3, Err(600));
    }

    #[test]
    fn moments_of_a_clock_that_was_ahead_by_hours_do_not_count() {
        check(&[5_000_000], 5_000, 3, Ok(&[5_000, 5_000, 5_000]));
        check(&[60_000, 60_000, 60_000], 5_000, 1, Err(56_000));
    }
}
