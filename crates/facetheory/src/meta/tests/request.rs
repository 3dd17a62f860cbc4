//! Intents: done once, taken over when their worker died, and refused when their inputs differ.

use std::time::Duration;

use tabletheory::Model as _;
use tabletheory::testing::Trouble;
use tabletheory_core::{Seconds, Value};

use super::world::{TERM, World, published};
use crate::meta::{Begun, Claimed, Commit, Ended, Intent, LostTo, Refresh, Release};
use crate::record::{Request, RequestStatus};

fn intent() -> Intent {
    Intent::from_request_id("r-1").with_inputs(&[b"policy 1"])
}

fn other_inputs() -> Intent {
    Intent::from_request_id("r-1").with_inputs(&[b"policy 2"])
}

#[tokio::test]
async fn a_repetition_while_it_runs_is_told_until_when() {
    let world = World::new().await;
    let lease = world.claim(&intent()).await;
    let again = world.meta.claim(&world.page, &intent(), TERM).await.unwrap();
    assert!(matches!(again, Claimed::InProgress { until: Some(until) } if until == lease.expires_at()));
}

/// Law 9: a lease that was made longer outlived the time in the intent's row, and a repetition waited as for a stranger.
#[tokio::test]
async fn a_repetition_is_told_the_same_after_the_lease_was_made_longer() {
    let world = World::new().await;
    let mut lease = world.claim(&intent()).await;
    for _ in 0..3 {
        world.store.advance(Seconds(20));
        assert_eq!(world.meta.refresh(&mut lease, TERM).await.unwrap(), Refresh::Extended);
        let again = world.meta.claim(&world.page, &intent(), TERM).await.unwrap();
        assert!(
            matches!(again, Claimed::InProgress { until: Some(until) } if until > world.now()),
            "{again:?}"
        );
        let other = world.meta.claim(&world.page, &other_inputs(), TERM).await.unwrap();
        assert!(matches!(other, Claimed::Mismatch), "{other:?}");
    }
    let stranger = Intent::from_request_id("r-2");
    world.calls();
    let held = world.meta.claim(&world.page, &stranger, TERM).await.unwrap();
    assert!(matches!(held, Claimed::Held { until } if until == lease.expires_at()), "{held:?}");
    assert_eq!(world.calls(), 2);
    let ground = world.ground(&lease).await;
    published(world.meta.commit_idempotent(&lease, &ground, &world.draft("b/1")).await.unwrap());
    let done = world.meta.claim(&world.page, &intent(), TERM).await.unwrap();
    assert!(matches!(done, Claimed::Completed { .. }), "{done:?}");
}

/// The intent was begun by a worker that lost the lease: who has it now works for somebody else.
#[tokio::test]
async fn an_intent_whose_worker_lost_the_lease_waits_for_the_new_holder() {
    let world = World::new().await;
    let _dead = world.claim(&intent()).await;
    world.store.advance(TERM);
    let lease = world.acquire().await;
    let held = world.meta.claim(&world.page, &intent(), TERM).await.unwrap();
    assert!(matches!(held, Claimed::Held { until } if until == lease.expires_at()), "{held:?}");
}

/// What is written between the refusal and the read that explains it is told as it is then.
#[tokio::test(start_paused = true)]
async fn an_intent_that_changes_while_its_refusal_is_explained_is_told_as_it_is() {
    for (status, hash) in [("COMPLETED", intent()), ("STARTED", other_inputs())] {
        let world = World::new().await;
        let _lease = world.acquire().await;
        world.trouble("BatchGetItem", Trouble::Slow(Duration::from_secs(10)));
        let (meta, page) = (world.meta.clone(), world.page.clone());
        let claim = tokio::spawn(async move { meta.claim(&page, &intent(), TERM).await });
        tokio::time::sleep(Duration::from_secs(1)).await;
        let row = [("status", Value::s(status)), ("request_hash", Value::s(hash.request_hash()))];
        world.write(world.page.as_str(), &format!("REQ#{}", intent().key()), row).await;
        let claimed = claim.await.unwrap().unwrap();
        let expected = match status {
            "COMPLETED" => matches!(claimed, Claimed::Completed { s3_key: None }),
            _ => matches!(claimed, Claimed::Mismatch),
        };
        assert!(expected, "{status}: {claimed:?}");
    }
}

