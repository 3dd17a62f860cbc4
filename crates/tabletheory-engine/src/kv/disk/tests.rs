//! What readers see of a store on disk, and whom an fsync stops.

use std::io::{Error, ErrorKind};
use std::ops::Bound;

use fjall::AbstractTree as _;

use crate::kv::error::SYNC;
use crate::kv::{Batch, Direction, Kv, KvError, KvOptions, Medium, Persist, Snapshot};

/// One view is held for many commits, and a reader may begin after any of them: here between two that are held.
#[test]
fn what_a_snapshot_sees_survives_later_commits_and_compaction() {
    let folder = tempfile::TempDir::new().unwrap();
    let kv = Kv::open(folder.path(), &KvOptions::default()).unwrap();
    let space = kv.space("space").unwrap();
    let put = |value: u32| {
        let mut batch = Batch::default();
        batch.put(&space, "key", value.to_string().into_bytes());
        kv.commit(&mut batch, Persist::None).unwrap();
    };
    let seen = |snapshot: &Snapshot| {
        let walked = snapshot.range(&space, (Bound::Unbounded, Bound::Unbounded), Direction::Forward);
        let walked: Vec<_> = walked.map(|row| row.unwrap().1).collect();
        assert_eq!(walked, [snapshot.get(&space, b"key").unwrap().unwrap()]);
        String::from_utf8(walked[0].to_vec()).unwrap()
    };
    (0..=300).for_each(put);
    let snapshot = kv.snapshot();
    (301..=1_000).for_each(put);
    space.on_disk().made().rotate_memtable_and_wait().unwrap();
    space.on_disk().made().major_compact().unwrap();
    assert_eq!(seen(&snapshot), "300");
    assert_eq!(seen(&kv.snapshot()), "1000");
}

/// fjall keeps the memtables of every moment since the oldest one that is held, also when they are in files.
#[test]
fn memtables_that_are_written_out_leave_memory() {
    const MIB: u64 = 1024 * 1024;
    let folder = tempfile::TempDir::new().unwrap();
    let options = KvOptions { write_buffer_bytes: 8 * MIB, ..KvOptions::default() };
    let kv = Kv::open(folder.path(), &options).unwrap();
    let space = kv.space("space").unwrap();
    let commit = |n: u8| {
        let mut batch = Batch::default();
        batch.put(&space, [n], vec![n; 1024 * 1024]);
        kv.commit(&mut batch, Persist::None).unwrap();
        space.on_disk().made().tree.version_memtable_size_sum()
    };
    (0..64).map(commit).for_each(drop);
    // fjall's threads may be slower than the commits, and then more waits in memory, for good reason. What is kept for no reason stays.
    let mut later = (64..200).map(|n| {
        #[expect(clippy::disallowed_methods, reason = "nothing tells when fjall's threads are done")]
        std::thread::sleep(std::time::Duration::from_millis(20));
        commit(n)
    });
    assert!(later.any(|kept| kept <= 2 * options.write_buffer_bytes), "it never gets less");
}

#[test]
fn a_commit_does_not_wait_for_an_fsync() {
    let folder = tempfile::TempDir::new().unwrap();
    let kv = Kv::open(folder.path(), &KvOptions::default()).unwrap();
    let Medium::Disk(disk) = &kv.0 else { unreachable!("it was opened in a folder") };
    let space = kv.space("space").unwrap();
    std::thread::scope(|scope| {
        // An fsync that takes as long as we like.
        let slow = disk.trees.journal_sync.hold();
        let persisting = scope.spawn(|| kv.persist());
        for n in 0..100u8 {
            let mut batch = Batch::default();
            batch.put(&space, [n], "value");
            kv.commit(&mut batch, Persist::Buffer).unwrap();
        }
        assert!(!persisting.is_finished(), "the fsync was not waited for");
        drop(slow);
        persisting.join().unwrap().unwrap();
    });
    assert!(kv.get(&space, &[99]).unwrap().is_some());
}

/// Seed 2408423993 of the crash tests: the folder of the tokens could not be synced, and the next attempt succeeded. The disk says of
/// a sync that failed once only.
#[test]
fn after_a_failed_sync_a_space_is_not_tried_again() {
    let device = || Error::from_raw_os_error(5);
    for (action, why, refuses) in [
        ("create a space in", Error::from(ErrorKind::StorageFull), false),
        (SYNC, Error::from(ErrorKind::StorageFull), true),
        // It may have been a sync of fjall's.
        ("create a space in", device(), true),
    ] {
        let folder = tempfile::TempDir::new().unwrap();
        let kv = Kv::open(folder.path(), &KvOptions::default()).unwrap();
        let Medium::Disk(disk) = &kv.0 else { unreachable!("it was opened in a folder") };
        let told = format!("after a failure to {action}: {why}");
        let failed = KvError::io(action, folder.path(), why);
        assert!(matches!(disk.trees.poisoned_if_lasting(failed), KvError::Io { .. }));
        let made = kv.space("space");
        assert_eq!(matches!(made, Err(KvError::Poisoned { .. })), refuses, "{told}");
    }
}
