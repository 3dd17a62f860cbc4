//! Global and local indexes: what they hold, what they carry, how they are read.

use super::words::*;
use super::world::{World, items};
use crate::expr::{KeyCondition, KeyPredicate};
use crate::item::Item;
use crate::schema::KeyType::{N, S};
use crate::store::op::{GlobalIndexUpdate, PutItem, Query, Scan, Select, UpdateTable};
use crate::value::Value;

fn by_owner() -> Index {
    Index::named("by_owner").hash("owner", S).range("age", N)
}

fn by_age() -> Index {
    Index::named("by_age").hash("pk", S).range("age", N)
}

fn owner(value: &str) -> KeyCondition {
    KeyCondition::partition("owner", value)
}

fn pet(pk: &str, owner: &str, age: i64) -> Item {
    item! { "pk": pk, "owner": owner, "age": age, "colour": "red", "weight": 9 }
}

/// What a query finds, once it finds as many items as hoped.
async fn found(world: &World, query: Query, count: usize) -> Vec<Item> {
    let hoped =
        |page: &crate::store::op::PageOutput| page.items.as_ref().is_some_and(|items| items.len() == count);
    items(world.settled(query, hoped).await)
}

pub(super) async fn an_index_is_ordered_by_its_own_sort_key(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    world.all([("a", 7), ("b", -2), ("c", 30)].map(|(pk, age)| table.put(pet(pk, "ann", age)))).await;
    world.ok(table.put(pet("d", "bob", 1))).await;
    let query = table.query_index("by_owner", owner("ann"));
    assert_eq!(column(&found(&world, query.clone(), 3).await, "age"), values([-2, 7, 30]));
    let backwards = Query { forward: false, ..query };
    assert_eq!(column(&found(&world, backwards, 3).await, "age"), values([30, 7, -2]));
    let range = owner("ann").and("age", KeyPredicate::Ge(7.into()));
    assert_eq!(
        column(&found(&world, table.query_index("by_owner", range), 2).await, "pk"),
        values(["a", "c"])
    );
}

pub(super) async fn an_index_holds_only_items_with_its_keys(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    world.ok(table.put(item! { "pk": "no age", "owner": "ann" })).await;
    world.ok(table.put(item! { "pk": "no owner", "age": 1 })).await;
    world.ok(table.put(pet("both", "ann", 1))).await;
    let found = found(&world, table.query_index("by_owner", owner("ann")), 1).await;
    assert_eq!(column(&found, "pk"), values(["both"]));
    let scanned = world.ok(table.scan_index("by_owner")).await;
    assert_eq!(column(&items(scanned), "pk"), values(["both"]));
}

pub(super) async fn an_index_follows_every_write(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    let key = || item! { "pk": "a" };
    world.ok(table.put(pet("a", "ann", 1))).await;
    found(&world, table.query_index("by_owner", owner("ann")), 1).await;
    world.ok(table.update(key(), [set("owner", "bob")])).await;
    found(&world, table.query_index("by_owner", owner("ann")), 0).await;
    found(&world, table.query_index("by_owner", owner("bob")), 1).await;
    world.ok(table.update(key(), [set("colour", "blue")])).await;
    let blue = |page: &crate::store::op::PageOutput| {
        column(page.items.as_deref().unwrap_or_default(), "colour") == values(["blue"])
    };
    world.settled(table.query_index("by_owner", owner("bob")), blue).await;
    world.ok(table.update(key(), [remove("age")])).await;
    found(&world, table.query_index("by_owner", owner("bob")), 0).await;
    world.ok(table.put(pet("a", "ann", 2))).await;
    found(&world, table.query_index("by_owner", owner("ann")), 1).await;
    world.ok(table.delete(key())).await;
    found(&world, table.query_index("by_owner", owner("ann")), 0).await;
}

pub(super) async fn an_index_carries_what_it_projects(world: World) {
    let keys = Index::named("keys").hash("owner", S).keys_only();
    let include = Index::named("include").hash("owner", S).include(&["colour"]);
    let all = Index::named("all").hash("owner", S);
    let table = world.table(Shape::plain().global(keys).global(include).global(all)).await;
    world.ok(table.put(pet("a", "ann", 1))).await;
    for (index, expected) in [
        ("keys", item! { "pk": "a", "owner": "ann" }),
        ("include", item! { "pk": "a", "owner": "ann", "colour": "red" }),
        ("all", pet("a", "ann", 1)),
    ] {
        let query = table.query_index(index, owner("ann"));
        assert_eq!(found(&world, query.clone(), 1).await, std::slice::from_ref(&expected), "{index}");
        let projected = Query { select: Some(Select::AllProjectedAttributes), ..query };
        assert_eq!(found(&world, projected, 1).await, [expected], "{index}");
    }
}

