//! The row as the other toolkits know it, written by us and written by them.

use tabletheory_core::expr::{Comparator, Condition, Path};
use tabletheory_core::store::op::{PutItem, Scan};
use tabletheory_core::{Item, Seconds, StoreError, Value};

use super::world::{PAGE, START, World, granted, held_until};
use crate::lease::{LeaseSettings, Refresh};

const OURS: &str = "910a2dec-8902-4cc1-beeb-8da1658eec67";

/// The row that another toolkit's acquire puts.
fn foreign(token: &str, expires_at: i64) -> Item {
    Item::from([
        ("pk", Value::s(PAGE)),
        ("sk", Value::s("LOCK")),
        ("lease_token", Value::s(token)),
        ("lease_expires_at", Value::n(expires_at)),
        ("ttl", Value::n(expires_at + 3600)),
    ])
}

/// The put with which another toolkit acquires at `now`.
fn foreign_acquire(token: &str, now: i64) -> PutItem {
    let expired =
        Condition::Compare(Path::attribute("lease_expires_at").into(), Comparator::Le, Value::n(now).into());
    PutItem {
        table: "cache".into(),
        item: foreign(token, now + 30),
        condition: Some(Condition::AttributeNotExists(Path::attribute("pk")).or(expired)),
        ..PutItem::default()
    }
}

fn with_fence(mut row: Item, fence: i64) -> Item {
    row.insert("fence", fence);
    row
}

#[tokio::test]
async fn a_granted_and_a_refreshed_row_look_as_documented() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    let fence = START.millis() + 1;
    assert_eq!(world.row(), Some(with_fence(foreign(OURS, START.seconds() + 30), fence)));
    world.clock.advance(Seconds(7));
    assert_eq!(lease.refresh(Seconds(60)).await.unwrap(), Refresh::Extended);
    assert_eq!(world.row(), Some(with_fence(foreign(OURS, START.seconds() + 67), fence)));
}

#[tokio::test]
async fn without_a_buffer_there_is_no_ttl_even_if_a_former_holder_wrote_one() {
    let world = World::new();
    world.store.engine.run(foreign_acquire("go", START.seconds() - 30)).unwrap();
    let settings = LeaseSettings { ttl_buffer_seconds: 0, ..LeaseSettings::default() };
    let mut lease = granted(&world.ours.clone().with_settings(settings), 30).await;
    assert_eq!(lease.refresh(Seconds(40)).await.unwrap(), Refresh::Extended);
    let mut expected = with_fence(foreign(OURS, START.seconds() + 40), START.millis() + 1);
    expected.remove("ttl");
    assert_eq!(world.row(), Some(expected));
}

#[tokio::test]
async fn every_name_in_the_row_can_be_chosen() {
    let world = World::new();
    let settings = LeaseSettings {
        lock_sk: "MUTEX".into(),
        token: "owner".into(),
        expires_at: "until".into(),
        ttl: "gone_by".into(),
        fence: "grant".into(),
        ttl_buffer_seconds: 1,
        ..LeaseSettings::default()
    };
    let lease = granted(&world.ours.clone().with_settings(settings), 30).await;
    let scan = Scan { table: "cache".into(), ..Scan::default() };
    let expected = Item::from([
        ("pk", Value::s(PAGE)),
        ("sk", Value::s("MUTEX")),
        ("owner", Value::s(lease.token())),
        ("until", Value::n(START.seconds() + 30)),
        ("gone_by", Value::n(START.seconds() + 31)),
        ("grant", Value::n(START.millis() + 1)),
    ]);
    assert_eq!(world.store.engine.run(scan).unwrap().items, Some(vec![expected]));
}

#[tokio::test]
async fn a_row_of_another_toolkit_is_respected_and_taken_over_when_it_ends() {
    let world = World::new();
    world.store.engine.run(foreign_acquire("go", START.seconds())).unwrap();
    world.clock.advance(Seconds(29));
    assert_eq!(held_until(&world.ours, 30).await, START + Seconds(30));
    world.clock.advance(Seconds(1));
    let lease = granted(&world.ours, 30).await;
    assert_eq!(
        world.row(),
        Some(with_fence(foreign(lease.token(), START.seconds() + 60), START.millis() + 30_001))
    );
}

#[tokio::test]
async fn our_row_is_respected_by_another_toolkit_and_taken_over_when_it_ends() {
    let world = World::new();
    let mut lease = granted(&world.ours, 30).await;
    let early = world.store.engine.run(foreign_acquire("py", START.seconds() + 29));
    assert!(matches!(early, Err(StoreError::ConditionalCheckFailed { .. })));
    world.clock.advance(Seconds(30));
    world.store.engine.run(foreign_acquire("py", START.seconds() + 30)).unwrap();
    assert_eq!(lease.refresh(Seconds(30)).await.unwrap(), Refresh::Lost);
    let fence = lease.fence();
    // Their put dropped the fence; the clock's milliseconds keep it growing.
    world.clock.advance(Seconds(30));
    assert!(granted(&world.theirs, 30).await.fence() > fence);
}

#[tokio::test]
async fn a_row_that_does_not_say_when_it_ends_is_never_taken() {
    let world = World::new();
    let item = Item::from([("pk", PAGE), ("sk", "LOCK"), ("lease_expires_at", "tomorrow")]);
    let put = PutItem { table: "cache".into(), item: item.clone(), ..PutItem::default() };
    world.store.engine.run(put).unwrap();
    assert_eq!(held_until(&world.ours, 30).await, START + Seconds(1));
    assert_eq!(world.row(), Some(item));
}

#[tokio::test]
async fn attributes_that_we_do_not_know_are_kept() {
    let world = World::new();
    let mut put = foreign_acquire("ts", START.seconds() - 30);
    put.item.insert("fail_count", 3);
    world.store.engine.run(put).unwrap();
    let _lease = granted(&world.ours, 30).await;
    assert_eq!(world.row().unwrap().get("fail_count"), Some(&Value::n(3)));
}
