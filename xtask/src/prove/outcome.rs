//! What came of a run, part by part.

use std::time::Duration;

use serde_json::{Value, json};

use super::count::Counts;
use super::machine::Machine;
use super::options::Options;

/// What came of one part.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) part: &'static str,
    pub(super) took: Duration,
    pub(super) counts: Counts,
    pub(super) failures: Vec<Failure>,
    /// Tests that the time was too short for.
    pub(super) without_turn: usize,
}

/// One thing that went wrong.
#[derive(Debug)]
pub(super) struct Failure {
    /// The test or the target.
    pub(super) what: String,
    /// The end of what it printed.
    pub(super) told: String,
    /// The command that does it again.
    pub(super) repeat: String,
}

/// What came of all parts, and where.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) machine: Machine,
    pub(super) options: Options,
    pub(super) took: Duration,
    pub(super) outcomes: Vec<Outcome>,
}

impl Run {
    /// For programs.
    pub(super) fn json(&self) -> Value {
        let part = |outcome: &Outcome| {
            let counts: serde_json::Map<String, Value> = outcome
                .counts
                .by_work()
                .into_iter()
                .map(|(what, numbers)| {
                    let numbers = numbers.into_iter().map(|(name, number)| (name.to_owned(), json!(number)));
                    (what.to_owned(), Value::Object(numbers.collect()))
                })
                .collect();
            let failures: Vec<Value> = outcome
                .failures
                .iter()
                .map(|failure| json!({"what": failure.what, "told": failure.told, "repeat": failure.repeat}))
                .collect();
            json!({
                "part": outcome.part,
                "seconds": outcome.took.as_secs(),
                "counted": counts,
                "failures": failures,
                "without_turn": outcome.without_turn,
            })
        };
        json!({
            "commit": self.machine.commit,
            "date": self.machine.date,
            "machine": self.machine.hardware,
            "system": self.machine.system,
            "rustc": self.machine.rustc,
            "minutes": self.options.minutes,
            "seed": self.options.seed,
            "seconds": self.took.as_secs(),
            "parts": self.outcomes.iter().map(part).collect::<Vec<_>>(),
        })
    }
}
