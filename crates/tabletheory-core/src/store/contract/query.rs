//! Queries of a table: order, key predicates, pages, filters.

use super::words::*;
use super::world::{World, items};
use crate::expr::Comparator::Gt;
use crate::expr::{KeyCondition, KeyPredicate};
use crate::item::Item;
use crate::schema::KeyType;
use crate::store::op::{Query, Select};
use crate::value::Value;

/// A table sorted by `kind` with these sort keys in partition `a`, put in a scrambled order, and a neighbour in `b`.
async fn filled(world: &World, kind: KeyType, sort_keys: &[Value]) -> Table {
    let table = world.table(Shape::sorted(kind)).await;
    let scrambled = sort_keys.iter().rev().step_by(2).chain(sort_keys.iter().rev().skip(1).step_by(2));
    for sk in scrambled {
        world.ok(table.put(item! { "pk": "a", "sk": sk.clone() })).await;
    }
    world.ok(table.put(item! { "pk": "b", "sk": sort_keys[0].clone() })).await;
    table
}

async fn letters(world: &World) -> Table {
    filled(world, KeyType::S, &values(["a", "b", "c", "d", "e"])).await
}

/// The sort keys that a query of table `letters` finds.
async fn found(world: &World, query: Query) -> Vec<Value> {
    column(&items(world.ok(query).await), "sk")
}

pub(super) async fn strings_are_ordered_by_their_bytes(world: World) {
    let expected = values(["!", "0", "10", "9", "A", "Z", "a", "a\u{0}", "aa", "b", "ä", "中", "\u{1F600}"]);
    let table = filled(&world, KeyType::S, &expected).await;
    assert_eq!(found(&world, table.query(partition("a"))).await, expected);
}

pub(super) async fn numbers_are_ordered_by_their_value(world: World) {
    let expected = values(
        [
            "-9.9999999999999999999999999999999999999E+125",
            "-100",
            "-99.5",
            "-10",
            "-9",
            "-1",
            "-0.5",
            "-1E-130",
            "0",
            "1E-130",
            "0.001",
            "0.5",
            "1",
            "1.0000000000000000000000000000000000001",
            "2",
            "9",
            "10",
            "99.5",
            "100",
            "12345678901234567890123456789012345677",
            "12345678901234567890123456789012345678",
            "1E+100",
            "9.9999999999999999999999999999999999999E+125",
        ]
        .map(number),
    );
    let table = filled(&world, KeyType::N, &expected).await;
    assert_eq!(found(&world, table.query(partition("a"))).await, expected);
}

pub(super) async fn bytes_are_ordered_unsigned(world: World) {
    let expected: Vec<Value> =
        [&[0][..], &[0, 0], &[0, 255], &[1], &[127], &[128], &[255], &[255, 0], &[255, 255]]
            .map(bytes)
            .into();
    let table = filled(&world, KeyType::B, &expected).await;
    assert_eq!(found(&world, table.query(partition("a"))).await, expected);
}

pub(super) async fn a_query_runs_backwards(world: World) {
    let table = letters(&world).await;
    let query = Query { forward: false, ..table.query(partition("a")) };
    assert_eq!(found(&world, query).await, values(["e", "d", "c", "b", "a"]));
}

pub(super) async fn a_query_stays_in_its_partition(world: World) {
    let table = letters(&world).await;
    assert_eq!(found(&world, table.query(partition("b"))).await, values(["a"]));
    let page = world.ok(table.query(partition("nobody"))).await;
    assert_eq!((page.count, page.scanned_count, page.last_evaluated_key.clone()), (0, 0, None));
    assert_eq!(items(page), Vec::<Item>::new());
}

pub(super) async fn a_table_without_sort_key_can_be_queried(world: World) {
    let table = world.plain_table().await;
    world.all([table.put(item! { "pk": "a", "n": 1 }), table.put(item! { "pk": "b" })]).await;
    assert_eq!(items(world.ok(table.query(partition("a"))).await), [item! { "pk": "a", "n": 1 }]);
}

