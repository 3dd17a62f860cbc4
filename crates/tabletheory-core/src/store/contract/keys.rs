//! What an item and its key may be: types, sizes, nesting, sets.

use super::words::*;
use super::world::World;
use crate::item::Item;
use crate::limits::{ITEM_BYTES_MAX, NESTING_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use crate::schema::KeyType;
use crate::store::op::{GetItem, PutItem, Scan};
use crate::value::Value;

const MISMATCHED_KEY: &str = "The provided key element does not match the schema";

async fn key_is_refused(world: &World, table: &Table, key: &Item, words: &'static str) {
    world.refused_saying(table.get(key.clone()), VALIDATION, words).await;
    world.refused_saying(table.delete(key.clone()), VALIDATION, words).await;
    world.refused_saying(table.update(key.clone(), [set("n", 1)]), VALIDATION, words).await;
}

pub(super) async fn a_key_has_the_types_of_the_table(world: World) {
    let table = world.sorted_table().await;
    for key in [
        item! { "pk": 1, "sk": "b" },
        item! { "pk": "a", "sk": bytes(*b"b") },
        item! { "pk": true, "sk": "b" },
    ] {
        key_is_refused(&world, &table, &key, MISMATCHED_KEY).await;
    }
}

pub(super) async fn a_key_names_every_key_attribute_and_no_other(world: World) {
    let table = world.sorted_table().await;
    key_is_refused(&world, &table, &item! { "pk": "a" }, MISMATCHED_KEY).await;
    key_is_refused(&world, &table, &item! { "pk": "a", "other": "b" }, MISMATCHED_KEY).await;
    key_is_refused(&world, &table, &item! { "pk": "a", "sk": "b", "n": 1 }, "").await;
    key_is_refused(&world, &table, &item! {}, "").await;
}

pub(super) async fn a_put_names_every_key_attribute(world: World) {
    let table = world.sorted_table().await;
    let words = "One or more parameter values were invalid: Missing the key sk in the item";
    world.refused_saying(table.put(item! { "pk": "a", "n": 1 }), VALIDATION, words).await;
    world.refused(table.put(item! {}), VALIDATION).await;
}

pub(super) async fn a_put_gives_keys_their_types(world: World) {
    let table = world.plain_table().await;
    let words = "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N";
    world.refused_saying(table.put(item! { "pk": 1 }), VALIDATION, words).await;
    world.refused(table.put(item! { "pk": Value::Null }), VALIDATION).await;
}

pub(super) async fn a_key_is_not_empty(world: World) {
    let table = world.sorted_table().await;
    let words = "The AttributeValue for a key attribute cannot contain an empty string value. Key: sk";
    let key = item! { "pk": "a", "sk": "" };
    world.refused_saying(table.put(key.clone()), VALIDATION, words).await;
    key_is_refused(&world, &table, &key, words).await;
    let table = world.table(Shape::partition("pk", KeyType::B)).await;
    world.refused(table.put(item! { "pk": bytes([]) }), VALIDATION).await;
    world.refused(table.get(item! { "pk": bytes([]) }), VALIDATION).await;
}

pub(super) async fn a_partition_key_has_at_most_2048_bytes(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": text(PARTITION_KEY_BYTES_MAX) })).await;
    assert!(world.item(&table, item! { "pk": text(PARTITION_KEY_BYTES_MAX) }).await.is_some());
    let long = item! { "pk": text(PARTITION_KEY_BYTES_MAX + 1) };
    let words = "Size of hashkey has exceeded the maximum size limit of2048 bytes";
    world.refused_saying(table.put(long.clone()), VALIDATION, words).await;
    key_is_refused(&world, &table, &long, words).await;
}

pub(super) async fn a_sort_key_has_at_most_1024_bytes(world: World) {
    let table = world.sorted_table().await;
    world.ok(table.put(item! { "pk": "a", "sk": text(SORT_KEY_BYTES_MAX) })).await;
    let long = item! { "pk": "a", "sk": text(SORT_KEY_BYTES_MAX + 1) };
    let words = "Aggregated size of all range keys has exceeded the size limit of 1024 bytes";
    world.refused_saying(table.put(long.clone()), VALIDATION, words).await;
    key_is_refused(&world, &table, &long, words).await;
}

pub(super) async fn a_key_is_measured_in_bytes_and_not_letters(world: World) {
    let table = world.sorted_table().await;
    let letters = "ü".repeat(SORT_KEY_BYTES_MAX / 2);
    world.ok(table.put(item! { "pk": "a", "sk": letters.clone() })).await;
    world.refused(table.put(item! { "pk": "a", "sk": format!("{letters}ü") }), VALIDATION).await;
}

/// An item of exactly this size: one byte of key, the names `pk` and `data`, and text.
fn item_of(bytes: usize) -> Item {
    item! { "pk": "a", "data": text(bytes - "pk".len() - "a".len() - "data".len()) }
}

pub(super) async fn an_item_has_at_most_400_kilobytes(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item_of(ITEM_BYTES_MAX))).await;
    let words = "Item size has exceeded the maximum allowed size";
    world.refused_saying(table.put(item_of(ITEM_BYTES_MAX + 1)), VALIDATION, words).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item_of(ITEM_BYTES_MAX)));
}

