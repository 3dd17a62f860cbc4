//! Going on from a checkpoint: after each batch, after the engine was closed, after a day.

use std::sync::Arc;

use futures_executor::block_on;
use tabletheory::stream::{Checkpoint, Position, ReadError, ReadSettings, Reader};
use tabletheory_core::schema::StreamView;
use tabletheory_core::store::op::StreamUpdate;
use tabletheory_core::{Clock, Seconds};
use tabletheory_engine::{Engine, Settings};

use super::world::{TABLE, counts, create, delete, drain, put, reader, set_stream, visit, world};

#[test]
fn each_record_comes_once_and_in_order_when_every_batch_is_resumed_from_a_kept_checkpoint() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        for count in 1..=10 {
            for user in ["ada", "bob", "eve"] {
                put(&*store, &visit(user, count)).await;
            }
        }
        let all = drain(&mut reader(&store).await).await.unwrap();
        assert_eq!(all.len(), 30);
        let mut kept: Option<String> = None;
        let mut seen = Vec::new();
        loop {
            let settings = ReadSettings { records_max: 4, ..ReadSettings::default() };
            let mut reader = reader(&store).await.with_settings(settings);
            if let Some(kept) = &kept {
                reader = reader.resume(serde_json::from_str(kept).unwrap()).unwrap();
            }
            let Some(batch) = reader.try_next().await.unwrap() else { break };
            assert!(batch.records.len() <= 4 && !batch.gap);
            seen.extend(batch.records);
            kept = Some(serde_json::to_string(reader.checkpoint()).unwrap());
        }
        assert_eq!(seen, all);
    });
}

#[test]
fn a_checkpoint_in_the_middle_of_a_batch_is_resumed_behind_its_record() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        for count in 1..=5 {
            put(&*store, &visit("ada", count)).await;
        }
        let batch = reader(&store).await.try_next().await.unwrap().unwrap();
        let mut checkpoint = Checkpoint::new(reader(&store).await.checkpoint().stream.clone());
        checkpoint.advance(batch.shard, batch.records[2].sequence.clone());
        let mut resumed = reader(&store).await.resume(checkpoint).unwrap();
        assert_eq!(counts(&drain(&mut resumed).await.unwrap()), [4, 5]);
    });
}

#[test]
fn reading_goes_on_after_the_engine_was_closed_and_opened() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(Engine::open(folder.path(), Settings::default()).unwrap());
    let close = |engine: Arc<Engine>| Arc::into_inner(engine).unwrap().close().unwrap();
    block_on(async {
        let engine = open();
        create(&*engine, StreamView::NewImage).await;
        put(&*engine, &visit("ada", 1)).await;
        put(&*engine, &visit("ada", 2)).await;
        let settings = ReadSettings { records_max: 1, ..ReadSettings::default() };
        let mut reader =
            Reader::of_table(Arc::clone(&engine) as _, TABLE).await.unwrap().with_settings(settings);
        assert_eq!(counts(&reader.try_next().await.unwrap().unwrap().records), [1]);
        let checkpoint = reader.checkpoint().clone();
        drop(reader);
        close(engine);

        let engine = open();
        put(&*engine, &visit("ada", 3)).await;
        let reader = Reader::of_table(Arc::clone(&engine) as _, TABLE).await.unwrap();
        let mut reader = reader.resume(checkpoint).unwrap();
        assert_eq!(counts(&drain(&mut reader).await.unwrap()), [2, 3]);
        drop(reader);
        close(engine);
    });
}

#[test]
fn a_reader_that_comes_back_after_a_day_is_told_of_the_gap_once() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        put(&*store, &visit("ada", 1)).await;
        let mut before = reader(&store).await;
        assert_eq!(counts(&drain(&mut before).await.unwrap()), [1]);
        put(&*store, &visit("ada", 2)).await;
        store.advance(Seconds(25 * 3600));
        put(&*store, &visit("ada", 3)).await;
        let mut after = reader(&store).await.resume(before.checkpoint().clone()).unwrap();
        let batch = after.try_next().await.unwrap().unwrap();
        assert!(batch.gap);
        assert_eq!(counts(&batch.records), [3]);
        put(&*store, &visit("ada", 4)).await;
        assert!(!after.try_next().await.unwrap().unwrap().gap);
    });
}

#[test]
fn a_reader_that_slept_longer_than_its_iterator_lives_goes_on() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        let mut reader = reader(&store).await;
        for count in 1..=3 {
            put(&*store, &visit("ada", count)).await;
            let batch = reader.try_next().await.unwrap().unwrap();
            assert_eq!((counts(&batch.records), batch.gap), (vec![count], false));
            store.advance(Seconds(16 * 60));
        }
    });
}

#[test]
fn the_newest_records_are_those_after_the_first_look() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        put(&*store, &visit("ada", 1)).await;
        let mut reader = reader(&store).await.from_newest();
        assert_eq!(reader.try_next().await.unwrap(), None);
        put(&*store, &visit("ada", 2)).await;
        assert_eq!(counts(&drain(&mut reader).await.unwrap()), [2]);
    });
}

#[test]
fn a_reader_of_the_newest_records_that_saw_none_misses_none_when_it_comes_back() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        put(&*store, &visit("ada", 1)).await;
        store.advance(Seconds(3600));
        let mut before = reader(&store).await.from_newest();
        assert_eq!(before.try_next().await.unwrap(), None);
        let positions: Vec<&Position> = before.checkpoint().shards.values().collect();
        assert_eq!(positions, [&Position::Since(store.clock().now())]);
        put(&*store, &visit("ada", 2)).await;
        // It is asked again when its iterator is too old, or another reader goes on from its checkpoint.
        store.advance(Seconds(3600));
        put(&*store, &visit("ada", 3)).await;
        let mut after = reader(&store).await.resume(before.checkpoint().clone()).unwrap();
        assert_eq!(counts(&drain(&mut after).await.unwrap()), [2, 3]);
        assert_eq!(counts(&drain(&mut before).await.unwrap()), [2, 3]);
    });
}

#[test]
fn the_positions_of_a_checkpoint_go_before_the_newest_records() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        put(&*store, &visit("ada", 1)).await;
        let mut before = reader(&store).await;
        assert_eq!(counts(&drain(&mut before).await.unwrap()), [1]);
        put(&*store, &visit("ada", 2)).await;
        let checkpoint = || before.checkpoint().clone();
        let mut first = reader(&store).await.resume(checkpoint()).unwrap().from_newest();
        let mut last = reader(&store).await.from_newest().resume(checkpoint()).unwrap();
        assert_eq!(counts(&drain(&mut first).await.unwrap()), [2]);
        assert_eq!(counts(&drain(&mut last).await.unwrap()), [2]);
    });
}

#[test]
fn a_stream_that_was_turned_off_is_read_to_its_end() {
    block_on(async {
        let store = world(StreamView::NewImage).await;
        put(&*store, &visit("ada", 1)).await;
        let mut first = reader(&store).await;
        set_stream(&*store, StreamUpdate::Disable).await;
        delete(&*store, &visit("ada", 1)).await;
        assert_eq!(counts(&first.next().await.unwrap().unwrap().records), [1]);
        assert_eq!(first.next().await.unwrap(), None);
        assert!(first.is_finished());

        set_stream(&*store, StreamUpdate::Enable(StreamView::NewImage)).await;
        let second = reader(&store).await;
        let refused = second.resume(first.checkpoint().clone()).unwrap_err();
        assert!(matches!(refused, ReadError::OtherStream { .. }));
    });
}