pub(super) async fn a_global_index_never_fetches_from_the_table(world: World) {
    let table = world.table(Shape::plain().global(by_owner().keys_only())).await;
    let query = table.query_index("by_owner", owner("ann"));
    let all = Query { select: Some(Select::AllAttributes), ..query.clone() };
    world.refused(all, VALIDATION).await;
    let other = Query { projection: only(["colour"]), ..query };
    world.refused(other, VALIDATION).await;
}

pub(super) async fn a_local_index_fetches_from_the_table(world: World) {
    let table = world.table(Shape::sorted(S).local(by_age().keys_only())).await;
    let item = with(pet("a", "ann", 4), "sk", "x");
    world.ok(table.put(item.clone())).await;
    let query = Query { consistent: true, ..table.query_index("by_age", partition("a")) };
    assert_eq!(items(world.ok(query.clone()).await), [item! { "pk": "a", "sk": "x", "age": 4 }]);
    let one = Query { projection: only(["colour", "age"]), ..query.clone() };
    assert_eq!(items(world.ok(one).await), [item! { "colour": "red", "age": 4 }]);
    let all = Query { select: Some(Select::AllAttributes), ..query };
    assert_eq!(items(world.ok(all).await), [item]);
}

pub(super) async fn a_local_index_orders_a_partition_anew(world: World) {
    let table = world.table(Shape::sorted(S).local(by_age())).await;
    for (sk, age) in [("x", 3), ("y", 1), ("z", 2)] {
        world.ok(table.put(with(pet("a", "ann", age), "sk", sk))).await;
    }
    world.ok(table.put(item! { "pk": "a", "sk": "ageless" })).await;
    world.ok(table.put(with(pet("b", "ann", 9), "sk", "x"))).await;
    let query = Query { consistent: true, ..table.query_index("by_age", partition("a")) };
    assert_eq!(column(&items(world.ok(query).await), "sk"), values(["y", "z", "x"]));
    let old = partition("a").and("age", KeyPredicate::Gt(1.into()));
    let query = Query { consistent: true, ..table.query_index("by_age", old) };
    assert_eq!(column(&items(world.ok(query).await), "sk"), values(["z", "x"]));
}

pub(super) async fn a_global_index_has_no_consistent_reads(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    let words = "Consistent reads are not supported on global secondary indexes";
    let query = Query { consistent: true, ..table.query_index("by_owner", owner("ann")) };
    world.refused_saying(query, VALIDATION, words).await;
    world.refused_saying(Scan { consistent: true, ..table.scan_index("by_owner") }, VALIDATION, words).await;
}

pub(super) async fn a_page_of_a_global_index_ends_with_both_keys(world: World) {
    let table = world.table(Shape::sorted(S).global(by_owner())).await;
    world.all([1, 2].map(|age| table.put(with(pet("a", "ann", age), "sk", format!("s{age}"))))).await;
    let query = table.query_index("by_owner", owner("ann"));
    found(&world, query.clone(), 2).await;
    let page = world.ok(Query { limit: Some(1), ..query }).await;
    let expected = item! { "pk": "a", "sk": "s1", "owner": "ann", "age": 1 };
    assert_eq!(page.last_evaluated_key, Some(expected));
}

pub(super) async fn a_page_of_a_local_index_ends_with_both_keys(world: World) {
    let table = world.table(Shape::sorted(S).local(by_age())).await;
    world.all([1, 2].map(|age| table.put(with(pet("a", "ann", age), "sk", format!("s{age}"))))).await;
    let query = Query { limit: Some(1), consistent: true, ..table.query_index("by_age", partition("a")) };
    let page = world.ok(query.clone()).await;
    assert_eq!(page.last_evaluated_key, Some(item! { "pk": "a", "sk": "s1", "age": 1 }));
    let next = world.ok(Query { start_key: page.last_evaluated_key, ..query }).await;
    assert_eq!(column(&items(next), "sk"), values(["s2"]));
}

