//! Tables and their streams: which are fit, what is archived of them, what happens when a stream ends or forgets.

use std::sync::Arc;

use object_store::path::Path;
use object_store::{ObjectStoreExt as _, PutPayload};
use tabletheory::stream::ReadSettings;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::{DeleteItem, StreamUpdate, UpdateTable};
use tabletheory_core::{Clock as _, Request, Response, Seconds, Store, StoreError, StoreExt};
use theory_archive::{Error, Follower};

use crate::items::{self, TABLE};
use crate::world::{ENDS, World, check_all_archived_once, drain, entries, everything, originals};

async fn turn(world: &World, stream: StreamUpdate) {
    let update = UpdateTable { table: TABLE.to_owned(), stream: Some(stream), ..UpdateTable::default() };
    world.store.update_table(update).await.unwrap();
}

#[tokio::test]
async fn a_table_that_is_not_fit_is_refused_before_anything_is_written() {
    for (view, words) in [(StreamView::KeysOnly, "KEYS_ONLY"), (StreamView::NewImage, "NEW_IMAGE")] {
        let world = World::with_view(view).await;
        let error = world.follow(world.archive()).await.unwrap_err();
        assert!(matches!(&error, Error::NoOldImages { table, .. } if table == TABLE), "{error:?}");
        assert!(error.to_string().contains(words) && error.to_string().contains("OLD_IMAGE"), "{error}");
        assert!(everything(&*world.objects).await.is_empty());
    }
    let world = World::new().await;
    world.store.create_table(items::table("quiet")).await.unwrap();
    let quiet = Follower::open(world.archive(), world.store.clone(), "quiet").await.unwrap_err();
    assert!(quiet.to_string().contains("the table quiet has no stream"), "{quiet}");
    let missing = Follower::open(world.archive(), world.store.clone(), "nothing").await.unwrap_err();
    assert!(matches!(&missing, Error::Table { source: StoreError::ResourceNotFound(_), .. }), "{missing:?}");
    assert!(everything(&*world.objects).await.is_empty());
}

#[tokio::test]
async fn only_what_expired_is_archived_and_old_images_are_enough() {
    let world = World::with_view(StreamView::OldImage).await;
    for number in 0..10 {
        items::put(&*world.store, items::item(number, ENDS)).await;
    }
    for number in 0..4 {
        let delete = DeleteItem { table: TABLE.to_owned(), key: items::key(number), ..DeleteItem::default() };
        world.store.delete_item(delete).await.unwrap();
    }
    world.store.advance(Seconds(3600));
    let sum = world.archive_all().await;
    assert_eq!((sum.archived, sum.passed), (6, 14), "{sum:?}");
    check_all_archived_once(&world.archive(), &originals(4..10, ENDS)).await;
}

#[tokio::test]
async fn an_object_has_the_members_that_readers_know() {
    let world = World::new().await;
    world.expire(0..1).await;
    world.archive_all().await;
    let all = everything(&*world.objects).await;
    let (name, text) = all.iter().find(|(name, _)| name.starts_with("ttl-archive/2024/01/01/")).unwrap();
    let object: serde_json::Value = serde_json::from_slice(text).unwrap();
    assert_eq!(*name, format!("ttl-archive/2024/01/01/{}.json", object["event_id"].as_str().unwrap()));
    assert_eq!(object["archived_at"], "2024-01-01T01:00:00.000Z");
    assert_eq!(object["approximate_creation_date_time"], 1_704_070_800);
    assert!(object["event_source_arn"].as_str().unwrap().contains(":table/app/stream/"));
    assert_eq!(object["keys"], serde_json::to_value(items::key(0)).unwrap());
    assert_eq!(object["old_image"], serde_json::to_value(items::item(0, ENDS)).unwrap());
    assert_eq!(
        (&object["ttl_attribute"], &object["ttl_value"]["N"]),
        (&"ends".into(), &ENDS.to_string().into())
    );
}

