//! The child process: opens an engine and lets its writers follow the script, until they are through or something
//! ends them. It is this test binary, started again with one test and an environment variable.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tabletheory_core::expr::KeyCondition;
use tabletheory_core::store::op::{ListTables, Query};
use tabletheory_core::{Item, Request, StoreError};
use tabletheory_engine::{Engine, Settings};

use super::script::{LEFT, Left, RIGHT, Script, partition, tables};

/// The variable that says what the child is to do.
const RUN: &str = "THEORY_CRASH_RUN";

/// What a child is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Run {
    pub folder: PathBuf,
    /// Where it says what was acknowledged: one write to the operating system per line, so nothing said is lost.
    pub said: PathBuf,
    pub settings: Settings,
    pub writers: u64,
    pub long_bytes: usize,
    /// How many operations of each writer were done before.
    pub done: Vec<u64>,
    /// How many more each writer is to do.
    pub steps: u64,
    /// A folder it makes before the writers start; another one, with `.end` behind its name, when they are through.
    pub mark: Option<PathBuf>,
    /// Whether it ends without closing the engine.
    pub vanish: bool,
}

impl Run {
    /// Three writers that are never through, in a folder that nobody wrote to.
    pub(super) fn new(folder: &Path, said: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            said: said.to_owned(),
            settings: Settings::default(),
            writers: 3,
            long_bytes: 3_000,
            done: vec![0; 3],
            steps: u64::MAX / 2,
            mark: None,
            vanish: false,
        }
    }

    pub(super) fn script(&self) -> Script {
        Script { writers: self.writers, long_bytes: self.long_bytes }
    }

    /// The process that does it, not started yet.
    pub(super) fn command(&self) -> Command {
        File::create(&self.said).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "crash::child::follows_the_script", "--nocapture", "--test-threads=1"])
            .env(RUN, serde_json::to_string(self).unwrap())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// What the child has said.
    pub(super) fn said(&self) -> Said {
        let text = std::fs::read_to_string(&self.said).unwrap();
        Said { lines: text.lines().map(ToOwned::to_owned).collect() }
    }

    /// How many operations of each writer may be there: all that were acknowledged, and the one under way.
    pub(super) fn allowed(&self, said: &Said) -> Vec<RangeInclusive<u64>> {
        let writers = (0..self.writers).zip(&self.done);
        let acknowledged = writers.map(|(writer, done)| said.acknowledged(writer).unwrap_or(*done));
        acknowledged.map(|n| n..=n + 1).collect()
    }

    /// As `allowed`, but what this process had acknowledged may be gone.
    pub(super) fn allowed_past(&self, said: &Said) -> Vec<RangeInclusive<u64>> {
        self.allowed(said).iter().zip(&self.done).map(|(allowed, done)| *done..=*allowed.end()).collect()
    }
}

/// What a child said before it ended.
#[derive(Debug)]
pub(super) struct Said {
    pub lines: Vec<String>,
}

impl Said {
    pub(super) fn words<'said>(&'said self, verb: &'said str) -> impl DoubleEndedIterator<Item = &'said str> {
        self.lines.iter().filter_map(move |line| line.strip_prefix(verb))
    }

    /// The writer's last acknowledged operation.
    pub(super) fn acknowledged(&self, writer: u64) -> Option<u64> {
        let own = format!("acknowledged {writer} ");
        self.lines.iter().rev().find_map(|line| line.strip_prefix(&own)).map(|n| n.parse().unwrap())
    }
}

/// Waits for the child, but not for ever.
pub(super) fn wait(child: &mut Child, story: &str) -> ExitStatus {
    for _ in 0..12_000 {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        pause(Duration::from_millis(5));
    }
    child.kill().unwrap();
    panic!("{story}: the process hangs");
}

#[expect(
    clippy::disallowed_methods,
    reason = "another process is waited for, or given a little time to live"
)]
pub(super) fn pause(span: Duration) {
    std::thread::sleep(span);
}