pub(super) async fn items_with_equal_index_keys_are_paged_without_loss(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    let names: Vec<String> = (0..7).map(|at| format!("p{at}")).collect();
    for name in &names {
        world.ok(table.put(pet(name, "ann", 5))).await;
    }
    let query = table.query_index("by_owner", owner("ann"));
    found(&world, query.clone(), 7).await;
    for forward in [true, false] {
        let mut seen = Vec::new();
        let mut start_key = None;
        loop {
            let page = world.ok(Query { forward, start_key, limit: Some(2), ..query.clone() }).await;
            start_key = page.last_evaluated_key.clone();
            seen.extend(
                column(&items(page), "pk")
                    .iter()
                    .filter_map(Value::as_s)
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            );
            if start_key.is_none() {
                break;
            }
        }
        seen.sort();
        assert_eq!(seen, names);
    }
}

pub(super) async fn an_index_key_has_its_type(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    let words = "Type mismatch for Index Key owner Expected: S Actual: N IndexName: by_owner";
    world.refused_saying(table.put(item! { "pk": "a", "owner": 1 }), VALIDATION, words).await;
    world.refused(table.update(item! { "pk": "a" }, [set("owner", 1)]), VALIDATION).await;
    world.refused(table.put(item! { "pk": "a", "owner": Value::Null }), VALIDATION).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, None);
}

pub(super) async fn an_update_keeps_the_types_of_index_keys(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    world.ok(table.put(item! { "pk": "a", "n": 1, "owner": "ann" })).await;
    let update = |action| table.update(item! { "pk": "a" }, [action]);
    let words = "Type mismatch for Index Key owner Expected: S Actual: N IndexName: by_owner";
    world.refused_saying(update(set("owner", 1)), VALIDATION, words).await;
    let words = "The update expression attempted to update the secondary index key to unsupported type";
    world.refused_saying(update(assign("owner", old("n"))), VALIDATION, words).await;
    let words = "One or more parameter values are not valid. The update expression attempted to update a secondary index \
                 key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty \
                 string value.";
    world.refused_saying(update(set("owner", "")), VALIDATION, words).await;
}

pub(super) async fn an_index_key_is_not_empty(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    let words = "One or more parameter values are not valid. A value specified for a secondary index key is not \
                 supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: \
                 by_owner, IndexKey: owner";
    world.refused_saying(table.put(item! { "pk": "a", "owner": "" }), VALIDATION, words).await;
    world.refused(table.update(item! { "pk": "a" }, [set("owner", "")]), VALIDATION).await;
}

pub(super) async fn nothing_is_looked_for_inside_an_index_key(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    let words = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: owner";
    let put = PutItem { condition: Some(absent("owner.x")), ..table.put(item! { "pk": "a" }) };
    world.refused_saying(put, VALIDATION, words).await;
    world.refused(table.update(item! { "pk": "a" }, [set("owner.x", 1)]), VALIDATION).await;
}

pub(super) async fn an_index_key_is_not_too_long(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    world.refused(table.put(item! { "pk": "a", "owner": text(2049), "age": 1 }), VALIDATION).await;
    world.ok(table.put(item! { "pk": "a", "owner": text(2048), "age": 1 })).await;
}

pub(super) async fn an_index_can_be_read_by_filter_and_projection(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    world.all([table.put(pet("a", "ann", 1)), table.put(pet("b", "ann", 2))]).await;
    world.ok(table.update(item! { "pk": "b" }, [set("colour", "blue")])).await;
    let query = Query {
        filter: Some(equals("colour", "blue")),
        projection: only(["pk"]),
        ..table.query_index("by_owner", owner("ann"))
    };
    assert_eq!(found(&world, query.clone(), 1).await, [item! { "pk": "b" }]);
    let on_key = Query { filter: Some(equals("age", 1)), ..query };
    world.refused(on_key, VALIDATION).await;
}

pub(super) async fn a_filter_sees_what_the_index_carries(world: World) {
    let shape = Shape::sorted(S).global(by_owner().keys_only()).local(by_age().keys_only());
    let table = world.table(shape).await;
    world.ok(table.put(with(pet("a", "ann", 4), "sk", "x"))).await;
    for (index, keys) in [("by_owner", owner("ann")), ("by_age", partition("a"))] {
        let filter = Some(equals("colour", "red"));
        let query = Query { filter: filter.clone(), ..table.query_index(index, keys) };
        let words = format!(
            "One or more parameter values were invalid: Secondary index {index} does not project one or more filter \
             attributes: [colour]"
        );
        world.refused_saying(query, VALIDATION, &words).await;
        let index = Some(index.to_owned());
        let scan = Scan { index, filter, consistent: false, ..table.scan() };
        assert_eq!(world.ok(scan).await.count, 0);
    }
}