pub(super) async fn every_predicate_of_the_sort_key_selects_its_range(world: World) {
    let table = letters(&world).await;
    let b = || Value::from("b");
    for (predicate, expected) in [
        (KeyPredicate::Eq(b()), vec!["b"]),
        (KeyPredicate::Eq("x".into()), vec![]),
        (KeyPredicate::Lt(b()), vec!["a"]),
        (KeyPredicate::Le(b()), vec!["a", "b"]),
        (KeyPredicate::Gt(b()), vec!["c", "d", "e"]),
        (KeyPredicate::Ge(b()), vec!["b", "c", "d", "e"]),
        (KeyPredicate::Between(b(), "d".into()), vec!["b", "c", "d"]),
        (KeyPredicate::Between("bb".into(), "cc".into()), vec!["c"]),
        (KeyPredicate::Between(b(), b()), vec!["b"]),
    ] {
        let shown = format!("{predicate:?}");
        let mut expected: Vec<Value> = expected.into_iter().map(Value::from).collect();
        assert_eq!(found(&world, table.query(sorted(predicate.clone()))).await, expected, "{shown}");
        expected.reverse();
        let backwards = Query { forward: false, ..table.query(sorted(predicate)) };
        assert_eq!(found(&world, backwards).await, expected, "{shown} backwards");
    }
}

pub(super) async fn a_prefix_selects_text(world: World) {
    let keys = values(["page", "page#1", "page#2", "pagf", "pag"]);
    let table = filled(&world, KeyType::S, &keys).await;
    let query = table.query(sorted(KeyPredicate::BeginsWith("page".into())));
    assert_eq!(found(&world, query).await, values(["page", "page#1", "page#2"]));
}

pub(super) async fn a_prefix_selects_bytes_up_to_the_last(world: World) {
    let keys = [&[254][..], &[255], &[255, 0], &[255, 255]].map(bytes);
    let table = filled(&world, KeyType::B, &keys).await;
    let query = table.query(sorted(KeyPredicate::BeginsWith(bytes([255]))));
    assert_eq!(found(&world, query).await, keys[1..]);
}

pub(super) async fn number_ranges_compare_values(world: World) {
    let keys = values([-20, -3, 0, 3, 20]);
    let table = filled(&world, KeyType::N, &keys).await;
    let query = table.query(sorted(KeyPredicate::Between((-5).into(), number("3.0").into())));
    assert_eq!(found(&world, query).await, values([-3, 0, 3]));
    assert_eq!(
        found(&world, table.query(sorted(KeyPredicate::Gt((-4).into())))).await,
        values([-3, 0, 3, 20])
    );
}

pub(super) async fn a_limit_ends_a_page_even_at_the_end(world: World) {
    let table = letters(&world).await;
    let page = world.ok(Query { limit: Some(2), ..table.query(partition("a")) }).await;
    assert_eq!((page.count, page.scanned_count), (2, 2));
    assert_eq!(page.last_evaluated_key, Some(item! { "pk": "a", "sk": "b" }));
    // The store stops at the limit without looking whether anything follows.
    let page = world.ok(Query { limit: Some(5), ..table.query(partition("a")) }).await;
    assert_eq!(page.last_evaluated_key, Some(item! { "pk": "a", "sk": "e" }));
    let page = world.ok(Query { limit: Some(6), ..table.query(partition("a")) }).await;
    assert_eq!((page.count, page.last_evaluated_key), (5, None));
    world.refused(Query { limit: Some(0), ..table.query(partition("a")) }, VALIDATION).await;
}

pub(super) async fn pages_follow_one_another_in_both_directions(world: World) {
    let table = letters(&world).await;
    for forward in [true, false] {
        let mut seen = Vec::new();
        let mut start_key = None;
        loop {
            let query = Query { forward, start_key, limit: Some(2), ..table.query(partition("a")) };
            let page = world.ok(query).await;
            start_key = page.last_evaluated_key.clone();
            seen.extend(column(&items(page), "sk"));
            if start_key.is_none() {
                break;
            }
        }
        let mut expected = values(["a", "b", "c", "d", "e"]);
        if !forward {
            expected.reverse();
        }
        assert_eq!(seen, expected);
    }
}

pub(super) async fn a_page_can_start_after_a_key_that_is_gone(world: World) {
    let table = letters(&world).await;
    let start_key = Some(item! { "pk": "a", "sk": "bb" });
    let query = Query { start_key: start_key.clone(), ..table.query(partition("a")) };
    assert_eq!(found(&world, query.clone()).await, values(["c", "d", "e"]));
    assert_eq!(found(&world, Query { forward: false, ..query }).await, values(["b", "a"]));
}

