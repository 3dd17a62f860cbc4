//! One item: get, put, delete, and what each write can be asked to return.

use super::words::*;
use super::world::World;
use crate::error::StoreError;
use crate::item::Item;
use crate::store::op::{
    DeleteItem, GetItem, OnConditionFailure, PutItem, ReturnValues, UpdateItem, WriteReturns,
};
use crate::value::Value;

fn returning(values: ReturnValues) -> WriteReturns {
    WriteReturns { values, ..WriteReturns::default() }
}

fn telling() -> WriteReturns {
    WriteReturns { on_condition_failure: OnConditionFailure::AllOld, ..WriteReturns::default() }
}

fn told(error: StoreError) -> Option<Item> {
    match error {
        StoreError::ConditionalCheckFailed { item } => item.map(|item| *item),
        other => panic!("{other:?} is not a failed condition"),
    }
}

pub(super) async fn an_item_comes_back_as_it_was_put(world: World) {
    let table = world.plain_table().await;
    let nested = item! { "deep": list([Value::from(item! { "x": 1 }), Value::Null]), "flag": false };
    let item = item! {
        "pk": "all types", "s": "text", "n": number("-12.5"), "b": bytes([0, 1, 255]), "yes": true, "no": false,
        "null": Value::Null, "l": list([Value::from("a"), Value::from(2)]), "m": nested, "ss": strings(["b", "a"]),
        "ns": numbers([3, -1, 2]), "bs": binaries([b"y", b"x"]), "empty list": list::<Value>([]), "empty map": item! {},
    };
    world.ok(table.put(item.clone())).await;
    assert_eq!(world.item(&table, item! { "pk": "all types" }).await, Some(item));
}

pub(super) async fn an_empty_string_is_a_value(world: World) {
    let table = world.plain_table().await;
    let item = item! { "pk": "a", "s": "", "b": bytes([]), "l": list([""]), "m": item! { "s": "" } };
    world.ok(table.put(item.clone())).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item));
}

pub(super) async fn a_number_keeps_38_digits(world: World) {
    let table = world.plain_table().await;
    for text in [
        "12345678901234567890123456789012345678",
        "-0.00000000000000000012345678901234567890123456789012345678",
        "9.9999999999999999999999999999999999999E+125",
        "1E-130",
        "0",
    ] {
        let item = item! { "pk": "a", "n": number(text) };
        world.ok(table.put(item.clone())).await;
        assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item), "{text}");
    }
}

pub(super) async fn there_is_no_item_where_none_was_put(world: World) {
    let table = world.plain_table().await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, None);
    let eventually = GetItem { consistent: false, ..table.get(item! { "pk": "a" }) };
    assert_eq!(world.ok(eventually).await.item, None);
}

pub(super) async fn keys_of_every_type_find_their_item(world: World) {
    use crate::schema::KeyType::{B, N};
    let table = world.table(Shape::partition("id", N).sort("part", B)).await;
    let key = item! { "id": number("1.50"), "part": bytes([7]) };
    world.ok(table.put(with(key, "colour", "red"))).await;
    let same = item! { "id": number("15E-1"), "part": bytes([7]) };
    assert!(world.item(&table, same).await.is_some());
    assert_eq!(world.item(&table, item! { "id": number("1.5"), "part": bytes([7, 0]) }).await, None);
}

pub(super) async fn a_put_replaces_the_whole_item(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": "a", "old": 1 })).await;
    world.ok(table.put(item! { "pk": "a", "new": 2 })).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item! { "pk": "a", "new": 2 }));
}

pub(super) async fn a_put_returns_what_it_replaced(world: World) {
    let table = world.plain_table().await;
    let put = |n: i64| PutItem {
        returns: returning(ReturnValues::AllOld),
        ..table.put(item! { "pk": "a", "n": n })
    };
    assert_eq!(world.ok(put(1)).await.attributes, None);
    assert_eq!(world.ok(put(2)).await.attributes, Some(item! { "pk": "a", "n": 1 }));
    assert_eq!(world.ok(table.put(item! { "pk": "a" })).await.attributes, None);
}

pub(super) async fn a_put_and_a_delete_return_nothing_but_the_old(world: World) {
    let table = world.plain_table().await;
    let words = "ReturnValues can only be ALL_OLD or NONE";
    for values in [ReturnValues::AllNew, ReturnValues::UpdatedNew, ReturnValues::UpdatedOld] {
        let returns = returning(values);
        world.refused_saying(PutItem { returns, ..table.put(item! { "pk": "a" }) }, VALIDATION, words).await;
        world
            .refused_saying(DeleteItem { returns, ..table.delete(item! { "pk": "a" }) }, VALIDATION, words)
            .await;
    }
}

pub(super) async fn a_delete_removes_and_returns_the_item(world: World) {
    let table = world.plain_table().await;
    let item = item! { "pk": "a", "n": 1 };
    world.ok(table.put(item.clone())).await;
    let delete = DeleteItem { returns: returning(ReturnValues::AllOld), ..table.delete(item! { "pk": "a" }) };
    assert_eq!(world.ok(delete.clone()).await.attributes, Some(item));
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, None);
    assert_eq!(world.ok(delete).await.attributes, None);
}

