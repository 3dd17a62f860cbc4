//! A writer that meets work with broken invariants, and a disk that is slow or fails.

use std::sync::Arc;

use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Response, StoreError};
use tempfile::TempDir;

use super::{Answer, Work, Writer, wait};
use crate::cache::RowCache;
use crate::catalog;
use crate::ground::{Ground, SystemSpaces};
use crate::kv::{Kv, KvError, KvOptions, Persist};

fn writer(persist: Persist) -> (Writer, TempDir) {
    let folder = TempDir::new().unwrap();
    let kv = Kv::open(folder.path(), &KvOptions::default()).unwrap();
    let spaces = SystemSpaces::of(&kv);
    kv.make(&spaces.tokens).unwrap();
    let catalog = catalog::recover(&kv, &spaces.catalog).unwrap();
    let ground = Ground { kv, spaces, cache: Some(RowCache::new(1024)) };
    (Writer::new(ground, Arc::new(SystemClock), persist, catalog, 0), folder)
}

fn done() -> Result<Response, StoreError> {
    Ok(Response::TagResource(Box::default()))
}

/// Work that notes a token.
fn note(token: &'static str) -> Box<dyn Work> {
    Box::new(move |group| {
        group.apply(|group| {
            group.note_token(token.into(), vec![1]);
            done()
        })
    })
}

fn panic_while_evaluating() -> Box<dyn Work> {
    Box::new(|_| panic!("found nonsense"))
}

fn panic_while_applying(token: &'static str) -> Box<dyn Work> {
    Box::new(move |group| {
        group.apply(|group| {
            group.note_token(token.into(), vec![1]);
            panic!("found nonsense")
        })
    })
}

fn is_noted(writer: &Writer, token: &str) -> bool {
    writer.ground.kv.get(&writer.ground.spaces.tokens, token.as_bytes()).unwrap().is_some()
}

/// Has all of the work done, as one group if it can be one.
fn run(writer: &Writer, works: Vec<Box<dyn Work>>) -> Vec<Result<Response, StoreError>> {
    let answers: Vec<Answer> = works.into_iter().map(|work| writer.submit(work)).collect();
    writer.close();
    writer.run();
    let answer = |answer| match answer {
        Answer::Now(answer) => answer,
        Answer::Later(receiver) => wait(receiver),
    };
    answers.into_iter().map(answer).collect()
}

fn check_panicked(answer: &Result<Response, StoreError>) {
    let Err(StoreError::Internal(message)) = answer else { panic!("{answer:?}") };
    assert!(message.ends_with("a write panicked: found nonsense"), "{message}");
}

#[test]
fn a_panic_before_anything_is_changed_is_one_callers_failure() {
    let (writer, _folder) = writer(Persist::Sync);
    let answers = run(&writer, vec![note("before"), panic_while_evaluating(), note("after")]);
    assert!(answers[0].is_ok() && answers[2].is_ok(), "{answers:?}");
    check_panicked(&answers[1]);
    assert!(is_noted(&writer, "before") && is_noted(&writer, "after"));
}

#[test]
fn a_panic_among_changes_gives_up_its_group_and_no_other() {
    let (writer, _folder) = writer(Persist::Sync);
    let answers = run(&writer, vec![note("before"), panic_while_applying("half"), note("after")]);
    check_panicked(&answers[0]);
    check_panicked(&answers[1]);
    assert!(answers[2].is_ok(), "{answers:?}");
    assert!(!is_noted(&writer, "before") && !is_noted(&writer, "half") && is_noted(&writer, "after"));
}

#[test]
fn a_panic_on_the_callers_thread_is_the_callers_failure() {
    for persist in [Persist::Buffer, Persist::None] {
        let (writer, _folder) = writer(persist);
        let works = vec![panic_while_evaluating(), panic_while_applying("half"), note("after")];
        let answers = run(&writer, works);
        check_panicked(&answers[0]);
        check_panicked(&answers[1]);
        assert!(answers[2].is_ok(), "{answers:?}");
        assert!(!is_noted(&writer, "half") && is_noted(&writer, "after"));
    }
}

#[test]
fn a_panic_among_the_steps_of_a_commit_ends_all_writes() {
    let (writer, _folder) = writer(Persist::Buffer);
    // A group that the storage failed must not be committed, and says so when it is.
    let hide_failure: Box<dyn Work> = Box::new(|group| {
        group.give_up(StoreError::Internal("the disk is gone".to_owned()));
        done()
    });
    let answers = run(&writer, vec![hide_failure, note("after")]);
    let Err(StoreError::Internal(message)) = &answers[0] else { panic!("{answers:?}") };
    assert!(message.contains("a write panicked: a group that the storage failed is given up"), "{message}");
    let Err(StoreError::Internal(message)) = &answers[1] else { panic!("{answers:?}") };
    assert!(message.contains("accepts no writes since one failed"), "{message}");
    assert!(!is_noted(&writer, "after"));
}

fn failed_sync() -> KvError {
    let source = std::io::Error::other("the disk is gone");
    KvError::Io { action: "sync", path: "0.jnl".into(), source }
}

#[test]
fn writes_go_on_while_the_disk_is_waited_for() {
    let (writer, _folder) = writer(Persist::Buffer);
    let persisted = writer.persist_by(|| {
        assert!(!writer.state.is_locked(), "a write would wait for the disk");
        let Answer::Now(Ok(_)) = writer.submit(note("meanwhile")) else { panic!("the write is not done") };
        assert!(writer.persist().is_ok(), "another one who waits for the disk is not in the way");
        Ok(())
    });
    assert!(persisted.is_ok() && is_noted(&writer, "meanwhile"), "{persisted:?}");
}

#[test]
fn no_write_is_accepted_after_a_failed_fsync() {
    let (writer, _folder) = writer(Persist::Buffer);
    let message = writer.persist_by(|| Err(failed_sync())).unwrap_err().to_string();
    assert!(message.contains("cannot sync 0.jnl: the disk is gone"), "{message}");
    let Answer::Now(Err(refused)) = writer.submit(note("after")) else { panic!("a write is accepted") };
    let message = refused.to_string();
    assert!(message.contains("accepts no writes since one failed") && message.contains("0.jnl"), "{message}");
    assert!(!is_noted(&writer, "after"));
    assert_eq!(writer.persist(), Err(refused), "nor is a later fsync believed");
}
