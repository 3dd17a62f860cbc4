//! The way of a page when nothing goes wrong, and what it costs.

use tabletheory_core::Seconds;

use super::world::{TERM, World, published};
use crate::meta::{Acquire, Claimed, Intent, Purge, Purged, Release, Rollback};
use crate::record::RequestStatus;

#[tokio::test]
async fn a_page_is_published_in_three_calls_after_the_first_look() {
    let world = World::new().await;
    assert!(world.meta.get(&world.page).await.unwrap().meta.is_none());
    assert_eq!(world.calls(), 1);
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let meta = published(world.meta.commit(&lease, &ground, &world.draft("b/1")).await.unwrap());
    assert_eq!(world.calls(), 3);
    let look = world.meta.get(&world.page).await.unwrap();
    assert_eq!(look.meta.as_ref(), Some(&meta));
    assert_eq!(meta.publisher_token.as_deref(), Some(lease.token()));
    assert_eq!(meta.fresh_until(), world.now() + Seconds(60));
    assert_eq!(world.lock().await, None);
}

#[tokio::test]
async fn generations_and_versions_grow_by_one() {
    let world = World::new().await;
    let first = world.publish("b/1").await;
    assert_eq!(first.generation, u64::try_from(world.now().millis()).ok());
    let second = world.publish("b/2").await;
    assert_eq!(second.generation, first.generation.map(|generation| generation + 1));
    assert_eq!((first.version, second.version), (Some(1), Some(2)));
}

#[tokio::test]
async fn an_intent_costs_no_call_more() {
    let world = World::new().await;
    let intent = Intent::from_request_id("r-1");
    let lease = world.claim(&intent).await;
    let ground = world.ground(&lease).await;
    published(world.meta.commit_idempotent(&lease, &ground, &world.draft("b/1")).await.unwrap());
    assert_eq!(world.calls(), 3);
    let request = world.request(&intent).await.unwrap();
    assert_eq!((request.status, request.attempt), (RequestStatus::Completed, Some(1)));
    let again = world.meta.claim(&world.page, &intent, TERM).await.unwrap();
    assert!(matches!(again, Claimed::Completed { s3_key: Some(key) } if key == "b/1"));
}

#[tokio::test]
async fn only_one_has_the_lease() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let until = lease.expires_at();
    let other = world.meta.try_acquire(&world.page, TERM).await.unwrap();
    assert!(matches!(other, Acquire::Held { until: told } if told == until));
    assert_eq!(world.meta.release(lease).await.unwrap(), Release::Released);
    let _lease = world.acquire().await;
}

#[tokio::test]
async fn a_purged_page_is_stale_at_once() {
    let world = World::new().await;
    world.publish("b/1").await;
    world.calls();
    assert_eq!(world.meta.invalidate(&world.page, Purge::Stale).await.unwrap(), Purged::Page);
    assert_eq!(world.calls(), 2);
    let meta = world.meta.get(&world.page).await.unwrap().meta.unwrap();
    assert!(meta.fresh_until() <= world.now());
    assert_eq!(world.epoch().await, Some(1));
}

#[tokio::test]
async fn an_older_version_is_shown_again() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.publish_version("b/2").await;
    let versions = world.meta.versions(&world.page, None).await.unwrap().versions;
    assert_eq!(versions.iter().map(|version| version.s3_key.as_str()).collect::<Vec<_>>(), ["b/2", "b/1"]);
    let shown = world.meta.rollback(&world.page, &versions[1].id, Seconds(300)).await.unwrap();
    let Rollback::Shown(meta) = shown else { panic!("{shown:?}") };
    assert_eq!(world.row().await.as_ref(), Some(&*meta));
    assert_eq!(meta.s3_key, "b/1");
    assert!(meta.fresh_until() >= world.now() + Seconds(300));
}
