//! Versions: listed, shown again and forgotten, while others publish, purge and sweep.

use std::time::Duration;

use tabletheory::testing::Trouble;
use tabletheory_core::{Seconds, Timestamp, Value};

use super::world::{World, published};
use crate::error::Error;
use crate::key::{PageKey, Partition};
use crate::meta::{Commit, Group, LostTo, Purge, Rollback};
use crate::record::{Meta, Version};

async fn ids(world: &World) -> Vec<String> {
    let versions = world.meta.versions(&world.page, None).await.unwrap().versions;
    versions.into_iter().map(|version| version.id).collect()
}

#[tokio::test]
async fn versions_come_newest_first_and_in_parts() {
    let world = World::new().await;
    for body in 0..120 {
        world.publish_version(&format!("b/{body}")).await;
    }
    let first = world.meta.versions(&world.page, None).await.unwrap();
    assert_eq!(first.versions.len(), 100);
    let rest = world.meta.versions(&world.page, first.cursor.as_deref()).await.unwrap();
    assert_eq!(rest.cursor, None);
    let keys: Vec<String> =
        first.versions.into_iter().chain(rest.versions).map(|version| version.s3_key).collect();
    assert_eq!(keys, (0..120).rev().map(|body| format!("b/{body}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_rollback_goes_forward() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.store.advance(Seconds(1000));
    let current = world.publish_version("b/2").await;
    let id = ids(&world).await.remove(1);
    let Rollback::Shown(meta) = world.meta.rollback(&world.page, &id, Seconds(300)).await.unwrap() else {
        panic!("it is there")
    };
    assert_eq!(meta.generation, current.generation.map(|generation| generation + 1));
    assert_eq!(meta.version, current.version.map(|version| version + 1));
    assert_eq!(meta.generated(), world.now() - Seconds(1000), "it is as old as it is");
    let (fresh_until, held_until) = (meta.fresh_until(), world.now() + Seconds(300));
    assert!(fresh_until >= held_until && fresh_until < held_until + Seconds(2));
    assert!(meta.ttl.unwrap() > meta.fresh_until().seconds());
    let next = world.publish_version("b/3").await;
    assert_eq!(next.generation, meta.generation.map(|generation| generation + 1));
}

#[tokio::test]
async fn a_rollback_shows_what_was_purged_before_it() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.meta.invalidate(&world.page, Purge::Gone).await.unwrap();
    world.meta.invalidate_group(None, Group::All, Purge::Gone).await.unwrap();
    let id = ids(&world).await.remove(0);
    let shown = world.meta.rollback(&world.page, &id, Seconds(60)).await.unwrap();
    assert!(matches!(shown, Rollback::Shown(_)));
    let look = world.meta.get(&world.page).await.unwrap();
    assert!(!look.is_gone() && look.meta.unwrap().fresh_until() > world.now());
    world.meta.invalidate_group(None, Group::All, Purge::Gone).await.unwrap();
    assert!(world.meta.get(&world.page).await.unwrap().is_gone(), "and not what is purged after it");
}

#[tokio::test]
async fn a_rollback_to_what_is_not_there_is_no_error() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    for id in ["", "none", "#", "a#b", &"x".repeat(10_000)] {
        let answer = world.meta.rollback(&world.page, id, Seconds(60)).await;
        assert!(matches!(answer, Ok(Rollback::NoSuchVersion) | Err(Error::Table(_))), "{answer:?}");
    }
    let id = ids(&world).await.remove(0);
    let error = world.meta.rollback(&world.page, &id, Seconds(-1)).await.unwrap_err();
    assert!(matches!(error, Error::Revalidate { .. }));
}

#[tokio::test]
async fn a_render_under_way_does_not_undo_a_rollback() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.publish_version("b/2").await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let id = ids(&world).await.remove(1);
    let shown = world.meta.rollback(&world.page, &id, Seconds(60)).await.unwrap();
    assert!(matches!(shown, Rollback::Shown(_)));
    let commit = world.meta.commit_version(&lease, &ground, &world.draft("b/3")).await.unwrap();
    assert_eq!(commit, Commit::Lost(LostTo::Purge));
    assert_eq!(world.row().await.unwrap().s3_key, "b/1");
}

