//! The life of a table: create, describe, list, update, delete.

use super::words::*;
use super::world::World;
use crate::schema::{BillingMode, KeyElement, KeyType, Projection, StreamView, TableStatus, Throughput};
use crate::store::op::{CreateTable, DeleteTable, DescribeTable, ListTables, StreamUpdate, UpdateTable};

fn update(table: &Table) -> UpdateTable {
    UpdateTable { table: table.name.clone(), ..UpdateTable::default() }
}

fn delete(table: &Table) -> DeleteTable {
    DeleteTable { table: table.name.clone() }
}

pub(super) async fn a_table_is_described_as_it_was_asked_for(world: World) {
    let index =
        Index::named("by_owner").hash("owner", KeyType::S).range("age", KeyType::N).include(&["colour"]);
    let local = Index::named("by_age").hash("pk", KeyType::S).range("age", KeyType::N).keys_only();
    let shape = Shape::sorted(KeyType::B).global(index).local(local);
    let table = world.table(shape.clone()).await;
    let found = world.ok(table.describe()).await.table;

    assert_eq!((&found.name, found.status), (&table.name, TableStatus::Active));
    assert_eq!(found.keys, [KeyElement::hash("pk"), KeyElement::range("sk")]);
    assert_eq!(found.attributes.len(), shape.0.attributes.len());
    assert!(shape.0.attributes.iter().all(|definition| found.attributes.contains(definition)));
    assert_eq!(found.global_indexes.len(), 1);
    assert_eq!(found.global_indexes[0].keys, [KeyElement::hash("owner"), KeyElement::range("age")]);
    assert_eq!(found.global_indexes[0].projection, Projection::Include(vec!["colour".to_owned()]));
    assert_eq!(found.local_indexes.len(), 1);
    assert_eq!(found.local_indexes[0].keys, [KeyElement::hash("pk"), KeyElement::range("age")]);
    assert_eq!(found.local_indexes[0].projection, Projection::KeysOnly);
    assert_eq!((found.item_count, found.size_bytes), (0, 0));
}

pub(super) async fn a_new_table_answers_with_its_description(world: World) {
    let table = world.name();
    let made = world.ok(CreateTable { table: table.clone(), ..Shape::plain().0 }).await.table;
    assert_eq!(made.name, table);
    assert!(matches!(made.status, TableStatus::Creating | TableStatus::Active));
    assert_eq!(made.keys, [KeyElement::hash("pk")]);
    world.active(&Table { name: table }).await;
}

pub(super) async fn a_table_has_a_resource_name_and_an_identifier(world: World) {
    let table = world.plain_table().await;
    let found = world.ok(table.describe()).await.table;
    assert!(found.arn.starts_with("arn:aws:dynamodb:"), "{}", found.arn);
    assert!(found.arn.ends_with(&format!(":table/{}", table.name)), "{}", found.arn);
    assert!(!found.id.is_empty());
}

pub(super) async fn an_index_has_a_resource_name_below_its_table(world: World) {
    let table = world.table(Shape::plain().global(Index::named("by_owner").hash("owner", KeyType::S))).await;
    let found = world.ok(table.describe()).await.table;
    assert_eq!(found.global_indexes[0].arn, format!("{}/index/by_owner", found.arn));
}

pub(super) async fn a_table_name_is_taken_once(world: World) {
    let table = world.plain_table().await;
    let again = CreateTable { table: table.name.clone(), ..Shape::plain().0 };
    world.refused_saying(again, IN_USE, format!("Table already exists: {}", table.name)).await;
}

pub(super) async fn a_missing_table_is_named_in_the_answer(world: World) {
    let table = world.name();
    let words = format!("Requested resource not found: Table: {table} not found");
    let missing = Table { name: table };
    world.refused_saying(missing.describe(), NOT_FOUND, &words).await;
    world.refused_saying(delete(&missing), NOT_FOUND, &words).await;
    let protect = UpdateTable { deletion_protection: Some(true), ..update(&missing) };
    world.refused(protect, NOT_FOUND).await;
}

pub(super) async fn items_of_a_missing_table_are_not_found(world: World) {
    let missing = Table { name: world.name() };
    let words = "Requested resource not found";
    world.refused_saying(missing.get(item! { "pk": "a" }), NOT_FOUND, words).await;
    world.refused_saying(missing.put(item! { "pk": "a" }), NOT_FOUND, words).await;
    world.refused_saying(missing.delete(item! { "pk": "a" }), NOT_FOUND, words).await;
    world.refused_saying(missing.update(item! { "pk": "a" }, [set("n", 1)]), NOT_FOUND, words).await;
    world.refused_saying(missing.query(partition("a")), NOT_FOUND, words).await;
    world.refused_saying(missing.scan(), NOT_FOUND, words).await;
}

pub(super) async fn tables_are_listed_by_name_page_by_page(world: World) {
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(world.plain_table().await.name);
    }
    // Names of one case differ only in their last digit, so a page that starts before the first holds them in turn.
    let first = ListTables { start_after: Some(made[0].trim_end_matches('0').to_owned()), limit: Some(2) };
    let page = world.ok(first).await;
    assert_eq!(page.tables, made[..2]);
    assert_eq!(page.last_evaluated.as_ref(), Some(&made[1]));
    let rest = world.ok(ListTables { start_after: page.last_evaluated, limit: Some(1) }).await;
    assert_eq!(rest.tables, made[2..]);
}

