//! When and how a part was measured. Parts of one document may come from several runs; each says from which.

use std::process::Command;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::args::Plan;
use crate::part::Part;
use crate::versions::{self, Versions};

/// The run that measured a part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// When it began.
    pub(crate) date: String,
    /// What of ours was measured.
    pub(crate) commit: String,
    pub(crate) command: String,
    /// How long this part took.
    pub(crate) seconds: f64,
    pub(crate) rounds: u32,
    pub(crate) round_seconds: f64,
    pub(crate) is_quick: bool,
    pub(crate) versions: Versions,
}

/// A part's outcome, and the run it comes from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measured<T> {
    pub(crate) run: Run,
    pub(crate) outcome: T,
}

impl Run {
    /// Measures a part.
    pub(crate) fn measure<T>(
        plan: &Plan,
        part: Part,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<Measured<T>> {
        let mut run = Self {
            date: said("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            commit: commit(),
            command: plan.command.clone(),
            seconds: 0.0,
            rounds: plan.rounds,
            round_seconds: plan.round_time.as_secs_f64(),
            is_quick: plan.is_quick,
            versions: versions::of(plan, part),
        };
        let start = Instant::now();
        let outcome = work()?;
        run.seconds = start.elapsed().as_secs_f64();
        Ok(Measured { run, outcome })
    }
}

/// The commit, and whether the product was changed since.
fn commit() -> String {
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"]);
    let changes = said("git", &["status", "--porcelain", "--untracked-files=no", "--", "crates"]);
    if changes.is_empty() { commit } else { format!("{commit} with changes") }
}

/// What a program prints; nothing if it cannot be started.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}
