//! What a table may be asked to be: names, keys, definitions, indexes, billing.

use super::words::*;
use super::world::World;
use crate::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType, Projection, Throughput};
use crate::store::op::CreateTable;

fn create(world: &World, shape: Shape) -> CreateTable {
    CreateTable { table: world.name(), ..shape.0 }
}

fn by_owner() -> Index {
    Index::named("by_owner").hash("owner", KeyType::S)
}

fn by_age() -> Index {
    Index::named("by_age").hash("pk", KeyType::S).range("age", KeyType::N)
}

pub(super) async fn a_table_name_has_3_to_255_letters(world: World) {
    for table in [String::new(), "ab".to_owned(), "x".repeat(256)] {
        world.refused(CreateTable { table, ..Shape::plain().0 }, VALIDATION).await;
    }
}

pub(super) async fn a_table_name_is_of_letters_digits_and_three_signs(world: World) {
    for table in ["with space", "slash/ed", "ünicode", "hash#ed"] {
        world.refused(CreateTable { table: table.to_owned(), ..Shape::plain().0 }, VALIDATION).await;
    }
    let table = Table { name: format!("{}_A-z.9", world.name()) };
    world.ok(CreateTable { table: table.name.clone(), ..Shape::plain().0 }).await;
    world.active(&table).await;
    world.ok(crate::store::op::DeleteTable { table: table.name }).await;
}

pub(super) async fn a_name_is_checked_before_the_table_is_looked_up(world: World) {
    let table = Table { name: "no such#table".to_owned() };
    world.refused(table.get(item! { "pk": "a" }), VALIDATION).await;
    world.refused(table.describe(), VALIDATION).await;
}

pub(super) async fn every_key_attribute_is_defined(world: World) {
    let mut shape = Shape::sorted(KeyType::S);
    shape.0.attributes.pop();
    world.refused(create(&world, shape), VALIDATION).await;
    let mut shape = Shape::plain().global(by_owner());
    shape.0.attributes.pop();
    world.refused(create(&world, shape), VALIDATION).await;
}

pub(super) async fn every_definition_is_used_by_a_key(world: World) {
    let shape = Shape::plain().define("colour", KeyType::S);
    let words = "One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match \
                 number of attributes defined in AttributeDefinitions";
    world.refused_saying(create(&world, shape), VALIDATION, words).await;
    let shape = Shape::plain().global(by_owner()).define("colour", KeyType::S);
    world.refused(create(&world, shape), VALIDATION).await;
}

pub(super) async fn an_attribute_is_defined_once(world: World) {
    let mut shape = Shape::plain();
    shape.0.attributes.push(AttributeDefinition { name: "pk".to_owned(), kind: KeyType::N });
    world.refused(create(&world, shape), VALIDATION).await;
}

pub(super) async fn a_table_has_one_partition_key_and_at_most_one_sort_key(world: World) {
    let none = Shape(CreateTable { keys: Vec::new(), ..Shape::plain().0 });
    let sort_alone = Shape(CreateTable { keys: vec![KeyElement::range("pk")], ..Shape::plain().0 });
    let three = Shape::sorted(KeyType::S).sort("third", KeyType::S);
    let two_hashes = Shape(CreateTable {
        keys: vec![KeyElement::hash("pk"), KeyElement::hash("sk")],
        ..Shape::sorted(KeyType::S).0
    });
    let backwards = Shape(CreateTable {
        keys: vec![KeyElement::range("sk"), KeyElement::hash("pk")],
        ..Shape::sorted(KeyType::S).0
    });
    let same = Shape(CreateTable {
        keys: vec![KeyElement::hash("pk"), KeyElement::range("pk")],
        ..Shape::plain().0
    });
    for shape in [none, sort_alone, three, two_hashes, backwards, same] {
        world.refused(create(&world, shape), VALIDATION).await;
    }
}

pub(super) async fn a_local_index_needs_a_table_with_a_sort_key(world: World) {
    let shape = Shape::plain().local(by_age());
    world.refused(create(&world, shape), VALIDATION).await;
}

pub(super) async fn a_local_index_shares_the_partition_key(world: World) {
    let stranger = Index::named("by_owner").hash("owner", KeyType::S).range("age", KeyType::N);
    world.refused(create(&world, Shape::sorted(KeyType::S).local(stranger)), VALIDATION).await;
    let unsorted = Index::named("by_pk").hash("pk", KeyType::S);
    world.refused(create(&world, Shape::sorted(KeyType::S).local(unsorted)), VALIDATION).await;
}

