//! What operations cost, and the metrics of item collections.

use std::collections::BTreeMap;

use super::words::*;
use super::world::World;
use crate::item::Item;
use crate::schema::KeyType;
use crate::store::capacity::{ConsumedCapacity, ItemCollectionMetrics, ReturnCapacity};
use crate::store::op::{
    BatchGetItem, BatchWrite, BatchWriteItem, DeleteItem, GetItem, KeysAndProjection, PutItem, Query, Scan,
    TransactGetItems, TransactWriteItems, UpdateItem, WriteReturns,
};

fn total() -> WriteReturns {
    WriteReturns { capacity: ReturnCapacity::Total, ..WriteReturns::default() }
}

fn shares() -> WriteReturns {
    WriteReturns { capacity: ReturnCapacity::Indexes, ..WriteReturns::default() }
}

/// An item of this many bytes and the key `pk`.
fn item_of(pk: &str, bytes: usize) -> Item {
    item! { "pk": pk, "d": text(bytes - pk.len() - "pk".len() - "d".len()) }
}

fn units(capacity: Option<ConsumedCapacity>) -> f64 {
    capacity.expect("the cost was asked for").units.total
}

pub(super) async fn the_cost_is_told_only_when_asked(world: World) {
    let table = world.plain_table().await;
    assert_eq!(world.ok(table.put(item! { "pk": "a" })).await.capacity, None);
    assert_eq!(world.ok(table.get(item! { "pk": "a" })).await.capacity, None);
    assert_eq!(world.ok(table.query(partition("a"))).await.capacity, None);
    let get = GetItem { return_capacity: ReturnCapacity::Total, ..table.get(item! { "pk": "a" }) };
    let capacity = world.ok(get).await.capacity.expect("the cost was asked for");
    assert_eq!((capacity.table, capacity.table_units), (table.name, None));
}

pub(super) async fn a_read_costs_by_4_kilobytes_and_consistency(world: World) {
    let table = world.plain_table().await;
    world.all([table.put(item_of("a", 4096)), table.put(item_of("b", 4097))]).await;
    for (pk, consistent, expected) in [
        ("a", true, 1.0),
        ("a", false, 0.5),
        ("b", true, 2.0),
        ("b", false, 1.0),
        ("no", true, 1.0),
        ("no", false, 0.5),
    ] {
        let key = table.get(item! { "pk": pk });
        let get = GetItem { consistent, return_capacity: ReturnCapacity::Total, ..key };
        assert_eq!(units(world.ok(get).await.capacity), expected, "{pk} {consistent}");
    }
}

pub(super) async fn a_projection_costs_the_whole_item(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item_of("a", 9000))).await;
    let get = GetItem {
        projection: only(["pk"]),
        return_capacity: ReturnCapacity::Total,
        ..table.get(item! { "pk": "a" })
    };
    assert_eq!(units(world.ok(get).await.capacity), 3.0);
}

pub(super) async fn a_write_costs_by_kilobytes(world: World) {
    let table = world.plain_table().await;
    for (bytes, expected) in [(10, 1.0), (1024, 1.0), (1025, 2.0), (3000, 3.0)] {
        let put = PutItem { returns: total(), ..table.put(item_of("a", bytes)) };
        // The larger of the old and the new item counts; sizes grow here.
        assert_eq!(units(world.ok(put).await.capacity), expected, "{bytes} bytes");
    }
    let shrink = PutItem { returns: total(), ..table.put(item_of("a", 10)) };
    assert_eq!(units(world.ok(shrink).await.capacity), 3.0, "replacing 3000 bytes");
    world.ok(table.put(item_of("a", 2000))).await;
    let update = UpdateItem { returns: total(), ..table.update(item! { "pk": "a" }, [set("n", 1)]) };
    assert_eq!(units(world.ok(update).await.capacity), 2.0, "updating 2000 bytes");
    let delete = DeleteItem { returns: total(), ..table.delete(item! { "pk": "a" }) };
    assert_eq!(units(world.ok(delete.clone()).await.capacity), 2.0, "deleting 2000 bytes");
    assert_eq!(units(world.ok(delete).await.capacity), 1.0, "deleting nothing");
}

