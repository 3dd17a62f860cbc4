//! Publishing: who may, what stands there afterwards, and what is refused.

use std::time::Duration;

use tabletheory::Model as _;
use tabletheory::testing::Trouble;
use tabletheory_core::store::op::{OnConditionFailure, TransactAction, TransactWrite, TransactWriteItems};
use tabletheory_core::{Seconds, StoreError, StoreExt};

use super::world::{TERM, World, published};
use crate::error::Error;
use crate::meta::{Commit, Draft, Guards, LostTo};
use crate::record::{KeptHeader, Lock, Meta, Version};

#[tokio::test]
async fn everything_of_the_draft_is_published() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let draft = Draft {
        etag: Some("\"1\"".into()),
        status: 404,
        headers: vec![KeptHeader { name: "location".into(), value: "/x".into() }],
        tags: vec!["a".into()],
        body_sha256: "ab".repeat(32),
        body_len: 7,
        retention: Seconds(1000),
        ttl_buffer: Seconds(10),
        ..world.draft("b/1")
    };
    let meta = published(world.meta.commit(&lease, &ground, &draft).await.unwrap());
    assert_eq!(world.row().await.as_ref(), Some(&meta));
    assert_eq!(meta.ttl, Some(world.now().seconds() + 1010));
    assert_eq!((meta.status(), meta.etag.as_deref(), meta.body_len), (404, Some("\"1\""), Some(7)));
    assert_eq!((&meta.headers, &meta.tags), (&draft.headers, &draft.tags));
    assert_eq!(meta.generated(), draft.generated);
    assert!(!format!("{draft:?}").contains("/x"), "values of headers are not shown");
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_publishes_nothing() {
    let world = World::new().await;
    let late = world.acquire().await;
    let ground = world.ground(&late).await;
    world.store.advance(TERM);
    let current = world.publish("b/2").await;
    let commit = world.meta.commit(&late, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Lease));
    assert_eq!(world.row().await, Some(current));
}

#[tokio::test]
async fn a_worker_whose_lease_was_taken_does_not_free_it() {
    let world = World::new().await;
    let late = world.acquire().await;
    let ground = world.ground(&late).await;
    world.store.advance(TERM);
    let current = world.acquire().await;
    let commit = world.meta.commit(&late, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Lease));
    assert_eq!(world.lock().await.unwrap().lease_token, current.token());
    assert_eq!(world.row().await, None);
}

/// A0 and F21: nothing is decided by a look at the clock before the request is sent.
#[tokio::test(start_paused = true)]
async fn a_publish_that_arrives_late_loses_to_the_one_that_came_between() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    world.trouble("TransactWriteItems", Trouble::Slow(Duration::from_secs(60)));
    let (meta, draft) = (world.meta.clone(), world.draft("b/1"));
    let late = tokio::spawn(async move { meta.commit(&lease, &ground, &draft).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.store.advance(TERM);
    let current = world.publish("b/2").await;
    assert_eq!(late.await.unwrap().unwrap(), Commit::Lost(LostTo::Lease));
    assert_eq!(world.row().await, Some(current));
}

#[tokio::test]
async fn of_two_publishes_under_one_lease_one_is_done() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let (one, other) = (world.draft("b/1"), world.draft("b/2"));
    let answers =
        tokio::join!(world.meta.commit(&lease, &ground, &one), world.meta.commit(&lease, &ground, &other));
    let page = world.row().await.unwrap();
    let mut outcomes = [answers.0.unwrap(), answers.1.unwrap()];
    outcomes.sort_by_key(|outcome| matches!(outcome, Commit::Lost(_)));
    let [done, lost] = outcomes;
    assert_eq!(published(done), page);
    assert_eq!(lost, Commit::Lost(LostTo::Lease));
}

#[tokio::test]
async fn a_lease_that_is_over_publishes_only_without_the_guard() {
    for (expiry, expected) in [(true, false), (false, true)] {
        let world = World::with(Guards { expiry, ..Guards::default() }).await;
        let lease = world.acquire().await;
        let ground = world.ground(&lease).await;
        world.store.advance(TERM);
        let commit = world.meta.commit(&lease, &ground, &world.draft("b/1")).await.unwrap();
        assert_eq!(matches!(commit, Commit::Published(_)), expected, "{commit:?}");
    }
}

#[tokio::test]
async fn a_generation_that_went_on_is_not_overwritten() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let newer = Meta { generation: Some(u64::MAX), ..sample(&world, "b/9") };
    world.store.db().put(&newer).await.unwrap();
    let commit = world.meta.commit(&lease, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Newer));
    assert_eq!(world.row().await, Some(newer));
    assert!(world.lock().await.is_some(), "the lease is still ours to give back");
}

