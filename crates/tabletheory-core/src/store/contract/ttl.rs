//! Time to live: which attribute, on or off. When expired items go is the store's own business.

use super::words::*;
use super::world::World;
use crate::store::op::{DescribeTimeToLive, UpdateTimeToLive};

fn switch(table: &Table, attribute: &str, enabled: bool) -> UpdateTimeToLive {
    UpdateTimeToLive { table: table.name.clone(), attribute: attribute.to_owned(), enabled }
}

fn describe(table: &Table) -> DescribeTimeToLive {
    DescribeTimeToLive { table: table.name.clone() }
}

pub(super) async fn items_of_a_new_table_do_not_expire(world: World) {
    let table = world.plain_table().await;
    assert_eq!(world.ok(describe(&table)).await.attribute, None);
}

pub(super) async fn the_expiry_attribute_is_remembered(world: World) {
    let table = world.plain_table().await;
    let answer = world.ok(switch(&table, "ttl", true)).await;
    assert_eq!((answer.attribute.as_str(), answer.enabled), ("ttl", true));
    world.settled(describe(&table), |found| found.attribute.as_deref() == Some("ttl")).await;
}

pub(super) async fn expiry_is_enabled_once(world: World) {
    let table = world.plain_table().await;
    world.ok(switch(&table, "ttl", true)).await;
    world.refused_saying(switch(&table, "ttl", true), VALIDATION, "TimeToLive is already enabled").await;
}

pub(super) async fn expiry_follows_one_attribute(world: World) {
    let table = world.plain_table().await;
    world.ok(switch(&table, "ttl", true)).await;
    world.refused(switch(&table, "until", true), VALIDATION).await;
    world.settled(describe(&table), |found| found.attribute.as_deref() == Some("ttl")).await;
}

pub(super) async fn expiry_that_is_off_cannot_be_disabled(world: World) {
    let table = world.plain_table().await;
    world.refused_saying(switch(&table, "ttl", false), VALIDATION, "TimeToLive is already disabled").await;
}

pub(super) async fn expiry_can_be_disabled(world: World) {
    let table = world.plain_table().await;
    world.ok(switch(&table, "ttl", true)).await;
    world.ok(switch(&table, "ttl", false)).await;
    world.settled(describe(&table), |found| found.attribute.is_none()).await;
}

pub(super) async fn expiry_of_a_missing_table_is_not_found(world: World) {
    let missing = Table { name: world.name() };
    world.refused(describe(&missing), NOT_FOUND).await;
    world.refused(switch(&missing, "ttl", true), NOT_FOUND).await;
}

pub(super) async fn an_expiry_attribute_has_a_name(world: World) {
    let table = world.plain_table().await;
    world.refused(switch(&table, "", true), VALIDATION).await;
}

pub(super) async fn only_a_recent_number_of_seconds_expires_an_item(world: World) {
    let table = world.plain_table().await;
    world.ok(switch(&table, "ttl", true)).await;
    let text = item! { "pk": "text", "ttl": "1700000000" };
    let ancient = item! { "pk": "ancient", "ttl": 1 };
    world.all([table.put(text.clone()), table.put(ancient.clone())]).await;
    assert_eq!(world.item(&table, item! { "pk": "text" }).await, Some(text));
    assert_eq!(world.item(&table, item! { "pk": "ancient" }).await, Some(ancient));
}
