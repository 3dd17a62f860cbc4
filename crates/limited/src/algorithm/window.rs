//! Windows: fixed ones, parts of the calendar, and sliding ones, where the window before counts by how much of it the last period
//! still covers.

use std::time::Duration;

use tabletheory_core::expr::Comparator;
use tabletheory_core::{Item, Timestamp, Value};

use super::stand::{millis, stand};
use crate::decision::Standing;
use crate::limit::{Limit, Rule};
use crate::state::{
    SKEW_MAX_MS, State, Step, add, between, compare, copy, count, damaged, moment, set, units,
};

/// The attributes of a window in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) start: String,
    pub(crate) count: String,
    pub(crate) previous: String,
}

impl Names {
    pub(crate) fn of(mark: &str) -> Self {
        Self { start: format!("{mark}w"), count: format!("{mark}c"), previous: format!("{mark}p") }
    }
}

/// One window, what was counted in it, and where now is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Window {
    start_ms: i64,
    end_ms: i64,
    count: u64,
    previous: u64,
    now_ms: i64,
}

/// The window that holds a moment.
pub(crate) fn around(limit: &Limit, now: Timestamp) -> (i64, i64) {
    if let Some(calendar) = limit.calendar() {
        let (start, end) = calendar.around(now);
        return (start.millis(), end.millis());
    }
    let period_ms = limit.period_ms();
    let start_ms = now.millis().saturating_sub(now.millis().rem_euclid(period_ms));
    (start_ms, start_ms.saturating_add(period_ms))
}

fn is_sliding(limit: &Limit) -> bool {
    limit.rule() == Rule::SlidingWindow
}

/// How what was counted is to be seen now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    /// In the window that the row is in: now's, or a later one because somebody's clock is ahead.
    Same,
    /// The row is in the window before.
    Next,
    /// The row has nothing that counts any more.
    Anew,
}

impl Window {
    fn of(limit: &Limit, state: Option<&State>, now: Timestamp) -> (Self, Case) {
        let now_ms = now.millis();
        let (start_ms, end_ms) = around(limit, now);
        let anew = Self { start_ms, end_ms, count: 0, previous: 0, now_ms };
        let Some(State::Window { start_ms: counted_ms, count, previous }) = state else {
            return (anew, Case::Anew);
        };
        let before_ms = start_ms.saturating_sub(limit.period_ms());
        match *counted_ms {
            counted if counted == start_ms => {
                (Self { count: *count, previous: *previous, ..anew }, Case::Same)
            }
            counted if is_sliding(limit) && counted == before_ms => {
                (Self { previous: *count, ..anew }, Case::Next)
            }
            // Nobody can count in a window that the row has left, so a clock that is behind counts where the row is.
            counted if counted > start_ms && counted <= now_ms.saturating_add(SKEW_MAX_MS) => {
                let (start_ms, end_ms) = around(limit, Timestamp::from_millis(counted));
                (Self { start_ms, end_ms, count: *count, previous: *previous, now_ms: start_ms }, Case::Same)
            }
            _ => (anew, Case::Anew),
        }
    }

    fn length_ms(&self) -> u128 {
        u128::try_from(self.end_ms.saturating_sub(self.start_ms)).unwrap_or(1).max(1)
    }

    /// How much of the window before the last period covers, in milliseconds.
    fn covered_ms(&self) -> u128 {
        u128::try_from(self.end_ms.saturating_sub(self.now_ms)).unwrap_or(0).min(self.length_ms())
    }

    /// What of the window before counts now, rounded up.
    fn weighed(&self) -> u64 {
        let weighed = (u128::from(self.previous) * self.covered_ms()).div_ceil(self.length_ms());
        u64::try_from(weighed).unwrap_or(u64::MAX)
    }

    fn used(&self) -> u64 {
        self.count.saturating_add(self.weighed())
    }

    fn state(&self, count: u64) -> State {
        State::Window { start_ms: self.start_ms, count, previous: self.previous }
    }

    /// How long until a request of this cost would be allowed if nobody else came.
    fn wait_ms(&self, limit: &Limit, cost: u64) -> i64 {
        let to_end_ms = self.end_ms.saturating_sub(self.now_ms);
        let room = limit.amount().saturating_sub(cost);
        if !is_sliding(limit) {
            return to_end_ms;
        }
        if self.count <= room {
            return to_end_ms.saturating_sub(self.longest_cover_ms(self.previous, room - self.count));
        }
        // Then what is counted now is the window before, and is weighed too.
        let length_ms = self.end_ms.saturating_sub(self.start_ms);
        to_end_ms.saturating_add(length_ms.saturating_sub(self.longest_cover_ms(self.count, room)))
    }

