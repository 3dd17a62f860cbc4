//! What leaves memory, what leaves the disk, and who is told when a thread of the store cannot go on.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::kv::disk::Disk;
use crate::kv::{Batch, Kv, Medium, Persist, Space};

const MIB: usize = 1024 * 1024;

fn open(folder: &TempDir, options: &KvOptions) -> (Kv, Arc<Disk>) {
    let kv = Kv::open(folder.path(), options).unwrap();
    let Medium::Disk(disk) = &kv.0 else { unreachable!("it was opened in a folder") };
    let disk = Arc::clone(disk);
    (kv, disk)
}

fn commit(kv: &Kv, edit: impl FnOnce(&mut Batch)) -> Result<(), KvError> {
    let mut batch = Batch::default();
    edit(&mut batch);
    kv.commit(&mut batch, Persist::None)
}

fn put(kv: &Kv, space: &Space, key: u8, bytes: usize) -> Result<(), KvError> {
    commit(kv, |batch| batch.put(space, [key], vec![key; bytes]))
}

/// Waits for the threads of the store and of fjall, and fails if they do not come to it.
#[expect(clippy::disallowed_methods, reason = "nothing tells when the threads are done")]
fn wait_until(is_done: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if is_done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never comes to that");
}

/// Gives what must not happen some time to happen.
#[expect(clippy::disallowed_methods, reason = "nothing tells that something does not happen")]
fn not_soon() {
    std::thread::sleep(Duration::from_millis(100));
}

/// The journal of this test would never be removed, and neither would any after it.
#[test]
fn a_journal_that_fjall_would_keep_for_ever_is_released() {
    let folder = TempDir::new().unwrap();
    // Nothing is written out for the sake of memory or of journals.
    let options = KvOptions {
        write_buffer_bytes: 1024 * MIB as u64,
        journal_bytes: 1024 * MIB as u64,
        ..KvOptions::default()
    };
    let (kv, disk) = open(&folder, &options);
    let (idle, busy) = (kv.space("idle").unwrap(), kv.space("busy").unwrap());
    put(&kv, &idle, 1, 1).unwrap();
    kv.flush().unwrap();
    commit(&kv, |batch| batch.delete(&idle, [1])).unwrap();
    (0..70).for_each(|n| put(&kv, &busy, n, MIB).unwrap());
    let keyspace = idle.on_disk().made();
    keyspace.rotate_memtable_and_wait().unwrap();
    keyspace.major_compact().unwrap();
    kv.flush().unwrap();
    let journals = || disk.trees.database.journal_count();
    assert_eq!(journals(), 2, "fjall removes this journal by itself now");
    assert!(disk.writeback.rounds.touch().unwrap());
    kv.flush().unwrap();
    wait_until(|| journals() == 1);
    assert_eq!(kv.get(&idle, KEY_NEVER_THERE).unwrap(), None);
    assert!(kv.get(&busy, &[69]).unwrap().is_some());
}

/// Whoever looked at journals that could not be touched looked at nothing else, and writers waited for ever.
#[test]
fn memory_is_made_free_though_journals_cannot_be_touched() {
    let folder = TempDir::new().unwrap();
    let options = KvOptions {
        write_buffer_bytes: 1024 * MIB as u64,
        journal_bytes: 1024 * MIB as u64,
        ..KvOptions::default()
    };
    let (kv, disk) = open(&folder, &options);
    let (idle, busy) = (kv.space("idle").unwrap(), kv.space("busy").unwrap());
    // This journal and every later one is kept, as in the test above.
    put(&kv, &idle, 1, 1).unwrap();
    kv.flush().unwrap();
    commit(&kv, |batch| batch.delete(&idle, [1])).unwrap();
    for _ in 0..2 {
        (0..70).for_each(|n| put(&kv, &busy, n, MIB).unwrap());
        idle.on_disk().made().rotate_memtable_and_wait().unwrap();
        idle.on_disk().made().major_compact().unwrap();
        kv.flush().unwrap();
    }
    assert_eq!(disk.trees.database.journal_count(), 3);
    let rounds = Rounds {
        trees: Arc::clone(&disk.trees),
        buffer_bytes: 4 * MIB as u64,
        journals_max: 0,
        past: Mutex::default(),
    };
    let records = disk.trees.spaces.records();
    let _slow = records.tree.get_flush_lock();
    rounds.say_nothing().unwrap();
    records.tree.rotate_memtable();
    assert!(!rounds.touch().unwrap());
    let due = |rounds: &Rounds| rounds.due(&mut rounds.past.lock()).unwrap();
    assert!(due(&rounds).is_none());
    put(&kv, &busy, 0, 2 * MIB).unwrap();
    let busy = busy.on_disk().made().path();
    assert!(due(&rounds).unwrap().iter().any(|keyspace| keyspace.path() == busy));
}

