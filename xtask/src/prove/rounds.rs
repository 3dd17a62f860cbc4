//! Tests as instruments: one after the other, again and again with fresh seeds, until the time of a part is over. A test that has begun is
//! left to its end, and models are visited whole, so a part may take longer than its share.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::count::Counts;
use super::instrument::{Chance, Instrument, Program};
use super::outcome::{Failure, Outcome};
use super::part::Part;
use super::process::{self, Ended, tail};
use super::stopwatch::Stopwatch;
use super::tests_of::Tests;
use crate::workspace::Workspace;

/// No test takes longer.
const PATIENCE: Duration = Duration::from_secs(900);

/// The programs with the tests, and what tests are told about this machine.
#[derive(Debug)]
pub(super) struct Ground {
    workspace: Workspace,
    programs: BTreeMap<(&'static str, Program), Tests>,
    places: Vec<(&'static str, PathBuf)>,
}

/// A test, and the instrument that it belongs to.
#[derive(Debug, Clone, Copy)]
struct Turn<'a> {
    instrument: &'a Instrument,
    tests: &'a Tests,
    name: &'a str,
    /// How often it had its turn before.
    round: u64,
}

impl Ground {
    pub(super) fn new(workspace: &Workspace) -> Self {
        Self { workspace: workspace.clone(), programs: BTreeMap::new(), places: Vec::new() }
    }

    /// Builds what these instruments need.
    pub(super) fn build(&mut self, instruments: &[Instrument]) -> Result<()> {
        for instrument in instruments {
            let key = (instrument.package, instrument.program);
            if !self.programs.contains_key(&key) {
                let built = Tests::build(&self.workspace, instrument.package, instrument.program)?;
                self.programs.insert(key, built);
            }
        }
        Ok(())
    }

    /// Tells all tests where something is.
    pub(super) fn tell(&mut self, variable: &'static str, place: &Path) {
        self.places.push((variable, place.to_owned()));
    }

    /// All tests of these instruments: the first of each, the second of each, and so on, so that a short time has something of all.
    fn turns<'a>(&'a self, instruments: &'a [Instrument]) -> Result<VecDeque<Turn<'a>>> {
        let mut turns = Vec::new();
        for instrument in instruments {
            let tests = &self.programs[&(instrument.package, instrument.program)];
            let names: Vec<&String> =
                tests.names.iter().filter(|name| name.starts_with(instrument.prefix)).collect();
            ensure!(!names.is_empty(), "{} has no test `{}…`", instrument.package, instrument.prefix);
            let turn = |(place, name)| (place, Turn { instrument, tests, name, round: 0 });
            turns.extend(names.into_iter().map(String::as_str).enumerate().map(turn));
        }
        turns.sort_by_key(|(place, _)| *place);
        Ok(turns.into_iter().map(|(_, turn)| turn).collect())
    }

    /// Runs one test.
    fn run(&self, turn: &Turn<'_>, variables: &[(&'static str, u64)]) -> Result<Ended> {
        let logs = self.workspace.root().join("target/prove");
        std::fs::create_dir_all(&logs)?;
        let mut command = Command::new(&turn.tests.path);
        command.current_dir(&turn.tests.folder);
        command.args([turn.name, "--exact", "--nocapture", "--test-threads=1"]);
        command.envs(self.places.iter().map(|(variable, place)| (variable, place)));
        command.envs(variables.iter().map(|(variable, number)| (variable, number.to_string())));
        process::run(&mut command, &logs.join("last-test.log"), PATIENCE)
    }
}

/// Runs the instruments of a part.
pub(super) fn run(
    ground: &Ground,
    part: &Part,
    instruments: &[Instrument],
    share: Duration,
    seed: u64,
) -> Result<Outcome> {
    let (start, mut counts, mut failures) = (Stopwatch::start(), Counts::default(), Vec::new());
    let (mut turns, mut without_turn) = (ground.turns(instruments)?, 0);
    while let Some(turn) = turns.pop_front() {
        // Where nothing is left to chance, only the whole shows something.
        if start.elapsed() >= share && !matches!(turn.instrument.chance, Chance::None) {
            without_turn += usize::from(turn.round == 0);
            continue;
        }
        let variables = turn.instrument.variables(seed + turn.round);
        let ended = ground.run(&turn, &variables)?;
        counts.merge(&Counts::read(&ended.output));
        eprintln!("   {:>4} s  {}", start.elapsed().as_secs(), turn.name);
        if !ended.is_good {
            // It would fail again and again; the others still have something to show.
            let repeat = turn.instrument.repeat(turn.name, &variables);
            eprintln!("           FAILED; to repeat it: {repeat}");
            let what = format!("{}: {}", part.name, turn.name);
            failures.push(Failure { what, told: tail(&ended.output), repeat });
        } else if !matches!(turn.instrument.chance, Chance::None) {
            turns.push_back(Turn { round: turn.round + 1, ..turn });
        }
    }
    Ok(Outcome { part: part.name, took: start.elapsed(), counts, failures, without_turn })
}
