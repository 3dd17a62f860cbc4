//! A disk that fails, once at every operation of a run: while writers write, while a folder is made, opened or closed.
//! Whatever happens, the folder opens again without the fault, and the laws hold.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use tabletheory_core::store::op::{CreateTable, PutItem};
use tabletheory_core::{Entropy, Item, SeededEntropy, Value};
use tabletheory_engine::{Durability, Engine, Settings};
use tempfile::TempDir;

use super::child::{Run, Said, make_tables, pause, wait};
use super::script::{Script, tables};
use super::{laws, quick_folder, seed, times};
use crate::faults::{Disk, Fault, copy_folder, files};

/// How often recent writes go to data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// When the folder is closed.
    Steady,
    /// All the time; and data files are compacted.
    Busy,
}

fn settings(durability: Durability, pace: Pace) -> Settings {
    let write_buffer_bytes = match pace {
        Pace::Steady => Settings::default().write_buffer_bytes,
        Pace::Busy => 12 * 1024,
    };
    Settings { durability, write_buffer_bytes, upkeep_every: None, ..Settings::default() }
}

/// A run that meets a fault, and everything around it.
struct Case {
    run: Run,
    disk: Disk,
    /// Whether only the operations of the writers are counted, not those of opening the folder.
    from_open: bool,
    _folders: [TempDir; 2],
}

impl Case {
    /// Starts in a copy of `template`, or in an empty folder.
    fn new(template: Option<&Path>, done: &[u64], settings: Settings, steps: u64) -> Self {
        let (folder, elsewhere) = (quick_folder(), quick_folder());
        if let Some(template) = template {
            copy_folder(template, folder.path());
        }
        let run = Run {
            settings,
            writers: done.len() as u64,
            done: done.to_vec(),
            steps,
            mark: Some(elsewhere.path().join("mark")),
            ..Run::new(folder.path(), &elsewhere.path().join("said"))
        };
        let disk = Disk::new(folder.path(), quick_folder());
        Self { run, disk, from_open: template.is_some(), _folders: [folder, elsewhere] }
    }

    fn meet(&self, fault: Fault, call: u64, story: &str) -> Said {
        let mut command = self.run.command();
        let from = self.run.mark.as_deref().filter(|_| self.from_open);
        self.disk.inject(&mut command, fault, call, from);
        wait(&mut command.spawn().unwrap(), story);
        let said = self.run.said();
        let name = self.run.folder.display().to_string();
        let is_wrong = |line: &&String| {
            let is_failure = ["failed ", "refused ", "unsettled "].iter().any(|verb| line.starts_with(verb));
            line.starts_with("wrong: ") || is_failure && !line.contains(&name)
        };
        assert!(!said.lines.iter().any(|line| is_wrong(&line)), "{story}: {:?}", said.lines);
        said
    }

    /// The folder as the process left it, and as the disk holds it if the power goes too.
    fn check(&self, fault: Fault, said: &Said, story: &str) {
        let disk = quick_folder();
        self.disk.restore(disk.path());
        let allowed = match self.run.settings.durability {
            Durability::Sync => self.run.allowed(said),
            // Whoever closed the folder was told that all of it is on the disk.
            _ if said.words("closed").count() > 0 => self.run.allowed(said),
            Durability::Interval(_) | Durability::Memory => self.run.allowed_past(said),
        };
        check(&self.run, disk.path(), said, &allowed, &format!("{story}, without power"));
        if !matches!(fault, Fault::Power | Fault::Pages) {
            check(&self.run, &self.run.folder, said, &self.run.allowed(said), story);
        }
    }
}

fn check(run: &Run, folder: &Path, said: &Said, allowed: &[RangeInclusive<u64>], story: &str) -> Vec<u64> {
    let engine = Engine::open(folder, run.settings.clone());
    let engine = engine.unwrap_or_else(|error| panic!("{story}: {error}\n{:?}", said.lines));
    make_tables(&engine, |table| {
        assert!(said.words("created ").all(|created| created != table), "{story}: table {table} is lost");
    })
    .unwrap();
    let done = laws::check(&engine, run.script(), allowed, story);
    // It is not only readable: the next run goes on.
    for (writer, done) in (0..run.writers).zip(&done) {
        let next = engine.apply(run.script().step(writer, done + 1).request());
        assert!(next.is_ok(), "{story}: {next:?}");
    }
    done
}

