//! The store on a disk that fails at every single operation of a run. Whatever happens: the folder opens again, holds
//! every acknowledged write and at most one more, all of it consistent; and after a failed write all others are refused.

use std::{
    collections::BTreeMap,
    io::Read,
    ops::Bound::Unbounded,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use tabletheory_engine::kv::{Direction, Kv, KvError, KvOptions, Persist, Space};
use tempfile::TempDir;

use crate::faults::{self, Fault};

const FOLDER: &str = "KV_FAULTS_FOLDER";
const DURABILITY: &str = "KV_FAULTS_DURABILITY";
const COMMITS: u32 = 60;

/// Small enough for memtables to be written out and compacted within a run.
fn options() -> KvOptions {
    KvOptions { memtable_bytes: 8 * 1024, write_buffer_bytes: 64 * 1024, ..KvOptions::default() }
}

/// What commit `n` writes in each of two spaces. Some values are longer than the journal's buffer.
fn writes(n: u32) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let length = if n % 7 == 3 { 12_000 } else { 500 };
    let key = format!("key {}", n * 5 % 23).into_bytes();
    let value = (n % 4 != 2).then(|| format!("{n} {}", "x".repeat(length)).into_bytes());
    vec![(key, value), (b"last".to_vec(), Some(n.to_string().into_bytes()))]
}

/// The child: commits until something fails, and says on its standard output what was acknowledged.
#[test]
fn child_that_commits_until_something_fails() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let persist =
        if std::env::var(DURABILITY).as_deref() == Ok("buffer") { Persist::Buffer } else { Persist::Sync };
    if let Err(error) = commit_until_failure(Path::new(&folder), persist) {
        println!("\nerror {error}");
    }
}

fn commit_until_failure(folder: &Path, persist: Persist) -> Result<(), KvError> {
    let kv = Kv::open(folder, &options())?;
    let spaces = [kv.space("left")?, kv.space("right")?];
    let mut acknowledged = None;
    for n in 0..COMMITS {
        if n % 20 == 10 {
            kv.space(&format!("extra {n}"))?;
            println!("\ncreated extra {n}");
        }
        if n % 20 == 15 {
            println!("\ndeleting extra {}", n - 5);
            kv.delete_space(kv.space(&format!("extra {}", n - 5))?)?;
            println!("\ndeleted extra {}", n - 5);
        }
        if let Err(error) = commit(&kv, &spaces, n, persist) {
            assert_refusing(&kv, &spaces, acknowledged, persist);
            return Err(error);
        }
        println!("\nacknowledged {n}");
        acknowledged = Some(n);
    }
    kv.flush()?;
    println!("\nflushed");
    Ok(())
}

fn commit(kv: &Kv, spaces: &[Space], n: u32, persist: Persist) -> Result<(), KvError> {
    let mut batch = kv.batch();
    for space in spaces {
        for (key, value) in writes(n) {
            match value {
                Some(value) => batch.put(space, key, value),
                None => batch.delete(space, key),
            }
        }
    }
    kv.commit(batch, persist)
}

/// After a failure: no write is accepted any more, and reads still give what was acknowledged.
fn assert_refusing(kv: &Kv, spaces: &[Space], acknowledged: Option<u32>, persist: Persist) {
    for _ in 0..3 {
        let refused = commit(kv, spaces, 1_000, persist);
        if !matches!(refused, Err(KvError::Poisoned { .. })) {
            println!("\nwrong: a commit after a failure gave {refused:?}");
        }
    }
    for space in spaces {
        let last = kv.get(space, b"last").unwrap().map(|value| String::from_utf8(value.to_vec()).unwrap());
        if last != acknowledged.map(|n| n.to_string()) {
            println!("\nwrong: {last:?} is read after a failure, {acknowledged:?} was acknowledged");
        }
    }
}

/// What the child said before it ended.
struct Said {
    lines: Vec<String>,
    count: u64,
}

impl Said {
    fn words<'said>(&'said self, verb: &'said str) -> impl DoubleEndedIterator<Item = &'said str> {
        self.lines.iter().filter_map(move |line| line.strip_prefix(verb))
    }

    fn acknowledged(&self) -> Option<u32> {
        self.words("acknowledged ").next_back().map(|n| n.parse().unwrap())
    }
}

fn run_child(folder: &Path, fault: Fault, call: u64, durability: &str) -> Said {
    let count_folder = TempDir::new().unwrap();
    let count = count_folder.path().join("count");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "kv_faults::child_that_commits_until_something_fails",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, folder)
        .env(DURABILITY, durability)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    faults::inject(&mut command, folder, fault, call, &count);
    let mut child = command.spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).unwrap();
        text
    });
    for _ in 0..6_000 {
        if child.try_wait().unwrap().is_some() {
            let text = reader.join().unwrap();
            let lines = text.lines().map(ToOwned::to_owned).collect();
            let count =
                std::fs::read_to_string(&count).ok().and_then(|count| count.parse().ok()).unwrap_or(0);
            return Said { lines, count };
        }
        pause();
    }
    child.kill().unwrap();
    panic!("{fault:?} at call {call}: the process hangs");
}

