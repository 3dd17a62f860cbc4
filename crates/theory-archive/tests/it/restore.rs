//! Archived items come back as they were, where nothing newer is, and only if their table can hold them.

use std::sync::Arc;

use object_store::path::Path;
use object_store::{ObjectStoreExt as _, PutPayload};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::schema::{AttributeDefinition, KeyElement, KeyType};
use tabletheory_core::store::op::CreateTable;
use tabletheory_core::{Seconds, StoreExt, Value};
use theory_archive::{Days, Error, Restore, RestoreSettings, Told, Ttl};

use crate::items::{self, TABLE, TTL};
use crate::world::{ENDS, World, now, originals, restore_into, scanned};

/// Into the table itself, with the time to live as it was.
fn kept() -> RestoreSettings {
    RestoreSettings { ttl: Some(Ttl::Keep), ..RestoreSettings::new(TABLE) }
}

/// A world with so many archived items.
async fn archived(items: usize) -> World {
    let world = World::new().await;
    world.expire(0..items).await;
    assert_eq!(world.archive_all().await.archived, items as u64);
    assert!(scanned(&*world.store, TABLE).await.is_empty());
    world
}

#[tokio::test(start_paused = true)]
async fn items_come_back_as_they_were_and_again_changes_nothing() {
    let world = archived(300).await;
    assert_eq!(world.restore(kept()).await.unwrap().restored, 300);
    assert!(scanned(&*world.store, TABLE).await == originals(0..300, ENDS));
    let again = world.restore(kept()).await.unwrap();
    assert_eq!((again.restored, again.present), (0, 300));
}

#[tokio::test(start_paused = true)]
async fn what_becomes_of_the_time_to_live_has_to_be_said() {
    let world = archived(3).await;
    let error = world.restore(RestoreSettings::new(TABLE)).await.unwrap_err();
    assert!(matches!(&error, Error::WouldExpire { attribute, .. } if attribute == TTL), "{error:?}");
    assert!(scanned(&*world.store, TABLE).await.is_empty());

    let removed = RestoreSettings { ttl: Some(Ttl::Remove), ..RestoreSettings::new(TABLE) };
    assert_eq!(world.restore(removed).await.unwrap().restored, 3);
    world.store.advance(Seconds(86_400));
    let items = scanned(&*world.store, TABLE).await;
    assert!(items.len() == 3 && items.values().all(|item| !item.contains(TTL) && item.len() == 13));
}

#[tokio::test(start_paused = true)]
async fn a_new_time_to_live_counts_from_the_restoration() {
    let world = archived(3).await;
    let later = RestoreSettings { ttl: Some(Ttl::After(Seconds(600))), ..RestoreSettings::new(TABLE) };
    let at = now(&world.store) + 600;
    assert_eq!(world.restore(later).await.unwrap().restored, 3);
    let items = scanned(&*world.store, TABLE).await;
    assert!(items.values().all(|item| item.get(TTL) == Some(&Value::n(at))));
    world.store.advance(Seconds(700));
    assert!(scanned(&*world.store, TABLE).await.is_empty(), "they expire again");
    assert_eq!(world.archive_all().await.archived, 3, "and are archived again");
}