/// A folder that writers have used and closed; and how far they came.
fn used_folder(pace: Pace, writers: usize) -> (TempDir, Vec<u64>) {
    let case = Case::new(None, &vec![0; writers], settings(Durability::Sync, pace), 20);
    let said = case.meet(Fault::Count, 0, "a used folder");
    assert_eq!(said.words("closed").count(), 1, "{:?}", said.lines);
    let folder = quick_folder();
    // Opening it cuts off the journal's preallocated zeros, which would be copied again and again; and its data files
    // are compacted, which would be done again and again.
    let engine = Engine::open(&case.run.folder, case.run.settings.clone()).unwrap();
    pause(Duration::from_millis(300));
    drop(engine);
    copy_folder(&case.run.folder, folder.path());
    (folder, vec![20; writers])
}

/// Lets the run of a case meet one fault after the other. `places` says which faults to meet at a call.
fn fail(case: impl Fn() -> Case, what: &str, places: impl Fn(Calls, u64) -> Vec<Fault>) {
    let counting = case();
    let said = counting.meet(Fault::Count, 0, "no fault");
    counting.check(Fault::Count, &said, "no fault");
    let counts = counting.disk.counts();
    let (while_writing, in_all) = (counts[0], counts[counts.len() - 1]);
    let mut points = 0;
    for call in 1..=in_all {
        for fault in places(Calls { while_writing, in_all }, call) {
            let story =
                format!("{what}: {fault:?} at call {call} of {while_writing} + {}", in_all - while_writing);
            let case = case();
            let said = case.meet(fault, call, &story);
            case.check(fault, &said, &story);
            points += 1;
        }
    }
    println!("{what}: {while_writing} calls until all is written, {in_all} until the end, {points} points");
    println!("counted: disk-faults crash-images={points}");
}

/// How many calls a run without a fault made.
#[derive(Debug, Clone, Copy)]
struct Calls {
    while_writing: u64,
    in_all: u64,
}

/// About `points` calls, each with some fault of these.
fn some(faults: &[Fault], points: u64) -> impl Fn(Calls, u64) -> Vec<Fault> {
    let dice = SeededEntropy::new(seed());
    move |calls, _| {
        let is_chosen = dice.bits() % u128::from(calls.in_all) < u128::from(points * times());
        let fault = faults[usize::try_from(dice.bits() % faults.len() as u128).unwrap()];
        is_chosen.then_some(fault).into_iter().collect()
    }
}

/// Every call while the writers write, with each of these faults; and some of the calls when the folder is closed.
fn every(faults: &[Fault]) -> impl Fn(Calls, u64) -> Vec<Fault> {
    let some = some(faults, 20);
    move |calls, call| if call <= calls.while_writing { faults.to_vec() } else { some(calls, call) }
}

/// Writers go on in a folder that was used before; only what happens after its opening is counted.
fn go_on(durability: Durability, pace: Pace) -> impl Fn() -> Case {
    let (template, done) = used_folder(pace, 3);
    move || Case::new(Some(template.path()), &done, settings(durability, pace), 8)
}

const EVERY: [Fault; 6] = [Fault::Eio, Fault::Enospc, Fault::Kill, Fault::Torn, Fault::Power, Fault::Pages];

#[test]
fn an_operation_that_fails_loses_no_acknowledged_write() {
    fail(go_on(Durability::Sync, Pace::Steady), "one failure", every(&[Fault::Eio]));
}

#[test]
fn a_full_disk_loses_no_acknowledged_write() {
    fail(go_on(Durability::Sync, Pace::Steady), "full disk", every(&[Fault::Enospc]));
}

#[test]
fn a_torn_write_loses_no_acknowledged_write() {
    fail(go_on(Durability::Sync, Pace::Steady), "torn write", every(&[Fault::Torn]));
}

#[test]
fn power_loss_loses_no_acknowledged_write() {
    fail(go_on(Durability::Sync, Pace::Steady), "power", every(&[Fault::Power]));
    fail(go_on(Durability::Sync, Pace::Steady), "power, some sectors", every(&[Fault::Pages]));
}

