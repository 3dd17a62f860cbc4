//! What the engine gives and what Lambda would have been called with are the same records and the same models.

use std::collections::{BTreeMap, BTreeSet};

use futures_executor::block_on;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use serde_json::json;
use tabletheory::Model;
use tabletheory::attribute::Binary;
use tabletheory::stream::{Decoder, LambdaEvent, Reader};
use tabletheory::testing::TestStore;
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::{CreateTable, DeleteItem, PutItem, StreamRecord, UpdateTimeToLive};
use tabletheory_core::{Seconds, StoreExt, Timestamp};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app")]
struct Thing {
    #[model(pk)]
    id: String,
    text: String,
    number: i64,
    fraction: f64,
    raw: Binary,
    words: BTreeSet<String>,
    members: BTreeMap<String, Vec<Option<bool>>>,
    #[model(ttl)]
    ends: Option<u64>,
}

prop_compose! {
    fn thing()(
        id in "[ab]",
        text in ".{0,12}",
        number: i64,
        fraction in -1e9..1e9,
        raw in vec(any::<u8>(), 0..9),
        words in btree_set("\\PC{1,4}", 0..4),
        members in btree_map(".{1,4}", vec(any::<Option<bool>>(), 0..4), 0..3),
        ends in prop::option::of(1_704_067_200_u64..1_704_067_300),
    ) -> Thing {
        Thing { id, text, number, fraction, raw: Binary(raw), words, members, ends }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(Thing),
    Delete(String),
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => thing().prop_map(Step::Put),
        1 => "[ab]".prop_map(Step::Delete),
        1 => (0..1_000_000_i64).prop_map(Step::Wait),
    ]
}

fn view() -> impl Strategy<Value = StreamView> {
    use StreamView::{KeysOnly, NewAndOldImages, NewImage, OldImage};
    prop::sample::select(vec![KeysOnly, NewImage, OldImage, NewAndOldImages])
}

/// The records that the engine gives of these steps.
async fn told(view: StreamView, steps: Vec<Step>) -> Vec<StreamRecord> {
    let store = std::sync::Arc::new(TestStore::new());
    let table = CreateTable { stream: Some(view), ..Thing::SCHEMA.create_table("app") };
    store.create_table(table).await.unwrap();
    let (table, attribute) = ("app".to_owned(), "ends".to_owned());
    store.update_time_to_live(UpdateTimeToLive { table, attribute, enabled: true }).await.unwrap();
    for step in steps {
        let table = "app".to_owned();
        match step {
            Step::Put(thing) => {
                let item = thing.to_item().unwrap();
                store.put_item(PutItem { table, item, ..PutItem::default() }).await.map(drop).unwrap();
            }
            Step::Delete(id) => {
                let key = Thing::key(id).into_item().unwrap();
                store
                    .delete_item(DeleteItem { table, key, ..DeleteItem::default() })
                    .await
                    .map(drop)
                    .unwrap();
            }
            Step::Wait(millis) => {
                let clock = store.clock();
                clock.set(Timestamp::from_millis(tabletheory_core::Clock::now(&*clock).millis() + millis));
                store.advance(Seconds(0));
            }
        }
    }
    let mut reader = Reader::of_table(store, "app").await.unwrap();
    reader.try_next().await.unwrap().map(|batch| batch.records).unwrap_or_default()
}

/// A record as Lambda writes it.
fn written(record: &StreamRecord) -> serde_json::Value {
    let mut dynamodb = json!({
        "ApproximateCreationDateTime": record.at.millis() as f64 / 1000.0,
        "Keys": record.keys,
        "SequenceNumber": record.sequence,
        "SizeBytes": record.size_bytes,
        "StreamViewType": record.view.name(),
    });
    if let Some(image) = &record.new_image {
        dynamodb["NewImage"] = json!(image);
    }
    if let Some(image) = &record.old_image {
        dynamodb["OldImage"] = json!(image);
    }
    let mut written = json!({
        "awsRegion": "eu-central-1", "dynamodb": dynamodb, "eventID": record.event_id,
        "eventName": record.event.name(), "eventSource": "aws:dynamodb", "eventVersion": "1.1",
    });
    if let Some(identity) = &record.identity {
        written["userIdentity"] = json!({"principalId": identity.principal, "type": identity.kind});
    }
    written
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_and_lambda_tell_the_same(view in view(), steps in vec(step(), 1..12)) {
        block_on(async {
            let told = told(view, steps).await;
            let written: Vec<_> = told.iter().map(written).collect();
            let event = LambdaEvent::parse(&json!({ "Records": written }).to_string()).unwrap();
            prop_assert!(event.records == told, "the records differ");
            let decoder = Decoder::<Thing>::new();
            let here = decoder.decode_all(&told).await;
            let there = decoder.decode_all(&event.records).await;
            prop_assert!(here.iter().all(Result::is_ok), "a record of the engine is not read");
            prop_assert_eq!(here, there);
            Ok(())
        })?;
    }
}
