//! How long a large folder takes to open and how much memory the store uses, measured rather than asserted:
//! `cargo test --release -p tabletheory-engine --test it -- --ignored --nocapture kv_size`.

use std::{
    ops::Bound::Unbounded,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use tabletheory_engine::kv::{Direction, Kv, KvOptions, Persist};
use tempfile::TempDir;

const ACTION: &str = "KV_SIZE_ACTION";
const FOLDER: &str = "KV_SIZE_FOLDER";

/// The most memory this process has had, in megabytes.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

#[expect(clippy::disallowed_methods, reason = "this is a measurement")]
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    println!("{what}: {:.3} s, peak {} MB", begin.elapsed().as_secs_f64(), peak_megabytes());
    result
}

/// Puts `items` items of 250 bytes, in an order that has nothing to do with their keys, into `spaces` spaces.
fn load(kv: &Kv, items: u64, spaces: u64, persist: Persist) {
    let spaces: Vec<_> = (0..spaces).map(|n| kv.space(&format!("table {n}")).unwrap()).collect();
    for chunk in 0..items / 50 {
        let mut batch = kv.batch();
        for n in chunk * 50..(chunk + 1) * 50 {
            let key = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let space = &spaces[usize::try_from(n % spaces.len() as u64).unwrap()];
            let mut value = vec![0; 234];
            value
                .iter_mut()
                .zip(key.to_be_bytes().into_iter().cycle())
                .for_each(|(byte, noise)| *byte = noise);
            batch.put(space, [key.to_be_bytes(), n.to_be_bytes()].concat(), value);
        }
        kv.commit(batch, persist).unwrap();
    }
}

#[test]
fn child_that_measures() {
    let (Ok(action), Ok(folder)) = (std::env::var(ACTION), std::env::var(FOLDER)) else { return };
    let open = || Kv::open(Path::new(&folder), &KvOptions::default()).unwrap();
    match action.as_str() {
        "load" => {
            let kv = open();
            timed("load 1,000,000 items", || load(&kv, 1_000_000, 1, Persist::Buffer));
            timed("flush", || kv.flush().unwrap());
            timed("close", || drop(kv));
        }
        "load and die" => {
            let kv = open();
            timed("load 200,000 items more", || load(&kv, 1_200_000, 1, Persist::Buffer));
            std::process::abort();
        }
        "many spaces" => {
            let kv = open();
            timed("load 1,000,000 items into 200 spaces", || load(&kv, 1_000_000, 200, Persist::Buffer));
            timed("flush", || kv.flush().unwrap());
            timed("close", || drop(kv));
        }
        _ => {
            let kv = timed("open", open);
            let space = kv.space("table 0").unwrap();
            timed("get one", || kv.get(&space, b"nothing").unwrap());
            let count = timed("walk table 0", || {
                kv.snapshot()
                    .range(&space, (Unbounded, Unbounded), Direction::Forward)
                    .map(Result::unwrap)
                    .count()
            });
            println!("{count} items, {} bytes in tables", kv.disk_bytes(&space));
        }
    }
}

fn child(action: &str, folder: &Path) {
    println!("-- {action}");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kv_size::child_that_measures", "--nocapture"])
        .env(ACTION, action)
        .env(FOLDER, folder)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let lines = String::from_utf8_lossy(&output.stdout);
    for line in lines.lines().filter(|line| line.contains(" MB") || line.contains("items")) {
        println!("{line}");
    }
}

#[test]
#[ignore = "a measurement of a minute"]
fn a_million_items() {
    let folder = TempDir::new().unwrap();
    for action in ["load", "open", "load and die", "open", "open"] {
        child(action, folder.path());
    }
}

#[test]
#[ignore = "a measurement of a minute"]
fn two_hundred_spaces() {
    let folder = TempDir::new().unwrap();
    for action in ["many spaces", "open"] {
        child(action, folder.path());
    }
}

/// One commit and one read at a time, on each medium and with each durability.
#[test]
#[ignore = "a measurement of some seconds"]
fn single_operations() {
    let folder = TempDir::new().unwrap();
    for (medium, kv) in
        [("memory", Kv::memory()), ("disk", Kv::open(folder.path(), &KvOptions::default()).unwrap())]
    {
        let space = kv.space("table").unwrap();
        for (persist, count) in
            [(Persist::None, 100_000u64), (Persist::Buffer, 100_000), (Persist::Sync, 1_000)]
        {
            timed(&format!("{medium}: {count} commits, {persist:?}"), || {
                for n in 0..count {
                    let mut batch = kv.batch();
                    batch.put(&space, n.to_be_bytes(), vec![7; 250]);
                    kv.commit(batch, persist).unwrap();
                }
            });
        }
        timed(&format!("{medium}: 100000 gets"), || {
            (0..100_000u64).for_each(|n| assert!(kv.get(&space, &n.to_be_bytes()).unwrap().is_some()));
        });
        timed(&format!("{medium}: 100000 snapshots, each with a range of ten"), || {
            for n in 0..100_000u64 {
                let start = n.to_be_bytes();
                let range = kv.snapshot().range(
                    &space,
                    (std::ops::Bound::Included(&start), Unbounded),
                    Direction::Forward,
                );
                range.take(10).for_each(|entry| drop(entry.unwrap()));
            }
        });
    }
}