/// F16: an intent whose lease was refused stayed STARTED for ever.
#[tokio::test]
async fn an_intent_whose_lease_is_refused_leaves_nothing_behind() {
    let world = World::new().await;
    let _lease = world.acquire().await;
    let held = world.meta.claim(&world.page, &intent(), TERM).await.unwrap();
    assert!(matches!(held, Claimed::Held { .. }), "{held:?}");
    assert_eq!(world.request(&intent()).await, None);
}

#[tokio::test]
async fn an_intent_waits_as_everybody_does_after_a_failure() {
    let world = World::new().await;
    let lease = world.acquire().await;
    world.meta.fail(lease, world.now() + Seconds(10), "origin").await.unwrap();
    let answer = world.meta.claim(&world.page, &intent(), TERM).await.unwrap();
    assert!(matches!(answer, Claimed::NotYet { .. }), "{answer:?}");
    assert_eq!(world.request(&intent()).await, None);
}

/// F26 and law 9: the hash was compared only when the intent was done.
#[tokio::test]
async fn other_inputs_are_refused_in_every_state() {
    let world = World::new().await;
    let refused = async |state: &str| {
        let claimed = world.meta.claim(&world.page, &other_inputs(), TERM).await.unwrap();
        assert!(matches!(claimed, Claimed::Mismatch), "{state}: {claimed:?}");
        let begun = world.meta.begin_request(&world.page, &other_inputs(), "me", TERM).await.unwrap();
        assert_eq!(begun, Begun::Mismatch, "{state}");
    };
    let lease = world.claim(&intent()).await;
    refused("STARTED").await;
    world.store.advance(TERM);
    refused("STARTED, and its worker is gone").await;
    world.meta.fail(lease, world.now(), "origin").await.unwrap();
    refused("FAILED").await;
    let lease = world.claim(&intent()).await;
    let ground = world.ground(&lease).await;
    published(world.meta.commit_idempotent(&lease, &ground, &world.draft("b/1")).await.unwrap());
    refused("COMPLETED").await;
    let request = world.request(&intent()).await.unwrap();
    assert_eq!((request.status, request.attempt), (RequestStatus::Completed, Some(2)));
}

/// The same owner with other inputs is refused too: its own beginning is no excuse.
#[tokio::test]
async fn the_owner_cannot_change_the_inputs() {
    let world = World::new().await;
    let begin = async |intent| world.meta.begin_request(&world.page, &intent, "me", TERM).await.unwrap();
    assert_eq!(begin(intent()).await, Begun::Started);
    assert_eq!(begin(intent()).await, Begun::Started);
    assert_eq!(begin(other_inputs()).await, Begun::Mismatch);
}

