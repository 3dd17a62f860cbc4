//! What a read returns of an item.

use super::words::*;
use super::world::World;
use crate::expr::{Path, ProjectionExpression};
use crate::item::Item;
use crate::store::op::GetItem;

async fn subject(world: &World) -> Table {
    let table = world.plain_table().await;
    let document = item! { "x": 1, "y": item! { "z": 2 }, "l": list([1, 2, 3]) };
    let item =
        item! { "pk": "a", "n": 5, "doc": document, "l": list([item! { "a": 1, "b": 2 }]), "dotted.name": 7 };
    world.ok(table.put(item)).await;
    table
}

async fn read(world: &World, table: &Table, projection: Option<ProjectionExpression>) -> Option<Item> {
    world.ok(GetItem { projection, ..table.get(item! { "pk": "a" }) }).await.item
}

pub(super) async fn a_projection_returns_the_attributes_it_names(world: World) {
    let table = subject(&world).await;
    assert_eq!(read(&world, &table, only(["n", "pk"])).await, Some(item! { "pk": "a", "n": 5 }));
    assert_eq!(read(&world, &table, only(["n"])).await, Some(item! { "n": 5 }));
}

pub(super) async fn a_projection_keeps_the_shape_of_documents(world: World) {
    let table = subject(&world).await;
    let found = read(&world, &table, only(["doc.y.z", "doc.x"])).await;
    assert_eq!(found, Some(item! { "doc": item! { "x": 1, "y": item! { "z": 2 } } }));
    let found = read(&world, &table, only(["l[0].b"])).await;
    assert_eq!(found, Some(item! { "l": list([item! { "b": 2 }]) }));
}

pub(super) async fn projected_list_elements_close_up_in_their_order(world: World) {
    let table = subject(&world).await;
    let found = read(&world, &table, only(["doc.l[2]", "doc.l[0]"])).await;
    assert_eq!(found, Some(item! { "doc": item! { "l": list([1, 3]) } }));
}

pub(super) async fn a_projection_leaves_out_what_is_not_there(world: World) {
    let table = subject(&world).await;
    let paths = ["n", "nothing", "doc.nothing", "l.x", "doc.l[9]"];
    assert_eq!(read(&world, &table, only(paths)).await, Some(item! { "n": 5 }));
}

pub(super) async fn a_projection_that_finds_nothing_returns_an_empty_item(world: World) {
    let table = subject(&world).await;
    assert_eq!(read(&world, &table, only(["nothing"])).await, Some(item! {}));
    let missing = GetItem { projection: only(["n"]), ..table.get(item! { "pk": "nobody" }) };
    assert_eq!(world.ok(missing).await.item, None);
}

pub(super) async fn a_dot_can_belong_to_a_name(world: World) {
    let table = subject(&world).await;
    let projection = Some(ProjectionExpression { paths: vec![Path::attribute("dotted.name")] });
    assert_eq!(read(&world, &table, projection).await, Some(item! { "dotted.name": 7 }));
    assert_eq!(read(&world, &table, only(["dotted.name"])).await, Some(item! {}));
}

pub(super) async fn projected_paths_do_not_overlap(world: World) {
    let table = subject(&world).await;
    for projection in [only(["doc", "doc.x"]), only(["n", "n"]), only(["l[0]", "l[0].a"])] {
        let get = GetItem { projection, ..table.get(item! { "pk": "a" }) };
        world.refused_saying(get, VALIDATION, "Two document paths overlap with each other").await;
    }
}