fn places() -> Shape {
    let index = Index::named("by_place").hash("country", S).hash("city", S).range("year", N).range("name", S);
    Shape::plain().global(index)
}

fn place(pk: &str, city: &str, year: i64, name: &str) -> Item {
    item! { "pk": pk, "country": "de", "city": city, "year": year, "name": name }
}

fn city(city: &str) -> KeyCondition {
    KeyCondition::partition("country", "de").and("city", KeyPredicate::Eq(city.into()))
}

pub(super) async fn an_index_key_can_have_several_attributes(world: World) {
    let table = world.table(places()).await;
    let rows = [("a", "ulm", 2, "x"), ("b", "ulm", 1, "z"), ("c", "ulm", 2, "b"), ("d", "köln", 1, "a")];
    world.all(rows.map(|(pk, city, year, name)| table.put(place(pk, city, year, name)))).await;
    world.ok(table.put(item! { "pk": "e", "country": "de", "city": "ulm", "year": 3 })).await;
    let query = table.query_index("by_place", city("ulm"));
    assert_eq!(column(&found(&world, query.clone(), 3).await, "pk"), values(["b", "c", "a"]));
    let year = city("ulm").and("year", KeyPredicate::Eq(2.into()));
    assert_eq!(
        column(&found(&world, table.query_index("by_place", year.clone()), 2).await, "pk"),
        values(["c", "a"])
    );
    let name = year.and("name", KeyPredicate::Gt("c".into()));
    assert_eq!(column(&found(&world, table.query_index("by_place", name), 1).await, "pk"), values(["a"]));
    let page = world.ok(Query { limit: Some(1), ..query }).await;
    assert_eq!(page.last_evaluated_key, Some(place("b", "ulm", 1, "z")));
}

pub(super) async fn several_attributes_are_asked_from_left_to_right(world: World) {
    let table = world.table(places()).await;
    let half = KeyCondition::partition("country", "de");
    world.refused(table.query_index("by_place", half), VALIDATION).await;
    let skipping = city("ulm").and("name", KeyPredicate::Eq("x".into()));
    world.refused(table.query_index("by_place", skipping), VALIDATION).await;
    let open = city("ulm").and("year", KeyPredicate::Gt(1.into())).and("name", KeyPredicate::Eq("x".into()));
    world.refused(table.query_index("by_place", open), VALIDATION).await;
}

fn adding(table: &Table, index: &Index) -> UpdateTable {
    UpdateTable {
        table: table.name.clone(),
        attributes: index.attributes.clone(),
        global_indexes: vec![GlobalIndexUpdate::Create(index.global())],
        ..UpdateTable::default()
    }
}

pub(super) async fn an_index_added_later_is_filled(world: World) {
    let table = world.plain_table().await;
    world.all([("a", 2), ("b", 1)].map(|(pk, age)| table.put(pet(pk, "ann", age)))).await;
    world.ok(table.put(item! { "pk": "c", "owner": 7, "age": 1 })).await;
    let made = world.ok(adding(&table, &by_owner())).await.table;
    assert_eq!(made.global_indexes.len(), 1);
    world.active(&table).await;
    let query = table.query_index("by_owner", owner("ann"));
    assert_eq!(column(&found(&world, query, 2).await, "pk"), values(["b", "a"]));
    world.ok(table.put(pet("d", "bob", 3))).await;
    found(&world, table.query_index("by_owner", owner("bob")), 1).await;
}

pub(super) async fn an_index_that_exists_is_not_added_again(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    world.refused(adding(&table, &by_owner()), VALIDATION).await;
}

pub(super) async fn an_index_can_be_removed(world: World) {
    let table = world.table(Shape::plain().global(by_owner())).await;
    world.ok(table.put(pet("a", "ann", 1))).await;
    let removal = UpdateTable {
        table: table.name.clone(),
        global_indexes: vec![GlobalIndexUpdate::Delete { name: "by_owner".to_owned() }],
        ..UpdateTable::default()
    };
    world.ok(removal.clone()).await;
    world.settled(table.describe(), |found| found.table.global_indexes.is_empty()).await;
    world.active(&table).await;
    world.refused(table.query_index("by_owner", owner("ann")), VALIDATION).await;
    world.refused(removal, NOT_FOUND).await;
    // With its index gone the attribute may be of any type.
    world.ok(table.put(item! { "pk": "b", "owner": 1 })).await;
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, Some(pet("a", "ann", 1)));
}