#[tokio::test(start_paused = true)]
async fn an_item_that_expires_twice_is_archived_twice() {
    let world = World::new().await;
    world.expire(0..1).await;
    items::put(&*world.store, items::item(0, ENDS + 3600)).await;
    world.store.advance(Seconds(7200));
    assert_eq!(world.archive_all().await.archived, 2);
    assert_eq!(entries(&world.archive()).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_was_turned_off_and_on_is_read_to_its_end_first() {
    let world = World::new().await;
    world.expire(0..10).await;
    turn(&world, StreamUpdate::Disable).await;
    turn(&world, StreamUpdate::Enable(StreamView::OldImage)).await;
    for number in 10..20 {
        items::put(&*world.store, items::item(number, ENDS + 3600)).await;
    }
    world.store.advance(Seconds(7200));
    let sum = world.archive_all().await;
    assert_eq!(sum.archived, 20, "{sum:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_while_it_is_followed_is_followed_by_the_next() {
    let world = World::new().await;
    world.expire(0..3).await;
    let mut follower = world.follow(world.archive()).await.unwrap();
    assert_eq!(follower.next().await.unwrap().unwrap().outcome.archived, 3);
    turn(&world, StreamUpdate::Disable).await;
    turn(&world, StreamUpdate::Enable(StreamView::NewAndOldImages)).await;
    for number in 3..5 {
        items::put(&*world.store, items::item(number, ENDS + 3600)).await;
    }
    world.store.advance(Seconds(7200));
    let mut archived = 0;
    while archived < 2 {
        archived += follower.next().await.unwrap().unwrap().outcome.archived;
    }
    turn(&world, StreamUpdate::Disable).await;
    assert!(follower.next().await.unwrap().is_none(), "it has ended, and no other has begun");
}

/// The stream is on, three items expire, and it is off.
async fn expire_in_a_stream(world: &World, items: std::ops::Range<usize>) {
    turn(world, StreamUpdate::Enable(StreamView::OldImage)).await;
    world.expire(items).await;
    turn(world, StreamUpdate::Disable).await;
}

#[tokio::test(start_paused = true)]
async fn streams_that_were_on_and_off_while_nobody_looked_are_all_archived() {
    let world = World::new().await;
    world.expire(0..3).await;
    let mut follower = world.follow(world.archive()).await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap().archived, 3);
    // The follower sleeps, and two streams begin and end.
    turn(&world, StreamUpdate::Disable).await;
    expire_in_a_stream(&world, 3..6).await;
    expire_in_a_stream(&world, 6..9).await;
    let mut archived = 0;
    while let Some(progress) = follower.next().await.unwrap() {
        archived += progress.outcome.archived;
    }
    assert_eq!(archived, 6, "both streams were read to their ends, and no other is on");
    let rest = world.archive_all().await;
    assert_eq!((rest.archived, rest.present, rest.passed), (0, 0, 0), "the next follower has nothing to do");
    // It is on once more, and what happens then is found by the follower that had come to the end.
    expire_in_a_stream(&world, 9..12).await;
    assert_eq!(drain(&mut follower).await.unwrap().archived, 3);
    check_all_archived_once(&world.archive(), &originals(0..12, ENDS)).await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_off_is_read_to_its_end_where_the_table_does_not_name_it() {
    let world = World::new().await;
    world.expire(0..3).await;
    turn(&world, StreamUpdate::Disable).await;
    expire_in_a_stream(&world, 3..6).await;
    let store = Arc::new(Unnamed(world.store.clone()));
    Follower::look(store.clone(), TABLE).await.unwrap();
    let mut follower = Follower::open(world.archive(), store.clone(), TABLE).await.unwrap();
    assert_eq!(drain(&mut follower).await.unwrap().archived, 6);
    assert!(follower.next().await.unwrap().is_none(), "all of it is archived");
    check_all_archived_once(&world.archive(), &originals(0..6, ENDS)).await;
    // A day later nothing can be read of either.
    world.store.advance(Seconds(2 * 86_400));
    let error = Follower::look(store, TABLE).await.unwrap_err();
    assert!(matches!(&error, Error::NoStream { table } if table == TABLE), "{error:?}");
}

/// DynamoDB's own way: a table names no stream that is off.
#[derive(Debug)]
struct Unnamed(Arc<TestStore>);

impl Store for Unnamed {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async {
            let mut response = self.0.call(request).await?;
            if let Response::DescribeTable(described) = &mut response {
                described.table.stream = described.table.stream.take().filter(|stream| stream.enabled);
            }
            Ok(response)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_follower_goes_on_where_the_last_one_stopped() {
    let world = World::new().await;
    world.expire(0..5).await;
    assert_eq!(world.archive_all().await.archived, 5);
    let again = world.archive_all().await;
    assert_eq!((again.archived, again.present, again.passed), (0, 0, 0), "nothing is read twice: {again:?}");
    // Without what was noted everything is read again, and nothing is written twice.
    let all = everything(&*world.objects).await;
    let noted = all.keys().find(|name| name.contains(".checkpoint")).unwrap();
    world.objects.delete(&Path::from(noted.as_str())).await.unwrap();
    let again = world.archive_all().await;
    assert_eq!((again.archived, again.present), (0, 5), "{again:?}");
    assert_eq!(everything(&*world.objects).await.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_note_that_cannot_be_understood_is_named_with_what_to_do() {
    let world = World::new().await;
    world.expire(0..1).await;
    world.archive_all().await;
    let all = everything(&*world.objects).await;
    let noted = Path::from(all.keys().find(|name| name.contains(".checkpoint")).unwrap().as_str());
    for damage in ["", "{", "{\"stream\":\"other\",\"shards\":{}}", "\u{0}"] {
        world.objects.put(&noted, PutPayload::from(damage.as_bytes().to_vec())).await.unwrap();
        let error = world.follow(world.archive()).await.unwrap_err().to_string();
        assert!(error.contains(noted.as_ref()) && error.contains("delete it"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn records_that_the_stream_forgot_are_told() {
    let world = World::new().await;
    world.expire(0..3).await;
    assert_eq!(world.archive_all().await.archived, 3);
    for number in 3..6 {
        items::put(&*world.store, items::item(number, ENDS + 3600)).await;
    }
    world.store.advance(Seconds(7200));
    // Nobody archives for two days, and the stream keeps records for one.
    world.store.advance(Seconds(2 * 86_400));
    for number in 6..8 {
        items::put(&*world.store, items::item(number, ENDS + 2 * 86_400)).await;
    }
    world.store.advance(Seconds(3600));
    let mut follower = world.follow(world.archive()).await.unwrap();
    let progress = follower.try_next().await.unwrap().unwrap();
    assert!(progress.gap, "three items are lost, and that is told");
    assert_eq!(progress.outcome.archived, 2);
    assert!(!follower.take_gap(), "it is told once");
}

#[tokio::test(start_paused = true)]
async fn records_that_the_stream_forgot_are_told_when_none_follow_them() {
    let world = World::new().await;
    world.expire(0..3).await;
    assert_eq!(world.archive_all().await.archived, 3);
    items::put(&*world.store, items::item(3, ENDS)).await;
    world.store.advance(Seconds(3600));
    world.store.advance(Seconds(2 * 86_400));
    let mut follower = world.follow(world.archive()).await.unwrap();
    assert!(follower.next_until(world.store.clock().now()).await.unwrap().is_none());
    assert!(follower.take_gap(), "an item is lost, and nothing was removed since");
    assert!(!follower.take_gap(), "it is told once");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_answer_is_not_the_end() {
    let world = World::new().await;
    world.expire(0..5).await;
    let mut follower = world.follow(world.archive()).await.unwrap();
    let attempts = ReadSettings::default().attempts;
    for _ in 0..attempts {
        world.store.trouble("GetRecords", Trouble::NotReached);
    }
    let now = world.store.clock().now();
    let error = follower.next_until(now).await.unwrap_err();
    assert!(matches!(error, Error::Stream(_)), "{error:?}");
    assert_eq!(follower.next_until(now).await.unwrap().unwrap().outcome.archived, 5);
    assert!(follower.next_until(now).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_stream_is_noted_although_no_records_came() {
    let world = World::new().await;
    world.expire(0..1).await;
    world.archive_all().await;
    turn(&world, StreamUpdate::Disable).await;
    let mut follower = world.follow(world.archive()).await.unwrap();
    assert!(follower.next_until(world.store.clock().now()).await.unwrap().is_none());
    follower.note().await.unwrap();
    let all = everything(&*world.objects).await;
    let (_, noted) = all.iter().find(|(name, _)| name.contains(".checkpoint")).unwrap();
    assert!(String::from_utf8_lossy(noted).contains("finished"), "{}", String::from_utf8_lossy(noted));
}

#[tokio::test(start_paused = true)]
async fn a_table_that_is_throttled_or_silent_for_a_while_is_archived_all_the_same() {
    let world = World::new().await;
    world.expire(0..5).await;
    let mut follower = world.follow(world.archive()).await.unwrap();
    for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::LostAnswer] {
        world.store.trouble("GetRecords", trouble);
    }
    assert_eq!(follower.next().await.unwrap().unwrap().outcome.archived, 5);
    assert_eq!(drain(&mut follower).await.unwrap().archived, 0);
}