#[tokio::test(start_paused = true)]
async fn a_time_to_live_that_is_a_key_can_only_be_kept() {
    let world = archived(1).await;
    let store = Arc::new(TestStore::new());
    let attribute = |name: &str, kind| AttributeDefinition { name: name.to_owned(), kind };
    let table = CreateTable {
        attributes: vec![attribute("id", KeyType::S), attribute(TTL, KeyType::N)],
        keys: vec![KeyElement::hash("id"), KeyElement::range(TTL)],
        ..items::table(TABLE)
    };
    store.create_table(table).await.unwrap();
    let ttl = tabletheory_core::store::op::UpdateTimeToLive {
        table: TABLE.into(),
        attribute: TTL.into(),
        enabled: true,
    };
    store.update_time_to_live(ttl).await.unwrap();
    let removed = RestoreSettings { ttl: Some(Ttl::Remove), ..RestoreSettings::new(TABLE) };
    let error = restore_into(world.archive(), store, removed).await.unwrap_err();
    assert!(matches!(error, Error::KeyExpires { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_is_there_by_now_is_newer_and_stays() {
    let world = archived(3).await;
    let mut newer = items::item(1, now(&world.store) + 9999);
    newer.insert("text", "newer");
    items::put(&*world.store, newer.clone()).await;
    let dry = RestoreSettings { is_dry: true, ..kept() };
    let looked = world.restore(dry).await.unwrap();
    assert_eq!((looked.restored, looked.newer), (2, 1));
    assert_eq!(scanned(&*world.store, TABLE).await.len(), 1, "looking changes nothing");

    let restored = world.restore(kept()).await.unwrap();
    assert_eq!((restored.restored, restored.newer), (2, 1));
    assert_eq!(scanned(&*world.store, TABLE).await["item-1"], newer);

    let over = world.restore(RestoreSettings { is_overwriting: true, ..kept() }).await.unwrap();
    assert_eq!((over.restored, over.newer), (3, 0));
    assert!(scanned(&*world.store, TABLE).await == originals(0..3, ENDS));
}

#[tokio::test(start_paused = true)]
async fn of_an_item_that_lived_several_times_the_newest_is_restored() {
    let world = World::new().await;
    // Three times on one day, and twice on the next.
    let mut last = ENDS;
    for life in 0..5 {
        let step = if life == 3 { 86_400 } else { 60 };
        last = now(&world.store) + step - 30;
        items::put(&*world.store, items::item(0, last)).await;
        world.store.advance(Seconds(step));
        assert_eq!(world.archive_all().await.archived, 1);
    }
    for is_overwriting in [false, true] {
        let restored = world.restore(RestoreSettings { is_overwriting, ..kept() }).await.unwrap();
        assert_eq!((restored.restored + restored.present, restored.superseded), (1, 4), "{restored:?}");
        assert_eq!(scanned(&*world.store, TABLE).await["item-0"], items::item(0, last));
    }
}

#[tokio::test(start_paused = true)]
async fn days_and_keys_choose_what_is_restored() {
    let world = World::new().await;
    world.expire(0..3).await;
    assert_eq!(world.archive_all().await.archived, 3);
    items::put(&*world.store, items::item(7, now(&world.store) + 60)).await;
    world.store.advance(Seconds(86_400));
    assert_eq!(world.archive_all().await.archived, 1);
    let second = Days { since: Some("2024-01-02".parse().unwrap()), until: None };
    assert_eq!(world.restore(RestoreSettings { days: second, ..kept() }).await.unwrap().restored, 1);
    let one = world.restore(RestoreSettings { key: Some(items::key(2)), ..kept() }).await.unwrap();
    assert_eq!(one.restored, 1);
    let none = world.restore(RestoreSettings { key: Some(items::key(99)), ..kept() }).await.unwrap();
    assert_eq!(none.restored, 0);
    assert_eq!(scanned(&*world.store, TABLE).await.into_keys().collect::<Vec<_>>(), ["item-2", "item-7"]);
}

#[tokio::test(start_paused = true)]
async fn a_table_with_other_keys_is_refused_before_anything_is_written() {
    let world = archived(3).await;
    for (name, kind) in [("id", KeyType::N), ("pk", KeyType::S), ("text", KeyType::S)] {
        let store = Arc::new(TestStore::new());
        let table = CreateTable {
            attributes: vec![AttributeDefinition { name: name.to_owned(), kind }],
            keys: vec![KeyElement::hash(name)],
            ..items::table(TABLE)
        };
        store.create_table(table).await.unwrap();
        let error = restore_into(world.archive(), Arc::clone(&store), kept()).await.unwrap_err();
        let wanted = format!("{name} ({})", kind.name());
        assert!(error.to_string().contains("id (S)") && error.to_string().contains(&wanted), "{error}");
        assert!(store.count("PutItem") == 0);
    }
}

#[tokio::test(start_paused = true)]
async fn items_of_another_table_stay_where_they_are() {
    let world = archived(3).await;
    world.store.create_table(items::table("other")).await.unwrap();
    let error = world.restore(RestoreSettings::new("other")).await.unwrap_err();
    assert_eq!(error.to_string(), "the archive holds no items of other; it holds items of app");
    let named = RestoreSettings { source: Some(TABLE.to_owned()), ..RestoreSettings::new("other") };
    assert_eq!(world.restore(named).await.unwrap().restored, 3);
    let missing = world.restore(RestoreSettings::new("nothing")).await.unwrap_err();
    assert!(missing.to_string().contains("nothing"), "{missing}");
}

#[tokio::test(start_paused = true)]
async fn objects_that_are_damaged_or_refused_are_told_and_the_others_come_back() {
    let world = archived(5).await;
    let place = |name: &str| Path::from(format!("ttl-archive/2024/01/01/{name}.json"));
    let huge = format!(
        r#"{{"keys":{{"id":{{"S":"h"}}}},"old_image":{{"id":{{"S":"h"}},"t":{{"S":"{}"}}}}}}"#,
        "x".repeat(500_000)
    );
    let odd = r#"{"keys":{"pk":{"S":"h"}},"old_image":{"pk":{"S":"h"}}}"#;
    for (name, text) in
        [("torn", "{\"keys\":"), ("empty", ""), ("huge", huge.as_str()), ("odd", odd), ("bytes", "\u{0}")]
    {
        world.objects.put(&place(name), PutPayload::from(text.as_bytes().to_vec())).await.unwrap();
    }
    let mut told = Vec::new();
    let clock = world.store.clock();
    let restore = Restore::open(world.archive(), world.store.clone(), kept(), &*clock).await.unwrap();
    let restored = restore
        .run(&mut |event| {
            if let Told::Refused { place, reason } = event {
                told.push(format!("{place}: {reason}"));
            }
        })
        .await
        .unwrap();
    assert_eq!((restored.restored, restored.refused), (5, 5), "{told:?}");
    told.sort();
    assert!(told.iter().any(|line| line.contains("huge.json: Item size has exceeded")), "{told:?}");
    assert!(
        told.iter().any(|line| line.contains("torn.json is no archived item: it cannot be read at line 1")),
        "{told:?}"
    );
    assert!(scanned(&*world.store, TABLE).await == originals(0..5, ENDS));
}

#[tokio::test(start_paused = true)]
async fn a_table_that_throttles_or_loses_answers_gets_every_item_once() {
    let world = archived(20).await;
    for trouble in [
        Trouble::Throttled,
        Trouble::LostAnswer,
        Trouble::LostRequest,
        Trouble::NotReached,
        Trouble::LostAnswer,
    ] {
        world.store.trouble("PutItem", trouble);
    }
    let restored = world.restore(kept()).await.unwrap();
    assert_eq!(restored.restored + restored.present, 20, "{restored:?}");
    assert_eq!((restored.newer, restored.refused), (0, 0), "{restored:?}");
    assert!(scanned(&*world.store, TABLE).await == originals(0..20, ENDS));
}
