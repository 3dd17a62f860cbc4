//! The guards that can be chosen, each alone.

use tabletheory_core::Seconds;

use super::world::{TERM, World, published};
use crate::meta::{Acquire, Commit, Draft, Guards, LostTo, Purge};

fn version() -> Guards {
    Guards { version: true, ..Guards::default() }
}

fn monotonic() -> Guards {
    Guards { monotonic: true, ..Guards::default() }
}

#[tokio::test]
async fn the_version_guard_lets_the_first_and_the_next_through() {
    let world = World::with(version()).await;
    assert_eq!(world.publish("b/1").await.version, Some(1));
    assert_eq!(world.publish("b/2").await.version, Some(2));
}

#[tokio::test]
async fn the_version_guard_refuses_a_page_that_was_changed_since() {
    let world = World::with(version()).await;
    let first = world.publish("b/1").await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let changed = crate::record::Meta { version: Some(9), ..first };
    world.store.db().put(&changed).await.unwrap();
    let commit = world.meta.commit(&lease, &ground, &world.draft("b/2")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Newer));
}

/// F13: on a missing row `generated_at < :new` is false, and there was never a first publish.
#[tokio::test]
async fn the_monotonic_guard_lets_the_first_through() {
    let world = World::with(monotonic()).await;
    world.publish("b/1").await;
    world.store.advance(Seconds(1));
    world.publish("b/2").await;
}

/// F12: one clock that runs ahead makes lawful publishes fail until time catches up, which is why this guard is off unless
/// it is chosen.
#[tokio::test]
async fn the_monotonic_guard_wedges_after_a_clock_that_runs_ahead() {
    for guards in [monotonic(), Guards::default()] {
        let world = World::with(guards).await;
        let ahead = world.skewed(Seconds(3600));
        let Acquire::Granted(lease) = ahead.try_acquire(&world.page, TERM).await.unwrap() else {
            panic!("nobody has it")
        };
        let ground = ahead.look_again(&lease).await.unwrap().ground;
        let draft = Draft::new("b/1", world.now() + Seconds(3600), Seconds(60));
        published(ahead.commit(&lease, &ground, &draft).await.unwrap());
        let lease = world.acquire().await;
        let ground = world.ground(&lease).await;
        let commit = world.meta.commit(&lease, &ground, &world.draft("b/2")).await.unwrap();
        if !guards.monotonic {
            published(commit);
            continue;
        }
        assert_eq!(commit, Commit::Lost(LostTo::Newer));
        world.meta.release(lease).await.unwrap();
        world.store.advance(Seconds(3601));
        world.publish("b/3").await;
    }
}

/// F3: with whole seconds, the second publish of a second is refused by this guard.
#[tokio::test]
async fn the_monotonic_guard_refuses_two_publishes_in_one_second() {
    let world = World::with(monotonic()).await;
    world.publish("b/1").await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let commit = world.meta.commit(&lease, &ground, &world.draft("b/2")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Newer));
}

#[tokio::test]
async fn every_guard_lets_a_purged_page_be_published_again() {
    for guards in [version(), monotonic(), Guards { expiry: false, ..Guards::default() }] {
        let world = World::with(guards).await;
        world.publish("b/1").await;
        world.meta.invalidate(&world.page, Purge::Stale).await.unwrap();
        world.store.advance(Seconds(1));
        assert_eq!(world.publish("b/2").await.version, Some(3), "{guards:?}");
    }
}

/// F2 and A4: clocks that differ cost renders, never a page.
#[tokio::test]
async fn a_worker_whose_clock_runs_ahead_steals_and_nothing_goes_back() {
    let world = World::new().await;
    let slow = world.acquire().await;
    let ground = world.ground(&slow).await;
    let ahead = world.skewed(Seconds(90));
    let Acquire::Granted(lease) = ahead.try_acquire(&world.page, TERM).await.unwrap() else {
        panic!("by its clock the lease is over")
    };
    let commit = world.meta.commit(&slow, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Lease));
    let ground = ahead.look_again(&lease).await.unwrap().ground;
    published(ahead.commit(&lease, &ground, &world.draft("b/2")).await.unwrap());
}
