//! The scripts: which operation a writer sends next, and what the answer must be. Keys are drawn from a small generator
//! with the same seed for every contender, so all of them meet the same sequence.

use anyhow::{Result, ensure};

use crate::contender::{Answer, Operation};
use crate::record::{self, Key, PARTITION_ITEMS, Record};

/// The kinds of key that belong to one writer.
pub(crate) const REPLACE: char = 'T';
pub(crate) const COUNT: char = 'C';
/// The item that everybody wants.
const HOT: u64 = 7;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workload {
    /// Gets one item again and again.
    GetHot,
    /// Gets any of this many items.
    Get { items: u64 },
    /// Gets any of so many hot items, which lie anywhere among all of them.
    GetAmong { hot: u64, items: u64 },
    /// Puts any of this many items anew.
    Put { items: u64 },
    /// Queries any partition of this many items.
    Query { items: u64 },
    /// Each writer puts its next item and deletes its last one in one transaction.
    Replace,
    /// Each writer counts on its own key.
    Count,
}

impl Workload {
    /// Items that must be there before a round begins.
    pub(crate) fn prepare(self, round: u32, writers: u64) -> Vec<Record> {
        let kind = match self {
            Self::Replace => REPLACE,
            Self::Count => COUNT,
            _ => return Vec::new(),
        };
        (0..writers).map(|writer| Record::new(Key::of_writer(kind, round, writer, 0))).collect()
    }
}

/// One operation in numbers: which item, which partition, or which step of its writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Get(u64),
    Put(u64),
    Query(u64),
    Replace(u64),
    Count(u64),
}

/// One writer's or reader's place in the script.
#[derive(Debug)]
pub(crate) struct Script {
    workload: Workload,
    round: u32,
    writer: u64,
    step: u64,
    random: u64,
}

impl Script {
    /// The beginning.
    pub(crate) fn new(workload: Workload, round: u32, writer: u64) -> Self {
        let seed = (u64::from(round) << 32 | writer).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self { workload, round, writer, step: 0, random: seed }
    }

    /// The next operation.
    pub(crate) fn next(&mut self) -> Operation {
        match self.advance() {
            Step::Get(number) => Operation::Get(Key::numbered(number)),
            Step::Put(number) => Operation::Put(Record::numbered(number)),
            Step::Query(partition) => Operation::Query(record::partition(partition)),
            Step::Replace(step) => Operation::Replace {
                put: Record::new(self.own(REPLACE, step)),
                delete: self.own(REPLACE, step - 1),
            },
            Step::Count(step) => Operation::Count { key: self.own(COUNT, 0), becomes: step.cast_signed() },
        }
    }

    /// The next operation in numbers, for who has the rest of it prepared.
    pub(crate) fn advance(&mut self) -> Step {
        self.step += 1;
        match self.workload {
            Workload::GetHot => Step::Get(HOT),
            Workload::Get { items } => Step::Get(self.below(items)),
            Workload::GetAmong { hot, items } => Step::Get(self.below(hot) * (items / hot)),
            Workload::Put { items } => Step::Put(self.below(items)),
            Workload::Query { items } => Step::Query(self.below(items / PARTITION_ITEMS)),
            Workload::Replace => Step::Replace(self.step),
            Workload::Count => Step::Count(self.step),
        }
    }

    /// Refuses an answer that is not the right one: a fast wrong answer is worth nothing.
    pub(crate) fn check(&self, answer: Answer) -> Result<()> {
        let expected = match self.workload {
            Workload::GetHot | Workload::Get { .. } | Workload::GetAmong { .. } => Answer::Found(1),
            Workload::Query { .. } => Answer::Found(PARTITION_ITEMS),
            Workload::Put { .. } | Workload::Replace => Answer::Written,
            Workload::Count => Answer::Counted { right: true },
        };
        ensure!(answer == expected, "{:?} answered {answer:?} at step {}", self.workload, self.step);
        Ok(())
    }

    fn own(&self, kind: char, step: u64) -> Key {
        Key::of_writer(kind, self.round, self.writer, step)
    }

    /// A number below `limit` (xorshift; evenness to the last digit does not matter here).
    fn below(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_meets_the_same_sequence() {
        let keys = || {
            let mut script = Script::new(Workload::Get { items: 1000 }, 2, 5);
            (0..50).map(|_| format!("{:?}", script.next())).collect::<Vec<_>>()
        };
        assert_eq!(keys(), keys());
    }

    #[test]
    fn a_replacement_deletes_what_the_one_before_put() {
        let mut script = Script::new(Workload::Replace, 1, 3);
        let prepared = Workload::Replace.prepare(1, 4).remove(3).key;
        let Operation::Replace { put, delete } = script.next() else { panic!("a replacement") };
        assert_eq!(delete, prepared);
        let Operation::Replace { delete, .. } = script.next() else { panic!("a replacement") };
        assert_eq!(delete, put.key);
    }
}
