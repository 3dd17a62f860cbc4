//! `cargo xtask prove`: the instruments of the tests, for longer and with fresh seeds. Minutes are shared among the parts; each part counts
//! what it did; failures are told with the command that repeats them, after all parts ran. `--write` makes `docs/proof.md` of it.

mod count;
mod guided;
mod instrument;
mod machine;
mod options;
mod outcome;
mod page;
mod part;
mod process;
mod rounds;
mod share;
mod stopwatch;
mod tests_of;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{dynamodb_local, program, tool};
use machine::Machine;
use options::Options;
use outcome::{Outcome, Run};
use part::{PARTS, Work};
use rounds::Ground;
use stopwatch::Stopwatch;

/// All parts, or those that are asked for.
pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        print!("{}", options::teach());
        return Ok(());
    }
    let options = Options::read(arguments)?;
    let parts: Vec<_> = PARTS.iter().filter(|part| options.wants(part.name)).collect();
    let ground = prepare(workspace, &parts)?;
    let shares = share::split(options.minutes, &parts.iter().map(|part| part.weight).collect::<Vec<_>>());
    eprintln!("\n== prove: {} minute(s), seed {}", options.minutes, options.seed);
    let start = Stopwatch::start();
    let mut outcomes = Vec::new();
    for (part, share) in parts.iter().zip(shares) {
        eprintln!("\n== prove: {} ({} s)", part.name, share.as_secs());
        let outcome = match &part.work {
            Work::Tests(instruments) => rounds::run(&ground, part, instruments, share, options.seed)?,
            Work::Fuzz => guided::run(workspace, part, share, options.seed)?,
        };
        eprintln!("   {}", outcome.counts);
        outcomes.push(outcome);
    }
    let run = Run { machine: Machine::look(workspace)?, options, took: start.elapsed(), outcomes };
    report(workspace, &run)
}

/// Everything that is built and installed before the minutes begin.
fn prepare(workspace: &Workspace, parts: &[&part::Part]) -> Result<Ground> {
    let mut ground = Ground::new(workspace);
    for part in parts {
        eprintln!("\n== prove: building what `{}` needs", part.name);
        match &part.work {
            Work::Tests(instruments) => ground.build(instruments)?,
            Work::Fuzz => {
                program::CXX.ensure()?;
                guided::build(workspace).context("the fuzz targets cannot be built")?;
            }
        }
        if part.needs_dynamodb_local && !tool::is_skipped(dynamodb_local::SKIP) {
            ground.tell(dynamodb_local::VARIABLE, &dynamodb_local::ensure(workspace)?);
        }
        if part.needs_cc {
            program::CC.ensure()?;
        }
    }
    Ok(ground)
}

fn report(workspace: &Workspace, run: &Run) -> Result<()> {
    if run.options.json {
        println!("{}", serde_json::to_string_pretty(&run.json())?);
    } else {
        print!("{}", page::table(run));
    }
    if run.options.write {
        page::write(workspace, run)?;
        eprintln!("written to {}", page::PATH);
    }
    let failures: Vec<_> = run.outcomes.iter().flat_map(|outcome: &Outcome| &outcome.failures).collect();
    for failure in &failures {
        eprintln!("\nfailed: {}\n{}\nto repeat it: {}", failure.what, failure.told, failure.repeat);
    }
    if !failures.is_empty() {
        bail!("{} thing(s) failed; each is told above with the command that repeats it", failures.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_argument_is_refused_before_anything_is_built() {
        let workspace = Workspace::find().unwrap();
        let words = ["--minutes", "soon"].map(str::to_owned);
        let error = run(&workspace, &words).unwrap_err().to_string();
        assert!(error.contains("`soon`") && error.contains("--minutes"), "{error}");
    }
}
