//! The seeds' recipes, at the level of the store: leases, publishing, swapping pointers, counting with a limit.

use super::words::*;
use super::world::World;
use crate::error::{CancellationCode, StoreError};
use crate::expr::Comparator::{Gt, Le, Lt};
use crate::expr::Condition;
use crate::item::Item;
use crate::store::op::{
    DeleteItem, OnConditionFailure, PutItem, ReturnValues, TransactWrite, TransactWriteItems, UpdateItem,
    WriteReturns,
};

fn row(sk: &str) -> Item {
    item! { "pk": "CACHE#1", "sk": sk }
}

fn lease(token: &str, until: i64) -> Item {
    with(with(row("LOCK"), "lease_token", token), "lease_expires_at", until)
}

/// Takes the lease if nobody holds it at `now`, or if it is ours already.
fn acquire(table: &Table, token: &str, now: i64, until: i64) -> PutItem {
    let free = absent("lease_token").or(when("lease_expires_at", Le, now)).or(equals("lease_token", token));
    let returns =
        WriteReturns { on_condition_failure: OnConditionFailure::AllOld, ..WriteReturns::default() };
    PutItem { condition: Some(free), returns, ..table.put(lease(token, until)) }
}

fn held(token: &str, now: i64) -> Condition {
    equals("lease_token", token).and(when("lease_expires_at", Gt, now))
}

pub(super) async fn one_of_two_workers_gets_the_lease(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    let refused = world.refused(acquire(&table, "theirs", 110, 140), CONDITION_FAILED).await;
    let holder = StoreError::ConditionalCheckFailed { item: Some(Box::new(lease("ours", 130))) };
    assert_eq!(refused, holder, "the loser learns who holds it and until when");
}

pub(super) async fn a_lease_is_free_once_it_expired(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    world.ok(acquire(&table, "theirs", 130, 160)).await;
    assert_eq!(world.item(&table, row("LOCK")).await, Some(lease("theirs", 160)));
}

pub(super) async fn a_worker_recognises_its_own_lost_answer(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    world.ok(acquire(&table, "ours", 101, 131)).await;
}

pub(super) async fn only_the_holder_refreshes_a_lease(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    let refresh = |token, now, until: i64| UpdateItem {
        condition: Some(held(token, now)),
        ..table.update(row("LOCK"), [set("lease_expires_at", until)])
    };
    world.ok(refresh("ours", 120, 150)).await;
    world.refused(refresh("theirs", 120, 999), CONDITION_FAILED).await;
    world.refused(refresh("ours", 150, 999), CONDITION_FAILED).await;
    assert_eq!(world.item(&table, row("LOCK")).await, Some(lease("ours", 150)));
}

pub(super) async fn only_the_holder_releases_a_lease(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    let release =
        |token| DeleteItem { condition: Some(equals("lease_token", token)), ..table.delete(row("LOCK")) };
    world.refused(release("theirs"), CONDITION_FAILED).await;
    world.ok(release("ours")).await;
    assert_eq!(world.item(&table, row("LOCK")).await, None);
    world.refused(release("ours"), CONDITION_FAILED).await;
}

fn meta(generated_at: i64) -> Item {
    with(with(row("META"), "s3_key", format!("body-{generated_at}")), "generated_at", generated_at)
}

/// Puts META and deletes LOCK together, if the lease is still ours at `now`.
fn publish(table: &Table, token: &str, now: i64) -> TransactWriteItems {
    let release = TransactWrite {
        condition: Some(held(token, now)),
        on_condition_failure: OnConditionFailure::AllOld,
        ..table.transact_delete(row("LOCK"))
    };
    TransactWriteItems {
        writes: vec![table.transact_put(meta(now)), release],
        ..TransactWriteItems::default()
    }
}

pub(super) async fn the_holder_publishes_and_releases_in_one_step(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    world.ok(publish(&table, "ours", 110)).await;
    assert_eq!(world.item(&table, row("META")).await, Some(meta(110)));
    assert_eq!(world.item(&table, row("LOCK")).await, None);
}

pub(super) async fn a_worker_that_lost_its_lease_publishes_nothing(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    world.ok(acquire(&table, "theirs", 131, 160)).await;
    let StoreError::TransactionCanceled { reasons } =
        world.refused(publish(&table, "ours", 132), CANCELED).await
    else {
        panic!("a canceled transaction has reasons");
    };
    assert_eq!(reasons[0].code, CancellationCode::None);
    assert_eq!(reasons[1].code, CancellationCode::ConditionalCheckFailed);
    assert_eq!(reasons[1].item.as_deref(), Some(&lease("theirs", 160)));
    assert_eq!(world.item(&table, row("META")).await, None);
    assert_eq!(world.item(&table, row("LOCK")).await, Some(lease("theirs", 160)));
}

