//! Labels on tables.

use super::words::*;
use super::world::World;
use crate::schema::Tag;
use crate::store::op::{ListTagsOfResource, TagResource, UntagResource};

fn tag(key: &str, value: &str) -> Tag {
    Tag { key: key.to_owned(), value: value.to_owned() }
}

fn list(arn: &str) -> ListTagsOfResource {
    ListTagsOfResource { arn: arn.to_owned(), next_token: None }
}

async fn arn(world: &World, table: &Table) -> String {
    world.ok(table.describe()).await.table.arn
}

/// Waits until the table has exactly these tags, in whatever order.
async fn tagged(world: &World, arn: &str, expected: &[Tag]) {
    let has_all =
        |tags: &[Tag]| tags.len() == expected.len() && expected.iter().all(|tag| tags.contains(tag));
    world.settled(list(arn), |found| has_all(&found.tags)).await;
}

pub(super) async fn a_table_keeps_the_tags_it_was_made_with(world: World) {
    let mut shape = Shape::plain();
    shape.0.tags = vec![tag("team", "cache"), tag("stage", "test")];
    let table = world.table(shape.clone()).await;
    tagged(&world, &arn(&world, &table).await, &shape.0.tags).await;
}

pub(super) async fn tags_are_added_and_replaced(world: World) {
    let table = world.plain_table().await;
    let arn = arn(&world, &table).await;
    world.ok(TagResource { arn: arn.clone(), tags: vec![tag("team", "cache"), tag("stage", "test")] }).await;
    tagged(&world, &arn, &[tag("team", "cache"), tag("stage", "test")]).await;
    world.ok(TagResource { arn: arn.clone(), tags: vec![tag("stage", "live")] }).await;
    tagged(&world, &arn, &[tag("team", "cache"), tag("stage", "live")]).await;
}

pub(super) async fn tags_are_removed_by_key(world: World) {
    let table = world.plain_table().await;
    let arn = arn(&world, &table).await;
    world.ok(TagResource { arn: arn.clone(), tags: vec![tag("team", "cache"), tag("stage", "test")] }).await;
    tagged(&world, &arn, &[tag("team", "cache"), tag("stage", "test")]).await;
    let keys = vec!["team".to_owned(), "never there".to_owned()];
    world.ok(UntagResource { arn: arn.clone(), keys }).await;
    tagged(&world, &arn, &[tag("stage", "test")]).await;
}

pub(super) async fn a_table_without_tags_lists_none(world: World) {
    let table = world.plain_table().await;
    assert_eq!(world.ok(list(&arn(&world, &table).await)).await.tags, []);
}

pub(super) async fn tags_of_a_missing_table_are_not_found(world: World) {
    let table = world.plain_table().await;
    let stranger = format!("{}-unknown", arn(&world, &table).await);
    world.refused(TagResource { arn: stranger.clone(), tags: vec![tag("team", "cache")] }, NOT_FOUND).await;
    let error = world.attempt(list(&stranger)).await.expect_err("tags of a missing table");
    assert!([NOT_FOUND, "AccessDeniedException"].contains(&error.code()), "{error:?}");
}