pub(super) async fn index_names_are_unique_and_long_enough(world: World) {
    let twice = Shape::plain().global(by_owner()).global(by_owner());
    world.refused_saying(create(&world, twice), VALIDATION, "Duplicate index name: by_owner").await;
    let both =
        Shape::sorted(KeyType::S).local(by_age()).global(Index::named("by_age").hash("owner", KeyType::S));
    world.refused(create(&world, both), VALIDATION).await;
    let short = Shape::plain().global(Index::named("ab").hash("owner", KeyType::S));
    world.refused(create(&world, short), VALIDATION).await;
}

pub(super) async fn a_table_has_at_most_five_local_indexes(world: World) {
    let shape = |count: usize| {
        (0..count).fold(Shape::sorted(KeyType::S), |shape, at| {
            shape.local(
                Index::named(&format!("local{at}"))
                    .hash("pk", KeyType::S)
                    .range(&format!("a{at}"), KeyType::S),
            )
        })
    };
    world.refused(create(&world, shape(6)), VALIDATION).await;
    let table = world.table(shape(5)).await;
    assert_eq!(world.ok(table.describe()).await.table.local_indexes.len(), 5);
}

pub(super) async fn a_table_has_at_most_twenty_global_indexes(world: World) {
    let shape = |count: usize| {
        (0..count).fold(Shape::plain(), |shape, at| {
            shape.global(Index::named(&format!("global{at}")).hash(&format!("a{at}"), KeyType::S).keys_only())
        })
    };
    let error = world.attempt(create(&world, shape(21))).await.expect_err("21 global indexes are too many");
    assert!([VALIDATION, "LimitExceededException"].contains(&error.code()), "{error:?}");
    let table = world.table(shape(20)).await;
    assert_eq!(world.ok(table.describe()).await.table.global_indexes.len(), 20);
}

pub(super) async fn indexes_project_at_most_a_hundred_attributes_together(world: World) {
    let names = |index: usize| (0..17).map(|at| format!("a{index}x{at}")).collect::<Vec<_>>();
    let shape = (0..6).fold(Shape::plain(), |shape, index| {
        let names = names(index);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        shape.global(
            Index::named(&format!("global{index}")).hash(&format!("h{index}"), KeyType::S).include(&names),
        )
    });
    let error =
        world.attempt(create(&world, shape)).await.expect_err("102 projected attributes are too many");
    assert!([VALIDATION, "LimitExceededException"].contains(&error.code()), "{error:?}");
}

pub(super) async fn an_include_projection_names_attributes(world: World) {
    let mut shape = Shape::plain().global(by_owner());
    shape.0.global_indexes[0].projection = Projection::Include(Vec::new());
    world.refused(create(&world, shape), VALIDATION).await;
}

pub(super) async fn a_provisioned_table_says_its_throughput(world: World) {
    let mut shape = Shape::plain();
    shape.0.billing = BillingMode::Provisioned;
    world.refused(create(&world, shape.clone()), VALIDATION).await;
    shape.0.throughput = Some(Throughput { read_units: 0, write_units: 1 });
    world.refused(create(&world, shape.clone()), VALIDATION).await;
    let throughput = Throughput { read_units: 5, write_units: 4 };
    shape.0.throughput = Some(throughput);
    let table = world.table(shape).await;
    let found = world.ok(table.describe()).await.table;
    assert_eq!((found.billing, found.throughput), (BillingMode::Provisioned, throughput));
}

pub(super) async fn a_table_paid_by_request_has_no_throughput(world: World) {
    let mut shape = Shape::plain();
    shape.0.throughput = Some(Throughput { read_units: 1, write_units: 1 });
    let words = "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST";
    world.refused_saying(create(&world, shape), VALIDATION, words).await;
}

pub(super) async fn a_refused_table_is_not_made(world: World) {
    let table = Table { name: world.name() };
    let shape = Shape::plain().define("colour", KeyType::S);
    world.refused(CreateTable { table: table.name.clone(), ..shape.0 }, VALIDATION).await;
    world.refused(table.describe(), NOT_FOUND).await;
}

pub(super) async fn a_global_index_has_at_most_four_attributes_in_each_part_of_its_key(world: World) {
    let wide = |count: usize| {
        (0..count).fold(Index::named("wide"), |index, at| index.hash(&format!("h{at}"), KeyType::S))
    };
    world.refused(create(&world, Shape::plain().global(wide(5))), VALIDATION).await;
    let table = world.table(Shape::plain().global(wide(4))).await;
    assert_eq!(world.ok(table.describe()).await.table.global_indexes[0].keys.len(), 4);
}