pub(super) async fn a_list_of_tables_holds_one_to_a_hundred(world: World) {
    world.refused(ListTables { start_after: None, limit: Some(0) }, VALIDATION).await;
    world.refused(ListTables { start_after: None, limit: Some(101) }, VALIDATION).await;
    assert!(world.ok(ListTables { start_after: None, limit: Some(100) }).await.tables.len() <= 100);
}

pub(super) async fn a_deleted_table_is_gone(world: World) {
    let table = world.plain_table().await;
    world.ok(table.put(item! { "pk": "a" })).await;
    let deleted = world.ok(delete(&table)).await.table;
    assert_eq!(deleted.name, table.name);
    assert!(world.gone(&table.name).await);
    world.refused(table.get(item! { "pk": "a" }), NOT_FOUND).await;
}

pub(super) async fn a_table_made_again_is_empty(world: World) {
    let table = world.plain_table().await;
    let first = world.ok(table.describe()).await.table;
    world.ok(table.put(item! { "pk": "a" })).await;
    world.ok(delete(&table)).await;
    assert!(world.gone(&table.name).await);
    world.ok(CreateTable { table: table.name.clone(), ..Shape::plain().0 }).await;
    world.active(&table).await;
    assert_ne!(world.ok(table.describe()).await.table.id, first.id);
    assert_eq!(world.item(&table, item! { "pk": "a" }).await, None);
}

pub(super) async fn a_protected_table_is_not_deleted(world: World) {
    let mut shape = Shape::plain();
    shape.0.deletion_protection = true;
    let table = world.table(shape).await;
    assert!(world.ok(table.describe()).await.table.deletion_protection);
    let words = "Resource cannot be deleted as it is currently protected against deletion";
    world.refused_saying(delete(&table), VALIDATION, words).await;
    world.ok(UpdateTable { deletion_protection: Some(false), ..update(&table) }).await;
    world.active(&table).await;
    world.ok(delete(&table)).await;
    assert!(world.gone(&table.name).await);
}

pub(super) async fn protection_can_be_added_later(world: World) {
    let table = world.plain_table().await;
    assert!(!world.ok(table.describe()).await.table.deletion_protection);
    world.ok(UpdateTable { deletion_protection: Some(true), ..update(&table) }).await;
    world.active(&table).await;
    world.refused(delete(&table), VALIDATION).await;
}

pub(super) async fn an_update_that_asks_for_nothing_is_refused(world: World) {
    let table = world.plain_table().await;
    world.refused(update(&table), VALIDATION).await;
}

pub(super) async fn a_table_paid_by_request_becomes_provisioned(world: World) {
    let table = world.plain_table().await;
    let before = world.ok(table.describe()).await.table;
    assert_eq!((before.billing, before.throughput), (BillingMode::PayPerRequest, Throughput::default()));
    let throughput = Throughput { read_units: 3, write_units: 2 };
    let change = UpdateTable {
        billing: Some(BillingMode::Provisioned),
        throughput: Some(throughput),
        ..update(&table)
    };
    world.ok(change).await;
    world.active(&table).await;
    let after = world.ok(table.describe()).await.table;
    assert_eq!((after.billing, after.throughput), (BillingMode::Provisioned, throughput));
}

pub(super) async fn throughput_changes_and_must_change(world: World) {
    let mut shape = Shape::plain();
    shape.0.billing = BillingMode::Provisioned;
    shape.0.throughput = Some(Throughput { read_units: 1, write_units: 1 });
    let table = world.table(shape).await;
    let raised = Some(Throughput { read_units: 2, write_units: 1 });
    world.ok(UpdateTable { throughput: raised, ..update(&table) }).await;
    world.active(&table).await;
    assert_eq!(Some(world.ok(table.describe()).await.table.throughput), raised);
    world.refused(UpdateTable { throughput: raised, ..update(&table) }, VALIDATION).await;
}

pub(super) async fn a_stream_is_enabled_once_and_disabled_once(world: World) {
    let table = world.plain_table().await;
    let disable = UpdateTable { stream: Some(StreamUpdate::Disable), ..update(&table) };
    let enable = UpdateTable { stream: Some(StreamUpdate::Enable(StreamView::NewImage)), ..update(&table) };
    world.refused(disable.clone(), VALIDATION).await;
    world.ok(enable.clone()).await;
    world.active(&table).await;
    let stream = world.ok(table.describe()).await.table.stream.expect("the table has a stream");
    assert_eq!((stream.view, stream.enabled), (StreamView::NewImage, true));
    assert!(
        stream.arn.ends_with(&format!(":table/{}/stream/{}", table.name, stream.label)),
        "{}",
        stream.arn
    );
    world.refused(enable, VALIDATION).await;
    world.ok(disable).await;
    world.active(&table).await;
    let stream = world.ok(table.describe()).await.table.stream;
    assert!(stream.is_none_or(|stream| !stream.enabled));
}

pub(super) async fn a_table_remembers_its_class(world: World) {
    let mut shape = Shape::plain();
    shape.0.table_class = Some("STANDARD_INFREQUENT_ACCESS".to_owned());
    let table = world.table(shape).await;
    let found = world.ok(DescribeTable { table: table.name }).await.table;
    assert_eq!(found.table_class.as_deref(), Some("STANDARD_INFREQUENT_ACCESS"));
}
