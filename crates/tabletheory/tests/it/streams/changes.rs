//! What the engine's records tell, as models.

use futures_executor::block_on;
use tabletheory::Model;
use tabletheory::model::ModelError;
use tabletheory::stream::{Change, DecodeFault, Decoder, Image, Record, Removal};
use tabletheory_core::schema::StreamView;
use tabletheory_core::{Clock, Item, Seconds, Value};

use super::world::{Visit, delete, drain, put, put_item, reader, visit, visits, world};

/// Insert, modify, remove: what a stream of this view tells of a life.
fn life(view: StreamView) -> Vec<Record<Visit>> {
    block_on(async {
        let store = world(view).await;
        put(&*store, &visit("ada", 1)).await;
        put(&*store, &visit("ada", 2)).await;
        delete(&*store, &visit("ada", 2)).await;
        visits(&store).await.into_iter().map(Result::unwrap).collect()
    })
}

fn changes(records: Vec<Record<Visit>>) -> Vec<Change<Visit>> {
    records.into_iter().map(|record| record.change).collect()
}

#[test]
fn the_life_of_an_item_is_told_as_models() {
    let (first, second) = (Some(visit("ada", 1)), Some(visit("ada", 2)));
    let expected = [
        Change::Inserted { new: first.clone() },
        Change::Modified { old: first, new: second.clone() },
        Change::Removed { old: second, cause: Removal::Requested },
    ];
    assert_eq!(changes(life(StreamView::NewAndOldImages)), expected);
}

#[test]
fn a_record_has_only_the_images_of_its_view() {
    let (first, second) = (Some(visit("ada", 1)), Some(visit("ada", 2)));
    let cause = Removal::Requested;
    let expected = [
        Change::Inserted { new: first.clone() },
        Change::Modified { old: None, new: second.clone() },
        Change::Removed { old: None, cause },
    ];
    assert_eq!(changes(life(StreamView::NewImage)), expected);
    let expected = [
        Change::Inserted { new: None },
        Change::Modified { old: first, new: None },
        Change::Removed { old: second, cause },
    ];
    assert_eq!(changes(life(StreamView::OldImage)), expected);
    let expected = [
        Change::Inserted { new: None },
        Change::Modified { old: None, new: None },
        Change::Removed { old: None, cause },
    ];
    assert_eq!(changes(life(StreamView::KeysOnly)), expected);
}

#[test]
fn a_record_tells_its_key_place_time_and_size_whatever_the_view() {
    for view in [StreamView::KeysOnly, StreamView::NewAndOldImages] {
        let records = life(view);
        let key = visit("ada", 1).key_of().into_item().unwrap();
        let began = tabletheory::testing::TestStore::new().clock().now();
        assert!(records.iter().all(|record| record.keys == key && record.view == view && record.at == began));
        assert!(records.iter().all(|record| record.size_bytes > 0));
        assert!(records.windows(2).all(|two| two[0].sequence < two[1].sequence));
        assert!(records.windows(2).all(|two| two[0].event_id != two[1].event_id));
    }
}

#[test]
fn a_removal_by_time_to_live_is_told_from_a_request() {
    let records = block_on(async {
        let store = world(StreamView::KeysOnly).await;
        let ends = u64::try_from(store.clock().now().seconds() + 60).unwrap();
        put(&*store, &Visit { ends: Some(ends), ..visit("ada", 1) }).await;
        put(&*store, &Visit { ends: Some(ends), ..visit("bob", 1) }).await;
        delete(&*store, &visit("bob", 1)).await;
        store.advance(Seconds(3600));
        visits(&store).await
    });
    let removals: Vec<(Removal, Option<Value>)> = records
        .into_iter()
        .map(Result::unwrap)
        .filter_map(|record| match record.change {
            Change::Removed { cause, .. } => Some((cause, record.keys.get("pk").cloned())),
            _ => None,
        })
        .collect();
    let (ada, bob) = (Some(Value::s("USER#ada")), Some(Value::s("USER#bob")));
    assert_eq!(removals, [(Removal::Requested, bob), (Removal::TimeToLive, ada)]);
}

#[test]
fn an_item_of_another_form_is_an_error_with_its_sequence_number_and_the_others_come() {
    block_on(async {
        let store = world(StreamView::NewAndOldImages).await;
        put(&*store, &visit("ada", 1)).await;
        let stranger = Item::from([
            ("pk", Value::s("USER#eve")),
            ("sk", Value::s("VISIT#home")),
            ("user", Value::s("eve")),
            ("page", Value::s("home")),
            ("count", Value::s("secret")),
        ]);
        put_item(&*store, stranger.clone()).await;
        put_item(&*store, visit("eve", 3).to_item().unwrap()).await;
        put(&*store, &visit("bob", 1)).await;
        let told = drain(&mut reader(&store).await).await.unwrap();
        let decoded = Decoder::<Visit>::new().decode_all(&told).await;
        assert_eq!(decoded[0].as_ref().unwrap().new_image(), Some(&visit("ada", 1)));
        assert_eq!(decoded[3].as_ref().unwrap().new_image(), Some(&visit("bob", 1)));
        let (made, mended) = (decoded[1].as_ref().unwrap_err(), decoded[2].as_ref().unwrap_err());
        assert_eq!((&made.sequence, made.image), (&told[1].sequence, Image::New));
        assert_eq!((&mended.sequence, mended.image), (&told[2].sequence, Image::Old));
        assert!(matches!(&made.source, DecodeFault::Model(ModelError::Read { model: "Visit", .. })));
        // The record is not lost: it is still where it was.
        assert_eq!(told[1].new_image, Some(stranger));
    });
}

#[test]
fn what_may_be_logged_shows_no_value() {
    block_on(async {
        let store = world(StreamView::NewAndOldImages).await;
        put(&*store, &visit("secret", 1)).await;
        put_item(&*store, Item::from([("pk", Value::s("secret")), ("sk", Value::s("secret"))])).await;
        let batch = reader(&store).await.try_next().await.unwrap().unwrap();
        let decoded = Decoder::<Visit>::new().decode_all(&batch.records).await;
        let (record, error) = (decoded[0].as_ref().unwrap(), decoded[1].as_ref().unwrap_err());
        let source = &error.source;
        for text in
            [format!("{batch:?}"), format!("{record:?}"), format!("{error:?}"), format!("{error}: {source}")]
        {
            assert!(!text.contains("secret"), "{text}");
        }
        assert!(format!("{record:?}").contains("Inserted { new: there }"));
    });
}