#[test]
fn follows_the_script() {
    let Ok(run) = std::env::var(RUN) else { return };
    let run: Run = serde_json::from_str(&run).unwrap();
    let mouth = Mouth(OpenOptions::new().append(true).open(&run.said).unwrap());
    let engine = match Engine::open(&run.folder, run.settings.clone()) {
        Ok(engine) => engine,
        Err(error) => return mouth.say(&format!("refused {error}")),
    };
    if let Err(error) = make_tables(&engine, |table| mouth.say(&format!("created {table}"))) {
        return mouth.say(&format!("failed {error}"));
    }
    mouth.say("open");
    if let Some(mark) = &run.mark {
        std::fs::create_dir(mark).unwrap();
    }
    std::thread::scope(|scope| {
        for writer in 0..run.writers {
            let (run, engine, mouth) = (&run, &engine, &mouth);
            scope.spawn(move || follow(run, engine, mouth, writer));
        }
    });
    if run.vanish {
        // Nobody is told: no destructor runs, no file is closed properly.
        std::process::abort();
    }
    if let Some(mark) = &run.mark {
        let mut end = mark.clone().into_os_string();
        end.push(".end");
        std::fs::create_dir(end).unwrap();
    }
    match engine.close() {
        Ok(()) => mouth.say("closed"),
        Err(error) => mouth.say(&format!("unsettled {error}")),
    }
}

/// Makes those tables of the script that are not there.
pub(super) fn make_tables(engine: &Engine, made: impl Fn(&str)) -> Result<(), StoreError> {
    let there = engine.run(ListTables::default())?.tables;
    for table in tables().into_iter().filter(|table| !there.contains(&table.table)) {
        let name = table.table.clone();
        engine.run(table)?;
        made(&name);
    }
    Ok(())
}

/// The child's way to say something that outlives it.
struct Mouth(File);

impl Mouth {
    fn say(&self, line: &str) {
        (&self.0).write_all(format!("{line}\n").as_bytes()).unwrap();
    }
}

fn follow(run: &Run, engine: &Engine, mouth: &Mouth, writer: u64) {
    let done = run.done[usize::try_from(writer).unwrap()];
    for n in done + 1..=done + run.steps {
        let request = run.script().step(writer, n).request();
        let mut outcome = engine.apply(request.clone());
        if let Err(error) = &outcome
            && failed_alone(&request, error)
        {
            check_items(run, engine, mouth, writer, n - 1);
            outcome = engine.apply(request.clone());
        }
        if let Err(error) = outcome {
            if failed_alone(&request, &error) {
                check_items(run, engine, mouth, writer, n - 1);
            } else {
                check_refusal(run, engine, mouth, writer, n);
            }
            return mouth.say(&format!("failed {error}"));
        }
        mouth.say(&format!("acknowledged {writer} {n}"));
    }
}

/// The first transaction makes the place of the tokens. If it cannot, nothing has been written, and others go on: also those that
/// came with it, so no other request may fail of that. A device that fails is another matter: then writes are refused from there on.
fn failed_alone(request: &Request, error: &StoreError) -> bool {
    let is_of_space =
        |why: &str| why.contains("cannot create a space") && !why.contains("writes are refused");
    matches!(request, Request::TransactWriteItems(_))
        && matches!(error, StoreError::Internal(why) if is_of_space(why))
}

/// After a failure, no write is accepted any more, and reads still give what was acknowledged.
fn check_refusal(run: &Run, engine: &Engine, mouth: &Mouth, writer: u64, n: u64) {
    for n in [n, n, n + 1] {
        match engine.apply(run.script().step(writer, n).request()) {
            // The writer says it of a write that failed, the storage of a space that it could not record.
            Err(StoreError::Internal(why))
                if why.contains("accepts no writes since one failed")
                    || why.contains("writes are refused because") => {}
            other => mouth.say(&format!("wrong: writer {writer} tried {n} after a failure: {other:?}")),
        }
    }
    check_items(run, engine, mouth, writer, n - 1);
}

/// The items of a writer are those after `n` operations.
fn check_items(run: &Run, engine: &Engine, mouth: &Mouth, writer: u64, n: u64) {
    match own_items(engine, writer) {
        Err(error) => mouth.say(&format!("wrong: writer {writer} cannot read: {error}")),
        Ok(items) => {
            let expected = Left::after(run.script(), writer, n).items;
            if !items.iter().eq(expected.values()) {
                mouth.say(&format!("wrong: writer {writer} does not read what was acknowledged: {items:?}"));
            }
        }
    }
}

/// The items of a writer, by table and key.
fn own_items(engine: &Engine, writer: u64) -> Result<Vec<Item>, StoreError> {
    let mut items = Vec::new();
    for table in [LEFT, RIGHT] {
        let key_condition = KeyCondition::partition("pk", partition(writer));
        let page = engine.run(Query { table: table.into(), key_condition, ..Query::default() })?;
        items.extend(page.items.unwrap_or_default());
    }
    Ok(items)
}
