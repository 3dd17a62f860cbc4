//! Who gets the lease, and who has it no more: races, expiry, clocks that jump, former holders.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_executor::block_on;
use tabletheory_core::{Seconds, Timestamp};

use super::world::{PAGE, START, World, granted, held_until};
use crate::lease::{Acquire, LeaseManager, Refresh, Release};

#[test]
fn of_many_at_once_exactly_one_is_granted() {
    let world = World::new();
    for round in 0..20 {
        let winners = AtomicUsize::new(0);
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    // The engine itself, without the wrapper: its own writers must decide.
                    let engine = Arc::new(world.store.engine.clone());
                    let leases = LeaseManager::new(engine, "cache").with_clock(world.clock.clone());
                    start.wait();
                    match block_on(leases.try_acquire(format!("PAGE#{round}"), Seconds(30))).unwrap() {
                        Acquire::Granted(_) => winners.fetch_add(1, Ordering::SeqCst),
                        Acquire::HeldUntil(until) => {
                            assert_eq!(until, START + Seconds(30));
                            0
                        }
                    }
                });
            }
        });
        assert_eq!(winners.into_inner(), 1, "round {round}");
    }
}

#[tokio::test]
async fn a_lease_ends_at_the_second_its_row_says() {
    let world = World::new();
    world.clock.set(Timestamp::from_millis(START.millis() + 1));
    let lease = granted(&world.ours, 30).await;
    assert_eq!(lease.expires_at(), START + Seconds(31));
    world.clock.set(Timestamp::from_millis(START.millis() + 30_999));
    assert_eq!(held_until(&world.theirs, 30).await, START + Seconds(31));
    world.clock.set(START + Seconds(31));
    assert_ne!(granted(&world.theirs, 30).await.token(), lease.token());
}

#[tokio::test]
async fn the_shortest_lease_is_not_born_expired() {
    let world = World::new();
    world.clock.set(Timestamp::from_millis(START.millis() + 999));
    let mut lease = granted(&world.ours, 0).await;
    assert_eq!(held_until(&world.theirs, 1).await, START + Seconds(2));
    assert_eq!(lease.refresh(Seconds(1)).await.unwrap(), Refresh::Extended);
}

#[tokio::test]
async fn the_holder_itself_is_not_granted_the_lease_twice() {
    let world = World::new();
    let lease = granted(&world.ours, 30).await;
    assert_eq!(held_until(&world.ours, 60).await, lease.expires_at());
}

#[tokio::test]
async fn a_former_holder_is_refused_and_changes_nothing() {
    let world = World::new();
    let mut former = granted(&world.ours, 30).await;
    world.clock.advance(Seconds(30));
    let current = granted(&world.theirs, 30).await;
    let row = world.row();
    assert_eq!(former.refresh(Seconds(30)).await.unwrap(), Refresh::Lost);
    assert_eq!(former.release().await.unwrap(), Release::NotOurs);
    assert_eq!(world.row(), row);
    assert_eq!(current.release().await.unwrap(), Release::Released);
    assert_eq!(world.row(), None);
}

#[tokio::test]
async fn a_lease_that_ran_out_does_not_come_back_but_can_be_cleared_away() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    world.clock.advance(Seconds(30));
    assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Lost);
    assert_eq!(lease.release().await.unwrap(), Release::Released);
}

#[tokio::test]
async fn a_released_lease_is_free_at_once() {
    let world = World::new();
    let lease = granted(&world.ours, 30).await;
    assert_eq!(lease.release().await.unwrap(), Release::Released);
    assert_eq!(world.row(), None);
    assert_eq!(granted(&world.theirs, 30).await.expires_at(), START + Seconds(30));
}

#[tokio::test]
async fn a_clock_that_jumps_forward_hands_over_and_the_token_still_tells_holders_apart() {
    let world = World::new();
    let mut first = granted(&world.ours, 30).await;
    world.clock.advance(Seconds(3600));
    let second = granted(&world.theirs, 30).await;
    // The clock is set right again: by time alone both would hold now.
    world.clock.advance(Seconds(-3600));
    assert_eq!(first.refresh(Seconds(30)).await.unwrap(), Refresh::Lost);
    assert_eq!(world.holder().as_deref(), Some(second.token()));
}

#[tokio::test]
async fn a_clock_that_jumps_back_takes_nothing_and_shortens_nothing() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    let expires_at = lease.expires_at();
    world.clock.advance(Seconds(-600));
    assert_eq!(held_until(&world.theirs, 30).await, expires_at);
    assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Extended);
    assert_eq!(lease.expires_at(), expires_at);
    assert_eq!(held_until(&world.theirs, 30).await, expires_at);
}

#[tokio::test]
async fn a_shorter_refresh_leaves_the_lease_as_long_as_it_was() {
    let world = World::new();
    let mut lease = granted(&world.ours, 60).await;
    let row = world.row();
    assert_eq!(lease.refresh(Seconds(5)).await.unwrap(), Refresh::Extended);
    assert_eq!(world.row(), row);
    assert_eq!(lease.expires_at(), START + Seconds(60));
}

#[tokio::test]
async fn fences_grow_with_each_grant_across_takeover_and_release() {
    let world = World::new();
    let first = granted(&world.ours, 30).await;
    world.clock.advance(Seconds(30));
    let second = granted(&world.theirs, 30).await;
    assert_eq!(second.fence(), first.fence() + 1);
    let fence = second.fence();
    second.release().await.unwrap();
    let third = granted(&world.ours, 30).await;
    assert!(third.fence() > fence, "{} after {fence}", third.fence());
    // While the row lives, the clock plays no part.
    world.clock.advance(Seconds(3600));
    let fourth = granted(&world.ours, 30).await;
    assert_eq!(fourth.fence(), third.fence() + 1);
}

#[test]
fn what_the_calls_return_can_cross_threads() {
    fn check(_: impl Send) {}
    let world = World::new();
    check(world.ours.try_acquire(PAGE, Seconds(1)));
    check(world.ours.acquire_within(PAGE, Seconds(1), std::time::Duration::ZERO));
    let mut lease = block_on(granted(&world.ours, 30));
    check(lease.refresh(Seconds(1)));
    check(lease.guard(async {}));
}
