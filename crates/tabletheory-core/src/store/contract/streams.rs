//! Streams: which writes make records, what they carry, where reading starts.

use super::words::*;
use super::world::World;
use crate::item::Item;
use crate::schema::{KeyElement, StreamView};
use crate::store::op::EventName::{Insert, Modify, Remove};
use crate::store::op::{
    DescribeStream, EventName, GetRecords, GetShardIterator, IteratorStart, ListStreams, StreamRecord,
    StreamStatus, StreamUpdate, TransactWriteItems, UpdateTable,
};

const PATIENCE: usize = 240;

fn key() -> Item {
    item! { "pk": "a" }
}

async fn streamed(world: &World, view: StreamView) -> (Table, String) {
    let table = world.table(Shape::plain().stream(view)).await;
    let stream = world.ok(table.describe()).await.table.stream.expect("the table has a stream");
    (table, stream.arn)
}

fn describe(arn: &str) -> DescribeStream {
    DescribeStream { arn: arn.to_owned(), ..DescribeStream::default() }
}

async fn iterator(world: &World, arn: &str, shard: &str, start: IteratorStart) -> String {
    let request = GetShardIterator { arn: arn.to_owned(), shard: shard.to_owned(), start };
    world.ok(request).await.iterator
}

/// Reads on from `iterator` until `count` records have come, or the shard has ended.
async fn read(world: &World, iterator: String, count: usize) -> Vec<StreamRecord> {
    let mut records = Vec::new();
    let mut next = Some(iterator);
    for _ in 0..PATIENCE {
        let Some(iterator) = next.take() else { break };
        let output = world.ok(GetRecords { iterator, limit: None }).await;
        records.extend(output.records);
        if records.len() >= count {
            break;
        }
        next = output.next_iterator;
        world.wait().await;
    }
    records
}

/// The first `count` records of all shards; more are kept too, so that a test sees what should not be there.
async fn records(world: &World, arn: &str, count: usize) -> Vec<StreamRecord> {
    for _ in 0..PATIENCE {
        let mut all = Vec::new();
        for shard in world.ok(describe(arn)).await.shards {
            let start = iterator(world, arn, &shard.id, IteratorStart::TrimHorizon).await;
            all.extend(world.ok(GetRecords { iterator: start, limit: None }).await.records);
        }
        if all.len() >= count {
            return all;
        }
        world.wait().await;
    }
    panic!("{count} records never came");
}

fn events(records: &[StreamRecord]) -> Vec<EventName> {
    records.iter().map(|record| record.event).collect()
}

/// Insert, modify, remove: the three things that happen to an item.
async fn a_life(world: &World, table: &Table) {
    world.ok(table.put(item! { "pk": "a", "n": 1 })).await;
    world.ok(table.update(key(), [set("n", 2)])).await;
    world.ok(table.delete(key())).await;
}

fn images(records: &[StreamRecord]) -> Vec<(Option<Item>, Option<Item>)> {
    records.iter().map(|record| (record.old_image.clone(), record.new_image.clone())).collect()
}

fn born() -> Option<Item> {
    Some(item! { "pk": "a", "n": 1 })
}

fn grown() -> Option<Item> {
    Some(item! { "pk": "a", "n": 2 })
}

pub(super) async fn a_stream_tells_what_happened_to_each_item(world: World) {
    let (table, arn) = streamed(&world, StreamView::NewAndOldImages).await;
    a_life(&world, &table).await;
    let records = records(&world, &arn, 3).await;
    assert_eq!(events(&records), [Insert, Modify, Remove]);
    assert!(records.iter().all(|record| record.keys == key() && record.identity.is_none()));
    assert!(records.iter().all(|record| record.view == StreamView::NewAndOldImages));
    assert_eq!(images(&records), [(None, born()), (born(), grown()), (grown(), None)]);
}

pub(super) async fn a_record_carries_the_new_image(world: World) {
    let (table, arn) = streamed(&world, StreamView::NewImage).await;
    a_life(&world, &table).await;
    assert_eq!(images(&records(&world, &arn, 3).await), [(None, born()), (None, grown()), (None, None)]);
}

pub(super) async fn a_record_carries_the_old_image(world: World) {
    let (table, arn) = streamed(&world, StreamView::OldImage).await;
    a_life(&world, &table).await;
    assert_eq!(images(&records(&world, &arn, 3).await), [(None, None), (born(), None), (grown(), None)]);
}

