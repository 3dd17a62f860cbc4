//! What only a folder can do wrong: links, leftovers, files in the way, directories that forbid.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use facetheory::body::{Bodies, BodyError, BodyKey, BodySweep, Stored};
use tabletheory_core::Timestamp;

const ALL_ARE_OLD: Timestamp = Timestamp::from_millis(i64::MAX);

fn key() -> BodyKey {
    BodyKey::new("CACHE#1", "token")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn a_link_is_not_followed_by_reads() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(&outside.path().join("secret"), "secret");
    symlink(outside.path().join("secret"), folder.path().join("file")).unwrap();
    symlink(outside.path(), folder.path().join("directory")).unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();
    for pointer in ["file", "directory/secret", "directory"] {
        assert!(bodies.get(pointer, None).await.unwrap().is_none(), "{pointer}");
    }
}

#[tokio::test]
async fn a_link_is_not_followed_by_puts_or_sweeps() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let key = key();
    let shard = &key.as_str()[..2];
    let there = outside.path().join(&key.as_str()[3..]);
    write(&there, "theirs");
    symlink(outside.path(), folder.path().join(shard)).unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();

    let refused = bodies.put(&key, Bytes::from("ours")).await;
    assert!(matches!(refused, Err(BodyError::Refused { .. })), "{refused:?}");
    assert_eq!(bodies.sweep(ALL_ARE_OLD, &|_| false).await.unwrap(), BodySweep::default());
    assert_eq!(fs::read_to_string(there).unwrap(), "theirs");
}

#[tokio::test]
async fn the_folder_itself_may_be_a_link() {
    let (folder, links) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let link = links.path().join("bodies");
    symlink(folder.path(), &link).unwrap();
    let stored = Bodies::folder(&link).unwrap().put(&key(), Bytes::from("page")).await.unwrap();
    assert!(
        Bodies::folder(folder.path()).unwrap().get(key().as_str(), Some(&stored)).await.unwrap().is_some()
    );
}

#[tokio::test]
async fn a_directory_or_a_pipe_is_no_body() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("a/b")).unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let bodies = Bodies::folder(folder.path()).unwrap();
    for pointer in ["a", "a/b", "pipe", "pipe/x"] {
        assert!(bodies.get(pointer, None).await.unwrap().is_none(), "{pointer}");
    }
    assert_eq!(bodies.sweep(ALL_ARE_OLD, &|_| false).await.unwrap().seen, 0);
}

#[tokio::test]
async fn nothing_but_a_plain_file_is_a_body_also_for_who_knows_its_length() {
    let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for place in [&folder, &outside] {
        write(&place.path().join("body"), "page");
    }
    write(&folder.path().join("body#1"), "page");
    symlink(outside.path().join("body"), folder.path().join("file")).unwrap();
    symlink(outside.path(), folder.path().join("directory")).unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let bodies = Bodies::folder(folder.path()).unwrap();
    let stored = Stored::of(b"page");
    assert!(bodies.get("body", Some(&stored)).await.unwrap().is_some());
    for pointer in ["file", "directory/body", "directory", "pipe", "body#1", "missing"] {
        assert!(bodies.get(pointer, Some(&stored)).await.unwrap().is_none(), "{pointer}");
    }
}

#[tokio::test]
async fn a_folder_is_made_with_its_parents() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a/b/c");
    Bodies::folder(&folder).unwrap().put(&key(), Bytes::from("page")).await.unwrap();
    assert!(folder.join(key().as_str()).is_file());
}

#[test]
fn a_file_in_place_of_the_folder_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("file"), "");
    for path in ["file", "file/below"] {
        let refused = Bodies::folder(folder.path().join(path));
        assert!(matches!(refused, Err(BodyError::NoPlace { .. })), "{refused:?}");
    }
}

#[tokio::test]
async fn a_folder_that_vanished_is_not_made_again_by_a_put() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();
    fs::remove_dir(folder.path()).unwrap();
    let refused = bodies.put(&key(), Bytes::from("page")).await;
    assert!(matches!(refused, Err(BodyError::NoPlace { .. })), "{refused:?}");
    assert!(bodies.get(key().as_str(), None).await.unwrap().is_none());
    assert!(!folder.path().exists());
}

/// Where a body lay when each page had a directory.
fn old_pointer() -> String {
    key().as_str().replace('-', "/")
}

#[tokio::test]
async fn bodies_of_the_time_when_pages_had_directories_are_read_and_swept_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();
    let stored = bodies.put(&key(), Bytes::from("page")).await.unwrap();
    write(&folder.path().join(old_pointer()), "page");
    assert!(bodies.get(&old_pointer(), Some(&stored)).await.unwrap().is_some());
    let swept = bodies.sweep(ALL_ARE_OLD, &|pointer| pointer == key().as_str()).await.unwrap();
    assert_eq!((swept.kept_live, swept.deleted), (1, 1));
    assert!(!folder.path().join(old_pointer()).parent().unwrap().exists());
    assert!(folder.path().join(key().as_str()).is_file());
}

/// A shard is believed to be on the disk once its name was synced, so it must not go and come again.
#[tokio::test]
async fn a_shard_stays_when_its_last_body_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();
    for _ in 0..2 {
        bodies.put(&key(), Bytes::from("page")).await.unwrap();
        assert_eq!(bodies.sweep(ALL_ARE_OLD, &|_| false).await.unwrap().deleted, 1);
        assert!(folder.path().join(&key().as_str()[..2]).is_dir());
    }
}

#[tokio::test]
async fn a_body_is_as_old_as_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();
    bodies.put(&key(), Bytes::from("page")).await.unwrap();
    let file = File::open(folder.path().join(key().as_str())).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000)).unwrap();
    let at = |seconds| Timestamp::from_seconds(seconds);
    assert_eq!(bodies.sweep(at(1_000), &|_| false).await.unwrap().kept_young, 1);
    assert_eq!(bodies.sweep(at(1_001), &|_| false).await.unwrap().deleted, 1);
}

#[tokio::test]
async fn what_a_directory_forbids_is_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let bodies = Bodies::folder(folder.path()).unwrap();
    let forbid = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    forbid(0o555);
    // Whoever runs the tests as root is forbidden nothing.
    let forbidden = fs::create_dir(folder.path().join("probe")).is_err();
    let put = bodies.put(&key(), Bytes::from("page")).await;
    forbid(0o755);
    assert_eq!(matches!(put, Err(BodyError::Refused { .. })), forbidden, "{put:?}");
    assert_eq!(put.is_ok(), !forbidden, "{put:?}");
}
