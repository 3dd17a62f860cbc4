//! A put that is stopped at each of its steps: afterwards there is nothing or the whole body, and the next put succeeds.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use facetheory::body::{Bodies, BodyError, BodyKey, BodySweep, Stored};
use tabletheory_core::Timestamp;

const ALL_ARE_OLD: Timestamp = Timestamp::from_millis(i64::MAX);

fn key() -> BodyKey {
    BodyKey::new("CACHE#1", "token")
}

fn page() -> Bytes {
    Bytes::from("<p>".repeat(5_000))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path())
            } else {
                found.push(entry.path())
            }
        }
    }
    found
}

/// Something lies where a step of the put would go; with it out of the way the put succeeds.
async fn check_blocked(expected: fn(&BodyError) -> bool, block: impl Fn(&Path), unblock: impl Fn(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();
    block(folder.path());
    let before = files(folder.path());
    let refused = bodies.put(&key(), page()).await.unwrap_err();
    assert!(expected(&refused), "{refused:?}");
    assert!(bodies.get(key().as_str(), None).await.unwrap().is_none());
    assert!(bodies.cached(key().as_str(), None).is_none(), "what was not stored is not in memory either");
    assert_eq!(files(folder.path()), before, "nothing is left behind");

    unblock(folder.path());
    let stored = bodies.put(&key(), page()).await.unwrap();
    let again = Bodies::folder(folder.path()).unwrap();
    assert!(again.get(key().as_str(), Some(&stored)).await.unwrap().is_some());
}

#[tokio::test]
async fn a_put_that_cannot_make_its_directories_leaves_nothing() {
    let no_place = |error: &BodyError| matches!(error, BodyError::NoPlace { .. });
    let shard = |folder: &Path| folder.join(&key().as_str()[..2]);
    let block = |folder: &Path| fs::write(shard(folder), "in the way").unwrap();
    check_blocked(no_place, block, |folder| fs::remove_file(shard(folder)).unwrap()).await;
}

#[tokio::test]
async fn a_put_that_cannot_rename_its_file_leaves_nothing() {
    let unavailable = |error: &BodyError| matches!(error, BodyError::Unavailable { .. });
    let path = |folder: &Path| folder.join(key().as_str());
    let block = |folder: &Path| fs::create_dir_all(path(folder).join("in the way")).unwrap();
    check_blocked(unavailable, block, |folder| fs::remove_dir_all(path(folder)).unwrap()).await;
}

/// A process was killed while it wrote: `len` bytes of its temporary file are there.
async fn check_killed_while_writing(len: usize) {
    let folder = tempfile::tempdir().unwrap();
    let leftover = folder.path().join(format!("{}#1", key().as_str()));
    fs::create_dir_all(leftover.parent().unwrap()).unwrap();
    fs::write(&leftover, &page()[..len]).unwrap();

    let bodies = Bodies::folder(folder.path()).unwrap();
    let expected = Stored::of(&page());
    assert!(bodies.get(key().as_str(), Some(&expected)).await.unwrap().is_none());
    let named = format!("{}#1", key().as_str());
    assert!(bodies.get(&named, None).await.unwrap().is_none(), "a leftover is never taken for a body");

    let young = bodies.sweep(Timestamp::from_millis(0), &|_| false).await.unwrap();
    assert_eq!(young, BodySweep { seen: 1, kept_young: 1, ..BodySweep::default() });
    bodies.put(&key(), page()).await.unwrap();
    let swept = bodies.sweep(ALL_ARE_OLD, &|pointer| pointer == key().as_str()).await.unwrap();
    let deleted_bytes = len as u64;
    let expected_sweep =
        BodySweep { seen: 2, kept_live: 1, deleted_leftovers: 1, deleted_bytes, ..BodySweep::default() };
    assert_eq!(swept, expected_sweep);
    assert!(!leftover.exists());
    let again = Bodies::folder(folder.path()).unwrap();
    assert!(again.get(key().as_str(), Some(&expected)).await.unwrap().is_some());
}

#[tokio::test]
async fn a_process_killed_while_writing_leaves_no_body() {
    for len in [0, 1, 8_000, page().len()] {
        check_killed_while_writing(len).await;
    }
}

#[tokio::test]
async fn a_file_cut_short_at_any_length_is_a_miss() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Bytes::from("a page of some length");
    let stored = Bodies::folder(folder.path()).unwrap().put(&key(), whole.clone()).await.unwrap();
    let path = folder.path().join(key().as_str());
    for len in 0..whole.len() {
        fs::write(&path, &whole[..len]).unwrap();
        let bodies = Bodies::folder(folder.path()).unwrap();
        assert!(bodies.get(key().as_str(), Some(&stored)).await.unwrap().is_none(), "{len} bytes");
    }
}

#[tokio::test]
async fn a_flipped_bit_anywhere_is_a_miss() {
    let folder = tempfile::tempdir().unwrap();
    let whole = Bytes::from("a page of some length");
    let stored = Bodies::folder(folder.path()).unwrap().put(&key(), whole.clone()).await.unwrap();
    let path = folder.path().join(key().as_str());
    for bit in 0..whole.len() * 8 {
        let mut altered = whole.to_vec();
        altered[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, altered).unwrap();
        let bodies = Bodies::folder(folder.path()).unwrap();
        assert!(bodies.get(key().as_str(), Some(&stored)).await.unwrap().is_none(), "bit {bit}");
    }
}

#[tokio::test]
async fn a_put_nobody_waits_for_leaves_nothing_or_the_whole_body() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20 {
        let bodies = Bodies::folder(folder.path()).unwrap();
        let key = BodyKey::new("CACHE#1", &format!("{number}"));
        // Polled a few times and dropped, as a caller is that gives up.
        let mut put = Box::pin(bodies.put(&key, page()));
        for _ in 0..number % 5 {
            let _ = futures_util::poll!(&mut put);
            tokio::task::yield_now().await;
        }
        drop(put);
        let body = bodies.get(key.as_str(), None).await.unwrap();
        assert!(body.is_none_or(|body| body.bytes() == &page()));
    }
}
