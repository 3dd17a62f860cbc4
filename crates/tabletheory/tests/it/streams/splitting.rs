//! Reading a stream of many shards: parents before children, each shard in its turn, none forgotten.

use std::sync::Arc;

use futures_executor::block_on;
use tabletheory::stream::{ReadSettings, Reader};
use tabletheory_core::store::op::StreamStatus;
use tabletheory_core::{Clock, ManualClock, Timestamp};

use super::sharding::{Part, STREAM, Sharded, closed, part};

fn reader(store: &Arc<Sharded>) -> Reader {
    Reader::new(Arc::clone(store) as _, STREAM)
}

/// The sequence numbers of everything that can be read now.
fn drain(reader: &mut Reader) -> Vec<String> {
    block_on(async {
        let mut seen = Vec::new();
        while let Some(batch) = reader.try_next().await.unwrap() {
            assert!(!batch.gap);
            seen.extend(batch.records.into_iter().map(|record| record.sequence));
        }
        seen
    })
}

fn one_by_one() -> ReadSettings {
    ReadSettings { records_max: 1, ..ReadSettings::default() }
}

/// A shard that split, of whose halves one split again. Children are listed before their parents.
fn family() -> Vec<Part> {
    vec![
        part("d", Some("b"), &[30, 31]),
        closed("b", Some("a"), &[20, 21]),
        part("c", Some("a"), &[22, 23]),
        closed("a", None, &[10, 11]),
    ]
}

#[test]
fn parents_are_read_before_their_children() {
    let store = Arc::new(Sharded::new(family()));
    assert_eq!(drain(&mut reader(&store)), ["10", "11", "20", "21", "22", "23", "30", "31"]);
}

#[test]
fn shards_are_read_in_turn() {
    let store = Arc::new(Sharded::new([part("a", None, &[10, 11, 12]), part("b", None, &[20, 21])]));
    let mut reader = reader(&store).with_settings(one_by_one());
    assert_eq!(drain(&mut reader), ["10", "20", "11", "21", "12"]);
}

#[test]
fn a_checkpoint_at_any_place_gives_the_rest_of_every_shard() {
    let store = Arc::new(Sharded::new(family()));
    let mut first = reader(&store).with_settings(one_by_one());
    let mut seen: Vec<String> = Vec::new();
    while let Some(batch) = block_on(first.try_next()).unwrap() {
        seen.extend(batch.records.into_iter().map(|record| record.sequence));
        let kept = serde_json::to_string(first.checkpoint()).unwrap();
        let mut second = reader(&store).resume(serde_json::from_str(&kept).unwrap()).unwrap();
        let mut all = [seen.clone(), drain(&mut second)].concat();
        all.sort();
        assert_eq!(all, ["10", "11", "20", "21", "22", "23", "30", "31"], "after {seen:?}");
    }
    assert_eq!(seen.len(), 8);
}

#[test]
fn a_shard_that_splits_while_it_is_read_goes_on_in_its_children() {
    let store = Arc::new(Sharded::new([part("a", None, &[10])]));
    let mut reader = reader(&store);
    assert_eq!(drain(&mut reader), ["10"]);
    store.change(|state| {
        state.shards[0].closed = true;
        state.shards[0].records.push(11);
        state.shards.extend([part("b", Some("a"), &[20]), part("c", Some("a"), &[21])]);
    });
    assert_eq!(drain(&mut reader), ["11", "20", "21"]);
}

#[tokio::test(start_paused = true)]
async fn children_that_are_listed_late_are_found() {
    let store = Arc::new(Sharded::new([closed("a", None, &[10]), part("z", None, &[])]));
    let mut reader = reader(&store);
    assert_eq!(reader.next().await.unwrap().unwrap().records[0].sequence, "10");
    assert_eq!(reader.try_next().await.unwrap(), None);
    store.change(|state| state.shards.push(part("b", Some("a"), &[20])));
    assert_eq!(reader.next().await.unwrap().unwrap().records[0].sequence, "20");
    assert!(store.count("GetRecords") < 10, "such a child is looked for sooner than others");
}

#[test]
fn a_closed_shard_is_not_asked_again() {
    let store = Arc::new(Sharded::new([closed("a", None, &[10]), part("b", Some("a"), &[])]));
    let mut first = reader(&store);
    assert_eq!(drain(&mut first), ["10"]);
    let checkpoint = first.checkpoint().clone();
    store.change(|state| state.calls.clear());
    assert_eq!(drain(&mut reader(&store).resume(checkpoint).unwrap()), [""; 0]);
    assert_eq!(store.count("GetShardIterator"), 1, "only that of the open shard");
}