#[expect(clippy::disallowed_methods, reason = "a child process is waited for, but not for ever")]
fn pause() {
    std::thread::sleep(Duration::from_millis(5));
}

/// The content of a space after commits 0 to `last`.
fn expected(last: Option<u32>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut content = BTreeMap::new();
    for n in 0..last.map_or(0, |last| last + 1) {
        for (key, value) in writes(n) {
            match value {
                Some(value) => drop(content.insert(key, value)),
                None => drop(content.remove(&key)),
            }
        }
    }
    content
}

fn content(kv: &Kv, name: &str) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let Some(name) = kv.space_names().into_iter().find(|space| space == name) else { return BTreeMap::new() };
    let space = kv.space(&name).unwrap();
    let range = kv.snapshot().range(&space, (Unbounded, Unbounded), Direction::Forward);
    range.map(Result::unwrap).map(|(key, value)| (key.to_vec(), value.to_vec())).collect()
}

fn check_recovered(folder: &Path, said: &Said, story: &str) {
    let kv = match Kv::open(folder, &options()) {
        Ok(kv) => kv,
        Err(error) => panic!("{story}: {error}"),
    };
    let acknowledged = said.acknowledged();
    let next = acknowledged.map_or(0, |n| n + 1);
    let (left, right) = (content(&kv, "left"), content(&kv, "right"));
    assert!(left == right, "{story}: the spaces differ");
    let last =
        left.get(&b"last"[..]).map(|last| String::from_utf8(last.clone()).unwrap().parse::<u32>().unwrap());
    assert!(
        last == acknowledged || last == Some(next),
        "{story}: {last:?} recovered, {acknowledged:?} acknowledged"
    );
    assert!(left == expected(last), "{story}: not the state after {last:?}");
    for name in said.words("created ") {
        let is_there = kv.space_names().iter().any(|space| space == name);
        let is_deleting = said.words("deleting ").any(|deleting| deleting == name);
        let is_deleted = said.words("deleted ").any(|deleted| deleted == name);
        assert!(is_there || is_deleting, "{story}: {name} is lost");
        assert!(!is_there || !is_deleted, "{story}: {name} came back");
    }
    // It is not only readable: the next run goes on.
    let spaces = [kv.space("left").unwrap(), kv.space("right").unwrap()];
    commit(&kv, &spaces, next + 1, Persist::Sync).unwrap_or_else(|error| panic!("{story}: {error}"));
}

/// How many operations of a run fail, one per run: `TABLETHEORY_FAULTS_STEP=1` for each of them.
fn step() -> usize {
    std::env::var("TABLETHEORY_FAULTS_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(19)
}

fn fail_at_every_operation(fault: Fault, durability: &str) {
    let quick_folder = || TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    let folder = quick_folder();
    let said = run_child(folder.path(), Fault::Count, 0, durability);
    assert_eq!(said.acknowledged(), Some(COMMITS - 1), "{:?}", said.lines);
    assert!(said.count > 100, "{}", said.count);
    check_recovered(folder.path(), &said, "no fault");
    // The beginning is where files are created, so all of it; then a sample.
    for call in (1..=40).chain((41..said.count).step_by(step())) {
        let folder = quick_folder();
        let said = run_child(folder.path(), fault, call, durability);
        let story = format!("{fault:?} at call {call}, {durability}");
        let wrong: Vec<_> = said.words("wrong: ").collect();
        assert!(wrong.is_empty(), "{story}: {wrong:?}");
        check_recovered(folder.path(), &said, &story);
    }
}

#[test]
fn acknowledged_commits_survive_an_operation_that_fails() {
    fail_at_every_operation(Fault::Eio, "sync");
}

#[test]
fn acknowledged_commits_survive_a_full_disk() {
    fail_at_every_operation(Fault::Enospc, "sync");
}

#[test]
fn acknowledged_commits_survive_a_kill() {
    fail_at_every_operation(Fault::Kill, "sync");
}

#[test]
fn acknowledged_commits_survive_a_kill_within_a_write() {
    fail_at_every_operation(Fault::Torn, "sync");
}

#[test]
fn acknowledged_commits_survive_a_power_loss() {
    fail_at_every_operation(Fault::Power, "sync");
}

#[test]
fn buffered_commits_survive_a_kill() {
    fail_at_every_operation(Fault::Kill, "buffer");
}

/// `Locked` holds across processes too.
#[test]
fn a_folder_that_is_open_here_is_refused_there() {
    let folder = TempDir::new().unwrap();
    let _kv = Kv::open(folder.path(), &options()).unwrap();
    let said = run_child(folder.path(), Fault::Count, 0, "sync");
    let errors: Vec<_> = said.words("error ").collect();
    assert!(matches!(errors.as_slice(), [error] if error.contains("already open")), "{:?}", said.lines);
}
