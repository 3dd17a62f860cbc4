//! Requests whose attempt went silent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use idempotent::{Claim, Completion, Orphans, Recovery};
use tabletheory::testing::Trouble;
use tabletheory_core::Value;

use crate::world::{World, answer, granted, intent, is_running, replayed};

/// A world with an orphan in it.
async fn orphaned() -> World {
    let world = World::new().await;
    let silent = granted(world.requests.claim(&intent("k", "a")).await.expect("it works"));
    assert_eq!(silent.number(), 1);
    world.pass(59);
    is_running(world.other().claim(&intent("k", "a")).await.expect("it works"));
    // The lock of a minute, and the two seconds for clocks and texts.
    world.pass(3);
    world
}

#[tokio::test(start_paused = true)]
async fn an_orphan_is_done_again_by_one() {
    let world = orphaned().await;
    assert_eq!(granted(world.other().claim(&intent("k", "a")).await.unwrap()).number(), 2);
    is_running(world.other().claim(&intent("k", "a")).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn an_orphan_that_is_refused_stays_one_until_its_record_is_over() {
    let world = orphaned().await;
    let refusing = world.other().with_orphans(Orphans::Refuse);
    for _ in 0..3 {
        let claim = refusing.claim(&intent("k", "a")).await.unwrap();
        assert!(matches!(claim, Claim::Orphaned { attempt: 1 }), "{claim:?}");
        world.pass(1000);
    }
    world.pass(86_400);
    let _ = granted(refusing.claim(&intent("k", "a")).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn an_orphan_that_was_done_is_answered_with_what_is_found_out() {
    let world = orphaned().await;
    let asked = Arc::new(AtomicUsize::new(0));
    let recovering = {
        let asked = Arc::clone(&asked);
        world.other().with_orphans(Orphans::recover(move |orphan| {
            assert_eq!(orphan.attempt, 1);
            asked.fetch_add(1, Ordering::SeqCst);
            std::future::ready(Recovery::Done(answer("found")))
        }))
    };
    // The take-over is recognised though its answer is lost, and the question is asked all the same.
    world.store.trouble("UpdateItem", Trouble::Slow(Duration::ZERO));
    world.store.trouble("UpdateItem", Trouble::LostAnswer);
    assert_eq!(replayed(recovering.claim(&intent("k", "a")).await.unwrap()).response, answer("found"));
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, answer("found"));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn an_orphan_that_was_not_done_is_done_now() {
    let world = orphaned().await;
    let recovering = world.other().with_orphans(Orphans::recover(|_| std::future::ready(Recovery::NotDone)));
    let attempt = granted(recovering.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("now")).await.unwrap(), Completion::Completed);
}

#[tokio::test(start_paused = true)]
async fn of_an_orphan_that_nobody_knows_the_next_asks_again() {
    let world = orphaned().await;
    let unknowing = world.other().with_orphans(Orphans::recover(|_| std::future::ready(Recovery::Unknown)));
    for attempt in 1..4 {
        let claim = unknowing.claim(&intent("k", "a")).await.unwrap();
        assert!(matches!(claim, Claim::Orphaned { attempt: silent } if silent == attempt), "{claim:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_asks_about_an_orphan_at_a_time_however_long_it_takes() {
    let world = orphaned().await;
    let asking = Arc::new(AtomicUsize::new(0));
    let recovering = {
        let asking = Arc::clone(&asking);
        world.other().with_orphans(Orphans::recover(move |_| {
            let asking = Arc::clone(&asking);
            async move {
                assert_eq!(asking.fetch_add(1, Ordering::SeqCst), 0, "another asks");
                tokio::time::sleep(Duration::from_secs(10)).await;
                asking.fetch_sub(1, Ordering::SeqCst);
                Recovery::Done(answer("found"))
            }
        }))
    };
    let intent = intent("k", "a");
    let (first, second) = tokio::join!(recovering.claim(&intent), async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        recovering.claim(&intent).await
    });
    assert_eq!(replayed(first.unwrap()).response, answer("found"));
    is_running(second.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_lock_in_another_zone_is_a_moment_and_no_text() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.number(), 1);
    // 2024-01-01T00:01:00Z, as a service in New York writes it. As a text it was over long ago.
    world.tamper(|record| drop(record.insert("LockedUntil", "2023-12-31T19:01:00-05:00"))).await;
    is_running(world.other().claim(&intent("k", "a")).await.unwrap());
    world.pass(62);
    assert_eq!(granted(world.other().claim(&intent("k", "a")).await.unwrap()).number(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_another_service_left_without_a_lock_is_nobodys() {
    let world = World::new().await;
    let _ = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world
        .tamper(|record| {
            record.insert("Status", "PENDING");
            record.remove("LockedUntil");
            record.remove("LockToken");
            record.remove("Attempt");
        })
        .await;
    assert!(matches!(
        world.other().with_orphans(Orphans::Refuse).claim(&intent("k", "a")).await.unwrap(),
        Claim::Orphaned { attempt: 0 }
    ));
    let _ = granted(world.other().claim(&intent("k", "a")).await.unwrap());
    assert_eq!(world.record().await.get("Status"), Some(&Value::s("PROCESSING")));
}