pub(super) async fn an_update_returns_what_it_is_asked_for(world: World) {
    let table = world.plain_table().await;
    let before = item! { "pk": "a", "n": 1, "kept": "k", "gone": true };
    let after = item! { "pk": "a", "n": 2, "kept": "k", "made": "m" };
    for (values, expected) in [
        (ReturnValues::None, None),
        (ReturnValues::AllOld, Some(before.clone())),
        (ReturnValues::AllNew, Some(after)),
        (ReturnValues::UpdatedOld, Some(item! { "n": 1, "gone": true })),
        (ReturnValues::UpdatedNew, Some(item! { "n": 2, "made": "m" })),
    ] {
        world.ok(table.put(before.clone())).await;
        let actions = [set("n", 2), set("made", "m"), remove("gone")];
        let update = UpdateItem { returns: returning(values), ..table.update(item! { "pk": "a" }, actions) };
        assert_eq!(world.ok(update).await.attributes, expected, "{values:?}");
    }
}

pub(super) async fn an_attribute_set_to_what_it_was_counts_as_updated(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": "a", "n": 1, "s": "x" })).await;
    let update = |values, action| UpdateItem {
        returns: returning(values),
        ..table.update(item! { "pk": "a" }, [action])
    };
    let old = world.ok(update(ReturnValues::UpdatedOld, set("n", 1))).await.attributes;
    assert_eq!(old, Some(item! { "n": 1 }));
    let new = world.ok(update(ReturnValues::UpdatedNew, remove("s"))).await.attributes;
    assert_eq!(new, None, "what was removed has no new value");
}

pub(super) async fn an_update_that_makes_an_item_has_nothing_old_to_return(world: World) {
    let table = world.plain_table().await;
    for (pk, values) in [("a", ReturnValues::AllOld), ("b", ReturnValues::UpdatedOld)] {
        let update =
            UpdateItem { returns: returning(values), ..table.update(item! { "pk": pk }, [set("n", 1)]) };
        assert_eq!(world.ok(update).await.attributes, None, "{values:?}");
    }
    let update = UpdateItem {
        returns: returning(ReturnValues::AllNew),
        ..table.update(item! { "pk": "c" }, [set("n", 1)])
    };
    assert_eq!(world.ok(update).await.attributes, Some(item! { "pk": "c", "n": 1 }));
}

pub(super) async fn an_update_inside_a_document_returns_only_what_it_touched(world: World) {
    let table = world.plain_table().await;
    let document = item! { "x": 1, "y": list([1, 2, 3]), "z": "kept" };
    world.ok(table.put(item! { "pk": "a", "doc": document })).await;
    let update = |values| UpdateItem {
        returns: returning(values),
        ..table.update(item! { "pk": "a" }, [set("doc.x", 7), set("doc.y[1]", 9)])
    };
    let old = world.ok(update(ReturnValues::UpdatedOld)).await.attributes;
    assert_eq!(old, Some(item! { "doc": item! { "x": 1, "y": list([2]) } }));
    let new = world.ok(update(ReturnValues::UpdatedNew)).await.attributes;
    assert_eq!(new, Some(item! { "doc": item! { "x": 7, "y": list([9]) } }));
}

pub(super) async fn an_update_without_changes_makes_the_item(world: World) {
    let table = world.plain_table().await;
    let update = UpdateItem { update: None, ..table.update(item! { "pk": "a" }, []) };
    world.ok(update).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item! { "pk": "a" }));
}

pub(super) async fn a_false_condition_changes_nothing(world: World) {
    let table = world.plain_table().await;
    let item = item! { "pk": "a", "n": 1 };
    world.ok(table.put(item.clone())).await;
    let condition = Some(equals("n", 2));
    let words = "The conditional request failed";
    let put = PutItem { condition: condition.clone(), ..table.put(item! { "pk": "a" }) };
    world.refused_saying(put, CONDITION_FAILED, words).await;
    let update =
        UpdateItem { condition: condition.clone(), ..table.update(item! { "pk": "a" }, [set("n", 3)]) };
    world.refused_saying(update, CONDITION_FAILED, words).await;
    let delete = DeleteItem { condition, ..table.delete(item! { "pk": "a" }) };
    world.refused_saying(delete, CONDITION_FAILED, words).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(item));
}

pub(super) async fn a_failed_condition_tells_the_item_only_when_asked(world: World) {
    let table = world.plain_table().await;
    let item = item! { "pk": "a", "n": 1 };
    world.ok(table.put(item.clone())).await;
    let condition = Some(equals("n", 2));
    let put = PutItem { condition: condition.clone(), ..table.put(item! { "pk": "a" }) };
    assert_eq!(told(world.refused(put.clone(), CONDITION_FAILED).await), None);
    let put = PutItem { returns: telling(), ..put };
    assert_eq!(told(world.refused(put, CONDITION_FAILED).await), Some(item.clone()));
    let update = table.update(item! { "pk": "a" }, [set("n", 3)]);
    let update = UpdateItem { condition: condition.clone(), returns: telling(), ..update };
    assert_eq!(told(world.refused(update, CONDITION_FAILED).await), Some(item.clone()));
    let delete = DeleteItem { condition, returns: telling(), ..table.delete(item! { "pk": "a" }) };
    assert_eq!(told(world.refused(delete, CONDITION_FAILED).await), Some(item));
}

pub(super) async fn a_failed_condition_on_nothing_has_no_item_to_tell(world: World) {
    let table = world.plain_table().await;
    let condition = Some(exists("pk"));
    let put = PutItem { condition, returns: telling(), ..table.put(item! { "pk": "a" }) };
    assert_eq!(told(world.refused(put, CONDITION_FAILED).await), None);
}

pub(super) async fn a_delete_of_nothing_fails_only_by_its_condition(world: World) {
    let table = world.plain_table().await;
    world.ok(table.delete(item! { "pk": "a" })).await;
    let delete = DeleteItem { condition: Some(exists("pk")), ..table.delete(item! { "pk": "a" }) };
    world.refused(delete, CONDITION_FAILED).await;
}
