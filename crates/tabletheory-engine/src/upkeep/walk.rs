//! Walks through rows, to find the few that are due among the many that stay. A walk that has come to its end begins anew with the next
//! step, so short tables are looked at all the time; how much of the rest is left to look at is known, too.

use std::collections::{HashMap, HashSet};

use parking_lot::{Mutex, MutexGuard};
use tabletheory_core::StoreError;

use crate::catalog::Catalog;
use crate::kv::{Bytes, Direction, Kv, Space};
use crate::layout::{Span, after_key};

/// Rows that are read at a time. A piece of work for the writer is about less than twice as many.
pub(super) const STRETCH_ROWS: usize = 512;

/// Stretches of a step: a table of a million rows that mostly stay is walked in two minutes.
const STRETCHES: usize = 16;

/// One of so many rows has to be due for a walk to be worth hurrying. Where fewer are, looking costs more than they do by staying.
const WORTH: usize = 4;

/// Where the walks stand.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    turn: Mutex<()>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    positions: HashMap<Walk, Vec<u8>>,
    /// Those that have come to their end since all of them last had.
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
    /// One step at a time: of two, one would go on where the other has not removed yet what it found.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock()
    }

    /// Goes on with a walk: `due` says what is to be done with a row, if anything, and `work` does it.
    pub(super) fn go<T>(
        &self,
        kv: &Kv,
        walk: Walk,
        space: &Space,
        due: impl Fn(&Bytes, &Bytes) -> Result<Option<T>, StoreError>,
        work: impl Fn(Vec<T>) -> Result<(), StoreError>,
    ) -> Result<Walked, StoreError> {
        let (mut looked, mut found, mut waiting) = (0, 0, Vec::new());
        let mut goes_on = true;
        let mut look = || -> Result<(), StoreError> {
            for _ in 0..STRETCHES {
                let Stretch { rows, next } = self.stretch(kv, walk, space)?;
                for (key, stored) in &rows {
                    waiting.extend(due(key, stored)?);
                }
                looked += rows.len();
                if waiting.len() >= STRETCH_ROWS {
                    found += waiting.len();
                    work(std::mem::take(&mut waiting))?;
                }
                goes_on = self.advance(walk, next);
                if !goes_on {
                    break;
                }
            }
            Ok(())
        };
        let outcome = look();
        // What was found before a row that cannot be read is behind the walk, and goes all the same.
        if !waiting.is_empty() {
            found += waiting.len();
            work(waiting)?;
        }
        let at_once = goes_on && found * WORTH >= looked;
        outcome.map(|()| Walked { found: u64::try_from(found).expect("a step is bounded"), at_once })
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

    /// Whether all of these have come to their end since this was last so.
    pub(super) fn have_ended(&self, due: &[Walk]) -> bool {
        let ended = &mut self.state.lock().ended;
        let have_all = due.iter().all(|walk| ended.contains(walk));
        if have_all {
            ended.clear();
        }
        have_all
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
    use crate::kv::{Batch, Persist};

    /// A space of so many rows.
    fn rows(count: usize) -> (Kv, Space) {
        let kv = Kv::memory();
        let space = kv.space("rows").unwrap();
        let mut batch = Batch::default();
        for number in 0..count {
            batch.put(&space, format!("{number:06}").as_bytes(), b"".as_slice());
        }
        kv.commit(&mut batch, Persist::None).unwrap();
        (kv, space)
    }

    fn number(key: &Bytes) -> usize {
        str::from_utf8(key).unwrap().parse().unwrap()
    }

    /// The steps that a walk takes to its end if one of so many rows is due: how many rows each looked at and found.
    fn steps(count: usize, one_of: usize) -> Vec<(usize, u64)> {
        let ((kv, space), walks, looked) = (rows(count), Walks::default(), Cell::new(0));
        let worked = RefCell::new(Vec::new());
        let mut steps = Vec::new();
        loop {
            let due = |key: &Bytes, _: &Bytes| {
                looked.set(looked.get() + 1);
                Ok(number(key).is_multiple_of(one_of).then_some(number(key)))
            };
            let work = |numbers: Vec<usize>| {
                assert!((1..2 * STRETCH_ROWS).contains(&numbers.len()), "{}", numbers.len());
                worked.borrow_mut().extend(numbers);
                Ok(())
            };
            let walked = walks.go(&kv, Walk::Tokens, &space, due, work).unwrap();
            steps.push((looked.take(), walked.found));
            if walks.have_ended(&[Walk::Tokens]) {
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
        const STEP: usize = STRETCHES * STRETCH_ROWS;
        assert_eq!(steps(0, 1), [(0, 0)]);
        assert_eq!(steps(100, 10), [(100, 10)]);
        assert_eq!(steps(2 * STEP + 8, 8), [(STEP, 1024), (STEP, 1024), (8, 1)]);
        assert_eq!(steps(STEP + 4, 4), [(STEP, 2048), (4, 1)]);
    }

    #[test]
    fn everything_was_looked_at_when_the_longest_walk_has_ended() {
        let (long, short) = (rows(3 * STRETCHES * STRETCH_ROWS), rows(10));
        let (walks, looked) = (Walks::default(), Cell::new(0));
        let go = |walk, (kv, space): &(Kv, Space)| {
            let due = |_: &Bytes, _: &Bytes| {
                looked.set(looked.get() + 1);
                Ok(None::<()>)
            };
            walks.go(kv, walk, space, due, |_| Ok(())).unwrap();
            looked.take()
        };
        for has_ended in [false, false, false, true, false] {
            assert_eq!(go(Walk::Tokens, &short), 10, "a short one is walked each time");
            go(Walk::Expiry(7), &long);
            assert_eq!(walks.have_ended(&[Walk::Tokens, Walk::Expiry(7)]), has_ended);
        }
    }

    #[test]
    fn what_lies_before_a_row_that_cannot_be_read_is_found() {
        let ((kv, space), walks) = (rows(4 * STRETCH_ROWS), Walks::default());
        let (worked, broken) = (RefCell::new(Vec::new()), 3 * STRETCH_ROWS + 7);
        for _ in 0..2 {
            let due = |key: &Bytes, _: &Bytes| match number(key) {
                at if at == broken => Err(StoreError::validation("cannot be read")),
                at => Ok(at.is_multiple_of(100).then_some(at)),
            };
            let work = |numbers: Vec<usize>| {
                worked.borrow_mut().extend(numbers);
                Ok(())
            };
            walks.go(&kv, Walk::Tokens, &space, due, work).unwrap_err();
        }
        assert!(worked.into_inner().into_iter().eq((0..broken).step_by(100)));
    }
}