pub(super) async fn a_start_key_is_a_key_of_the_partition(world: World) {
    let table = letters(&world).await;
    for start_key in [
        item! { "pk": "a" },
        item! { "pk": "a", "sk": 1 },
        item! { "pk": "a", "other": "b" },
        item! { "pk": "a", "sk": "b", "n": 1 },
        item! { "pk": "b", "sk": "a" },
    ] {
        let query = Query { start_key: Some(start_key), ..table.query(partition("a")) };
        world.refused(query, VALIDATION).await;
    }
}

pub(super) async fn a_start_key_is_among_the_keys_asked_for(world: World) {
    let table = letters(&world).await;
    let refused = async |condition: KeyCondition, start: Item, words: &str| {
        let query = Query { start_key: Some(start), ..table.query(condition) };
        world.refused_saying(query, VALIDATION, words).await;
    };
    let elsewhere = || item! { "pk": "b", "sk": "c" };
    let words = "The provided starting key is outside query boundaries based on provided conditions";
    refused(partition("a"), elsewhere(), words).await;
    let from_b = || sorted(KeyPredicate::Ge("b".into()));
    let words = "The provided starting key does not match the range key predicate";
    refused(from_b(), item! { "pk": "a", "sk": "a" }, words).await;
    let words = "The query can return at most one row and cannot be restarted";
    refused(from_b(), elsewhere(), words).await;
}

/// Writes `count` items of 300 KB with numbers from 1 on, so that four of them exceed one page.
async fn heavy(world: &World, count: i64) -> Table {
    let table = world.table(Shape::sorted(KeyType::N)).await;
    for sk in 1..=count {
        world.ok(table.put(item! { "pk": "a", "sk": sk, "data": text(300 * 1024) })).await;
    }
    table
}

pub(super) async fn a_page_ends_at_one_megabyte(world: World) {
    let table = heavy(&world, 8).await;
    let mut seen = Vec::new();
    let mut pages = 0;
    let mut start_key = None;
    loop {
        let page = world.ok(Query { start_key, ..table.query(partition("a")) }).await;
        start_key = page.last_evaluated_key.clone();
        let page = column(&items(page), "sk");
        assert!(page.len() <= 4, "a page held {} items of 300 KB", page.len());
        seen.extend(page);
        pages += 1;
        if start_key.is_none() {
            break;
        }
    }
    assert_eq!(seen, values([1, 2, 3, 4, 5, 6, 7, 8]));
    assert!(pages >= 2);
}

pub(super) async fn a_page_is_measured_before_it_is_filtered(world: World) {
    let table = heavy(&world, 5).await;
    let filter = Some(exists("nothing"));
    let projection = only(["sk"]);
    let page = world.ok(Query { filter, projection, ..table.query(partition("a")) }).await;
    assert_eq!(page.count, 0);
    assert!((3..5).contains(&page.scanned_count), "{}", page.scanned_count);
    assert!(page.last_evaluated_key.is_some());
}

pub(super) async fn a_filter_is_counted_apart(world: World) {
    let table = world.table(Shape::sorted(KeyType::N)).await;
    for sk in 1..=6 {
        world.ok(table.put(item! { "pk": "a", "sk": sk, "n": sk * 10 })).await;
    }
    let filter = Some(when("n", Gt, 25));
    let page = world.ok(Query { filter: filter.clone(), ..table.query(partition("a")) }).await;
    assert_eq!((page.count, page.scanned_count), (4, 6));
    assert_eq!(column(&items(page), "sk"), values([3, 4, 5, 6]));
    let page = world.ok(Query { filter, limit: Some(3), ..table.query(partition("a")) }).await;
    assert_eq!((page.count, page.scanned_count), (1, 3));
    assert_eq!(page.last_evaluated_key, Some(item! { "pk": "a", "sk": 3 }));
}

pub(super) async fn a_filter_does_not_look_at_keys(world: World) {
    let table = letters(&world).await;
    let words = "Filter Expression can only contain non-primary key attributes: Primary key attribute: sk";
    let query = Query { filter: Some(equals("sk", "b")), ..table.query(partition("a")) };
    world.refused_saying(query, VALIDATION, words).await;
}

