//! Leases: when they are granted, how long they hold, and how they end.

use std::time::Duration;

use tabletheory::testing::Trouble;
use tabletheory_core::{Seconds, StoreError, Timestamp};
use tokio::time::Instant;

use super::world::{TERM, World};
use crate::meta::{Acquire, Refresh, Release};

#[tokio::test]
async fn of_many_at_once_one_is_granted() {
    let world = World::new().await;
    let attempts = (0..16).map(|_| world.meta.try_acquire(&world.page, TERM));
    let answers = futures_util::future::join_all(attempts).await;
    let granted = answers.into_iter().filter(|answer| matches!(answer, Ok(Acquire::Granted(_)))).count();
    assert_eq!(granted, 1);
}

/// F3 and G17e: whole seconds, rounded down on both sides, made a lease shorter than asked for, and one of less than a second
/// was born expired.
#[tokio::test]
async fn a_lease_of_n_seconds_holds_at_least_n_seconds() {
    for (millis, term) in [(0, 1), (1, 1), (999, 1), (500, 30), (0, 0), (999, -7)] {
        let world = World::new().await;
        let begin = Timestamp::from_millis(world.now().millis() + millis);
        world.store.clock().set(begin);
        let Acquire::Granted(lease) = world.meta.try_acquire(&world.page, Seconds(term)).await.unwrap()
        else {
            panic!("nobody has it")
        };
        let whole = begin + Seconds(term.max(1));
        world.store.clock().set(Timestamp::from_millis(whole.millis() - 1));
        let held = world.meta.try_acquire(&world.page, TERM).await.unwrap();
        assert!(matches!(held, Acquire::Held { .. }), "{millis} ms, {term} s: {held:?}");
        // The second in which it ends is free, by everyone's rule.
        world.store.clock().set(lease.expires_at());
        let free = world.meta.try_acquire(&world.page, TERM).await.unwrap();
        assert!(matches!(free, Acquire::Granted(_)), "{millis} ms, {term} s: {free:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_processs_own_clock_counts_from_before_the_request() {
    let world = World::new().await;
    world.trouble("UpdateItem", Trouble::Slow(Duration::from_secs(7)));
    let asked = Instant::now();
    let lease = world.acquire().await;
    assert_eq!(lease.ends(), asked + Duration::from_secs(30));
}

#[tokio::test]
async fn a_lease_that_is_over_is_taken_by_the_next() {
    let world = World::new().await;
    let mut first = world.acquire().await;
    world.store.advance(TERM);
    let second = world.acquire().await;
    assert_ne!(first.token(), second.token());
    assert_eq!(world.meta.refresh(&mut first, TERM).await.unwrap(), Refresh::Lost);
    assert_eq!(world.meta.release(first).await.unwrap(), Release::NotOurs);
    assert_eq!(world.lock().await.unwrap().lease_token, second.token());
}

/// F39: whoever nobody has taken the lease from may have it longer, though its time was over.
#[tokio::test]
async fn a_lease_that_is_over_is_made_longer_if_nobody_took_it() {
    let world = World::new().await;
    let mut lease = world.acquire().await;
    world.store.advance(Seconds(45));
    assert_eq!(world.meta.refresh(&mut lease, TERM).await.unwrap(), Refresh::Extended);
    assert_eq!(lease.expires_at(), world.now() + TERM);
    assert!(matches!(world.meta.try_acquire(&world.page, TERM).await.unwrap(), Acquire::Held { .. }));
}

#[tokio::test]
async fn a_refresh_never_makes_a_lease_shorter() {
    let world = World::new().await;
    let mut lease = world.acquire().await;
    let before = lease.expires_at();
    assert_eq!(world.meta.refresh(&mut lease, Seconds(5)).await.unwrap(), Refresh::Extended);
    assert_eq!(lease.expires_at(), before);
    assert_eq!(world.lock().await.unwrap().lease_expires_at, before.seconds());
}

#[tokio::test]
async fn a_purge_takes_the_lease() {
    let world = World::new().await;
    let mut lease = world.acquire().await;
    world.meta.invalidate(&world.page, crate::meta::Purge::Stale).await.unwrap();
    assert!(!world.second_look(&lease).await.still_ours);
    assert_eq!(world.meta.refresh(&mut lease, TERM).await.unwrap(), Refresh::Lost);
    assert_eq!(world.meta.release(lease).await.unwrap(), Release::NotOurs);
}

/// F36 and G13: a failed render freed the lock, and the next request rendered at once.
#[tokio::test]
async fn a_failure_asks_for_patience_and_is_counted() {
    let world = World::new().await;
    let next = world.now() + Seconds(10);
    let lease = world.acquire().await;
    assert_eq!(lease.failures(), 0);
    assert_eq!(world.meta.fail(lease, next, "origin").await.unwrap(), Release::Released);
    let refused = world.meta.try_acquire(&world.page, TERM).await.unwrap();
    assert!(matches!(refused, Acquire::NotYet { at } if at == next), "{refused:?}");
    world.store.advance(Seconds(10));
    let lease = world.acquire().await;
    assert_eq!(lease.failures(), 1);
    assert_eq!(world.second_look(&lease).await.failures, 1);
    world.meta.fail(lease, world.now(), "origin").await.unwrap();
    assert_eq!(world.acquire().await.failures(), 2);
}

#[tokio::test]
async fn a_success_forgets_the_failures() {
    let world = World::new().await;
    let lease = world.acquire().await;
    world.meta.fail(lease, world.now(), "origin").await.unwrap();
    world.publish("b/1").await;
    assert_eq!(world.acquire().await.failures(), 0);
}

#[tokio::test]
async fn a_failure_after_the_lease_was_lost_changes_nothing() {
    let world = World::new().await;
    let first = world.acquire().await;
    world.store.advance(TERM);
    let second = world.acquire().await;
    let late = world.meta.fail(first, world.now() + Seconds(1000), "origin").await.unwrap();
    assert_eq!(late, Release::NotOurs);
    let lock = world.lock().await.unwrap();
    assert_eq!((lock.lease_token.as_str(), lock.next_attempt_ms), (second.token(), None));
}

/// G17d: a conflict or throttling was told as a lost lease.
#[tokio::test(start_paused = true)]
async fn a_busy_store_is_waited_out() {
    let world = World::new().await;
    for trouble in [Trouble::Throttled, Trouble::Conflict, Trouble::NotReached] {
        world.trouble("UpdateItem", trouble.clone());
        let mut lease = world.acquire().await;
        world.trouble("UpdateItem", trouble.clone());
        assert_eq!(world.meta.refresh(&mut lease, TERM).await.unwrap(), Refresh::Extended);
        world.trouble("DeleteItem", trouble);
        assert_eq!(world.meta.release(lease).await.unwrap(), Release::Released);
    }
    let error = {
        world.trouble("UpdateItem", Trouble::Throttled);
        world.impatient().try_acquire(&world.page, TERM).await.unwrap_err()
    };
    assert!(matches!(&error, crate::Error::Table(error) if error.is_throttled()), "{error:?}");
}

#[tokio::test]
async fn an_error_that_is_none_of_these_is_told() {
    let world = World::new().await;
    let denied = || Trouble::Refused(StoreError::AccessDenied("no".to_owned()));
    world.trouble("UpdateItem", denied());
    assert!(world.meta.try_acquire(&world.page, TERM).await.is_err());
    let lease = world.acquire().await;
    world.trouble("TransactWriteItems", denied());
    assert!(world.meta.fail(lease, world.now(), "origin").await.is_err());
}

#[tokio::test]
async fn a_lease_does_not_show_its_token() {
    let world = World::new().await;
    let lease = world.acquire().await;
    assert!(!format!("{lease:?}").contains(lease.token()));
    let look = world.meta.watch(&world.page).await.unwrap();
    assert_eq!(look.lock.as_ref().map(|lock| lock.lease_token.as_str()), Some(lease.token()));
    assert!(!format!("{look:?}").contains(lease.token()));
}

#[tokio::test]
async fn waiters_see_page_lease_and_journal_in_one_call() {
    let world = World::new().await;
    world.publish("b/1").await;
    let lease = world.acquire().await;
    world.calls();
    let look = world.meta.watch(&world.page).await.unwrap();
    assert_eq!(world.calls(), 1);
    assert!(look.meta.is_some() && look.journal.is_none() && !look.malformed);
    assert!(look.lock.unwrap().is_held(lease.expires_at().seconds() - 1));
}

#[tokio::test(start_paused = true)]
async fn keys_that_a_store_leaves_are_asked_for_again() {
    let world = World::new().await;
    world.publish("b/1").await;
    world.calls();
    world.trouble("BatchGetItem", Trouble::Unprocessed(1));
    world.trouble("BatchGetItem", Trouble::Throttled);
    assert!(world.meta.get(&world.page).await.unwrap().meta.is_some());
    assert_eq!(world.calls(), 3);
    (0..5).for_each(|_| world.trouble("BatchGetItem", Trouble::Unprocessed(2)));
    assert!(world.meta.get(&world.page).await.is_err(), "it is not asked for ever");
}