#[test]
fn shards_are_listed_page_by_page() {
    let store = Arc::new(Sharded::new(family()));
    store.change(|state| state.page = 1);
    assert_eq!(drain(&mut reader(&store)).len(), 8);
}

#[tokio::test(start_paused = true)]
async fn pages_without_records_in_a_closed_shard_do_not_end_it() {
    let store = Arc::new(Sharded::new([Part { blanks: 3, ..closed("a", None, &[10]) }]));
    store.change(|state| state.status = StreamStatus::Disabled);
    let mut reader = reader(&store);
    assert_eq!(reader.next().await.unwrap().unwrap().records.len(), 1);
    assert_eq!(reader.next().await.unwrap(), None);
}

#[test]
fn the_newest_records_are_those_of_open_shards_and_all_of_their_children() {
    let store = Arc::new(Sharded::new([closed("a", None, &[10]), part("b", Some("a"), &[20])]));
    let mut reader = reader(&store).from_newest();
    assert_eq!(drain(&mut reader), [""; 0]);
    store.change(|state| {
        state.shards[1].closed = true;
        state.shards[1].records.push(21);
        state.shards.push(part("c", Some("b"), &[30]));
    });
    assert_eq!(drain(&mut reader), ["21", "30"]);
}

#[test]
fn all_shards_begin_at_the_newest_record_before_the_first_is_read() {
    let store = Arc::new(Sharded::new([part("a", None, &[10]), part("b", None, &[20])]));
    let mut reader = reader(&store).from_newest();
    assert_eq!(drain(&mut reader), [""; 0]);
    let calls = store.0.lock().unwrap().calls.clone();
    assert_eq!(calls[..4], ["DescribeStream", "GetShardIterator", "GetShardIterator", "GetRecords"]);
}

#[test]
fn a_child_of_a_shard_that_was_open_a_moment_ago_is_new_altogether() {
    // The list was made in two pages, and the shard split in between.
    let store = Arc::new(Sharded::new([part("a", None, &[10]), part("b", Some("a"), &[20])]));
    let mut reader = reader(&store).from_newest();
    assert_eq!(drain(&mut reader), [""; 0]);
    store.change(|state| state.shards[0].closed = true);
    assert_eq!(drain(&mut reader), ["20"]);
}

#[test]
fn a_moment_in_a_checkpoint_passes_over_what_is_older() {
    let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1000)));
    let store = Arc::new(Sharded::new([part("a", None, &[100, 600])]));
    let mut first = reader(&store).with_clock(Arc::clone(&clock) as Arc<dyn Clock>).from_newest();
    assert_eq!(drain(&mut first), [""; 0]);
    store.change(|state| state.shards[0].records.extend([1001, 1002]));
    let mut second = reader(&store).resume(first.checkpoint().clone()).unwrap();
    assert_eq!(drain(&mut second), ["1001", "1002"]);
}

#[test]
fn a_shard_that_was_dropped_before_it_was_read_is_a_gap() {
    let store = Arc::new(Sharded::new([part("a", None, &[10])]));
    let mut first = reader(&store);
    assert_eq!(drain(&mut first), ["10"]);
    let checkpoint = first.checkpoint().clone();
    store.change(|state| state.shards = vec![part("b", Some("a"), &[20])]);
    // One reader still knows the shard, the other knows it from its checkpoint.
    for mut reader in [first, reader(&store).resume(checkpoint).unwrap()] {
        let batch = block_on(reader.try_next()).unwrap().unwrap();
        assert!(batch.gap);
        assert_eq!(batch.records[0].sequence, "20");
        assert_eq!(reader.checkpoint().shards.keys().collect::<Vec<_>>(), ["b"]);
    }
}

#[test]
fn a_shard_that_was_read_to_its_end_may_be_dropped() {
    let store = Arc::new(Sharded::new([closed("a", None, &[10]), part("b", Some("a"), &[20])]));
    let mut first = reader(&store);
    assert_eq!(drain(&mut first), ["10", "20"]);
    store.change(|state| {
        state.shards.remove(0);
        state.shards[0].records.push(21);
    });
    let mut second = reader(&store).resume(first.checkpoint().clone()).unwrap();
    assert_eq!(drain(&mut second), ["21"]);
    assert_eq!(second.checkpoint().shards.keys().collect::<Vec<_>>(), ["b"]);
}
