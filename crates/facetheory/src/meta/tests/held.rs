//! Leases as operators see them, and the address a page is listed by.

use tabletheory_core::{Seconds, Value};

use super::world::{TERM, World, published};
use crate::key::PageKey;
use crate::meta::{Draft, Rollback};

#[tokio::test]
async fn leases_that_are_held_or_put_off_are_listed_and_no_others() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let held = world.meta.leases(10, None).await.unwrap().leases;
    assert_eq!(held.len(), 1);
    assert_eq!((&held[0].partition, held[0].is_held, held[0].failures), (&world.page, true, 0));
    assert_eq!(held[0].expires, lease.expires_at());
    assert!(!format!("{held:?}").contains(lease.token()), "the token is nobody's business");

    let next = world.now() + Seconds(60);
    world.meta.fail(lease, next, "origin").await.unwrap();
    let put_off = world.meta.leases(10, None).await.unwrap().leases;
    assert_eq!((put_off[0].is_held, put_off[0].failures, put_off[0].next_attempt), (false, 1, Some(next)));
    world.store.clock().advance(Seconds(61));
    assert!(world.meta.leases(10, None).await.unwrap().leases.is_empty());

    world.publish("b/1").await;
    assert!(world.meta.leases(10, None).await.unwrap().leases.is_empty());
}

#[tokio::test]
async fn a_lease_is_listed_whatever_else_its_row_says_and_rows_of_others_are_not() {
    let world = World::new().await;
    let later = (world.now() + TERM).seconds();
    world
        .write("CACHE#1", "LOCK", [("lease_expires_at", Value::n(later)), ("fail_count", Value::s("x"))])
        .await;
    world.write("USER#7", "LOCK", [("lease_expires_at", Value::n(later))]).await;
    world.write("CACHE#2", "META", [("lease_expires_at", Value::n(later))]).await;
    let leases = world.meta.leases(10, None).await.unwrap().leases;
    assert_eq!(leases.iter().map(|lease| lease.partition.as_str()).collect::<Vec<_>>(), ["CACHE#1"]);
    assert_eq!(leases[0].failures, 0);
}

#[tokio::test]
async fn parts_of_the_leases_are_all_of_them_together() {
    let world = World::new().await;
    for page in 0..7 {
        let page = world.meta.partition(&PageKey::path(format!("/{page}"))).unwrap();
        let _ = world.meta.try_acquire(&page, TERM).await.unwrap();
    }
    let (mut cursor, mut seen) = (None, Vec::new());
    loop {
        let part = world.meta.leases(3, cursor.as_deref()).await.unwrap();
        seen.extend(part.leases.into_iter().map(|lease| lease.partition));
        cursor = part.cursor;
        if cursor.is_none() {
            break;
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 7);
}

#[tokio::test]
async fn the_address_of_a_page_is_in_its_row_and_its_versions_and_stays_after_a_rollback() {
    let world = World::new().await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let page = Some("example.com/news".to_owned());
    let draft = Draft { page: page.clone(), ..world.draft("b/1") };
    let meta = published(world.meta.commit_version(&lease, &ground, &draft).await.unwrap());
    assert_eq!(meta.page, page);
    let versions = world.meta.versions(&world.page, None).await.unwrap().versions;
    assert_eq!(versions[0].page, page);
    let shown = world.meta.rollback(&world.page, &versions[0].id, Seconds(60)).await.unwrap();
    assert!(matches!(shown, Rollback::Shown(meta) if meta.page == page));
}