pub(super) async fn a_projection_shapes_each_item(world: World) {
    let table = world.sorted_table().await;
    world.ok(table.put(item! { "pk": "a", "sk": "b", "n": 1, "doc": item! { "x": 1, "y": 2 } })).await;
    let query = Query { projection: only(["sk", "doc.x"]), ..table.query(partition("a")) };
    assert_eq!(items(world.ok(query.clone()).await), [item! { "sk": "b", "doc": item! { "x": 1 } }]);
    let query = Query { select: Some(Select::SpecificAttributes), ..query };
    assert_eq!(items(world.ok(query).await), [item! { "sk": "b", "doc": item! { "x": 1 } }]);
}

pub(super) async fn a_count_carries_no_items(world: World) {
    let table = letters(&world).await;
    let query = Query { select: Some(Select::Count), ..table.query(partition("a")) };
    let page = world.ok(query.clone()).await;
    assert_eq!((page.count, page.scanned_count, page.items), (5, 5, None));
    let page = world.ok(Query { limit: Some(2), ..query }).await;
    assert_eq!((page.count, page.last_evaluated_key), (2, Some(item! { "pk": "a", "sk": "b" })));
}

pub(super) async fn select_and_projection_agree(world: World) {
    let table = letters(&world).await;
    let query =
        |select, projection| Query { select: Some(select), projection, ..table.query(partition("a")) };
    world.ok(query(Select::AllAttributes, None)).await;
    world.refused(query(Select::AllAttributes, only(["sk"])), VALIDATION).await;
    world.refused(query(Select::Count, only(["sk"])), VALIDATION).await;
    world.refused(query(Select::SpecificAttributes, None), VALIDATION).await;
    let words = "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName";
    world.refused_saying(query(Select::AllProjectedAttributes, None), VALIDATION, words).await;
}

pub(super) async fn a_query_names_its_partition(world: World) {
    let table = letters(&world).await;
    let sort_alone = KeyCondition { predicates: vec![("sk".to_owned(), KeyPredicate::Eq("b".into()))] };
    let words = "Query condition missed key schema element: pk";
    world.refused_saying(table.query(sort_alone), VALIDATION, words).await;
    world.refused(table.query(KeyCondition::partition("other", "a")), VALIDATION).await;
    world.refused(table.query(partition("a").and("other", KeyPredicate::Eq("b".into()))), VALIDATION).await;
    for predicate in [
        KeyPredicate::Gt("a".into()),
        KeyPredicate::BeginsWith("a".into()),
        KeyPredicate::Between("a".into(), "b".into()),
    ] {
        let open = KeyCondition { predicates: vec![("pk".to_owned(), predicate)] };
        world.refused_saying(table.query(open), VALIDATION, "Query key condition not supported").await;
    }
}

pub(super) async fn a_key_condition_asks_each_attribute_once(world: World) {
    let table = letters(&world).await;
    let twice = sorted(KeyPredicate::Gt("a".into())).and("sk", KeyPredicate::Lt("c".into()));
    world.refused(table.query(twice), VALIDATION).await;
}

pub(super) async fn a_key_condition_has_the_types_of_the_keys(world: World) {
    let table = letters(&world).await;
    let words = "Condition parameter type does not match schema type";
    world.refused_saying(table.query(partition(1)), VALIDATION, words).await;
    world.refused_saying(table.query(sorted(KeyPredicate::Lt(1.into()))), VALIDATION, words).await;
    let by_number = filled(&world, KeyType::N, &values([1])).await;
    world.refused(by_number.query(sorted(KeyPredicate::BeginsWith(1.into()))), VALIDATION).await;
}

pub(super) async fn a_key_range_runs_upwards(world: World) {
    let table = letters(&world).await;
    world.refused(table.query(sorted(KeyPredicate::Between("d".into(), "b".into()))), VALIDATION).await;
}

pub(super) async fn a_key_condition_is_not_empty(world: World) {
    let table = letters(&world).await;
    world.refused(table.query(partition("")), VALIDATION).await;
}

pub(super) async fn an_unknown_index_is_refused(world: World) {
    let table = letters(&world).await;
    let words = "The table does not have the specified index: nowhere";
    world.refused_saying(table.query_index("nowhere", partition("a")), VALIDATION, words).await;
    world.refused_saying(table.scan_index("nowhere"), VALIDATION, words).await;
}
