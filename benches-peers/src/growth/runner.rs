//! A contender in a process of its own: it fills its table, and then does what it is told, line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Operation, Weight};
use crate::contenders::Entry;
use crate::drive::{self, Sample};
use crate::process::Process;
use crate::record::Record;

/// The first argument of a child.
pub(crate) const CHILD: &str = "--growth-child";

/// What a child is told.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    Round { operation: usize, number: u32, time_ms: u64 },
    Weigh,
}

/// What a child says when its table is full.
#[derive(Debug, Serialize, Deserialize)]
struct Filled {
    per_second: f64,
}

/// What a child and its folder take.
#[derive(Debug, Serialize, Deserialize)]
struct Weighed {
    rss_mb: f64,
    disk_mb: f64,
}

/// The parent's end of a child; the child ends with it.
#[derive(Debug)]
pub(crate) struct Runner {
    entry: Entry,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    filled: Filled,
}

impl Runner {
    /// Starts a child and waits until its table has so many items.
    pub(crate) fn start(entry: Entry, home: &Path, items: u64) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([CHILD, entry.name()]).arg(home).arg(items.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start a child")?;
        let orders = child.stdin.take().context("the child has no input")?;
        let answers = BufReader::new(child.stdout.take().context("the child has no output")?);
        let mut runner = Self { entry, child, orders, answers, filled: Filled { per_second: 0.0 } };
        runner.filled = runner.answer()?;
        Ok(runner)
    }

    pub(crate) fn entry(&self) -> Entry {
        self.entry
    }

    pub(crate) fn loaded_per_second(&self) -> f64 {
        self.filled.per_second
    }

    /// Runs one round.
    pub(crate) fn round(&mut self, operation: Operation, number: u32, time: Duration) -> Result<Sample> {
        let operation = Operation::ALL.iter().position(|known| *known == operation);
        let operation = operation.context("every operation is in the list")?;
        self.order(&Order::Round { operation, number, time_ms: u64::try_from(time.as_millis())? })
    }

    /// What it takes.
    pub(crate) fn weigh(&mut self, items: u64) -> Result<Weight> {
        let Weighed { rss_mb, disk_mb } = self.order(&Order::Weigh)?;
        Ok(Weight {
            contender: self.entry.name().to_owned(),
            items,
            loaded_per_second: self.filled.per_second,
            rss_mb,
            disk_mb: (disk_mb > 0.0).then_some(disk_mb),
        })
    }

    fn order<T: DeserializeOwned>(&mut self, order: &Order) -> Result<T> {
        writeln!(self.orders, "{}", serde_json::to_string(order)?).context("the child listens no more")?;
        self.answer()
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(!line.is_empty(), "{} ended before it answered", self.entry.name());
        serde_json::from_str(&line).with_context(|| format!("{} said {line}", self.entry.name()))
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // Its folder is removed next; nothing in there is worth closing in order.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a child does: its words are those of [`Runner::start`] behind [`CHILD`].
pub(crate) fn child_main(words: &[String]) -> Result<()> {
    let [name, home, items] = words else { bail!("{CHILD} wants a contender, a folder and a number") };
    let (entry, home, items) = (Entry::from_name(name)?, Path::new(home), items.parse::<u64>()?);
    let contender = entry.open(home)?;
    let start = Instant::now();
    contender.load(&mut (0..items).map(Record::numbered))?;
    say(&Filled { per_second: items as f64 / start.elapsed().as_secs_f64() })?;
    for line in std::io::stdin().lines() {
        match serde_json::from_str(&line?)? {
            Order::Round { operation, number, time_ms } => {
                let operation = Operation::ALL.get(operation).context("there is no such operation")?;
                let time = Duration::from_millis(time_ms);
                say(&drive::round(&contender, operation.workload(items), number, 1, time)?)?;
            }
            Order::Weigh => say(&Weighed { rss_mb: Process::own().rss_mb()?, disk_mb: bytes(home)? / 1e6 })?,
        }
    }
    Ok(())
}

fn say(answer: &impl Serialize) -> Result<()> {
    println!("{}", serde_json::to_string(answer)?);
    Ok(())
}

/// The bytes of all files in a folder.
fn bytes(folder: &Path) -> Result<f64> {
    let mut sum = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // A compaction may have removed a file since it was listed.
        let Ok(found) = entry.metadata() else { continue };
        sum += if found.is_dir() { bytes(&entry.path())? } else { found.len() as f64 };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_weighed_in_all_folders() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("inner")).expect("it is empty");
        std::fs::write(home.path().join("a"), [0; 10]).expect("there is room");
        std::fs::write(home.path().join("inner/b"), [0; 5]).expect("there is room");
        assert_eq!(bytes(home.path()).expect("it is there"), 15.0);
    }
}
