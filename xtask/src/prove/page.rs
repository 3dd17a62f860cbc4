//! `docs/proof.md`: what was tried, how often, what was found, and how to do it again. All figures come from the run at hand.

use anyhow::{Context, Result};

use super::count::list;
use super::options::Options;
use super::outcome::{Outcome, Run};
use super::part::PARTS;
use crate::workspace::Workspace;

/// The page.
pub(super) const PATH: &str = "docs/proof.md";

const HEAD: &str = "\
# What was tried, and how often

This page is written by `cargo xtask prove --write`, and every figure in it comes from that command. The instruments are the tests of
`docs/testing.md`; here they run for longer and from fresh seeds, and the parsers and codecs run under libFuzzer.

";

const LIMITS: &str = "\
## What none of it shows

- The models are small: two or three workers, a few seconds, one page or one request. What needs more of them is not visited.
- Simulations, random operations and fuzzing look at some of infinitely many cases. That nothing was found in them is a number, not a
  proof; the number is in the table.
- Power loss is simulated above the file system: what was not synced is taken away. A disk that lies about its syncs is not.
- DynamoDB Local stands for DynamoDB. Where the two differ the contract follows what the service documents, and only a run of the contract
  with credentials asks the service itself.
- That a law holds does not show that it is the law you need: `docs/differences.md` and \"What it promises\" in `README.md` say what is
  promised.
";

/// Writes the page.
pub(super) fn write(workspace: &Workspace, run: &Run) -> Result<()> {
    std::fs::write(workspace.root().join(PATH), page(run)).with_context(|| format!("cannot write {PATH}"))
}

fn page(run: &Run) -> String {
    let mut text = HEAD.to_owned();
    let circumstances = [
        ("commit", run.machine.commit.clone()),
        ("date", run.machine.date.clone()),
        ("machine", format!("{}, {}", run.machine.hardware, run.machine.system)),
        ("compiler", run.machine.rustc.clone()),
        (
            "time",
            format!(
                "{} min asked for, {} s taken, building not counted",
                run.options.minutes,
                run.took.as_secs()
            ),
        ),
        ("again", format!("`{}`", again(&run.options))),
    ];
    text.push_str("| | |\n|---|---|\n");
    text.extend(circumstances.iter().map(|(name, value)| format!("| {name} | {value} |\n")));
    text.push_str(
        "\nModels, simulations, random operations and places of damage are the same again with the same seed. Where a process is killed, how the \
         limiter's histories fall, and how far a fuzzer comes in its time is not.\n\n## Counts\n\n",
    );
    text.push_str(&table(run));
    text.push_str("\n## What each part shows\n\n");
    for part in PARTS {
        text.push_str(&format!("**{}**: {}. {}\n\n", part.name, part.title, part.shows));
    }
    text.push_str(LIMITS);
    text.push_str(&failures(run));
    text
}

fn again(options: &Options) -> String {
    let only: String = options.only.iter().map(|part| format!(" --only {part}")).collect();
    format!("cargo xtask prove --minutes {} --seed {}{only}", options.minutes, options.seed)
}

/// The counts, a line for each kind of work.
pub(super) fn table(run: &Run) -> String {
    let mut text = String::from("| part | what | counted | found | alone |\n|---|---|---|---|---|\n");
    for part in PARTS {
        match run.outcomes.iter().find(|outcome| outcome.part == part.name) {
            Some(outcome) => text.push_str(&rows(outcome)),
            // A part that was left out must not look as if there were none.
            None => {
                text.push_str(&format!("| {} | | not in this run | | {} |\n", part.name, alone(part.name)))
            }
        }
    }
    text
}

fn alone(part: &str) -> String {
    format!("`cargo xtask prove --only {part}`")
}

/// A line for the part, and one for each kind of work that it counted. What failed is said of the part: a test that fails may not come
/// to telling what it counts.
fn rows(outcome: &Outcome) -> String {
    let (part, again) = (outcome.part, alone(outcome.part));
    let mut text =
        format!("| {part} | **together** | {} s | {} | {again} |\n", outcome.took.as_secs(), found(outcome));
    for (what, numbers) in outcome.counts.by_work() {
        text.push_str(&format!("| {part} | {what} | {} | | |\n", list(&numbers)));
    }
    text
}

fn found(outcome: &Outcome) -> String {
    let found = match outcome.failures.len() {
        0 => "nothing".to_owned(),
        count => format!("{count} failure(s), see below"),
    };
    match outcome.without_turn {
        0 => found,
        tests => format!("{found}; **{tests} test(s) had no turn in this time**"),
    }
}

fn failures(run: &Run) -> String {
    let mut text = String::new();
    for failure in run.outcomes.iter().flat_map(|outcome| &outcome.failures) {
        if text.is_empty() {
            text.push_str("\n## What failed\n");
        }
        text.push_str(&format!("\n- {}: `{}`\n", failure.what, failure.repeat));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::count::Counts;
    use super::super::machine::Machine;
    use super::super::outcome::Failure;
    use super::*;

    fn run(failures: Vec<Failure>) -> Run {
        let counts = Counts::read("counted: simulation seeds=1200 visits=7");
        let machine = Machine {
            commit: "abc".to_owned(),
            date: "2027-01-15".to_owned(),
            hardware: "2 × CPU".to_owned(),
            system: "Linux 6".to_owned(),
            rustc: "rustc 1".to_owned(),
        };
        let options = Options { minutes: 3, only: Vec::new(), seed: 42, write: true, json: false };
        let took = Duration::from_secs(99);
        let outcomes = vec![
            Outcome { part: "simulations", took, counts, failures, without_turn: 0 },
            Outcome { part: "fuzz", took, counts: Counts::default(), failures: Vec::new(), without_turn: 2 },
        ];
        Run { machine, options, took, outcomes }
    }

    #[test]
    fn the_page_has_the_counts_and_how_to_repeat_them() {
        let page = page(&run(Vec::new()));
        let row = "| simulations | **together** | 99 s | nothing | `cargo xtask prove --only simulations` |";
        for text in [
            row,
            "| simulations | simulation | 1,200 seeds, 7 visits | | |",
            "`cargo xtask prove --minutes 3 --seed 42`",
            "| fuzz | **together** | 99 s | nothing; **2 test(s) had no turn in this time** |",
            "2027-01-15",
        ] {
            assert!(page.contains(text), "{text} is missing in\n{page}");
        }
        assert!(page.contains("| models | | not in this run |"), "{page}");
        assert!(PARTS.iter().all(|part| page.contains(part.shows)) && !page.contains("What failed"));
    }

    #[test]
    fn what_failed_is_on_the_page() {
        let failure = Failure {
            what: "simulations: oracle::x".to_owned(),
            told: "y".to_owned(),
            repeat: "do it".to_owned(),
        };
        let page = page(&run(vec![failure]));
        assert!(
            page.contains("1 failure(s)") && page.contains("- simulations: oracle::x: `do it`"),
            "{page}"
        );
    }

    #[test]
    fn programs_are_told_the_same() {
        let json = run(Vec::new()).json();
        assert_eq!(json["parts"][0]["counted"]["simulation"]["seeds"], 1200);
        assert_eq!((json["seed"].as_u64(), json["minutes"].as_u64()), (Some(42), Some(3)));
    }
}