/// After an opening it has some to write out, and would take along what is not synced yet.
#[test]
fn what_fjall_is_about_to_write_out_is_left_to_it() {
    let folder = TempDir::new().unwrap();
    let (kv, disk) =
        open(&folder, &KvOptions { write_buffer_bytes: 1024 * MIB as u64, ..KvOptions::default() });
    let space = kv.space("space").unwrap();
    let rounds = Rounds {
        trees: Arc::clone(&disk.trees),
        buffer_bytes: 4 * MIB as u64,
        journals_max: 8,
        past: Mutex::default(),
    };
    let due = || rounds.due(&mut rounds.past.lock()).unwrap().map(|keyspaces| keyspaces.len());
    put(&kv, &space, 0, 2 * MIB).unwrap();
    assert_eq!(due(), Some(1));
    space.on_disk().made().tree.rotate_memtable();
    put(&kv, &space, 1, 2 * MIB).unwrap();
    assert_eq!(due(), Some(0));
}

/// A small memtable would hold them back until it is full.
#[test]
fn memtables_are_written_out_for_the_sake_of_journals() {
    let folder = TempDir::new().unwrap();
    let options = KvOptions { journal_bytes: 0, ..KvOptions::default() };
    let (kv, _disk) = open(&folder, &options);
    let (idle, busy) = (kv.space("idle").unwrap(), kv.space("busy").unwrap());
    put(&kv, &idle, 1, 1).unwrap();
    for n in 0..4 * 66 {
        put(&kv, &busy, u8::try_from(n % 251).unwrap(), MIB).unwrap();
    }
    wait_until(|| !folder.path().join("0.jnl").exists());
    assert!(idle.on_disk().made().table_count() > 0);
}

#[test]
fn a_journal_goes_on_to_another_file_though_nothing_is_in_memory() {
    let folder = TempDir::new().unwrap();
    let (kv, disk) = open(&folder, &KvOptions::default());
    // What was written for spaces that are deleted is in the journal only.
    for n in 0..6 {
        let passing = kv.space(&format!("passing {n}")).unwrap();
        (0..20).for_each(|key| put(&kv, &passing, key, MIB).unwrap());
        kv.delete_space(passing).unwrap();
    }
    let lasting = kv.space("lasting").unwrap();
    (0..5).for_each(|key| put(&kv, &lasting, key, MIB).unwrap());
    wait_until(|| folder.path().join("1.jnl").exists());
    assert!(active_bytes(&disk.trees) > 0, "it was not for the sake of memory");
}

#[test]
fn commits_go_on_while_the_journal_is_synced_until_too_much_is_in_memory() {
    let folder = TempDir::new().unwrap();
    let options = KvOptions { write_buffer_bytes: 16 * MIB as u64, ..KvOptions::default() };
    let (kv, disk) = open(&folder, &options);
    let space = kv.space("space").unwrap();
    std::thread::scope(|scope| {
        // An fsync that takes as long as we like.
        let slow = disk.trees.journal_sync.hold();
        // More than is written out at a time: the thread has sealed what there was before, and syncs.
        (0..7).for_each(|key| put(&kv, &space, key, MIB).unwrap());
        let keyspace = space.on_disk().made();
        wait_until(|| keyspace.sealed_memtable_count() == 1);
        (7..11).for_each(|key| put(&kv, &space, key, MIB).unwrap());
        let more = scope.spawn(|| (11..40).for_each(|key| put(&kv, &space, key, MIB).unwrap()));
        wait_until(|| active_bytes(&disk.trees) > options.write_buffer_bytes / 16 * 7);
        not_soon();
        assert!(
            active_bytes(&disk.trees) < options.write_buffer_bytes / 16 * 10,
            "nothing bounds what is in memory"
        );
        assert!(!more.is_finished());
        assert_eq!(keyspace.table_count(), 0, "it was written out before the journal was synced");
        drop(slow);
        more.join().unwrap();
        wait_until(|| keyspace.table_count() > 0);
    });
    for key in 0..40u8 {
        assert_eq!(kv.get(&space, &[key]).unwrap().as_deref(), Some(&*vec![key; MIB]));
    }
}

