//! What operators see of requests, and how they forget one.

use idempotent::{Claim, Forgot, Progress};
use tabletheory_core::{Item, Value};

use crate::world::{World, answer, granted, intent, replayed};

#[tokio::test]
async fn every_request_is_listed_once_without_what_was_asked_and_answered() {
    let world = World::new().await;
    for key in ["k1", "k2", "k3", "k4", "k5"] {
        let attempt = granted(world.requests.claim(&intent(key, "secret question")).await.unwrap());
        let _ = attempt.complete(&answer("secret answer")).await.unwrap();
    }
    let _running = granted(world.requests.claim(&intent("k6", "secret question")).await.unwrap());
    let (mut entries, mut cursor) = (Vec::new(), None);
    loop {
        let page = world.requests.list(2, cursor.as_deref()).await.unwrap();
        entries.extend(page.entries);
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(entries.len(), 6);
    assert_eq!(entries.iter().filter(|entry| entry.progress == Progress::Completed).count(), 5);
    let text = format!("{entries:?}");
    assert!(!text.contains("secret") && !text.contains("k1"), "{text}");
    assert!(entries.iter().all(|entry| entry.tenant.as_deref() == Some("acme") && entry.attempt == 1));
}

#[tokio::test]
async fn a_large_answer_is_forgotten_with_its_request() {
    let world = World::new().await;
    let large = answer(&"a".repeat(100_000));
    let attempt = granted(world.requests.claim(&intent("k", "q")).await.unwrap());
    let _ = attempt.complete(&large).await.unwrap();
    assert_eq!(world.rows().await.len(), 2, "the answer lies beside its record");
    let id = world.requests.list(10, None).await.unwrap().entries[0].id.clone();
    assert_eq!(world.requests.forget(&id, false).await.unwrap(), Forgot::Forgotten);
    assert!(world.rows().await.is_empty());
}

#[tokio::test]
async fn what_is_forgotten_is_done_again_and_what_runs_is_left_alone() {
    let world = World::new().await;
    let asked = intent("k", "q");
    let attempt = granted(world.requests.claim(&asked).await.unwrap());
    let id = world.requests.list(10, None).await.unwrap().entries[0].id.clone();
    assert_eq!(world.requests.forget(&id, false).await.unwrap(), Forgot::Running);
    let _ = attempt.complete(&answer("one")).await.unwrap();
    let _ = replayed(world.requests.claim(&asked).await.unwrap());
    assert_eq!(world.requests.forget(&id, false).await.unwrap(), Forgot::Forgotten);
    assert_eq!(world.requests.forget(&id, false).await.unwrap(), Forgot::NoRecord);
    let claim = world.requests.claim(&asked).await.unwrap();
    assert!(matches!(claim, Claim::Granted(_)), "the process remembers nothing either: {claim:?}");
}

#[tokio::test]
async fn an_attempt_that_is_silent_is_an_orphan_and_may_be_forgotten() {
    let world = World::new().await;
    let _silent = granted(world.requests.claim(&intent("k", "q")).await.unwrap());
    world.pass(120);
    let entry = world.requests.list(10, None).await.unwrap().entries.remove(0);
    assert_eq!(entry.progress, Progress::Orphaned);
    assert_eq!(world.requests.forget(&entry.id, false).await.unwrap(), Forgot::Forgotten);
}

#[tokio::test]
async fn rows_that_are_no_records_are_listed_as_what_they_are() {
    let world = World::new().await;
    let mut row = Item::from([("IdempotencyKey", "strange"), ("SK", "IDEMPOTENCY"), ("Status", "WHO KNOWS")]);
    row.insert("StatusCode", Value::n(99_999));
    world.put(row).await;
    world.put(Item::from([("IdempotencyKey", "strange"), ("SK", "BODY#1")])).await;
    let entries = world.requests.list(10, None).await.unwrap().entries;
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].progress, entries[0].status), (Progress::Unreadable, None));
    assert_eq!(world.requests.forget("strange", false).await.unwrap(), Forgot::Running);
    assert_eq!(world.requests.forget("strange", true).await.unwrap(), Forgot::Forgotten);
    assert_eq!(world.requests.show("").await.unwrap(), None);
    assert_eq!(world.requests.forget("", true).await.unwrap(), Forgot::NoRecord);
}