    /// How much of the window before may be covered at most, so that its count weighs no more than `room`.
    fn longest_cover_ms(&self, counted: u64, room: u64) -> i64 {
        let length_ms = self.length_ms();
        let cover = if counted == 0 { length_ms } else { u128::from(room) * length_ms / u128::from(counted) };
        i64::try_from(cover.min(length_ms)).unwrap_or(i64::MAX)
    }

    /// The most that the window before may have counted, so that a request of this cost has room beside it.
    fn previous_max(&self, limit: &Limit, cost: u64) -> i64 {
        let room = u128::from(limit.amount().saturating_sub(cost));
        let covered_ms = self.covered_ms().max(1);
        i64::try_from(room * self.length_ms() / covered_ms).unwrap_or(i64::MAX)
    }
}

pub(super) fn judge(
    limit: &Limit,
    state: Option<&State>,
    now: Timestamp,
    cost: u64,
) -> Result<State, Duration> {
    let (window, _) = Window::of(limit, state, now);
    if cost == 0 || window.used().saturating_add(cost) <= limit.amount() {
        return Ok(window.state(window.count.saturating_add(cost)));
    }
    // A clock that is behind has to come to the row's window first.
    let behind_ms = window.now_ms.saturating_sub(now.millis());
    Err(millis(window.wait_ms(limit, cost).saturating_add(behind_ms).max(1)))
}

pub(super) fn standing(limit: &Limit, state: Option<&State>, now: Timestamp) -> Standing {
    let (window, _) = Window::of(limit, state, now);
    let used = window.used();
    let to_end_ms = window.end_ms.saturating_sub(now.millis());
    // A sliding window has more to give before its end, as the one before counts less and less.
    let next = limit.amount().saturating_sub(used).saturating_add(1);
    let reset_ms = match is_sliding(limit) && next <= limit.amount() {
        true => window.wait_ms(limit, next).saturating_add(window.now_ms.saturating_sub(now.millis())),
        false => to_end_ms,
    };
    stand(limit, used, millis(reset_ms))
}

/// When the window that a request at this moment is counted in ends.
pub(crate) fn end_ms(limit: &Limit, state: Option<&State>, now: Timestamp) -> i64 {
    Window::of(limit, state, now).0.end_ms
}

/// The request says which case it expects. What the window before counted does not change any more, so it is compared, and the
/// bound on the count follows from it. Without `bounded` there is no bound.
pub(crate) fn step(
    limit: &Limit,
    names: &Names,
    guess: Option<&State>,
    now: Timestamp,
    cost: u64,
    bounded: bool,
) -> Step {
    let (window, case) = Window::of(limit, guess, now);
    let at = |comparator, start_ms: i64| compare(&names.start, comparator, Value::n(start_ms));
    let begin = |previous| {
        let mut actions =
            vec![set(&names.start, Value::n(window.start_ms)), set(&names.count, Value::n(units(cost)))];
        actions.extend(previous);
        actions
    };
    let earlier_ms = window.start_ms.saturating_sub(if is_sliding(limit) { limit.period_ms() } else { 0 });
    match case {
        Case::Same => {
            let mut condition = at(Comparator::Eq, window.start_ms);
            if bounded {
                let room =
                    units(limit.amount()).saturating_sub(units(window.weighed())).saturating_sub(units(cost));
                // No store takes a range that ends before it begins.
                condition = condition.and(match room {
                    0.. => between(&names.count, 0, room),
                    _ => compare(&names.count, Comparator::Le, Value::n(room)),
                });
            }
            if is_sliding(limit) {
                condition =
                    condition.and(compare(&names.previous, Comparator::Eq, Value::n(units(window.previous))));
            }
            Step::onwards(condition, add(&names.count, units(cost)))
        }
        Case::Next => {
            let mut condition = at(Comparator::Eq, earlier_ms);
            if bounded {
                let previous_max = Value::n(window.previous_max(limit, cost));
                condition = condition.and(compare(&names.count, Comparator::Le, previous_max));
            }
            Step::begin(Some(condition), begin(Some(copy(&names.previous, &names.count))))
        }
        Case::Anew => {
            let mistaken = at(Comparator::Gt, window.now_ms.saturating_add(SKEW_MAX_MS));
            let condition = (!at(Comparator::Ge, earlier_ms)).or(mistaken);
            let previous = is_sliding(limit).then(|| set(&names.previous, Value::n(0)));
            Step::begin(Some(condition), begin(previous))
        }
    }
}

