//! Reading up to a moment: where a stream that goes on is taken to be read.

use std::sync::Arc;

use tabletheory::stream::{ReadSettings, Reader};
use tabletheory_core::Timestamp;

use super::sharding::{Part, STREAM, Sharded, closed, part};

/// Long after every record: shards have to show by empty answers that they have no more.
const LATER: i64 = 1_000_000;

fn reader(shards: impl Into<Vec<Part>>) -> (Arc<Sharded>, Reader) {
    let store = Arc::new(Sharded::new(shards));
    let reader = Reader::new(Arc::clone(&store) as _, STREAM);
    (store, reader)
}

/// The sequence numbers of what is read up to the moment.
async fn read_until(reader: &mut Reader, seconds: i64) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(batch) = reader.next_until(Timestamp::from_seconds(seconds)).await.unwrap() {
        seen.extend(batch.records.into_iter().map(|record| record.sequence));
    }
    seen
}

#[tokio::test(start_paused = true)]
async fn empty_answers_before_the_tip_of_an_open_shard_are_not_its_end() {
    let quiet = Part { blanks: 10, ..part("a", None, &[10, 11]) };
    let (_, mut reader) = reader([quiet, part("b", None, &[20])]);
    assert_eq!(read_until(&mut reader, LATER).await, ["20", "10", "11"]);
    assert!(!reader.is_finished());
}

#[tokio::test(start_paused = true)]
async fn a_closed_shard_is_read_to_its_end_however_many_answers_are_empty() {
    let quiet = Part { blanks: 100, ..closed("a", None, &[10]) };
    let (_, mut reader) = reader([quiet, part("b", Some("a"), &[20])]);
    assert_eq!(read_until(&mut reader, LATER).await, ["10", "20"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_always_has_more_is_read_up_to_the_moment() {
    let records: Vec<u32> = (10..500).collect();
    let (store, reader) = reader([part("a", None, &records), part("b", None, &[12, 40])]);
    let mut reader = reader.with_settings(ReadSettings { records_max: 1, ..ReadSettings::default() });
    let seen = read_until(&mut reader, 20).await;
    assert!(seen.contains(&"20".to_owned()) && seen.contains(&"40".to_owned()), "{seen:?}");
    assert!(seen.len() < 20 && store.count("GetRecords") < 40, "the rest is left to others: {seen:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_always_has_more_in_one_shard_ends_though_another_has_nothing() {
    let records: Vec<u32> = (10..2000).collect();
    let (store, reader) = reader([part("a", None, &records), part("b", None, &[])]);
    let mut reader = reader.with_settings(ReadSettings { records_max: 1, ..ReadSettings::default() });
    let seen = read_until(&mut reader, 20).await;
    assert!(seen.contains(&"20".to_owned()), "{seen:?}");
    assert!(seen.len() < 40 && store.count("GetRecords") < 80, "the rest is left to others: {seen:?}");
}

#[tokio::test(start_paused = true)]
async fn empty_answers_of_an_earlier_call_do_not_count() {
    let (store, mut reader) = reader([part("a", None, &[10])]);
    assert_eq!(read_until(&mut reader, LATER).await, ["10"]);
    let asked = store.count("GetRecords");
    assert!(read_until(&mut reader, LATER).await.is_empty());
    assert_eq!(store.count("GetRecords") - asked, 15, "as many as tip_answers says");
}

#[tokio::test(start_paused = true)]
async fn children_are_waited_for_however_many_shards_end_at_once() {
    let ended =
        |at: usize| closed(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"][at], None, &[10]);
    let (store, mut reader) = reader((0..12).map(ended).collect::<Vec<_>>());
    let until = Timestamp::from_seconds(LATER);
    for _ in 0..12 {
        assert_eq!(reader.next_until(until).await.unwrap().unwrap().records.len(), 1);
    }
    let (more, ()) = tokio::join!(reader.next_until(until), async {
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        store.change(|state| state.shards.push(part("m", Some("l"), &[20])));
    });
    assert_eq!(more.unwrap().unwrap().records[0].sequence, "20");
}

#[tokio::test(start_paused = true)]
async fn more_that_happened_is_read_by_the_next_call() {
    let (store, mut reader) = reader([part("a", None, &[10])]);
    assert_eq!(read_until(&mut reader, LATER).await, ["10"]);
    store.change(|state| state.shards[0].records.push(11));
    assert_eq!(read_until(&mut reader, LATER).await, ["11"]);
}

#[tokio::test(start_paused = true)]
async fn children_are_waited_for_but_not_forever() {
    let (_, mut reader) = reader([closed("a", None, &[10])]);
    assert_eq!(read_until(&mut reader, LATER).await, ["10"]);

    let (store, mut reader) = self::reader([closed("a", None, &[10])]);
    let until = Timestamp::from_seconds(LATER);
    assert_eq!(reader.next_until(until).await.unwrap().unwrap().records.len(), 1);
    let (more, ()) = tokio::join!(reader.next_until(until), async {
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        store.change(|state| state.shards.push(part("b", Some("a"), &[20])));
    });
    assert_eq!(more.unwrap().unwrap().records[0].sequence, "20", "children that are listed late are read");
}