pub(super) async fn a_record_carries_only_keys(world: World) {
    let (table, arn) = streamed(&world, StreamView::KeysOnly).await;
    a_life(&world, &table).await;
    let records = records(&world, &arn, 3).await;
    assert_eq!(images(&records), [(None, None), (None, None), (None, None)]);
    assert!(records.iter().all(|record| record.keys == key()));
}

pub(super) async fn a_write_that_changes_nothing_makes_no_record(world: World) {
    let (table, arn) = streamed(&world, StreamView::KeysOnly).await;
    let item = item! { "pk": "a", "n": 1 };
    world.ok(table.put(item.clone())).await;
    world.ok(table.put(item)).await;
    world.ok(table.update(key(), [set("n", 1)])).await;
    world.ok(table.delete(item! { "pk": "nobody" })).await;
    world.ok(table.delete(key())).await;
    assert_eq!(events(&records(&world, &arn, 2).await), [Insert, Remove]);
}

pub(super) async fn a_refused_write_makes_no_record(world: World) {
    let (table, arn) = streamed(&world, StreamView::KeysOnly).await;
    let put = crate::store::op::PutItem { condition: Some(exists("pk")), ..table.put(key()) };
    world.refused(put, CONDITION_FAILED).await;
    world.ok(table.put(key())).await;
    assert_eq!(events(&records(&world, &arn, 1).await), [Insert]);
}

pub(super) async fn a_transaction_makes_a_record_for_each_write(world: World) {
    let (table, arn) = streamed(&world, StreamView::KeysOnly).await;
    let writes = ["x", "y", "z"].map(|pk| table.transact_put(item! { "pk": pk })).to_vec();
    world.ok(TransactWriteItems { writes, ..TransactWriteItems::default() }).await;
    let mut keys: Vec<Item> = records(&world, &arn, 3).await.into_iter().map(|record| record.keys).collect();
    keys.sort_by_key(|key| key.get("pk").and_then(|pk| pk.as_s()).map(str::to_owned));
    assert_eq!(keys, ["x", "y", "z"].map(|pk| item! { "pk": pk }));
}

pub(super) async fn sequence_numbers_grow(world: World) {
    let (table, arn) = streamed(&world, StreamView::KeysOnly).await;
    for n in 0..20 {
        world.ok(table.put(item! { "pk": "a", "n": n })).await;
    }
    let records = records(&world, &arn, 20).await;
    let sequences: Vec<u128> =
        records.iter().map(|record| record.sequence.parse().expect("a decimal number")).collect();
    assert!(sequences.windows(2).all(|two| two[0] < two[1]), "{sequences:?}");
    let mut identifiers: Vec<&str> = records.iter().map(|record| record.event_id.as_str()).collect();
    identifiers.sort_unstable();
    identifiers.dedup();
    assert_eq!(identifiers.len(), 20);
}

/// The shard that holds the records of item `a`, and those records.
async fn shard_of_five(world: &World) -> (Table, String, String, Vec<StreamRecord>) {
    let (table, arn) = streamed(world, StreamView::NewImage).await;
    for n in 1..=5 {
        world.ok(table.put(item! { "pk": "a", "n": n })).await;
    }
    let all = records(world, &arn, 5).await;
    for shard in world.ok(describe(&arn)).await.shards {
        let start = iterator(world, &arn, &shard.id, IteratorStart::TrimHorizon).await;
        if !world.ok(GetRecords { iterator: start, limit: None }).await.records.is_empty() {
            return (table, arn, shard.id, all);
        }
    }
    panic!("no shard holds the records");
}

pub(super) async fn reading_starts_at_or_after_a_record(world: World) {
    let (_, arn, shard, all) = shard_of_five(&world).await;
    let third = || all[2].sequence.clone();
    let at = iterator(&world, &arn, &shard, IteratorStart::At(third())).await;
    assert_eq!(read(&world, at, 3).await, all[2..]);
    let after = iterator(&world, &arn, &shard, IteratorStart::After(third())).await;
    assert_eq!(read(&world, after, 2).await, all[3..]);
    let oldest = iterator(&world, &arn, &shard, IteratorStart::TrimHorizon).await;
    assert_eq!(read(&world, oldest, 5).await, all);
}

pub(super) async fn reading_from_the_latest_sees_only_what_follows(world: World) {
    let (table, arn, shard, _) = shard_of_five(&world).await;
    let latest = iterator(&world, &arn, &shard, IteratorStart::Latest).await;
    world.ok(table.put(item! { "pk": "a", "n": 6 })).await;
    let records = read(&world, latest, 1).await;
    assert_eq!(images(&records), [(None, Some(item! { "pk": "a", "n": 6 }))]);
}

