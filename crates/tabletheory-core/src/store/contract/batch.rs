//! Batches: many reads or many writes that are independent of each other.

use std::collections::BTreeMap;

use super::words::*;
use super::world::World;
use crate::item::Item;
use crate::store::op::{BatchGetItem, BatchWrite, BatchWriteItem, KeysAndProjection};

fn key(at: usize) -> Item {
    item! { "pk": format!("p{at}") }
}

fn keys(keys: Vec<Item>) -> KeysAndProjection {
    KeysAndProjection { keys, projection: None, consistent: true }
}

fn gets<const COUNT: usize>(tables: [(&Table, KeysAndProjection); COUNT]) -> BatchGetItem {
    let tables = tables.into_iter().map(|(table, keys)| (table.name.clone(), keys)).collect();
    BatchGetItem { tables, ..BatchGetItem::default() }
}

fn writes<const COUNT: usize>(tables: [(&Table, Vec<BatchWrite>); COUNT]) -> BatchWriteItem {
    let tables = tables.into_iter().map(|(table, writes)| (table.name.clone(), writes)).collect();
    BatchWriteItem { tables, ..BatchWriteItem::default() }
}

fn puts(count: usize) -> Vec<BatchWrite> {
    (0..count).map(|at| BatchWrite::Put(key(at))).collect()
}

pub(super) async fn a_batch_writes_to_several_tables(world: World) {
    let (first, second) = (world.plain_table().await, world.plain_table().await);
    world.ok(second.put(key(9))).await;
    let batch =
        writes([(&first, puts(3)), (&second, vec![BatchWrite::Put(key(0)), BatchWrite::Delete(key(9))])]);
    let output = world.ok(batch).await;
    assert_eq!(output.unprocessed, BTreeMap::new());
    assert_eq!(world.ok(first.scan()).await.count, 3);
    assert_eq!(world.item(&second, key(0)).await, Some(key(0)));
    assert_eq!(world.item(&second, key(9)).await, None);
}

pub(super) async fn a_batch_reads_from_several_tables(world: World) {
    let (first, second) = (world.plain_table().await, world.plain_table().await);
    world.all([first.put(key(0)), first.put(with(key(1), "n", 1)), second.put(key(0))]).await;
    let projected = KeysAndProjection { projection: only(["n"]), ..keys(vec![key(1)]) };
    let output = world.ok(gets([(&first, projected), (&second, keys(vec![key(0), key(7)]))])).await;
    assert_eq!(output.items[&first.name], [item! { "n": 1 }]);
    assert_eq!(output.items[&second.name], [key(0)]);
    assert_eq!(output.unprocessed, BTreeMap::new());
}

pub(super) async fn a_batch_names_each_item_once(world: World) {
    let table = world.plain_table().await;
    let words = "Provided list of item keys contains duplicates";
    world.refused_saying(gets([(&table, keys(vec![key(0), key(0)]))]), VALIDATION, words).await;
    let twice = vec![BatchWrite::Put(key(0)), BatchWrite::Delete(key(0))];
    world.refused_saying(writes([(&table, twice)]), VALIDATION, words).await;
    let twice = vec![BatchWrite::Put(key(0)), BatchWrite::Put(with(key(0), "n", 1))];
    world.refused_saying(writes([(&table, twice)]), VALIDATION, words).await;
    assert_eq!(world.item(&table, key(0)).await, None);
}

pub(super) async fn a_batch_reads_at_most_a_hundred_items(world: World) {
    let (first, second) = (world.plain_table().await, world.plain_table().await);
    let many = |from: usize, count: usize| keys((from..from + count).map(key).collect());
    world.ok(gets([(&first, many(0, 100))])).await;
    world.refused(gets([(&first, many(0, 101))]), VALIDATION).await;
    let words = "Too many items requested for the BatchGetItem call";
    world.refused_saying(gets([(&first, many(0, 60)), (&second, many(0, 60))]), VALIDATION, words).await;
}

pub(super) async fn a_batch_writes_at_most_25_items(world: World) {
    let (first, second) = (world.plain_table().await, world.plain_table().await);
    world.ok(writes([(&first, puts(25))])).await;
    world.refused(writes([(&second, puts(26))]), VALIDATION).await;
    let words = "Too many items requested for the BatchWriteItem call";
    world.refused_saying(writes([(&first, puts(13)), (&second, puts(13))]), VALIDATION, words).await;
    assert_eq!(world.ok(second.scan()).await.count, 0);
}

pub(super) async fn a_batch_is_not_empty(world: World) {
    let table = world.plain_table().await;
    world.refused(BatchGetItem::default(), VALIDATION).await;
    world.refused(BatchWriteItem::default(), VALIDATION).await;
    world.refused(gets([(&table, keys(vec![]))]), VALIDATION).await;
    world.refused(writes([(&table, vec![])]), VALIDATION).await;
}

pub(super) async fn a_batch_with_a_missing_table_does_nothing(world: World) {
    let table = world.plain_table().await;
    let missing = Table { name: world.name() };
    let words = "Requested resource not found";
    world.refused_saying(gets([(&missing, keys(vec![key(0)]))]), NOT_FOUND, words).await;
    world.refused_saying(writes([(&table, puts(1)), (&missing, puts(1))]), NOT_FOUND, words).await;
    assert_eq!(world.item(&table, key(0)).await, None);
}

pub(super) async fn a_batch_with_a_wrong_item_does_nothing(world: World) {
    let table = world.plain_table().await;
    for wrong in [
        BatchWrite::Put(item! { "n": 1 }),
        BatchWrite::Put(item! { "pk": 1 }),
        BatchWrite::Put(item! { "pk": "" }),
        BatchWrite::Put(item! { "pk": "a", "data": text(400 * 1024) }),
        BatchWrite::Put(item! { "pk": "a", "set": strings([]) }),
        BatchWrite::Delete(item! { "pk": "a", "n": 1 }),
    ] {
        let shown = format!("{wrong:.60?}");
        let batch = writes([(&table, vec![BatchWrite::Put(key(0)), wrong])]);
        world.refused(batch, VALIDATION).await;
        assert_eq!(world.item(&table, key(0)).await, None, "{shown}");
    }
    world.refused(gets([(&table, keys(vec![key(0), item! { "pk": 1 }]))]), VALIDATION).await;
}

pub(super) async fn a_batch_leaves_reads_beyond_16_megabytes_for_later(world: World) {
    const COUNT: usize = 50;
    let table = world.plain_table().await;
    for at in 0..COUNT {
        world.ok(table.put(with(key(at), "data", text(390 * 1024)))).await;
    }
    let mut wanted = keys((0..COUNT).map(key).collect());
    let mut seen = 0;
    let mut rounds = 0;
    while !wanted.keys.is_empty() {
        let mut output = world.ok(gets([(&table, wanted)])).await;
        let found = output.items.remove(&table.name).map_or(0, |items| items.len());
        assert!(found > 0, "a batch makes progress");
        (seen, rounds) = (seen + found, rounds + 1);
        wanted = output.unprocessed.remove(&table.name).unwrap_or_default();
    }
    assert_eq!(seen, COUNT);
    assert!(rounds >= 2, "19 MB do not fit one answer");
}

pub(super) async fn what_is_unprocessed_can_be_sent_again_as_it_is(world: World) {
    let table = world.plain_table().await;
    let mut tables = writes([(&table, puts(20))]).tables;
    while !tables.is_empty() {
        tables = world.ok(BatchWriteItem { tables, ..BatchWriteItem::default() }).await.unprocessed;
        world.wait().await;
    }
    assert_eq!(world.ok(table.scan()).await.count, 20);
}
