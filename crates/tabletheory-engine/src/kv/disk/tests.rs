//! What the store does about journals that fjall would keep, or keep locked.

use crate::kv::range::KEY_NEVER_THERE;
use crate::kv::{Batch, Kv, KvOptions, Medium, Persist, SpaceMedium};

/// The journal of this test would never be removed, and neither would any after it.
#[test]
fn a_journal_that_fjall_would_keep_for_ever_is_released() {
    const MIB: u64 = 1024 * 1024;
    let folder = tempfile::TempDir::new().unwrap();
    let options = KvOptions {
        memtable_bytes: 256 * MIB,
        write_buffer_bytes: 1024 * MIB,
        journal_bytes: 1024 * MIB,
        ..KvOptions::default()
    };
    let kv = Kv::open(folder.path(), &options).unwrap();
    let Medium::Disk(disk) = &kv.0 else { unreachable!("it was opened in a folder") };
    let (idle, busy) = (kv.space("idle").unwrap(), kv.space("busy").unwrap());
    let commit = |edit: &dyn Fn(&mut Batch)| {
        let mut batch = kv.batch();
        edit(&mut batch);
        kv.commit(batch, Persist::None).unwrap();
    };
    commit(&|batch| batch.put(&idle, "key", "value"));
    kv.flush().unwrap();
    commit(&|batch| batch.delete(&idle, "key"));
    for n in 0..70u8 {
        commit(&|batch| batch.put(&busy, [n], vec![n; 1024 * 1024]));
    }
    let keyspace = {
        let SpaceMedium::Disk(space) = &idle.0 else { unreachable!("it was opened in a folder") };
        space.keyspace()
    };
    keyspace.rotate_memtable_and_wait().unwrap();
    keyspace.major_compact().unwrap();
    kv.flush().unwrap();
    assert_eq!(disk.database.journal_count(), 2, "fjall removes this journal by itself now");
    disk.release_journals(&disk.spaces.keyspaces()).unwrap();
    kv.flush().unwrap();
    disk.wait_while(|| disk.database.journal_count() > 1).unwrap();
    assert_eq!(kv.get(&idle, KEY_NEVER_THERE).unwrap(), None);
    assert!(kv.get(&busy, &[69]).unwrap().is_some());
}

#[test]
fn a_commit_does_not_wait_for_an_fsync() {
    let folder = tempfile::TempDir::new().unwrap();
    let kv = Kv::open(folder.path(), &KvOptions::default()).unwrap();
    let Medium::Disk(disk) = &kv.0 else { unreachable!("it was opened in a folder") };
    let space = kv.space("space").unwrap();
    std::thread::scope(|scope| {
        // An fsync that takes as long as we like.
        let slow = disk.journal_sync.hold();
        let persisting = scope.spawn(|| kv.persist());
        for n in 0..100u8 {
            let mut batch = kv.batch();
            batch.put(&space, [n], "value");
            kv.commit(batch, Persist::Buffer).unwrap();
        }
        assert!(!persisting.is_finished(), "the fsync was not waited for");
        drop(slow);
        persisting.join().unwrap().unwrap();
    });
    assert!(kv.get(&space, &[99]).unwrap().is_some());
}
