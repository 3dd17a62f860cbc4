//! Lost requests, lost answers, and a store that is down: what is reported is what is true, or an error.

use tabletheory_core::{Seconds, StoreError};

use super::world::Fault::{AnswerLost, Down, RequestLost};
use super::world::{PAGE, START, World, granted, held_until};
use crate::lease::{Refresh, Release};

#[tokio::test]
async fn an_acquire_whose_answer_was_lost_recognises_itself() {
    let world = World::new();
    world.store.will([AnswerLost]);
    let mut lease = granted(&world.ours, 30).await;
    assert_eq!(world.holder().as_deref(), Some(lease.token()));
    assert_eq!(world.row().unwrap().get("fence").unwrap().as_n().unwrap().to_u64(), Some(lease.fence()));
    assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Extended);
}

#[tokio::test]
async fn a_request_that_was_lost_is_sent_again() {
    let world = World::new();
    world.store.will([RequestLost]);
    let mut lease = granted(&world.ours, 30).await;
    world.clock.advance(Seconds(10));
    world.store.will([RequestLost]);
    assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Extended);
    assert_eq!(held_until(&world.theirs, 30).await, START + Seconds(40));
    world.store.will([RequestLost]);
    assert_eq!(lease.release().await.unwrap(), Release::Released);
    assert_eq!(world.row(), None);
}

#[tokio::test]
async fn a_refused_acquire_whose_answer_was_lost_is_still_refused() {
    let world = World::new();
    let lease = granted(&world.ours, 30).await;
    world.store.will([AnswerLost]);
    assert_eq!(held_until(&world.theirs, 60).await, lease.expires_at());
    assert_eq!(world.holder().as_deref(), Some(lease.token()));
}

#[tokio::test]
async fn a_refresh_whose_answer_was_lost_is_extended() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    world.clock.advance(Seconds(10));
    world.store.will([AnswerLost]);
    assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Extended);
    assert_eq!(lease.expires_at(), START + Seconds(40));
}

#[tokio::test]
async fn a_release_whose_answer_was_lost_says_no_more_than_it_knows() {
    let world = World::new();
    let lease = granted(&world.ours, 30).await;
    world.store.will([AnswerLost]);
    assert_eq!(lease.release().await.unwrap(), Release::Gone);
    assert_eq!(world.row(), None);
}

/// The second error of an unsettled write may say that nothing happened; the first one is the truth.
#[tokio::test]
async fn what_cannot_be_settled_is_an_ambiguous_error() {
    let world = World::new();
    for second in [AnswerLost, RequestLost, Down] {
        world.store.will([AnswerLost, second]);
        let error = world.ours.try_acquire(PAGE, Seconds(30)).await.unwrap_err();
        assert!(error.is_ambiguous(), "{second:?}: {error}");
        assert!(world.row().is_some(), "it did happen");
        world.clock.advance(Seconds(60));
    }
}

#[tokio::test]
async fn an_unsettled_refresh_leaves_what_was_known() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    world.clock.advance(Seconds(10));
    world.store.will([AnswerLost, Down]);
    assert!(lease.refresh(Seconds(30)).await.unwrap_err().is_ambiguous());
    assert_eq!(lease.expires_at(), START + Seconds(30), "we claim only what was confirmed");
    assert_eq!(held_until(&world.theirs, 30).await, START + Seconds(40), "though it happened");
    assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Extended);
    assert_eq!(lease.expires_at(), START + Seconds(40));
}

#[tokio::test]
async fn a_store_that_is_down_is_an_error_and_not_an_outcome() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    let row = world.row();
    world.store.always(Down);
    let down = Err(StoreError::Unavailable("connection refused".into()));
    assert!(matches!(world.theirs.try_acquire(PAGE, Seconds(30)).await, Err(StoreError::Unavailable(_))));
    assert_eq!(lease.refresh(Seconds(30)).await, down);
    assert_eq!(lease.release().await, Err(StoreError::Unavailable("connection refused".into())));
    assert_eq!(world.row(), row);
}

/// A request held up in the network arrives after its double was answered and the lease refreshed since. Without the
/// bound in its condition it would set the end back, and others would take a lease that is in use.
#[tokio::test]
async fn a_double_that_arrives_late_shortens_nothing() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    for _ in 0..2 {
        world.clock.advance(Seconds(10));
        assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Extended);
    }
    let row = world.row();
    let sent = world.store.sent.lock().unwrap().clone();
    let (_last, late) = sent.split_last().unwrap();
    assert_eq!(late.len(), 2, "the acquire and the first refresh");
    for late in late.iter().cloned() {
        let answer = world.store.engine.apply(late);
        assert!(matches!(answer, Err(StoreError::ConditionalCheckFailed { .. })), "{answer:?}");
    }
    assert_eq!(world.row(), row);
}
