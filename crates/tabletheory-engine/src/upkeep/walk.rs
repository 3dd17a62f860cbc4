//! Walks through rows, to find the few that are due among the many that stay. All walks together are a pass: a walk that has come to its end
//! rests until the others have, so a short table is not walked again and again beside a long one.

use std::collections::{HashMap, HashSet};

use parking_lot::Mutex;
use tabletheory_core::StoreError;

use crate::catalog::Catalog;
use crate::kv::{Bytes, Direction, Kv, Space};
use crate::layout::{Span, after_key};

/// Rows that are read at a time. A piece of work for the writer is about less than twice as many.
pub(super) const STRETCH_ROWS: usize = 512;

/// Stretches of a step through rows that mostly stay: a table of a million rows is walked in two minutes.
const STRETCHES: usize = 16;

/// Stretches of a step through rows of which many go.
const STRETCHES_MAX: usize = 64;

/// One of so many rows has to be due for a walk to be worth hurrying. Where fewer are, looking costs more than they do by staying.
const WORTH: usize = 4;

/// Where the walks stand.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    positions: HashMap<Walk, Vec<u8>>,
    /// Those that have come to their end in this pass.
    ended: HashSet<Walk>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Walk {
    /// Through a table's rows, for those that expired.
    Expiry(u64),
    /// Through a table's rows, to fill this index.
    Backfill(u64),
    /// Through the request tokens.
    Tokens,
}

/// Some rows of a walk.
pub(super) struct Stretch {
    pub(super) rows: Vec<(Bytes, Bytes)>,
    /// Where to go on; `None` when the walk has come to its end.
    pub(super) next: Option<Vec<u8>>,
}

/// What one step of a walk came to.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Rows that were due.
    pub(super) found: u64,
    /// Whether there were so many that more of them are worth looking for at once.
    pub(super) at_once: bool,
}

impl Walks {
    /// Goes on with a walk, unless it rests: `due` says what is to be done with a row, if anything, and `work` does it.
    pub(super) fn go<T>(
        &self,
        kv: &Kv,
        walk: Walk,
        space: &Space,
        due: impl Fn(&Bytes, &Bytes) -> Result<Option<T>, StoreError>,
        work: impl Fn(Vec<T>) -> Result<(), StoreError>,
    ) -> Result<Walked, StoreError> {
        if self.state.lock().ended.contains(&walk) {
            return Ok(Walked::default());
        }
        let (mut looked, mut found, mut waiting, mut at_once) = (0, 0, Vec::new(), false);
        for stretches in 1..=STRETCHES_MAX {
            let Stretch { rows, next } = self.stretch(kv, walk, space)?;
            looked += rows.len();
            for (key, stored) in &rows {
                waiting.extend(due(key, stored)?);
            }
            let many = (found + waiting.len()) * WORTH >= looked;
            if waiting.len() >= STRETCH_ROWS {
                found += waiting.len();
                work(std::mem::take(&mut waiting))?;
            }
            // What was found and could not be removed is found again in the next pass.
            let goes_on = self.advance(walk, next);
            at_once = goes_on && many;
            if !goes_on || stretches >= STRETCHES && !many {
                break;
            }
        }
        if !waiting.is_empty() {
            found += waiting.len();
            work(waiting)?;
        }
        Ok(Walked { found: u64::try_from(found).expect("a step is bounded"), at_once })
    }

    pub(super) fn stretch(&self, kv: &Kv, walk: Walk, space: &Space) -> Result<Stretch, StoreError> {
        let start = self.state.lock().positions.get(&walk).cloned().unwrap_or_default();
        let snapshot = kv.snapshot();
        let span = Span { start, end: None };
        let rows = snapshot.range(space, span.bounds(), Direction::Forward).take(STRETCH_ROWS);
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let next = (rows.len() == STRETCH_ROWS).then(|| rows.last().map(|(key, _)| after_key(key))).flatten();
        Ok(Stretch { rows, next })
    }

    /// Notes where a walk goes on, and tells whether there is more of it.
    pub(super) fn advance(&self, walk: Walk, next: Option<Vec<u8>>) -> bool {
        let mut state = self.state.lock();
        let more = next.is_some();
        match next {
            Some(next) => _ = state.positions.insert(walk, next),
            None => {
                state.positions.remove(&walk);
                state.ended.insert(walk);
            }
        }
        more
    }

