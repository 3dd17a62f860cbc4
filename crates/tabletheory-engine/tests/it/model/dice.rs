//! Repeatable chance: everything random in a run comes from here, so the seed tells the whole run.

use tabletheory_core::{Entropy, SeededEntropy};

/// A sequence of choices that belongs to a seed.
#[derive(Debug)]
pub(crate) struct Dice(SeededEntropy);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SeededEntropy::new(seed))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below zero");
        u64::try_from(self.0.bits() % u128::from(bound)).expect("a remainder is below its 64-bit divisor")
    }

    /// A length or position below `bound`.
    pub(crate) fn index(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("lengths have at most 64 bits");
        usize::try_from(self.below(bound)).expect("below a length")
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low + 1).expect("the bounds are in order");
        low + i64::try_from(self.below(span)).expect("a span between two small numbers")
    }

    /// True in so many cases of a hundred.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.index(choices.len())]
    }

    /// Some of several, each at most once, at least `least`.
    pub(crate) fn some<'a, T>(&mut self, choices: &'a [T], least: usize, most: usize) -> Vec<&'a T> {
        let mut left: Vec<&T> = choices.iter().collect();
        let wanted = (least + self.index(most - least + 1)).min(left.len());
        (0..wanted).map(|_| left.swap_remove(self.index(left.len()))).collect()
    }
}