/// fjall takes a batch for stored as soon as a file of the space has some of it: what was sealed between two of its writes would be
/// in a file, and a crash would lose the rest.
#[test]
fn nothing_is_sealed_while_somebody_commits() {
    let folder = TempDir::new().unwrap();
    let (kv, disk) = open(&folder, &KvOptions::default());
    let space = kv.space("space").unwrap();
    put(&kv, &space, 1, 1).unwrap();
    let keyspace = space.on_disk().made();
    let before = keyspace.tree.active_memtable().id();
    let rounds = &disk.writeback.rounds;
    std::thread::scope(|scope| {
        let committing = disk.trees.turn.lock();
        let round = scope.spawn(|| rounds.round(&disk.trees.keyspaces(), &mut rounds.past.lock()));
        wait_until(|| rounds.past.is_locked());
        not_soon();
        assert_eq!(keyspace.tree.active_memtable().id(), before);
        drop(committing);
        round.join().unwrap().unwrap();
    });
    assert_ne!(keyspace.tree.active_memtable().id(), before);
    assert_eq!(keyspace.table_count(), 1);
}

#[test]
fn memtables_are_freed_when_they_are_in_files() {
    let folder = TempDir::new().unwrap();
    let options = KvOptions { write_buffer_bytes: 4 * MIB as u64, ..KvOptions::default() };
    let (kv, disk) = open(&folder, &options);
    let space = kv.space("space").unwrap();
    let tree = &space.on_disk().made().tree;
    let first = Arc::downgrade(&tree.active_memtable());
    (0..40).for_each(|key| put(&kv, &space, key, MIB / 2).unwrap());
    wait_until(|| first.strong_count() == 0 && disk.writeback.rounds.past.lock().memtables.is_empty());
}

/// Each space has its memtable, and many small ones are worth no files.
#[test]
fn the_largest_memtables_are_written_out() {
    let folder = TempDir::new().unwrap();
    let options = KvOptions { write_buffer_bytes: 64 * MIB as u64, ..KvOptions::default() };
    let (kv, disk) = open(&folder, &options);
    let _no_round = disk.writeback.rounds.past.lock();
    let spaces: Vec<Space> = (0..12).map(|n| kv.space(&format!("space {n}")).unwrap()).collect();
    let chosen = || {
        let chosen = disk.writeback.rounds.largest();
        let mut numbers: Vec<usize> = chosen
            .iter()
            .map(|keyspace| {
                let is_its = |space: &Space| space.on_disk().made().path() == keyspace.path();
                spaces.iter().position(is_its).unwrap()
            })
            .collect();
        numbers.sort_unstable();
        numbers
    };
    assert!(chosen().is_empty());
    // One of them has 10 MiB, and the others 1 MiB each: all but that one fit a quarter.
    spaces.iter().for_each(|space| put(&kv, space, 0, MIB).unwrap());
    (1..10).for_each(|key| put(&kv, &spaces[5], key, MIB).unwrap());
    assert_eq!(chosen(), [5]);
    (1..4).for_each(|key| put(&kv, &spaces[2], key, MIB).unwrap());
    assert_eq!(chosen(), [5], "three more fit");
    (4..8).for_each(|key| put(&kv, &spaces[2], key, MIB).unwrap());
    assert_eq!(chosen(), [2, 5]);
}

#[test]
fn what_a_reader_kept_is_let_go_of_when_nobody_writes_any_more() {
    let folder = TempDir::new().unwrap();
    let options = KvOptions { write_buffer_bytes: 4 * MIB as u64, ..KvOptions::default() };
    let (kv, disk) = open(&folder, &options);
    let space = kv.space("space").unwrap();
    let rounds = &disk.writeback.rounds;
    put(&kv, &space, 0, 1).unwrap();
    let first = Arc::downgrade(&space.on_disk().made().tree.active_memtable());
    let reader = kv.snapshot();
    put(&kv, &space, 1, MIB / 2).unwrap();
    rounds.round(&disk.trees.keyspaces(), &mut rounds.past.lock()).unwrap();
    assert_eq!(reader.get(&space, &[1]).unwrap(), None);
    assert!(first.strong_count() > 0, "somebody reads it");
    drop(reader);
    disk.trees.flushing.ring();
    wait_until(|| first.strong_count() == 0);
}

