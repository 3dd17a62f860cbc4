//! The whole table: what is named by some row, and which pages there are.

use std::collections::BTreeSet;

use tabletheory::testing::Trouble;
use tabletheory_core::{Seconds, StoreError, Value};

use super::world::{World, published};
use crate::key::PageKey;
use crate::meta::Intent;

async fn live(world: &World) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    world.meta.live_pointers(|key| _ = keys.insert(key.to_owned())).await.expect("an answer");
    keys
}

/// F7 and law 10: what a page, a version or an intent names is never swept.
#[tokio::test]
async fn every_body_that_a_row_names_is_visited() {
    let world = World::new().await;
    world.publish_version("b/1").await;
    world.publish_version("b/2").await;
    let lease = world.claim(&Intent::from_request_id("r-1")).await;
    let ground = world.ground(&lease).await;
    published(world.meta.commit_idempotent(&lease, &ground, &world.draft("b/3")).await.unwrap());
    world.publish("b/4").await;
    world.write("CACHE#x", "META", [("s3_key", Value::n(1))]).await;
    world.write("CACHE#y", "META", [("s3_key", Value::s("b/5")), ("generated_at", Value::s("soon"))]).await;
    world.write("CACHE#z", "REQ#1", [("result_s3_key", Value::s("b/6"))]).await;
    let expected = ["b/1", "b/2", "b/3", "b/4", "b/5", "b/6"];
    assert_eq!(live(&world).await, expected.map(str::to_owned).into());
    let later = world.now() + Seconds(1);
    assert_eq!(world.meta.forget_versions(&world.page, 0, later).await.unwrap(), 2);
    assert_eq!(live(&world).await, ["b/3", "b/4", "b/5", "b/6"].map(str::to_owned).into());
}

#[tokio::test(start_paused = true)]
async fn a_table_that_cannot_be_read_to_its_end_is_an_error() {
    let world = World::new().await;
    world.publish("b/1").await;
    world.trouble("Scan", Trouble::Throttled);
    assert_eq!(live(&world).await.len(), 1);
    world.trouble("Scan", Trouble::Refused(StoreError::AccessDenied("no".to_owned())));
    assert!(world.meta.live_pointers(|_| {}).await.is_err());
}

#[tokio::test]
async fn pages_are_listed_in_parts_and_wrong_rows_are_counted() {
    let world = World::new().await;
    for path in 0..7 {
        let page = world.meta.partition(&PageKey::path(format!("/{path}"))).unwrap();
        let world = World { page, store: world.store.clone(), meta: world.meta.clone() };
        world.publish_version(&format!("b/{path}")).await;
    }
    world.write("CACHE#x", "META", [("tags", Value::n(1))]).await;
    let (mut found, mut malformed, mut cursor) = (BTreeSet::new(), 0, None);
    loop {
        let pages = world.meta.pages(3, cursor.as_deref()).await.unwrap();
        assert!(pages.pages.len() <= 3);
        found.extend(pages.pages.into_iter().map(|meta| meta.s3_key));
        malformed += pages.malformed;
        cursor = pages.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, (0..7).map(|path| format!("b/{path}")).collect());
    assert_eq!(malformed, 1);
}

/// Time removes what may be forgotten, and nothing that it removes answers a question.
#[tokio::test]
async fn what_time_removes_is_a_miss_and_then_a_new_page() {
    let world = World::new().await;
    let first = world.publish("b/1").await;
    world.store.advance(Seconds(30 * 86_400));
    assert!(world.meta.get(&world.page).await.unwrap().meta.is_none());
    let second = world.publish("b/2").await;
    assert!(second.generation > first.generation);
}