pub(super) async fn a_write_pays_for_each_index_it_changes(world: World) {
    let index = Index::named("by_owner").hash("owner", KeyType::S).keys_only();
    let table = world.table(Shape::plain().global(index)).await;
    let put = |item| PutItem { returns: shares(), ..table.put(item) };
    let cost = async |item| {
        let capacity = world.ok(put(item)).await.capacity.expect("the cost was asked for");
        let index = capacity.global_indexes.first().map_or(0.0, |(_, units)| units.total);
        (capacity.units.total, capacity.table_units.map(|units| units.total), index)
    };
    assert_eq!(cost(item! { "pk": "a", "owner": "ann" }).await, (2.0, Some(1.0), 1.0), "into the index");
    assert_eq!(cost(item! { "pk": "a", "owner": "ann", "n": 1 }).await, (1.0, Some(1.0), 0.0), "not carried");
    assert_eq!(cost(item! { "pk": "a", "owner": "bob", "n": 1 }).await, (3.0, Some(1.0), 2.0), "moved");
    assert_eq!(cost(item! { "pk": "a", "n": 1 }).await, (2.0, Some(1.0), 1.0), "out of the index");
    assert_eq!(cost(item! { "pk": "b" }).await, (1.0, Some(1.0), 0.0), "never in it");
}

pub(super) async fn a_query_rounds_its_sum_and_not_its_items(world: World) {
    let table = world.sorted_table().await;
    for sk in ["1", "2", "3"] {
        let item = item! { "pk": "a", "sk": sk, "d": text(1500) };
        world.ok(table.put(item)).await;
    }
    let query = |consistent| Query {
        consistent,
        return_capacity: ReturnCapacity::Total,
        ..table.query(partition("a"))
    };
    assert_eq!(units(world.ok(query(true)).await.capacity), 2.0);
    assert_eq!(units(world.ok(query(false)).await.capacity), 1.0);
    let filtered = Query { filter: Some(exists("nothing")), ..query(true) };
    assert_eq!(units(world.ok(filtered).await.capacity), 2.0, "a filter saves nothing");
    let scan = Scan { return_capacity: ReturnCapacity::Total, ..table.scan() };
    assert_eq!(units(world.ok(scan).await.capacity), 2.0);
}

pub(super) async fn a_query_that_finds_nothing_pays_the_minimum(world: World) {
    let table = world.sorted_table().await;
    for (consistent, expected) in [(true, 1.0), (false, 0.5)] {
        let query =
            Query { consistent, return_capacity: ReturnCapacity::Total, ..table.query(partition("nobody")) };
        assert_eq!(units(world.ok(query).await.capacity), expected);
    }
}

pub(super) async fn a_query_of_an_index_charges_the_index(world: World) {
    let index = Index::named("by_owner").hash("owner", KeyType::S);
    let table = world.table(Shape::plain().global(index)).await;
    world.ok(table.put(item! { "pk": "a", "owner": "ann" })).await;
    let query = Query {
        return_capacity: ReturnCapacity::Indexes,
        ..table.query_index("by_owner", crate::expr::KeyCondition::partition("owner", "ann"))
    };
    let page = world.settled(query, |page| page.count == 1).await;
    let capacity = page.capacity.expect("the cost was asked for");
    assert_eq!(capacity.units.total, 0.5);
    assert_eq!(capacity.table_units.map_or(0.0, |units| units.total), 0.0);
    assert_eq!(
        capacity.global_indexes.iter().map(|(name, units)| (name.as_str(), units.total)).collect::<Vec<_>>(),
        [("by_owner", 0.5)]
    );
}