/// A counter, a lease: each version would be written out, and merged away again.
#[test]
fn of_a_row_that_is_written_all_the_time_only_the_last_version_is_written_out() {
    let folder = TempDir::new().unwrap();
    let (kv, disk) = open(&folder, &KvOptions::default());
    let space = kv.space("space").unwrap();
    let (keyspace, rounds) = (space.on_disk().made(), &disk.writeback.rounds);
    for rounds_made in 0..3 {
        (1..=1_000).for_each(|bytes| put(&kv, &space, 1, bytes).unwrap());
        rounds.round(&disk.trees.keyspaces(), &mut rounds.past.lock()).unwrap();
        let versions = keyspace.approximate_len();
        assert!(versions <= 1 + rounds_made, "{versions} versions");
    }
    assert_eq!(kv.get(&space, &[1]).unwrap().unwrap().len(), 1_000);
}

/// A table file that has what the journal has not is taken for a sign that the journal lost something. fjall does not know of a sync
/// of ours that has failed.
#[test]
fn what_fjall_writes_out_for_the_store_is_sealed_when_it_is_in_the_journal() {
    let folder = TempDir::new().unwrap();
    let (kv, disk) = open(&folder, &KvOptions::default());
    let space = kv.space("space").unwrap();
    put(&kv, &space, 1, 1).unwrap();
    let rounds = &disk.writeback.rounds;
    wait_until(|| !rounds.is_letting_go());
    let records = disk.trees.spaces.records();
    let (said, tables) = (records.tree.active_memtable().len(), records.table_count());
    std::thread::scope(|scope| {
        // An fsync that takes as long as we like.
        let slow = disk.trees.journal_sync.hold();
        let letting_go = scope.spawn(|| rounds.let_go(|| rounds.say_nothing()));
        wait_until(|| records.tree.active_memtable().len() > said);
        not_soon();
        assert!(!rounds.is_letting_go() && records.table_count() == tables, "it is on its way to a file");
        drop(slow);
        letting_go.join().unwrap().unwrap();
    });
    wait_until(|| records.table_count() != tables);
}

/// It was forgotten, and its files stayed until something else was written.
#[test]
fn what_is_merged_while_something_is_let_go_of_has_its_turn_later() {
    let folder = TempDir::new().unwrap();
    let (_kv, disk) = open(&folder, &KvOptions::default());
    let rounds = &disk.writeback.rounds;
    let _nobody_else = rounds.past.lock();
    wait_until(|| !rounds.is_letting_go());
    let merge = || disk.trees.merged.lock().push(Box::new("what was there before"));
    merge();
    rounds
        .let_go(|| {
            merge();
            rounds.say_nothing()
        })
        .unwrap();
    assert_eq!(disk.trees.merged.lock().len(), 1);
}

#[test]
fn files_are_merged_until_few_are_left_and_those_before_are_removed() {
    let folder = TempDir::new().unwrap();
    let options = KvOptions { write_buffer_bytes: MIB as u64 / 2, ..KvOptions::default() };
    let (kv, _disk) = open(&folder, &options);
    let space = kv.space("space").unwrap();
    let keyspace = space.on_disk().made();
    for n in 0..200 {
        put(&kv, &space, n, MIB / 16).unwrap();
    }
    wait_until(|| keyspace.l0_table_count() < 4);
    kv.flush().unwrap();
    let files = || fs::read_dir(keyspace.path().join("tables")).unwrap().count();
    wait_until(|| {
        // Each round lets go of what was merged before it.
        kv.flush().unwrap();
        keyspace.l0_table_count() < 4 && files() == keyspace.table_count()
    });
    for n in 0..200 {
        assert_eq!(kv.get(&space, &[n]).unwrap().map(|value| value.len()), Some(MIB / 16));
    }
}

#[test]
fn when_a_thread_of_the_store_dies_the_next_commit_is_told() {
    let folder = TempDir::new().unwrap();
    let (kv, disk) = open(&folder, &KvOptions::default());
    let space = kv.space("space").unwrap();
    put(&kv, &space, 1, 1).unwrap();
    let dying =
        Worker::start("unlucky", &disk.trees, |trees| &trees.flushing, |_| panic!("no luck")).unwrap();
    wait_until(|| disk.trees.refuse_if_poisoned().is_err());
    let refused = put(&kv, &space, 2, 1).unwrap_err();
    assert!(
        matches!(&refused, KvError::Poisoned { cause } if cause.contains("unlucky") && cause.contains("no luck"))
    );
    drop(dying);
    assert!(kv.get(&space, &[1]).unwrap().is_some(), "reads go on");
    assert_eq!(kv.get(&space, &[2]).unwrap(), None);
}