/// F16: STARTED blocked for ever after a crash.
#[tokio::test]
async fn an_intent_whose_worker_died_is_taken_over_and_the_dead_one_publishes_nothing() {
    let world = World::new().await;
    let dead = world.claim(&intent()).await;
    let ground = world.ground(&dead).await;
    world.store.advance(TERM);
    let lease = world.claim(&intent()).await;
    assert_eq!(world.request(&intent()).await.unwrap().attempt, Some(2));
    let late = world.meta.commit_idempotent(&dead, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(late, Commit::Lost(LostTo::Lease));
    assert_eq!(world.meta.fail(dead, world.now(), "late").await.unwrap(), Release::NotOurs);
    let ground = world.ground(&lease).await;
    published(world.meta.commit_idempotent(&lease, &ground, &world.draft("b/2")).await.unwrap());
    assert_eq!(world.request(&intent()).await.unwrap().result_s3_key.as_deref(), Some("b/2"));
}

/// F17: a row that time had removed was made again without its hash.
#[tokio::test]
async fn an_intent_that_was_forgotten_while_it_ran_publishes_nothing() {
    let world = World::new().await;
    let lease = world.claim(&intent()).await;
    let ground = world.ground(&lease).await;
    world.store.db().delete(Request::key(world.page.as_str(), intent().key())).await.unwrap();
    let commit = world.meta.commit_idempotent(&lease, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Request));
    assert_eq!((world.row().await, world.request(&intent()).await), (None, None));
    assert_eq!(world.meta.fail(lease, world.now(), "origin").await.unwrap(), Release::Released);
    assert_eq!(world.request(&intent()).await, None);
    assert_eq!(world.lock().await.unwrap().fail_count, 1, "the lease is given back without the intent");
}

#[tokio::test]
async fn an_intent_that_another_took_over_is_not_completed_by_us() {
    let world = World::new().await;
    let mut lease = world.claim(&intent()).await;
    world.store.advance(Seconds(20));
    assert_eq!(world.meta.refresh(&mut lease, TERM).await.unwrap(), Refresh::Extended);
    world.store.advance(Seconds(20));
    let begun = world.meta.begin_request(&world.page, &intent(), "other", TERM).await.unwrap();
    assert_eq!(begun, Begun::Started);
    let ground = world.ground(&lease).await;
    let commit = world.meta.commit(&lease, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Request));
    assert_eq!(world.request(&intent()).await.unwrap().owner.as_deref(), Some("other"));
}

#[tokio::test]
async fn the_table_keeps_an_intent_longer_than_any_attempt_at_it() {
    let world = World::new().await;
    let long = Seconds(10 * 86_400);
    let Claimed::Granted(lease) = world.meta.claim(&world.page, &intent(), long).await.unwrap() else {
        panic!("nobody has it")
    };
    assert!(world.request(&intent()).await.unwrap().ttl.unwrap() > lease.expires_at().seconds());
}

#[tokio::test]
async fn a_fresh_page_satisfies_an_intent() {
    let world = World::new().await;
    let meta = world.publish("b/1").await;
    let lease = world.claim(&intent()).await;
    world.calls();
    assert_eq!(world.meta.satisfied(lease, &meta.s3_key).await.unwrap(), Release::Released);
    assert_eq!(world.calls(), 1);
    assert_eq!(world.lock().await, None);
    let again = world.meta.claim(&world.page, &intent(), TERM).await.unwrap();
    assert!(matches!(again, Claimed::Completed { s3_key: Some(key) } if key == "b/1"));
    let lease = world.acquire().await;
    assert_eq!(world.meta.satisfied(lease, &meta.s3_key).await.unwrap(), Release::Released);
}

#[tokio::test]
async fn a_released_intent_may_be_begun_again_at_once() {
    let world = World::new().await;
    let lease = world.claim(&intent()).await;
    assert_eq!(world.meta.release(lease).await.unwrap(), Release::Released);
    assert_eq!(world.request(&intent()).await.unwrap().status, RequestStatus::Failed);
    let lease = world.claim(&intent()).await;
    world.store.db().delete(Request::key(world.page.as_str(), intent().key())).await.unwrap();
    assert_eq!(world.meta.release(lease).await.unwrap(), Release::Released, "also if its row was forgotten");
    assert_eq!(world.lock().await, None);
}

#[tokio::test]
async fn a_failed_intent_says_why_in_few_words_and_may_be_begun_again() {
    let world = World::new().await;
    let lease = world.claim(&intent()).await;
    world.meta.fail(lease, world.now(), &"ä".repeat(10_000)).await.unwrap();
    let request = world.request(&intent()).await.unwrap();
    assert_eq!(request.error.map(|why| why.chars().count()), Some(200));
    let lease = world.claim(&intent()).await;
    assert_eq!(lease.claimed(), Some(&intent()));
    assert_eq!(world.second_look(&lease).await.failures, 1);
}

