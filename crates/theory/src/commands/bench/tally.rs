//! What came of the requests of a run, counted. However many there are, it takes the same memory.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;

use super::latency::Latency;
use crate::http::Silence;

/// Different words beyond these count together: a server must not fill the memory of who asks it.
const WORDS_MAX: usize = 16;
const OTHERS: &str = "others";

/// An answer that is complete.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) bytes: u64,
    pub(super) took: Duration,
    /// What it says about the cache it came from.
    pub(super) state: Option<String>,
}

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Requests that were begun.
    pub(super) begun: u64,
    pub(super) answered: u64,
    pub(super) failed: u64,
    pub(super) bytes: u64,
    /// Connections that were made.
    pub(super) connections: u64,
    pub(super) latency: Latency,
    /// Answers by the class of their status: `2xx`.
    pub(super) classes: BTreeMap<String, u64>,
    pub(super) states: BTreeMap<String, u64>,
    pub(super) errors: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts what came of a request.
    pub(super) fn add(&mut self, outcome: Result<Answered, Silence>) {
        match outcome {
            Ok(Answered { status, bytes, took, state }) => {
                self.answered += 1;
                self.bytes += bytes;
                self.latency.record(took);
                count(&mut self.classes, format!("{}xx", status.as_u16() / 100));
                if let Some(state) = state {
                    count(&mut self.states, state);
                }
            }
            Err(silence) => {
                self.failed += 1;
                let kind = match silence {
                    Silence::NoConnection(reason) => format!("no connection: {reason}"),
                    Silence::Slow(patience) => format!("no answer within {} s", patience.as_secs()),
                    Silence::Broken(reason) => format!("broken off: {reason}"),
                };
                count(&mut self.errors, kind);
            }
        }
    }

    /// Requests that were begun and had no end when the run had.
    pub(super) fn unfinished(&self) -> u64 {
        self.begun.saturating_sub(self.answered + self.failed)
    }
}

fn count(counts: &mut BTreeMap<String, u64>, word: String) {
    let word = if counts.len() < WORDS_MAX || counts.contains_key(&word) { word } else { OTHERS.to_owned() };
    *counts.entry(word).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strange_words_take_no_room() {
        let mut tally = Tally { begun: 1001, ..Tally::default() };
        for number in 0..1000 {
            tally.add(Err(Silence::Broken(format!("reason {number}"))));
        }
        assert_eq!((tally.failed, tally.unfinished()), (1000, 1));
        assert_eq!(tally.errors.len(), WORDS_MAX + 1);
        assert_eq!(tally.errors.values().sum::<u64>(), 1000);
    }
}
