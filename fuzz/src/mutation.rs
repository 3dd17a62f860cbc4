//! Changed inputs, for machines without libFuzzer: blind, but from one seed, and enough to notice when a target has become wrong.

use tabletheory_core::{Entropy, SeededEntropy};

/// No input is longer.
const BYTES_MAX: usize = 4096;

/// What makes new inputs from known ones.
#[derive(Debug)]
pub struct Mutator {
    dice: SeededEntropy,
}

impl Mutator {
    /// The inputs of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { dice: SeededEntropy::new(seed) }
    }

    /// One of the inputs, changed in one to eight places; or, now and then, noise.
    #[must_use]
    pub fn next(&self, known: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = match known.len() {
            0 => self.noise(64),
            count if self.below(16) > 0 => known[self.below(count)].clone(),
            _ => self.noise(200),
        };
        for _ in 0..=self.below(8) {
            self.change(&mut bytes, known);
        }
        bytes.truncate(BYTES_MAX);
        bytes
    }

    fn change(&self, bytes: &mut Vec<u8>, known: &[Vec<u8>]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(8)).min(bytes.len());
        match self.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 => bytes.insert(at, self.byte()),
            2 => drop(bytes.drain(at..end.max(at))),
            3 => {
                let copy = bytes[at..end.max(at)].to_vec();
                bytes.splice(at..at, copy);
            }
            4 if !known.is_empty() => {
                let other = &known[self.below(known.len())];
                let from = self.below(other.len() + 1);
                let to = (from + self.below(24)).min(other.len());
                bytes.splice(at..end.max(at), other[from..to].iter().copied());
            }
            _ if at < bytes.len() => bytes[at] = self.byte(),
            _ => bytes.push(self.byte()),
        }
    }

    fn noise(&self, length: usize) -> Vec<u8> {
        (0..self.below(length)).map(|_| self.byte()).collect()
    }

    fn byte(&self) -> u8 {
        u8::try_from(self.dice.bits() >> 120).expect("the last eight of 128 bits")
    }

    fn below(&self, bound: usize) -> usize {
        let bound = u128::try_from(bound.max(1)).expect("a length has at most 128 bits");
        usize::try_from((self.dice.bits() >> 64) % bound).expect("it is below a length")
    }
}
