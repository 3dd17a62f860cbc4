//! Runs: the rows that a page of a query visits, side by side, for queries that are asked again and again. A run holds for as long as
//! nothing of its partition is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::stamp::Slot;
use crate::kv::Direction;
use crate::layout::Span;

/// A longer run is not kept: one of them would take the room of hundreds of rows.
const RUN_BYTES_MAX: usize = 64 * 1024;
/// How many pages are remembered that were looked for and not found.
const MISSED: usize = 1 << 13;

/// The rows that a page visited, in its order.
#[derive(Debug)]
pub(crate) struct Run {
    pub(super) stamp: u64,
    bytes: Box<[u8]>,
    /// Where each row ends.
    ends: Box<[usize]>,
}

impl Run {
    /// The rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.bytes[std::mem::replace(&mut start, *end)..*end])
    }

    /// What it takes.
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.bytes.len() + size_of_val(&*self.ends)
    }
}

/// A page as it is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'s> {
    /// The number of the table's or index's rows.
    pub rows: u64,
    pub span: &'s Span,
    pub direction: Direction,
    pub limit: Option<u32>,
}

impl Asked<'_> {
    /// The page as bytes, which no other page of these rows has, if there is a slot that tells of all that it visits.
    pub(super) fn key(&self) -> Option<(Slot, Vec<u8>)> {
        let slot = Slot::of(self.rows, self.span.partition()?);
        let Span { start, end: Some(end) } = self.span else { return None };
        let mut key = Vec::with_capacity(2 * size_of::<u64>() + start.len() + end.len());
        key.push(u8::from(self.direction == Direction::Forward));
        // Nobody may ask for no rows, so zero is free.
        key.extend_from_slice(&self.limit.unwrap_or(0).to_le_bytes());
        key.extend_from_slice(&start.len().to_le_bytes());
        key.extend_from_slice(start);
        key.extend_from_slice(end);
        Some((slot, key))
    }
}

/// A run that is being read.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The number of the rows, and the page as bytes.
    pub(super) rows: u64,
    pub(super) key: Vec<u8>,
    pub(super) mark: Mark,
    pub(super) slot: Slot,
    pub(super) stamp: u64,
    bytes_max: usize,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Draft {
    /// One without rows, of which nothing may be kept that takes more than so much.
    pub(super) fn new(
        (rows, key): (u64, Vec<u8>),
        mark: Mark,
        (slot, stamp): (Slot, u64),
        most: u64,
    ) -> Self {
        let bytes_max = RUN_BYTES_MAX.min(usize::try_from(most).unwrap_or(usize::MAX));
        Self { rows, key, mark, slot, stamp, bytes_max, bytes: Vec::new(), ends: Vec::new() }
    }

    /// Adds the next row, unless the run would be too long to be kept.
    #[must_use]
    pub(crate) fn push(&mut self, row: &[u8]) -> bool {
        let has_room = self.bytes.len() + row.len() <= self.bytes_max;
        if has_room {
            self.bytes.extend_from_slice(row);
            self.ends.push(self.bytes.len());
        }
        has_room
    }
}

impl From<Draft> for Run {
    fn from(Draft { stamp, bytes, ends, .. }: Draft) -> Self {
        Self { stamp, bytes: bytes.into(), ends: ends.into() }
    }
}

/// What is known of the rows that a page visits.
#[derive(Debug)]
pub(crate) enum Known {
    /// All of them.
    Run(Arc<Run>),
    /// Too little. What is read from a snapshot that is taken now can become a run, if there is a draft for it.
    TooLittle(Option<Draft>),
}

/// The pages that were looked for last, each in one place that it shares with others. A run is kept when its page is looked for a second
/// time while nothing was written: others would only cost the copy.
#[derive(Debug)]
pub(super) struct Missed(Box<[AtomicU64]>);

/// A page and the stamp with which it was looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(u64);

impl Mark {
    pub(super) fn of(hash: u64, stamp: u64) -> Self {
        Self(hash.wrapping_add(stamp))
    }

    fn place(self) -> usize {
        usize::try_from(self.0 % MISSED as u64).expect("it is less than the number of places")
    }

    /// The same for a page that is too long: stamps at rest are even, so that no other stamp gives it.
    fn too_long(self) -> u64 {
        self.0.wrapping_add(1)
    }
}

impl Default for Missed {
    fn default() -> Self {
        Self((0..MISSED).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Missed {
    /// Notes a page, and says whether it was noted before and is worth a draft.
    pub(super) fn is_second(&self, mark: Mark) -> bool {
        let place = &self.0[mark.place()];
        let last = place.load(Ordering::Relaxed);
        if last != mark.0 && last != mark.too_long() {
            place.store(mark.0, Ordering::Relaxed);
        }
        last == mark.0
    }

    /// Notes that a page is worth no draft.
    pub(super) fn give_up(&self, mark: Mark) {
        self.0[mark.place()].store(mark.too_long(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
