//! A window with a row of its own, in the shape of the seed: its sort key is the window, and `Count` is all there is to count. Such
//! a request never has to guess.

use tabletheory_core::expr::Comparator;
use tabletheory_core::{Item, Timestamp, Value};

use crate::algorithm::window;
use crate::limit::Limit;
use crate::state::{State, Step, add, compare, count, units};

pub(crate) const COUNT: &str = "Count";

/// The sort key: when the window began, and how long it is, so that windows of other lengths never share a row.
pub(crate) fn window_time(limit: &Limit, start_ms: i64) -> String {
    let start = jiff::Timestamp::from_millisecond(start_ms).unwrap_or_default();
    match limit.calendar() {
        Some(calendar) => format!("{start}/{}", calendar.name()),
        None => format!("{start}/{}ms", limit.period_ms()),
    }
}

/// A missing count is none, so the first request of a window passes like every other.
pub(crate) fn step(limit: &Limit, cost: u64, bounded: bool) -> Step {
    let actions = vec![add(COUNT, units(cost))];
    if !bounded {
        return Step { condition: None, actions };
    }
    let room = units(limit.amount()).saturating_sub(units(cost));
    Step::new(!compare(COUNT, Comparator::Gt, Value::n(room)), actions)
}

pub(crate) fn give_back(amount: u64) -> Step {
    let enough = compare(COUNT, Comparator::Ge, Value::n(units(amount)));
    Step::new(enough, vec![add(COUNT, -units(amount))])
}

pub(crate) fn read(limit: &Limit, item: &Item, now: Timestamp) -> Option<State> {
    let (start_ms, _) = window::around(limit, now);
    Some(State::Window { start_ms, count: count(item, COUNT), previous: 0 })
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