#[test]
fn a_fault_while_data_files_are_written_loses_no_acknowledged_write() {
    fail(go_on(Durability::Sync, Pace::Busy), "data files", some(&EVERY, 60));
}

#[test]
fn a_folder_that_was_just_being_made_opens() {
    let case = || Case::new(None, &[0; 3], settings(Durability::Sync, Pace::Steady), 6);
    fail(case, "from the beginning", some(&EVERY, 60));
}

#[test]
fn a_fault_leaves_no_half_transaction_when_fsync_waits() {
    let durability = Durability::Interval(2);
    fail(go_on(durability, Pace::Steady), "fsync waits", every(&[Fault::Eio]));
    fail(go_on(durability, Pace::Busy), "fsync waits, data files", some(&EVERY, 40));
}

/// A transaction reached the journal, but not the disk, when its process was killed. The next process finds it, and
/// answers the caller who asks again that it is done. From then on it must not be lost, though nothing was written.
#[test]
fn a_transaction_that_is_replayed_after_a_kill_survives_power_loss() {
    let (template, done) = used_folder(Pace::Steady, 1);
    let case = || Case::new(Some(template.path()), &done, settings(Durability::Sync, Pace::Steady), 26);
    let counting = case();
    counting.meet(Fault::Count, 0, "no fault");
    let mut replayed = 0;
    for call in 1..=counting.disk.counts()[0] {
        let story = format!("killed at call {call}");
        let mut case = case();
        let said = case.meet(Fault::Kill, call, &story);
        let Some(acknowledged) = said.acknowledged(0) else { continue };
        if Script::last_with_token(acknowledged + 1) != Some(acknowledged + 1) {
            continue;
        }
        case.run = Run { done: vec![acknowledged], steps: 1, vanish: true, mark: None, ..case.run };
        case.from_open = false;
        let said = case.meet(Fault::Count, 0, &story);
        assert_eq!(said.acknowledged(0), Some(acknowledged + 1), "{story}: {said:?}");
        case.check(Fault::Power, &said, &story);
        replayed += 1;
    }
    // Its write is one of the calls, and its fsync another one.
    assert!(replayed > 1, "no kill met a transaction with a token between its write and its fsync");
}

/// A folder that was not closed, with a journal that is almost as long as journals become.
fn folder_with_a_long_journal() -> TempDir {
    let folder = quick_folder();
    let engine = Engine::open(folder.path(), settings(Durability::Interval(1_000), Pace::Busy)).unwrap();
    make_tables(&engine, |_| {}).unwrap();
    let table = "filler".to_owned();
    engine.run(CreateTable { table: table.clone(), ..tables()[1].clone() }).unwrap();
    let body = "x".repeat(380_000);
    for n in 0..166 {
        let sort = format!("{}", n % 4);
        let item =
            Item::from([("pk", Value::s("all")), ("sk", Value::s(sort)), ("body", Value::s(body.clone()))]);
        engine.run(PutItem { table: table.clone(), item, ..PutItem::default() }).unwrap();
    }
    // Closing it would empty the journal, so it is copied as it is, once its data files are written.
    let copy = copy_at_rest(folder.path());
    assert!(!copy.path().join("1.jnl").exists(), "the journal is too long already");
    copy
}

/// Copies a folder in which nothing changed for a while, nor while it was copied.
fn copy_at_rest(folder: &Path) -> TempDir {
    for _ in 0..120 {
        let before = files(folder);
        pause(Duration::from_millis(500));
        if files(folder) != before {
            continue;
        }
        let copy = quick_folder();
        copy_folder(folder, copy.path());
        if files(folder) == before {
            return copy;
        }
    }
    panic!("the folder does not come to rest: {:?}", files(folder));
}

#[test]
fn a_fault_while_journals_change_loses_no_acknowledged_write() {
    let template = folder_with_a_long_journal();
    let case = || {
        let mut case = Case::new(Some(template.path()), &[0; 3], settings(Durability::Sync, Pace::Busy), 14);
        case.run.long_bytes = 60_000;
        case
    };
    let counting = case();
    counting.meet(Fault::Count, 0, "no fault");
    assert!(counting.run.folder.join("1.jnl").exists(), "the journal did not change");
    fail(case, "journals", some(&EVERY, 5));
}