#[tokio::test]
async fn a_clock_that_runs_back_does_not_take_the_generation_back() {
    let world = World::new().await;
    let first = world.publish("b/1").await;
    world.store.advance(TERM);
    let behind = world.skewed(Seconds(-3600));
    let crate::meta::Acquire::Granted(lease) = behind.try_acquire(&world.page, TERM).await.unwrap() else {
        panic!("nobody has it")
    };
    let ground = behind.look_again(&lease).await.unwrap().ground;
    let draft = Draft::new("b/2", world.now() + Seconds(-3600), Seconds(60));
    let second = published(behind.commit(&lease, &ground, &draft).await.unwrap());
    assert!(second.generation > first.generation);
}

#[tokio::test]
async fn a_version_is_kept_and_pointed_at() {
    let world = World::new().await;
    let meta = world.publish_version("b/1").await;
    let versions = world.meta.versions(&world.page, None).await.unwrap().versions;
    assert_eq!(versions.len(), 1);
    assert_eq!(meta.current_sk, Some(versions[0].sort_key()));
    let (generation, token) = (meta.generation.unwrap(), meta.publisher_token.clone().unwrap());
    assert_eq!(versions[0].id, format!("{generation:020}-{}", &token[..8]));
    assert_eq!(versions[0], Version::of(&meta, versions[0].id.clone()));
    assert_eq!(versions[0].ttl, None, "F22: what can be shown again is not forgotten by time");
}

/// F22: two versions of one name would be one.
#[tokio::test]
async fn a_version_is_never_overwritten() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let generation = world.now().millis();
    let id = format!("VER#{generation:020}-{}", &lease.token()[..8]);
    world.write(world.page.as_str(), &id, []).await;
    let commit = world.meta.commit_version(&lease, &ground, &world.draft("b/1")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Newer));
    assert_eq!(world.row().await, None);
}

#[tokio::test]
async fn a_draft_that_cannot_be_a_page_is_refused_before_it_is_sent() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    world.calls();
    let draft = |revalidate, retention, ttl_buffer| Draft {
        revalidate: Seconds(revalidate),
        retention: Seconds(retention),
        ttl_buffer: Seconds(ttl_buffer),
        ..world.draft("b/1")
    };
    for wrong in [
        draft(-1, 1000, 0),
        draft(i64::MIN, 1000, 0),
        draft(i64::MAX, i64::MAX, 0),
        draft(315_360_001, i64::MAX, 0),
    ] {
        let error = world.meta.commit(&lease, &ground, &wrong).await.unwrap_err();
        assert!(matches!(error, Error::Revalidate { .. }), "{error:?}");
    }
    for wrong in
        [draft(60, 60, 0), draft(60, 0, 60), draft(60, -5, 0), draft(0, 0, 0), draft(60, i64::MIN, i64::MIN)]
    {
        let error = world.meta.commit(&lease, &ground, &wrong).await.unwrap_err();
        assert!(matches!(error, Error::Retention { .. }), "{error:?}");
    }
    let error = world.meta.commit(&lease, &ground, &world.draft("")).await.unwrap_err();
    assert!(matches!(error, Error::NoBody));
    assert_eq!(world.calls(), 0);
    published(world.meta.commit(&lease, &ground, &draft(315_360_000, i64::MAX, i64::MAX)).await.unwrap());
}

#[tokio::test]
async fn an_idempotent_publish_needs_an_intent() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let error = world.meta.commit_idempotent(&lease, &ground, &world.draft("b/1")).await.unwrap_err();
    assert!(matches!(error, Error::NoIntent));
}

/// F14 and G17f: the recipe with a check and a delete of the same lease cannot be sent at all.
#[tokio::test]
async fn a_check_and_a_delete_of_one_lease_are_refused() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let key = Lock::key(world.page.as_str()).into_item().unwrap();
    let ours = Lock::LEASE_TOKEN.eq(lease.token()).into_condition().unwrap();
    let write = |action, condition| TransactWrite {
        table: Lock::table().into_owned(),
        action,
        condition,
        on_condition_failure: OnConditionFailure::None,
    };
    let check = write(TransactAction::ConditionCheck { key: key.clone() }, Some(ours));
    let put = write(TransactAction::Put { item: sample(&world, "b/1").to_item().unwrap() }, None);
    let delete = write(TransactAction::Delete { key }, None);
    let literal = TransactWriteItems { writes: vec![check, put, delete], ..TransactWriteItems::default() };
    let error = world.store.transact_write_items(literal).await.unwrap_err();
    assert!(matches!(error, StoreError::Validation(_)), "{error:?}");
    assert_eq!(world.row().await, None);
}

pub(super) fn sample(world: &World, s3_key: &str) -> Meta {
    let row = tabletheory_core::Item::from([
        ("pk", tabletheory_core::Value::s(world.page.as_str())),
        ("sk", tabletheory_core::Value::s("META")),
        ("s3_key", tabletheory_core::Value::s(s3_key)),
        ("generated_at", tabletheory_core::Value::n(world.now().seconds())),
        ("revalidate_seconds", tabletheory_core::Value::n(60)),
    ]);
    Meta::from_item(row).expect("a row of another store")
}