#[tokio::test(start_paused = true)]
async fn a_rollback_loses_to_a_publish_that_came_between() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.publish_version("b/2").await;
    let id = ids(&world).await.remove(1);
    world.trouble("TransactWriteItems", Trouble::Slow(Duration::from_secs(10)));
    let (meta, page) = (world.meta.clone(), world.page.clone());
    let rollback = tokio::spawn(async move { meta.rollback(&page, &id, Seconds(60)).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let current = world.publish_version("b/3").await;
    assert_eq!(rollback.await.unwrap().unwrap(), Rollback::Lost);
    assert_eq!(world.row().await, Some(current));
}

/// F22: a rollback pointed at a version that was removed meanwhile.
#[tokio::test(start_paused = true)]
async fn a_rollback_loses_to_a_sweep_of_its_version() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    let current = world.publish_version("b/2").await;
    let id = ids(&world).await.remove(1);
    world.trouble("TransactWriteItems", Trouble::Slow(Duration::from_secs(10)));
    let (meta, page) = (world.meta.clone(), world.page.clone());
    let rollback = tokio::spawn(async move { meta.rollback(&page, &id, Seconds(60)).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let later = world.now() + Seconds(1);
    assert_eq!(world.meta.forget_versions(&world.page, 1, later).await.unwrap(), 1);
    assert_eq!(rollback.await.unwrap().unwrap(), Rollback::Lost);
    assert_eq!(world.row().await, Some(current));
}

/// F22: the version that is shown was removed.
#[tokio::test(start_paused = true)]
async fn a_sweep_does_not_forget_a_version_that_is_shown_meanwhile() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.publish_version("b/2").await;
    let id = ids(&world).await.remove(1);
    world.trouble("TransactWriteItems", Trouble::Slow(Duration::from_secs(10)));
    let (meta, page, later) = (world.meta.clone(), world.page.clone(), world.now() + Seconds(1));
    let sweep = tokio::spawn(async move { meta.forget_versions(&page, 1, later).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let shown = world.meta.rollback(&world.page, &id, Seconds(60)).await.unwrap();
    assert!(matches!(shown, Rollback::Shown(_)));
    assert_eq!(sweep.await.unwrap().unwrap(), 0);
    let pointed = world.row().await.unwrap().current_sk.unwrap();
    assert!(ids(&world).await.iter().any(|id| pointed == format!("VER#{id}")));
}

#[tokio::test]
async fn versions_are_kept_by_number_and_by_age() {
    let world = World::new().await;
    for body in ["b/1", "b/2", "b/3", "b/4"] {
        world.publish_version(body).await;
        world.store.advance(Seconds(100));
    }
    let begin = world.now() - Seconds(400);
    let forget = async |keep, older_than: Timestamp| {
        world.meta.forget_versions(&world.page, keep, older_than).await.unwrap()
    };
    assert_eq!(forget(0, begin).await, 0);
    assert_eq!(forget(3, world.now()).await, 1);
    assert_eq!(forget(0, begin + Seconds(150)).await, 1);
    assert_eq!(forget(0, world.now()).await, 1, "the one that is shown is kept");
    assert_eq!(ids(&world).await.len(), 1);
}

/// Only pages whose metadata named a version were visited, so the versions of all others, and their bodies, stayed for ever.
#[tokio::test]
async fn versions_are_forgotten_whatever_became_of_their_page() {
    for (page_is_forgotten, left) in [(false, 2), (true, 0)] {
        let world = World::new().await;
        for body in 0..5 {
            world.publish_version(&format!("b/{body}")).await;
        }
        world.publish("b/unversioned").await;
        if page_is_forgotten {
            world.store.db().delete(Meta::key(world.page.as_str())).await.unwrap();
        }
        world.write("USER#7", "VER#1", [("s3_key", Value::s("b")), ("generated_at", Value::n(1))]).await;
        let forget = async |older_than| world.meta.forget_all_versions(2, older_than).await.unwrap();
        assert_eq!(forget(world.now()).await, 0, "none is older");
        assert_eq!(forget(world.now() + Seconds(1)).await, 5 - left);
        assert_eq!(ids(&world).await.len(), left);
    }
}

#[tokio::test]
async fn old_versions_of_many_pages_are_forgotten_and_the_shown_ones_are_kept() {
    let world = World::new().await;
    for path in 0..3 {
        let page = world.meta.partition(&PageKey::path(format!("/{path}"))).unwrap();
        let world = World { page, store: world.store.clone(), meta: world.meta.clone() };
        for body in 0..3 {
            world.publish_version(&format!("b/{path}/{body}")).await;
        }
        let oldest = ids(&world).await.pop().unwrap();
        assert!(matches!(
            world.meta.rollback(&world.page, &oldest, Seconds(60)).await.unwrap(),
            Rollback::Shown(_)
        ));
    }
    assert_eq!(world.meta.forget_all_versions(0, world.now() + Seconds(1)).await.unwrap(), 6);
    for meta in world.meta.pages(100, None).await.unwrap().pages {
        let page = Partition::of_row(&meta.pk).unwrap();
        let versions = world.meta.versions(&page, None).await.unwrap().versions;
        let kept: Vec<String> = versions.iter().map(Version::sort_key).collect();
        assert_eq!(kept, [meta.current_sk.unwrap()]);
    }
}

#[tokio::test]
async fn a_version_of_another_store_is_shown_by_its_pointer() {
    let world = World::new().await;
    let pk = world.page.as_str();
    let pointer = [("current_sk", Value::s("VER#7")), ("version", Value::n(4))];
    world.write(pk, "META", pointer).await;
    let look = world.meta.get(&world.page).await.unwrap();
    assert!(look.meta.is_none() && look.malformed, "a pointer to nothing is a miss");
    let version = [
        ("s3_key", Value::s("b/7")),
        ("generated_at", Value::n(world.now().seconds())),
        ("revalidate_seconds", Value::n(60)),
        ("etag", Value::s("\"7\"")),
    ];
    world.write(pk, "VER#7", version).await;
    let look = world.meta.get(&world.page).await.unwrap();
    let meta = look.meta.unwrap();
    assert!(!look.malformed);
    assert_eq!((meta.s3_key.as_str(), meta.etag.as_deref()), ("b/7", Some("\"7\"")));
    assert!(meta.fresh_until() > world.now());
    world.meta.invalidate(&world.page, Purge::Gone).await.unwrap();
    let look = world.meta.get(&world.page).await.unwrap();
    assert!(look.is_gone(), "a purge marks the pointer");
    assert!(look.meta.unwrap().fresh_until() <= world.now());
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    assert_eq!(ground.version, Some(5));
    published(world.meta.commit(&lease, &ground, &world.draft("b/8")).await.unwrap());
}

#[tokio::test]
async fn a_pointer_to_another_kind_of_row_is_a_miss() {
    let world = World::new().await;
    for sk in ["META", "LOCK", "", "REQ#1"] {
        world.write(world.page.as_str(), "META", [("current_sk", Value::s(sk))]).await;
        assert!(world.meta.get(&world.page).await.unwrap().meta.is_none(), "{sk}");
    }
}

#[tokio::test]
async fn a_version_that_cannot_be_read_is_not_listed() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.write(world.page.as_str(), "VER#broken", [("s3_key", Value::n(1))]).await;
    assert_eq!(ids(&world).await.len(), 1);
    let answer = world.meta.rollback(&world.page, "broken", Seconds(60)).await.unwrap();
    assert_eq!(answer, Rollback::NoSuchVersion);
}
