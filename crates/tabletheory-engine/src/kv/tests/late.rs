//! Spaces that are made when somebody needs them.

use std::ops::Bound::Unbounded;

use tempfile::TempDir;

use super::super::{Batch, Direction, KvError, Persist};
use super::{delete, get, keys, on_both_media, open, put};

#[test]
fn a_late_space_is_empty_until_it_is_made() {
    on_both_media(|kv| {
        let (late, table) = (kv.late_space("late"), kv.space("table").unwrap());
        let everything = (Unbounded, Unbounded);
        let before = kv.snapshot();
        delete(kv, &table, "a");
        assert_eq!(get(kv, &late, "a"), None);
        assert!(keys(&before, &late, everything, Direction::Backward).is_empty());
        kv.make(&late).unwrap();
        kv.make(&late).unwrap();
        let mut batch = Batch::default();
        batch.put(&table, "a", "1");
        batch.put(&late, "a", "2");
        batch.put(&kv.late_space("late"), "b", "3");
        kv.commit(&mut batch, Persist::Sync).unwrap();
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
fn a_late_space_has_no_files_until_it_is_made() {
    let folder = TempDir::new().unwrap();
    for round in ["first", "second"] {
        let kv = open(&folder);
        assert!(kv.space_names().is_empty());
        assert_eq!(get(&kv, &kv.late_space("late"), "a"), None, "{round}");
    }
    let kv = open(&folder);
    kv.make(&kv.late_space("late")).unwrap();
    put(&kv, &kv.late_space("late"), "a", "1");
    assert_eq!(kv.space_names(), ["late"]);
    drop(kv);
    let kv = open(&folder);
    assert_eq!(kv.space_names(), ["late"]);
    assert_eq!(get(&kv, &kv.late_space("late"), "a").as_deref(), Some("1"));
}

/// Whoever needs the space hears of it, everybody else goes on, and the next one finds it as if nothing had been.
#[test]
fn a_late_space_that_cannot_be_made_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let kv = open(&folder);
    let (table, late) = (kv.space("table").unwrap(), kv.late_space("late"));
    let (trees, away) = (folder.path().join("keyspaces"), folder.path().join("away"));
    std::fs::rename(&trees, &away).unwrap();
    std::fs::write(&trees, "no folder").unwrap();
    assert!(matches!(kv.make(&late), Err(KvError::Io { .. })));
    put(&kv, &table, "a", "1");
    assert_eq!(get(&kv, &late, "a"), None);
    std::fs::remove_file(&trees).unwrap();
    std::fs::rename(&away, &trees).unwrap();
    kv.make(&late).unwrap();
    put(&kv, &late, "a", "2");
    drop((kv, table, late));
    let kv = open(&folder);
    for (name, value) in [("late", "2"), ("table", "1")] {
        assert_eq!(get(&kv, &kv.late_space(name), "a").as_deref(), Some(value));
    }
}

#[test]
fn a_late_space_that_was_deleted_is_not_made() {
    on_both_media(|kv| {
        let late = kv.late_space("late");
        kv.delete_space(late.clone()).unwrap();
        assert!(matches!(kv.make(&late), Err(KvError::SpaceDeleted { name }) if name == "late"));
        assert!(kv.space_names().is_empty());
        kv.make(&kv.late_space("late")).unwrap();
        put(kv, &kv.late_space("late"), "a", "1");
        assert_eq!(kv.space_names(), ["late"]);
    });
}