pub(super) async fn an_update_does_not_outgrow_400_kilobytes(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item_of(ITEM_BYTES_MAX))).await;
    let update = table.update(item! { "pk": "a" }, [set("n", 1)]);
    world
        .refused_saying(update, VALIDATION, "Item size to update has exceeded the maximum allowed size")
        .await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item_of(ITEM_BYTES_MAX)));
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::from("core"), |inner, level| {
        if level % 2 == 0 { list([inner]) } else { Value::from(item! { "m": inner }) }
    })
}

pub(super) async fn a_document_is_at_most_32_levels_deep(world: World) {
    let table = world.plain_table().await;
    // The text at the core is a level of its own.
    let item = item! { "pk": "a", "doc": nested(NESTING_MAX - 1) };
    world.ok(table.put(item.clone())).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item));
    let words = "Nesting Levels have exceeded supported limits";
    let deep = item! { "pk": "a", "doc": nested(NESTING_MAX) };
    world.refused_saying(table.put(deep), VALIDATION, words).await;
}

pub(super) async fn a_set_has_members(world: World) {
    let table = world.plain_table().await;
    for empty in [strings([]), numbers([]), binaries([])] {
        world.refused(table.put(item! { "pk": "a", "set": empty.clone() }), VALIDATION).await;
        world.refused(table.put(item! { "pk": "a", "l": list([empty.clone()]) }), VALIDATION).await;
        world.refused(table.update(item! { "pk": "a" }, [set("set", empty)]), VALIDATION).await;
    }
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, None);
}

pub(super) async fn a_key_attribute_is_never_updated(world: World) {
    let table = world.sorted_table().await;
    let key = item! { "pk": "a", "sk": "b" };
    for action in [set("sk", "c"), remove("sk"), add("sk", 1)] {
        world.refused(table.update(key.clone(), [action]), VALIDATION).await;
    }
    let words = "One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key";
    world.refused_saying(table.update(key.clone(), [set("sk", "c")]), VALIDATION, words).await;
    assert_eq!(world.item(&table, key).await, None);
}

pub(super) async fn nothing_is_looked_for_inside_a_key(world: World) {
    let table = world.plain_table().await;
    let words =
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk";
    let get = GetItem { projection: only(["pk.x"]), ..table.get(item! { "pk": "a" }) };
    world.refused_saying(get, VALIDATION, words).await;
    let put = PutItem { condition: Some(absent("pk[0]")), ..table.put(item! { "pk": "a" }) };
    world.refused_saying(put, VALIDATION, words).await;
    let scan = Scan { filter: Some(absent("pk.x")), ..table.scan() };
    world.refused_saying(scan, VALIDATION, words).await;
    world.refused(table.update(item! { "pk": "a" }, [set("pk.x", 1)]), VALIDATION).await;
}

pub(super) async fn an_attribute_has_a_name(world: World) {
    let table = world.plain_table().await;
    world.refused(table.put(item! { "pk": "a", "": 1 }), VALIDATION).await;
}