#[tokio::test]
async fn intents_of_any_size_are_claimed() {
    let world = World::new().await;
    for id in ["", "#", &"x".repeat(10_240)] {
        let lease = world.claim(&Intent::from_request_id(id)).await;
        world.meta.release(lease).await.unwrap();
    }
    let longest = Intent::raw("x".repeat(1020)).unwrap();
    let lease = world.claim(&longest).await;
    world.meta.release(lease).await.unwrap();
}

#[tokio::test]
async fn an_intent_is_driven_alone() {
    let world = World::new().await;
    let (meta, page) = (&world.meta, &world.page);
    assert_eq!(meta.begin_request(page, &intent(), "me", TERM).await.unwrap(), Begun::Started);
    let other = meta.begin_request(page, &intent(), "you", TERM).await.unwrap();
    assert!(matches!(other, Begun::InProgress { until: Some(_) }));
    assert_eq!(meta.complete_request(page, &intent(), "you", "b/2").await.unwrap(), Ended::NotOurs);
    assert_eq!(meta.fail_request(page, &intent(), "me", "origin").await.unwrap(), Ended::Recorded);
    assert_eq!(meta.fail_request(page, &intent(), "me", "origin").await.unwrap(), Ended::NotOurs);
    assert_eq!(meta.begin_request(page, &intent(), "you", TERM).await.unwrap(), Begun::Started);
    assert_eq!(meta.complete_request(page, &intent(), "you", "b/2").await.unwrap(), Ended::Recorded);
    let done = meta.begin_request(page, &intent(), "me", TERM).await.unwrap();
    assert_eq!(done, Begun::Completed { s3_key: Some("b/2".into()) });
    assert_eq!(meta.complete_request(page, &intent(), "you", "b/3").await.unwrap(), Ended::NotOurs);
}

#[tokio::test]
async fn intents_alone_are_taken_over_when_their_time_is_over() {
    let world = World::new().await;
    let begin = async |owner| world.meta.begin_request(&world.page, &intent(), owner, TERM).await.unwrap();
    assert_eq!(begin("me").await, Begun::Started);
    world.store.advance(Seconds(29));
    assert!(matches!(begin("you").await, Begun::InProgress { .. }));
    world.store.advance(Seconds(1));
    assert_eq!(begin("you").await, Begun::Started);
    let late = world.meta.complete_request(&world.page, &intent(), "me", "b/1").await.unwrap();
    assert_eq!(late, Ended::NotOurs);
}

/// Of the seeds' literal rows, which have no owner and no end: whoever finds one takes it over.
#[tokio::test]
async fn a_row_without_an_owner_is_taken_over() {
    let world = World::new().await;
    let row = Request::started(world.page.as_str(), intent().key(), intent().request_hash());
    assert!(row.to_item().unwrap().get("owner").is_none());
    world.store.db().put(&row).await.unwrap();
    let lease = world.claim(&intent()).await;
    assert_eq!(world.request(&intent()).await.unwrap().owner.as_deref(), Some(lease.token()));
}

#[tokio::test]
async fn of_many_claims_at_once_one_is_granted() {
    let world = World::new().await;
    let intent = intent();
    let attempts = (0..16).map(|_| world.meta.claim(&world.page, &intent, TERM));
    let answers = futures_util::future::join_all(attempts).await;
    let granted = answers.iter().filter(|answer| matches!(answer, Ok(Claimed::Granted(_)))).count();
    let in_progress =
        answers.iter().filter(|answer| matches!(answer, Ok(Claimed::InProgress { .. }))).count();
    assert_eq!((granted, in_progress), (1, 15));
}
