//! The fuzz targets under libFuzzer. It needs no nightly compiler and no cargo-fuzz: the instrumentation is a pass of LLVM that a stable
//! compiler runs when it is told, in a target folder of its own.

mod flags;
mod stats;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::count::Counts;
use super::outcome::{Failure, Outcome};
use super::part::Part;
use super::process::{self, tail};
use super::stopwatch::Stopwatch;
use crate::artifact::Artifacts;
use crate::workspace::{self, Workspace};
use stats::Stats;

const TARGET: &str = "THEORY_FUZZ_TARGET";
/// One input does not take longer, and needs no more memory.
const INPUT_SECONDS_MAX: u32 = 20;
const MEGABYTES_MAX: u32 = 2048;

/// Builds the program with all targets, and says where it is.
pub(super) fn build(workspace: &Workspace) -> Result<PathBuf> {
    let host = workspace::host()?;
    // Not locked: the lockfile beside it follows the product's, which may have moved on.
    let mut build = workspace.cargo(&["build", "--release"]);
    build.args(["--manifest-path", "fuzz/guided/Cargo.toml", "--target-dir", "target/guided"]);
    // With a target named, build scripts and macros are compiled without the instrumentation, which they could not link.
    build.args(["--target", &host]).env("CARGO_ENCODED_RUSTFLAGS", flags::FLAGS.join("\x1f"));
    Artifacts::of(&mut build)?.program("guided")
}

/// Runs every target for its share.
pub(super) fn run(workspace: &Workspace, part: &Part, share: Duration, seed: u64) -> Result<Outcome> {
    let program = build(workspace)?;
    let targets = targets(&workspace.root().join("fuzz/corpus"))?;
    let each = share / u32::try_from(targets.len()).context("there are few targets")?;
    let (start, mut counts, mut failures) = (Stopwatch::start(), Counts::default(), Vec::new());
    for target in &targets {
        let fuzzed = fuzz(workspace, &program, target, each, seed)?;
        let what = format!("fuzz-{target}");
        counts.add(&what, "executions", fuzzed.stats.executions);
        counts.add(&what, "branches-reached", fuzzed.stats.branches);
        counts.add(&what, "inputs-kept", fuzzed.stats.inputs);
        eprintln!("   {:>4} s  {target}: {}", start.elapsed().as_secs(), fuzzed.stats);
        if let Some(failure) = fuzzed.failure {
            eprintln!("           FAILED; to repeat it: {}", failure.repeat);
            failures.push(failure);
        }
    }
    Ok(Outcome { part: part.name, took: start.elapsed(), counts, failures, without_turn: 0 })
}

struct Fuzzed {
    stats: Stats,
    failure: Option<Failure>,
}

/// Where inputs go that break a law, from the root.
const ARTIFACTS: &str = "target/guided/artifacts";

fn fuzz(workspace: &Workspace, program: &Path, target: &str, share: Duration, seed: u64) -> Result<Fuzzed> {
    // What was found in earlier runs is where this one begins.
    let found = workspace.root().join("target/guided/corpus").join(target);
    let artifacts = workspace.root().join(ARTIFACTS);
    for folder in [&found, &artifacts] {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut command = Command::new(program);
    command.env(TARGET, target).current_dir(workspace.root());
    command.args([found, workspace.root().join("fuzz/corpus").join(target)]);
    // libFuzzer takes 0 for no bound at all.
    command.arg(format!("-max_total_time={}", share.as_secs().max(1)));
    command.arg(format!("-seed={}", seed % u64::from(u32::MAX)));
    command.arg(format!("-timeout={INPUT_SECONDS_MAX}"));
    command.arg(format!("-rss_limit_mb={MEGABYTES_MAX}"));
    // From the root, so that the page with the command that repeats it names no folder of this machine.
    command.arg(format!("-artifact_prefix={ARTIFACTS}/{target}-"));
    command.args(["-print_final_stats=1", "-max_len=4096"]);
    let patience = share + Duration::from_secs(60 + u64::from(INPUT_SECONDS_MAX));
    let ended = process::run(&mut command, &artifacts.join(format!("{target}.log")), patience)?;
    let failure = (!ended.is_good).then(|| Failure {
        what: format!("fuzz: {target}"),
        told: tail(&ended.output),
        repeat: repeat(target, stats::artifact(&ended.output)),
    });
    Ok(Fuzzed { stats: Stats::read(&ended.output), failure })
}

/// An input in the corpus is run by the ordinary tests, with debug information and without libFuzzer.
fn repeat(target: &str, artifact: Option<&str>) -> String {
    match artifact {
        Some(artifact) => {
            format!("cp {artifact} fuzz/corpus/{target}/ && cargo test -p theory-fuzz --test corpus {target}")
        }
        None => "cargo xtask prove --only fuzz".to_owned(),
    }
}

/// The names of the targets are those of their corpora: a test sees to it.
fn targets(corpus: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(corpus).with_context(|| format!("cannot list {}", corpus.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    ensure!(!names.is_empty(), "{} has no corpus of any target", corpus.display());
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_corpus_is_a_target() {
        let corpus = Workspace::find().unwrap().root().join("fuzz/corpus");
        assert!(targets(&corpus).unwrap().contains(&"number".to_owned()));
        assert!(targets(Path::new("/nowhere")).is_err());
    }

    #[test]
    fn an_input_that_broke_a_law_goes_to_the_corpus() {
        let repeat = repeat("path", Some("target/guided/artifacts/path-crash-1"));
        assert!(
            repeat.starts_with("cp target/guided/artifacts/path-crash-1 fuzz/corpus/path/ && "),
            "{repeat}"
        );
    }
}
