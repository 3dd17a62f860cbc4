//! The parts of the proof: which instruments, and how much of the time.

use super::instrument::{Chance, Instrument, Program};

/// One part.
#[derive(Debug)]
pub(super) struct Part {
    /// What `--only` calls it.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) title: &'static str,
    /// What its outcome shows.
    pub(super) shows: &'static str,
    /// How much of the time it gets.
    pub(super) weight: u32,
    /// What is done.
    pub(super) work: Work,
    pub(super) needs_dynamodb_local: bool,
    pub(super) needs_cc: bool,
}

/// How a part works.
#[derive(Debug)]
pub(super) enum Work {
    /// Tests, run one by one until the time is over.
    Tests(&'static [Instrument]),
    /// The fuzz targets, each for its share.
    Fuzz,
}

const fn tests(package: &'static str, program: Program, prefix: &'static str, chance: Chance) -> Instrument {
    Instrument { package, program, prefix, chance }
}

const ENGINE: &str = "tabletheory-engine";
const SEED: Chance = Chance::Variables(|seed| vec![("THEORY_SEED", seed)]);

/// Four runs of fifty seeds follow the first one; the next run must not meet them again.
const FIRST_SEED: Chance = Chance::Variables(|seed| vec![("FACETHEORY_FIRST_SEED", seed * 1000)]);
/// Places in files: another distance between them is other places.
const DAMAGE: Chance = Chance::Variables(|seed| vec![("THEORY_DAMAGE_STEP", 53 + seed % 100)]);
/// Short runs, so that a part of a minute has several seeds.
const DIFFERENTIAL: Chance =
    Chance::Variables(|seed| vec![("THEORY_SEED", seed), ("THEORY_OPERATIONS", 3_000)]);

/// All parts, in the order in which they run.
pub(super) const PARTS: &[Part] = &[
    Part {
        name: "models",
        title: "all states of models of the two protocols",
        shows: "The rules that the page cache and idempotent requests send to the store are put into a model with several workers, \
                clocks that differ, requests that are late or doubled, lost answers and crashes, and stateright visits every state \
                that such a small world can reach. No law is broken in any of them. The recipes that are known to be unsafe are in \
                the models too, and are found to be unsafe: so the models can tell.",
        weight: 3,
        work: Work::Tests(&[
            tests("idempotent", Program::Lib, "model::runs::", Chance::None),
            tests("facetheory", Program::Lib, "model::holds::", Chance::None),
            tests("facetheory", Program::Lib, "model::unsafe_variants::", Chance::None),
        ]),
        needs_dynamodb_local: false,
        needs_cc: false,
    },
    Part {
        name: "simulations",
        title: "runs of whole workers, and of the limiter beside an oracle, from fresh seeds",
        shows: "Four workers of the cache share a store and an object store, and one seed decides everything that goes wrong: crashes, \
                lost answers, slow disks, clocks that jump, purges, sweeps. The laws are checked after each step, on the rows and on what \
                visitors saw. The limiter decides random histories of requests beside a model that knows every admission.",
        weight: 4,
        work: Work::Tests(&[
            tests("facetheory", Program::It, "simulation::no_law_is_broken", FIRST_SEED),
            tests("limited", Program::It, "oracle::", Chance::Own),
        ]),
        needs_dynamodb_local: false,
        needs_cc: false,
    },
    Part {
        name: "crashes",
        title: "folders of the engine after kills, disk faults, power loss and damage",
        shows: "A process writes and is stopped: by kill -9, by an error, a full disk, a torn write or the loss of power at one file operation \
                after the other. What is left must open, hold every acknowledged write, and nothing by half. Files that were changed \
                behind the engine's back must give an error that names them, or a state that the folder once had.",
        weight: 4,
        work: Work::Tests(&[
            tests(ENGINE, Program::It, "crash::kill::kill_9", SEED),
            tests(ENGINE, Program::It, "crash::disk::", SEED),
            tests(ENGINE, Program::It, "crash::damage::", SEED),
            tests(ENGINE, Program::Lib, "kv::tests::damage::a_damaged", DAMAGE),
        ]),
        needs_dynamodb_local: false,
        needs_cc: true,
    },
    Part {
        name: "engine",
        title: "random operations against a model of the engine, and against AWS's DynamoDB Local",
        shows: "The engine and a few ordered maps are asked the same things, with the folder closed and opened in between: every answer and \
                everything stored must be the same. The engine and AWS's own DynamoDB Local are asked the same things: every difference \
                must be one that is known and explained.",
        weight: 5,
        work: Work::Tests(&[
            tests(ENGINE, Program::It, "model::the_engine", SEED),
            tests(ENGINE, Program::It, "differential::the_engine", DIFFERENTIAL),
        ]),
        needs_dynamodb_local: true,
        needs_cc: false,
    },
    Part {
        name: "fuzz",
        title: "everything that strangers can send, under libFuzzer",
        shows: "Each target takes bytes and states a law that must hold for all of them. libFuzzer changes inputs, and keeps those that reach \
                new branches. An input that breaks a law, panics or takes too long ends the target and is kept.",
        weight: 8,
        work: Work::Fuzz,
        needs_dynamodb_local: false,
        needs_cc: false,
    },
];

#[cfg(test)]
mod tests_of_parts {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn parts_have_names_of_their_own_and_a_share() {
        let names: BTreeSet<&str> = PARTS.iter().map(|part| part.name).collect();
        assert_eq!(names.len(), PARTS.len());
        assert!(PARTS.iter().all(|part| part.weight > 0 && !part.title.is_empty()));
    }

    #[test]
    fn another_seed_is_another_run() {
        for part in PARTS {
            let Work::Tests(instruments) = &part.work else { continue };
            for instrument in *instruments {
                let differs = instrument.variables(1) != instrument.variables(2);
                assert_eq!(differs, matches!(instrument.chance, Chance::Variables(_)), "{instrument:?}");
            }
        }
    }
}