pub(super) async fn a_worker_that_outlived_its_lease_publishes_nothing(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    world.refused(publish(&table, "ours", 130), CANCELED).await;
    assert_eq!(world.item(&table, row("META")).await, None);
}

pub(super) async fn a_publish_sent_again_with_its_token_is_the_same_publish(world: World) {
    let table = world.sorted_table().await;
    world.ok(acquire(&table, "ours", 100, 130)).await;
    let publish =
        TransactWriteItems { client_request_token: Some(world.token()), ..publish(&table, "ours", 110) };
    world.ok(publish.clone()).await;
    world.ok(publish).await;
    assert_eq!(world.item(&table, row("META")).await, Some(meta(110)));
}

pub(super) async fn a_pointer_moves_only_from_where_it_was_seen(world: World) {
    let table = world.sorted_table().await;
    let version = |id: &str| with(row(&format!("VER#{id}")), "s3_key", format!("body-{id}"));
    let swap = |from: Option<&str>, to: &str| {
        let condition = match from {
            None => absent("current_sk"),
            Some(from) => equals("current_sk", format!("VER#{from}")),
        };
        let point = TransactWrite {
            condition: Some(condition),
            ..table.transact_update(row("META"), [set("current_sk", format!("VER#{to}"))])
        };
        TransactWriteItems {
            writes: vec![table.transact_put(version(to)), point],
            ..TransactWriteItems::default()
        }
    };
    world.ok(swap(None, "1")).await;
    world.ok(swap(Some("1"), "2")).await;
    world.refused(swap(Some("1"), "3"), CANCELED).await;
    let pointer = with(row("META"), "current_sk", "VER#2");
    assert_eq!(world.item(&table, row("META")).await, Some(pointer));
    assert_eq!(world.item(&table, row("VER#1")).await, Some(version("1")), "a swap keeps what it replaced");
    assert_eq!(world.item(&table, row("VER#3")).await, None, "a lost swap leaves nothing behind");
}

pub(super) async fn metadata_never_goes_back_in_time(world: World) {
    let table = world.sorted_table().await;
    let put = |generated_at: i64| PutItem {
        condition: Some(absent("generated_at").or(when("generated_at", Lt, generated_at))),
        ..table.put(meta(generated_at))
    };
    world.ok(put(100)).await;
    world.ok(put(200)).await;
    world.refused(put(150), CONDITION_FAILED).await;
    world.refused(put(200), CONDITION_FAILED).await;
    assert_eq!(world.item(&table, row("META")).await, Some(meta(200)));
}

pub(super) async fn a_counter_stops_at_its_limit(world: World) {
    let table = world.sorted_table().await;
    let hit = |limit: i64| UpdateItem {
        condition: Some(absent("count").or(when("count", Lt, limit))),
        returns: WriteReturns {
            values: ReturnValues::UpdatedNew,
            on_condition_failure: OnConditionFailure::AllOld,
            ..WriteReturns::default()
        },
        ..table.update(row("WINDOW#60"), [add("count", 1), assign("since", old_or("since", 60))])
    };
    for count in 1..=3 {
        let answer = world.ok(hit(3)).await.attributes;
        assert_eq!(answer, Some(item! { "count": count, "since": 60 }));
    }
    let denied = world.refused(hit(3), CONDITION_FAILED).await;
    let stored = with(with(row("WINDOW#60"), "count", 3), "since", 60);
    assert_eq!(denied, StoreError::ConditionalCheckFailed { item: Some(Box::new(stored)) });
    world.ok(hit(4)).await;
}

pub(super) async fn a_request_is_claimed_once_and_its_hash_is_kept(world: World) {
    let table = world.sorted_table().await;
    let claim = |hash: &str| PutItem {
        condition: Some(absent("pk")),
        returns: WriteReturns { on_condition_failure: OnConditionFailure::AllOld, ..WriteReturns::default() },
        ..table.put(with(with(row("REQ#key"), "request_hash", hash), "status", "STARTED"))
    };
    world.ok(claim("h1")).await;
    let seen = world.refused(claim("h2"), CONDITION_FAILED).await;
    let stored = claim("h1").item;
    assert_eq!(seen, StoreError::ConditionalCheckFailed { item: Some(Box::new(stored)) });
}