/// Gives back what was counted in the window that was `charged`, if it still counts.
pub(crate) fn give_back(
    limit: &Limit,
    names: &Names,
    state: Option<&State>,
    charged: Option<&State>,
    amount: u64,
) -> Step {
    let Some(State::Window { start_ms, count, previous }) = state else { return Step::nothing() };
    let Some(State::Window { start_ms: charged_ms, .. }) = charged else { return Step::nothing() };
    let amount = units(amount);
    let lower = |name: &str, counted: u64| {
        let (start, enough) = (Value::n(*start_ms), Value::n(amount));
        let unchanged = compare(&names.start, Comparator::Eq, start);
        if units(counted) < amount {
            return Step::nothing();
        }
        Step::onwards(unchanged.and(compare(name, Comparator::Ge, enough)), add(name, -amount))
    };
    if start_ms == charged_ms {
        lower(&names.count, *count)
    } else if is_sliding(limit) && start_ms.saturating_sub(limit.period_ms()) == *charged_ms {
        lower(&names.previous, *previous)
    } else {
        Step::nothing()
    }
}

/// What a row says. What a write returned lacks what the write did not change, which is as it was guessed.
pub(crate) fn read(limit: &Limit, item: &Item, names: &Names, guess: Option<&State>) -> Option<State> {
    let (guessed_ms, guessed_count, guessed_previous) = match guess {
        Some(State::Window { start_ms, count, previous }) => (Some(*start_ms), Some(*count), Some(*previous)),
        _ => (None, None, (!is_sliding(limit)).then_some(0)),
    };
    if guessed_ms.is_none() && !item.contains(&names.start) {
        return None;
    }
    let read = || {
        let start_ms = item.get(&names.start).map_or(guessed_ms, moment)?;
        let counted = item.get(&names.count).map_or(guessed_count, count)?;
        let previous = item.get(&names.previous).map_or(guessed_previous, count)?;
        Some(State::Window { start_ms, count: counted, previous })
    };
    Some(read().unwrap_or_else(|| damaged(item, [&names.start, &names.count, &names.previous])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLIDING: Limit = Limit::per_minute(100).sliding_window();
    const FIXED: Limit = Limit::per_minute(100).fixed_window();

    fn check(
        limit: &Limit,
        state: Option<(i64, u64, u64)>,
        now_s: i64,
        cost: u64,
        expected: Result<(i64, u64, u64), u64>,
    ) {
        let state_of = |(start_s, count, previous): (i64, u64, u64)| State::Window {
            start_ms: start_s * 1_000,
            count,
            previous,
        };
        let said = judge(limit, state.map(state_of).as_ref(), Timestamp::from_seconds(now_s), cost);
        assert_eq!(said, expected.map(state_of).map_err(Duration::from_millis), "{state:?} at {now_s}");
    }

    #[test]
    fn fixed_windows_count_to_their_limit_and_begin_anew() {
        check(&FIXED, None, 70, 1, Ok((60, 1, 0)));
        check(&FIXED, Some((60, 99, 0)), 70, 1, Ok((60, 100, 0)));
        check(&FIXED, Some((60, 100, 0)), 70, 1, Err(50_000));
        check(&FIXED, Some((60, 100, 0)), 120, 1, Ok((120, 1, 0)));
    }

    #[test]
    fn sliding_windows_weigh_the_window_before() {
        check(&SLIDING, Some((60, 80, 0)), 120, 20, Ok((120, 20, 80)));
        check(&SLIDING, Some((60, 80, 0)), 120, 21, Err(750));
        check(&SLIDING, Some((120, 60, 80)), 150, 1, Err(750));
        check(&SLIDING, Some((120, 60, 80)), 151, 1, Ok((120, 61, 80)));
        check(&SLIDING, Some((60, 100, 0)), 60, 1, Err(60_600));
        check(&SLIDING, Some((60, 100, 0)), 121, 1, Ok((120, 1, 100)));
        check(&SLIDING, Some((0, 100, 0)), 120, 100, Ok((120, 100, 0)));
    }

    #[test]
    fn a_clock_that_is_behind_counts_where_the_row_is() {
        check(&FIXED, Some((120, 100, 0)), 119, 1, Err(61_000));
        check(&FIXED, Some((120, 99, 0)), 119, 1, Ok((120, 100, 0)));
        check(&SLIDING, Some((120, 10, 80)), 119, 10, Ok((120, 20, 80)));
    }

    #[test]
    fn a_clock_that_was_ahead_by_hours_does_not_close_a_window_for_hours() {
        check(&FIXED, Some((7_200, 100, 0)), 60, 1, Ok((60, 1, 0)));
        check(&SLIDING, Some((7_200, 100, 100)), 60, 1, Ok((60, 1, 0)));
    }
}