    /// Whether all of these have come to their end. Then the next pass begins.
    pub(super) fn ended(&self, due: &[Walk]) -> bool {
        let ended = &mut self.state.lock().ended;
        let is_over = due.iter().all(|walk| ended.contains(walk));
        if is_over {
            ended.clear();
        }
        is_over
    }

    /// Forgets the walks through tables and for indexes that are gone.
    pub(super) fn forget_gone(&self, catalog: &Catalog) {
        let exists = |walk: &Walk| match walk {
            Walk::Expiry(number) | Walk::Backfill(number) => catalog.tables().any(|table| {
                table.rows.number == *number || table.indexes.iter().any(|index| index.rows.number == *number)
            }),
            Walk::Tokens => true,
        };
        let mut state = self.state.lock();
        state.positions.retain(|walk, _| exists(walk));
        state.ended.retain(exists);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;
    use crate::kv::Persist;

    /// A space of so many rows.
    fn rows(count: usize) -> (Kv, Space) {
        let kv = Kv::memory();
        let space = kv.space("rows").unwrap();
        let mut batch = kv.batch();
        for number in 0..count {
            batch.put(&space, format!("{number:06}").as_bytes(), b"".as_slice());
        }
        kv.commit(batch, Persist::None).unwrap();
        (kv, space)
    }

    /// The steps that a walk takes to its end if one of so many rows is due: how many rows each looked at and found.
    fn steps(count: usize, one_of: usize) -> Vec<(usize, u64)> {
        let ((kv, space), walks, looked) = (rows(count), Walks::default(), Cell::new(0));
        let worked = RefCell::new(Vec::new());
        let mut steps = Vec::new();
        loop {
            let due = |key: &Bytes, _: &Bytes| {
                looked.set(looked.get() + 1);
                let number: usize = str::from_utf8(key).unwrap().parse().unwrap();
                Ok(number.is_multiple_of(one_of).then_some(number))
            };
            let work = |numbers: Vec<usize>| {
                assert!((1..2 * STRETCH_ROWS).contains(&numbers.len()), "{}", numbers.len());
                worked.borrow_mut().extend(numbers);
                Ok(())
            };
            let walked = walks.go(&kv, Walk::Tokens, &space, due, work).unwrap();
            steps.push((looked.take(), walked.found));
            if walks.ended(&[Walk::Tokens]) {
                assert!(!walked.at_once, "there is nothing left");
                break;
            }
            assert_eq!(walked.at_once, one_of <= WORTH);
        }
        assert!(worked.into_inner().into_iter().eq((0..count).step_by(one_of)), "each once, in order");
        steps
    }

    /// A walk that went on at once wherever anything was due ran for ever behind a stream of transactions, and all the others with it.
    #[test]
    fn a_walk_hurries_only_where_many_rows_are_due() {
        let usual = STRETCHES * STRETCH_ROWS;
        assert_eq!(steps(0, 1), [(0, 0)]);
        assert_eq!(steps(100, 10), [(100, 10)]);
        assert_eq!(steps(2 * usual + 8, 8), [(usual, 1024), (usual, 1024), (8, 1)]);
        let hurried = STRETCHES_MAX * STRETCH_ROWS;
        assert_eq!(steps(hurried + 4, 4), [(hurried, 8192), (4, 1)]);
    }

    #[test]
    fn a_walk_that_ended_rests_until_all_have() {
        let (kv, space) = rows(3 * STRETCH_ROWS);
        let (walks, looked) = (Walks::default(), Cell::new(0));
        let all = [Walk::Tokens, Walk::Expiry(7)];
        let go = |walk| {
            let due = |_: &Bytes, _: &Bytes| {
                looked.set(looked.get() + 1);
                Ok(None::<()>)
            };
            walks.go(&kv, walk, &space, due, |_| Ok(())).unwrap();
            looked.take()
        };
        assert_eq!((go(Walk::Tokens), go(Walk::Tokens)), (3 * STRETCH_ROWS, 0));
        assert!(!walks.ended(&all));
        assert_eq!((go(Walk::Tokens), go(Walk::Expiry(7))), (0, 3 * STRETCH_ROWS));
        assert!(walks.ended(&all) && !walks.ended(&all), "another pass has begun");
        assert_eq!(go(Walk::Tokens), 3 * STRETCH_ROWS);
    }
}