pub(super) async fn a_batch_pays_for_each_item(world: World) {
    let table = world.plain_table().await;
    let puts = [item_of("a", 1025), item_of("b", 10)].map(BatchWrite::Put).to_vec();
    let write = BatchWriteItem {
        tables: [(table.name.clone(), puts)].into(),
        return_capacity: ReturnCapacity::Total,
        collection_metrics: false,
    };
    let capacity = world.ok(write).await.capacity;
    assert_eq!(capacity.iter().map(|capacity| capacity.units.total).collect::<Vec<_>>(), [3.0]);
    let keys = vec![item! { "pk": "a" }, item! { "pk": "b" }];
    let keys = KeysAndProjection { keys, projection: None, consistent: false };
    let get =
        BatchGetItem { tables: [(table.name.clone(), keys)].into(), return_capacity: ReturnCapacity::Total };
    let capacity = world.ok(get).await.capacity;
    assert_eq!(capacity.iter().map(|capacity| capacity.units.total).collect::<Vec<_>>(), [1.0]);
}

pub(super) async fn a_transaction_pays_twice(world: World) {
    let table = world.plain_table().await;
    let write = TransactWriteItems {
        writes: vec![table.transact_put(item_of("a", 1025)), table.transact_put(item_of("b", 10))],
        return_capacity: ReturnCapacity::Total,
        ..TransactWriteItems::default()
    };
    let capacity = world.ok(write).await.capacity;
    assert_eq!(capacity.iter().map(|capacity| capacity.units.total).collect::<Vec<_>>(), [6.0]);
    let read = TransactGetItems {
        gets: ["a", "b", "nobody"].map(|pk| table.transact_get(item! { "pk": pk })).to_vec(),
        return_capacity: ReturnCapacity::Total,
    };
    let capacity = world.ok(read).await.capacity;
    assert_eq!(capacity.iter().map(|capacity| capacity.units.total).collect::<Vec<_>>(), [6.0]);
}

fn measured() -> WriteReturns {
    WriteReturns { collection_metrics: true, ..WriteReturns::default() }
}

pub(super) async fn a_collection_is_measured_on_tables_with_local_indexes(world: World) {
    let local = Index::named("by_age").hash("pk", KeyType::S).range("age", KeyType::N);
    let table = world.table(Shape::sorted(KeyType::S).local(local)).await;
    let item = item! { "pk": "a", "sk": "x", "age": 1 };
    assert_eq!(world.ok(table.put(item.clone())).await.collection_metrics, None);
    let put = PutItem { returns: measured(), ..table.put(item) };
    let metrics = world.ok(put).await.collection_metrics.expect("the table has a local index");
    assert_eq!(metrics.key, item! { "pk": "a" });
    let [low, high] = metrics.size_gb;
    assert!(low <= high && low >= 0.0 && high <= 10.0, "{low} to {high} GB");
    let delete = DeleteItem { returns: measured(), ..table.delete(item! { "pk": "a", "sk": "x" }) };
    assert!(world.ok(delete).await.collection_metrics.is_some());
}

pub(super) async fn writes_of_many_items_measure_each_collection(world: World) {
    let local = Index::named("by_age").hash("pk", KeyType::S).range("age", KeyType::N);
    let table = world.table(Shape::sorted(KeyType::S).local(local)).await;
    let row = |pk: &str| item! { "pk": pk, "sk": "x" };
    let keys = |metrics: BTreeMap<String, Vec<ItemCollectionMetrics>>| {
        let mut keys =
            column(&metrics[&table.name].iter().map(|one| one.key.clone()).collect::<Vec<_>>(), "pk");
        keys.sort_by_key(|key| key.as_s().map(str::to_owned));
        keys
    };
    let batch = BatchWriteItem {
        tables: [(table.name.clone(), ["a", "b"].map(|pk| BatchWrite::Put(row(pk))).to_vec())].into(),
        collection_metrics: true,
        ..BatchWriteItem::default()
    };
    assert_eq!(keys(world.ok(batch).await.collection_metrics), values(["a", "b"]));
    let transaction = TransactWriteItems {
        writes: vec![table.transact_put(row("c")), table.transact_delete(row("a"))],
        collection_metrics: true,
        ..TransactWriteItems::default()
    };
    assert_eq!(keys(world.ok(transaction).await.collection_metrics), values(["a", "c"]));
}

pub(super) async fn a_table_without_local_indexes_has_no_collections(world: World) {
    let table = world.sorted_table().await;
    let put = PutItem { returns: measured(), ..table.put(item! { "pk": "a", "sk": "x" }) };
    assert_eq!(world.ok(put).await.collection_metrics, None);
}
