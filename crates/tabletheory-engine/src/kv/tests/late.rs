//! Spaces that are made with their first write.

use std::ops::Bound::Unbounded;

use tempfile::TempDir;

use super::super::{Direction, KvError, Persist};
use super::{delete, get, keys, on_both_media, open, put};

#[test]
fn a_late_space_is_empty_until_it_is_written() {
    on_both_media(|kv| {
        let (late, table) = (kv.late_space("late"), kv.space("table").unwrap());
        let everything = (Unbounded, Unbounded);
        let before = kv.snapshot();
        delete(kv, &table, "a");
        assert_eq!(get(kv, &late, "a"), None);
        assert!(keys(&before, &late, everything, Direction::Backward).is_empty());
        let mut batch = kv.batch();
        batch.put(&table, "a", "1");
        batch.put(&late, "a", "2");
        batch.put(&kv.late_space("late"), "b", "3");
        kv.commit(batch, Persist::Sync).unwrap();
        assert_eq!(get(kv, &table, "a").as_deref(), Some("1"));
        assert_eq!(get(kv, &late, "a").as_deref(), Some("2"));
        assert_eq!(
            keys(&kv.snapshot(), &kv.space("late").unwrap(), everything, Direction::Forward),
            ["a", "b"]
        );
        assert!(keys(&before, &late, everything, Direction::Forward).is_empty(), "it is older");
        assert_eq!(before.get(&late, b"a").unwrap(), None);
        kv.delete_space(kv.late_space("never")).unwrap();
        kv.delete_space(late).unwrap();
        assert_eq!(kv.space_names(), ["table"]);
        assert_eq!(get(kv, &kv.late_space("late"), "a"), None);
    });
}

#[test]
fn a_late_space_has_no_files_before_its_first_write() {
    let folder = TempDir::new().unwrap();
    for round in ["first", "second"] {
        let kv = open(&folder);
        assert!(kv.space_names().is_empty());
        assert_eq!(get(&kv, &kv.late_space("late"), "a"), None, "{round}");
    }
    let kv = open(&folder);
    put(&kv, &kv.late_space("late"), "a", "1");
    assert_eq!(kv.space_names(), ["late"]);
    drop(kv);
    let kv = open(&folder);
    assert_eq!(kv.space_names(), ["late"]);
    assert_eq!(get(&kv, &kv.late_space("late"), "a").as_deref(), Some("1"));
}

/// The batch that would have made the space is refused as a whole, and the same batch works once there is a place for it.
#[test]
fn a_late_space_that_cannot_be_made_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let kv = open(&folder);
    let (table, late) = (kv.space("table").unwrap(), kv.late_space("late"));
    let (trees, away) = (folder.path().join("keyspaces"), folder.path().join("away"));
    let commit = || {
        let mut batch = kv.batch();
        batch.put(&table, "a", "1");
        batch.put(&late, "a", "2");
        kv.commit(batch, Persist::Sync)
    };
    std::fs::rename(&trees, &away).unwrap();
    std::fs::write(&trees, "no folder").unwrap();
    assert!(matches!(commit(), Err(KvError::Io { .. })));
    assert_eq!((get(&kv, &table, "a"), get(&kv, &late, "a")), (None, None));
    std::fs::remove_file(&trees).unwrap();
    std::fs::rename(&away, &trees).unwrap();
    commit().unwrap();
    drop((kv, table, late));
    let kv = open(&folder);
    for (name, value) in [("late", "2"), ("table", "1")] {
        assert_eq!(get(&kv, &kv.late_space(name), "a").as_deref(), Some(value));
    }
}
