//! Rows that are wrong in every way: a miss or a typed error, never a panic, and never a page that cannot be rendered again.

use std::time::Duration;

use tabletheory::Model as _;
use tabletheory::testing::Trouble;
use tabletheory_core::{Item, Seconds, Value};

use super::world::{TERM, World};
use crate::meta::{Acquire, Claimed, Commit, Guards, Intent, Purge, Purged};
use crate::record::Meta;

fn values() -> Vec<Value> {
    vec![
        Value::s(""),
        Value::s("x"),
        Value::n(-1),
        Value::n(u64::MAX),
        Value::n(i64::MAX),
        Value::n(i64::MIN),
        Value::n("1e125".parse::<tabletheory_core::Number>().unwrap()),
        Value::n("0.5".parse::<tabletheory_core::Number>().unwrap()),
        Value::Null,
        Value::Bool(true),
        Value::B(vec![0xff]),
        Value::L(vec![Value::Null]),
        Value::M(Item::from([("name", Value::n(1))])),
    ]
}

#[tokio::test]
async fn metadata_with_any_value_anywhere_is_read_as_a_page_or_as_none() {
    let names = Meta::SCHEMA.attributes.iter().map(|attribute| attribute.name);
    let world = World::new().await;
    for name in names.filter(|name| !["pk", "sk"].contains(name)) {
        for value in values() {
            let sound = [
                ("s3_key", Value::s("b/1")),
                ("generated_at", Value::n(1)),
                ("revalidate_seconds", Value::n(1)),
                (name, value.clone()),
            ];
            world.write(world.page.as_str(), "META", sound).await;
            let look = world.meta.get(&world.page).await.expect("a look is never an error");
            assert!(look.meta.is_some() != look.malformed, "{name}: {value:?}");
            if let Some(meta) = &look.meta {
                let lifetime = meta.lifetime().expect("it names a body");
                let _ = (lifetime.fresh_until(), lifetime.stale_since(), look.is_gone());
            }
            let lease = world.acquire().await;
            let ground = world.ground(&lease).await;
            let commit = world.meta.commit(&lease, &ground, &world.draft("b/2")).await.unwrap();
            // Only a generation that cannot grow keeps its place.
            let stuck = name == "generation"
                && matches!(&value, Value::N(number) if number.to_i64().is_none_or(|n| n > world.now().millis()) && number.is_integer());
            assert!(matches!(commit, Commit::Published(_)) || stuck, "{name}: {value:?}: {commit:?}");
            world.meta.release(lease).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_lock_that_is_wrong_blocks_nobody() {
    for name in ["lease_token", "lease_expires_at", "ttl", "fail_count", "next_attempt_ms"] {
        for value in values() {
            let world = World::new().await;
            let row = [
                ("lease_token", Value::s("theirs")),
                ("lease_expires_at", Value::n(1)),
                (name, value.clone()),
            ];
            world.write(world.page.as_str(), "LOCK", row).await;
            world.meta.watch(&world.page).await.expect("a look is never an error");
            let later = |number: &tabletheory_core::Number, now: i64| number.to_i64().is_none_or(|n| n > now);
            let blocked = match (name, &value) {
                ("lease_expires_at", Value::N(number)) => later(number, world.now().seconds()),
                ("next_attempt_ms", Value::N(number)) => later(number, world.now().millis()),
                _ => false,
            };
            let acquire = world.meta.try_acquire(&world.page, TERM).await.expect("an outcome");
            let granted = matches!(acquire, Acquire::Granted(_));
            // Half a second of 1970, and one that is below all numbers, are long over.
            let over = matches!(&value, Value::N(number) if number.is_negative() || !number.is_integer());
            assert!(granted == (!blocked || over), "{name}: {value:?}: {acquire:?}");
        }
    }
}

#[tokio::test]
async fn an_intent_whose_row_is_wrong_is_refused() {
    let world = World::new().await;
    let intent = Intent::from_request_id("r-1");
    let sk = format!("REQ#{}", intent.key());
    for name in ["request_hash", "status"] {
        for value in values() {
            let row = [
                ("request_hash", Value::s(intent.request_hash())),
                ("status", Value::s("STARTED")),
                (name, value.clone()),
            ];
            world.write(world.page.as_str(), &sk, row).await;
            let claimed = world.meta.claim(&world.page, &intent, TERM).await.unwrap();
            assert!(matches!(claimed, Claimed::Mismatch), "{name}: {value:?}: {claimed:?}");
        }
    }
    world.write(world.page.as_str(), &sk, []).await;
    assert!(matches!(world.meta.claim(&world.page, &intent, TERM).await.unwrap(), Claimed::Mismatch));
}

#[tokio::test]
async fn an_epoch_or_journal_that_is_wrong_stops_no_reader() {
    for value in values() {
        let world = World::new().await;
        world.publish("b/1").await;
        world.write(world.page.site(), "EPOCH", [("epoch", value.clone()), ("stale", value.clone())]).await;
        let look = world.meta.get(&world.page).await.expect("a look is never an error");
        assert!(look.meta.is_some() && look.malformed && !look.is_gone(), "{value:?}");
        assert!(look.is_purged_stale(), "{value:?}: nobody knows what was purged");
        world.write(world.page.as_str(), "EPOCH", [("epoch", value.clone())]).await;
        let lease = world.acquire().await;
        let ground = world.ground(&lease).await;
        // It is published if the number can be read, and otherwise refused: a purge may be written there.
        let commit = world.meta.commit(&lease, &ground, &world.draft("b/2")).await.unwrap();
        assert_eq!(matches!(commit, Commit::Published(_)), ground.epoch.is_some(), "{value:?}: {commit:?}");
        // A purge makes it good.
        world.meta.invalidate(&world.page, Purge::Stale).await.expect("an outcome");
        assert!(world.epoch().await.is_some_and(|epoch| Some(epoch) != ground.epoch), "{value:?}");
        world.publish("b/3").await;
    }
}

/// A number that cannot be read made every publish lose for ever, and some made every purge an error.
#[tokio::test]
async fn a_purge_makes_room_for_a_page_whatever_numbers_stand_there() {
    for (name, purge) in [("generation", Purge::Stale), ("version", Purge::Gone)] {
        for value in values() {
            let guards = Guards { version: name == "version", ..Guards::default() };
            let world = World::with(guards).await;
            world
                .write(world.page.as_str(), "META", [("s3_key", Value::s("b/1")), (name, value.clone())])
                .await;
            let purged = world.meta.invalidate(&world.page, purge).await.expect("an outcome");
            assert_eq!(purged, Purged::Page, "{name}: {value:?}");
            let look = world.meta.get(&world.page).await.unwrap();
            assert!(look.meta.is_none_or(|meta| meta.fresh_until() <= world.now()), "{name}: {value:?}");
            world.publish("b/2").await;
        }
    }
}

/// Two find an epoch that is wrong. If both began it again at the same moment, what is rendered between them would be
/// published after the second purge.
#[tokio::test(start_paused = true)]
async fn an_epoch_that_is_wrong_is_made_good_once() {
    let world = World::new().await;
    world.write(world.page.as_str(), "EPOCH", [("epoch", Value::s("many"))]).await;
    world.trouble("TransactWriteItems", Trouble::Slow(Duration::from_secs(10)));
    let (meta, page) = (world.meta.clone(), world.page.clone());
    let slow = tokio::spawn(async move { meta.invalidate(&page, Purge::Stale).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    world.meta.invalidate(&world.page, Purge::Stale).await.unwrap();
    let first = world.epoch().await.unwrap();
    slow.await.unwrap().unwrap();
    assert!(world.epoch().await.unwrap() > first);
}

#[tokio::test]
async fn a_page_that_no_number_can_follow_is_rendered_and_not_stored() {
    let world = World::new().await;
    let row =
        [("s3_key", Value::s("b/1")), ("generation", Value::n(u64::MAX)), ("version", Value::n(u64::MAX))];
    world.write(world.page.as_str(), "META", row).await;
    let lease = world.acquire().await;
    let ground = world.ground(&lease).await;
    let commit = world.meta.commit(&lease, &ground, &world.draft("b/2")).await.unwrap();
    assert!(matches!(commit, Commit::Lost(crate::meta::LostTo::Newer)));
    assert!(world.meta.rollback(&world.page, "none", Seconds(1)).await.is_ok());
    assert_eq!(world.meta.invalidate(&world.page, Purge::Stale).await.unwrap(), Purged::Page);
    world.publish("b/3").await;
}
