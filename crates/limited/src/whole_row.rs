//! A window with a row of its own, in the shape of the seed: its sort key is the window, and `Count` is all there is to count. It is
//! the only kind of row that never has to be guessed.

use tabletheory_core::expr::{Action, Comparator, Condition, Path};
use tabletheory_core::{Item, Timestamp, Value};

use crate::algorithm::window;
use crate::limit::Limit;
use crate::state::{State, Step, add, between, compare, count, damaged, set, units};

pub(crate) const COUNT: &str = "Count";

/// The sort key: when the window began, and how long it is, so that windows of other lengths never share a row.
pub(crate) fn window_time(limit: &Limit, start_ms: i64) -> String {
    let start = jiff::Timestamp::from_millisecond(start_ms).unwrap_or_default();
    match limit.calendar() {
        Some(calendar) => format!("{start}/{}", calendar.name()),
        None => format!("{start}/{}ms", limit.period_ms()),
    }
}

/// A missing count is none, so the first request of a window passes like every other. A row that is known to be there is
/// described already, which makes the request smaller.
pub(crate) fn step(limit: &Limit, guess: Option<&State>, now: Timestamp, cost: u64, bounded: bool) -> Step {
    let (start_ms, _) = window::around(limit, now);
    let action = add(COUNT, units(cost));
    if !bounded {
        return Step::begin(None, vec![action]);
    }
    let room = units(limit.amount()).saturating_sub(units(cost));
    match guess {
        Some(State::Window { start_ms: counted_ms, count: 1.., .. }) if *counted_ms == start_ms => {
            Step::onwards(between(COUNT, 0, room), action)
        }
        _ => {
            let is_first = Condition::AttributeNotExists(Path::attribute(COUNT));
            Step::begin(Some(is_first.or(between(COUNT, 0, room))), vec![action])
        }
    }
}

/// Counts as the first of the window, whatever there is.
pub(crate) fn begin(cost: u64) -> Action {
    set(COUNT, Value::n(units(cost)))
}

pub(crate) fn give_back(amount: u64) -> Step {
    let enough = compare(COUNT, Comparator::Ge, Value::n(units(amount)));
    Step::onwards(enough, add(COUNT, -units(amount)))
}

pub(crate) fn read(limit: &Limit, item: &Item, now: Timestamp) -> Option<State> {
    let (start_ms, _) = window::around(limit, now);
    let counted = item.get(COUNT).map_or(Some(0), count);
    let state = counted.map(|count| State::Window { start_ms, count, previous: 0 });
    Some(state.unwrap_or_else(|| damaged(item, [COUNT])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::Calendar;

    #[test]
    fn windows_of_other_lengths_have_other_rows() {
        let check = |limit: Limit, expected: &str| assert_eq!(window_time(&limit, 3_600_000), expected);
        check(Limit::per_minute(1).fixed_window(), "1970-01-01T01:00:00Z/60000ms");
        check(Limit::per_hour(1).fixed_window(), "1970-01-01T01:00:00Z/3600000ms");
        check(Limit::quota(1, Calendar::Hour), "1970-01-01T01:00:00Z/hour");
    }
}