pub(super) async fn records_are_read_in_pages(world: World) {
    let (_, arn, shard, all) = shard_of_five(&world).await;
    let mut next = Some(iterator(&world, &arn, &shard, IteratorStart::TrimHorizon).await);
    let mut seen = Vec::new();
    while let Some(iterator) = next.take() {
        let output = world.ok(GetRecords { iterator, limit: Some(2) }).await;
        assert!(output.records.len() <= 2);
        seen.extend(output.records);
        next = output.next_iterator.filter(|_| seen.len() < all.len());
    }
    assert_eq!(seen, all);
}

pub(super) async fn a_page_of_records_has_at_most_a_thousand(world: World) {
    let (_, arn) = streamed(&world, StreamView::KeysOnly).await;
    let shard = world.settled(describe(&arn), |stream| !stream.shards.is_empty()).await.shards.remove(0).id;
    let iterator = iterator(&world, &arn, &shard, IteratorStart::TrimHorizon).await;
    world.refused(GetRecords { iterator: iterator.clone(), limit: Some(1001) }, VALIDATION).await;
    world.refused(GetRecords { iterator: iterator.clone(), limit: Some(0) }, VALIDATION).await;
    world.ok(GetRecords { iterator, limit: Some(1000) }).await;
}

pub(super) async fn a_stream_is_described_and_listed(world: World) {
    let (table, arn) = streamed(&world, StreamView::OldImage).await;
    let stream = world.settled(describe(&arn), |stream| stream.status == StreamStatus::Enabled).await;
    assert_eq!((&stream.arn, &stream.table, stream.view), (&arn, &table.name, StreamView::OldImage));
    assert_eq!(stream.keys, [KeyElement::hash("pk")]);
    assert!(arn.ends_with(&stream.label));
    let listed = world.ok(ListStreams { table: Some(table.name.clone()), ..ListStreams::default() }).await;
    let listed: Vec<(&str, &str)> =
        listed.streams.iter().map(|stream| (stream.arn.as_str(), stream.table.as_str())).collect();
    assert_eq!(listed, [(arn.as_str(), table.name.as_str())]);
}

pub(super) async fn a_table_without_stream_lists_none(world: World) {
    let table = world.plain_table().await;
    let listed = world.ok(ListStreams { table: Some(table.name), ..ListStreams::default() }).await;
    assert_eq!(listed.streams, []);
}

pub(super) async fn a_disabled_stream_can_still_be_read(world: World) {
    let (table, arn) = streamed(&world, StreamView::KeysOnly).await;
    world.ok(table.put(key())).await;
    records(&world, &arn, 1).await;
    let disable = UpdateTable {
        table: table.name.clone(),
        stream: Some(StreamUpdate::Disable),
        ..UpdateTable::default()
    };
    world.ok(disable).await;
    world.active(&table).await;
    world.ok(table.delete(key())).await;
    let stream = world.settled(describe(&arn), |stream| stream.status == StreamStatus::Disabled).await;
    assert!(stream.shards.iter().all(|shard| shard.last_sequence.is_some()), "no shard is open");
    let kept = records(&world, &arn, 1).await;
    assert_eq!(events(&kept), [Insert]);
    // A closed shard comes to an end: the last page has no place to read on from.
    let shard = &stream.shards[0].id;
    let mut next = Some(iterator(&world, &arn, shard, IteratorStart::TrimHorizon).await);
    for _ in 0..PATIENCE {
        let Some(iterator) = next.take() else { return };
        next = world.ok(GetRecords { iterator, limit: None }).await.next_iterator;
    }
    panic!("a closed shard never ended");
}

pub(super) async fn an_unknown_stream_is_not_found(world: World) {
    let (_, arn) = streamed(&world, StreamView::KeysOnly).await;
    let (table, _) = arn.rsplit_once('/').expect("a stream's resource name ends with its label");
    let stranger = format!("{table}/2001-01-01T00:00:00.000");
    world.refused(describe(&stranger), NOT_FOUND).await;
    let shard = "shardId-00000000000000000000-00000000".to_owned();
    let unknown = GetShardIterator { arn, shard, start: IteratorStart::TrimHorizon };
    world.refused(unknown, NOT_FOUND).await;
}
