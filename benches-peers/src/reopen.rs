//! How long opening a large folder takes and how much memory it needs. Filling and opening are two processes of their own
//! (this program again, as a child), so that neither the caches nor the memory of one are the other's.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::args::Plan;
use crate::contender::{Answer, Operation};
use crate::contenders::Entry;
use crate::markdown::{grouped, line, mark};
use crate::process::Process;
use crate::record::{Key, Record};

/// The name of the row.
pub(crate) const ROW: &str = "reopening a folder";
/// The first argument of a child.
pub(crate) const CHILD: &str = "--child";
const SECONDS_AT_MOST: f64 = 2.0;
const MEGABYTES_AT_MOST: f64 = 200.0;

/// What the child that opens reports.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Opened {
    seconds: f64,
    rss_mb: f64,
}

/// One contender's reopening.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Reopening {
    pub(crate) contender: String,
    pub(crate) items: u64,
    /// From the call to the first item read.
    pub(crate) seconds: f64,
    /// Resident memory after that.
    pub(crate) rss_mb: f64,
    /// Whether it is ours, which has a target.
    pub(crate) is_ours: bool,
}

impl Reopening {
    /// Whether both targets were reached.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        self.is_ours.then_some(self.seconds < SECONDS_AT_MOST && self.rss_mb < MEGABYTES_AT_MOST)
    }
}

/// Fills a folder, then opens it as often as there are rounds, each time in a fresh process; the slowest counts.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Vec<Reopening>> {
    let mut reopenings = Vec::new();
    for entry in [Entry::OursSync, Entry::DynoxideFile] {
        let home = tempfile::tempdir_in(folder)?.keep();
        eprintln!("  filling {} with {} items", entry.name(), plan.reopen_items);
        child("fill", entry, &home, plan.reopen_items)?;
        let mut worst = Opened { seconds: 0.0, rss_mb: 0.0 };
        for _ in 0..plan.rounds {
            let report = child("open", entry, &home, plan.reopen_items)?;
            let opened: Opened = serde_json::from_str(&report).context("the child reports JSON")?;
            eprintln!("  {:<24} {:>10.3} s {:>7.1} MB", entry.name(), opened.seconds, opened.rss_mb);
            worst.seconds = worst.seconds.max(opened.seconds);
            worst.rss_mb = worst.rss_mb.max(opened.rss_mb);
        }
        reopenings.push(Reopening {
            contender: entry.name().to_owned(),
            items: plan.reopen_items,
            seconds: worst.seconds,
            rss_mb: worst.rss_mb,
            is_ours: entry == Entry::OursSync,
        });
    }
    Ok(reopenings)
}

fn child(task: &str, entry: Entry, home: &Path, items: u64) -> Result<String> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([CHILD, task, entry.name()]).arg(home).arg(items.to_string()).stderr(Stdio::inherit());
    let done = command.output().context("cannot start a child")?;
    ensure!(done.status.success(), "the child that should {task} ended with {}", done.status);
    Ok(String::from_utf8(done.stdout)?)
}

/// What a child does: its words are those of [`child`] behind [`CHILD`].
pub(crate) fn child_main(words: &[String]) -> Result<()> {
    let [task, name, home, items] = words else {
        bail!("{CHILD} wants a task, a contender, a folder and a number")
    };
    let (entry, home, items) = (Entry::from_name(name)?, Path::new(home), items.parse::<u64>()?);
    match task.as_str() {
        "fill" => fill(entry, home, items),
        "open" => open(entry, home, items),
        other => bail!("a child cannot {other}"),
    }
}

fn fill(entry: Entry, home: &Path, items: u64) -> Result<()> {
    // Ours is filled without syncing each batch; the folder is the same.
    let entry = if entry == Entry::OursSync { Entry::OursMemory } else { entry };
    entry.open(home)?.load(&mut (0..items).map(Record::numbered))
}

fn open(entry: Entry, home: &Path, items: u64) -> Result<()> {
    let start = Instant::now();
    let contender = entry.open(home)?;
    let answer = contender.call(Operation::Get(Key::numbered(items - 1)))?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(answer == Answer::Found(1), "the last item is not there");
    println!("{}", serde_json::to_string(&Opened { seconds, rss_mb: Process::own().rss_mb()? })?);
    Ok(())
}

/// The table.
pub(crate) fn markdown(reopenings: &[Reopening]) -> String {
    let mut text = format!(
        "| reopening a folder | items | seconds (under {}) | memory MB (under {}) | |\n|---|--:|--:|--:|---|\n",
        SECONDS_AT_MOST, MEGABYTES_AT_MOST
    );
    for reopening in reopenings {
        let seconds = format!("{:.3}", reopening.seconds);
        let memory = format!("{:.0}", reopening.rss_mb);
        let items = grouped(reopening.items as f64);
        line(&mut text, &[&reopening.contender, &items, &seconds, &memory, mark(reopening.is_reached())]);
    }
    text.push('\n');
    text
}
