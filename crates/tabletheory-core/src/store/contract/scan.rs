//! Scans: everything once, in segments, in pages, filtered.

use std::collections::BTreeSet;

use super::words::*;
use super::world::{World, items};
use crate::expr::Comparator::Le;
use crate::item::Item;
use crate::schema::KeyType;
use crate::store::op::{Scan, Segment, Select};
use crate::value::Value;

const PARTITIONS: i64 = 20;
const EACH: i64 = 3;

/// 20 partitions of three items.
async fn filled(world: &World) -> Table {
    let table = world.table(Shape::sorted(KeyType::N)).await;
    for at in 0..PARTITIONS * EACH {
        world.ok(table.put(item! { "pk": format!("p{}", at / EACH), "sk": at % EACH, "n": at })).await;
    }
    table
}

/// Reads a scan to its end, page by page.
async fn everything(world: &World, scan: Scan) -> Vec<Item> {
    let mut seen = Vec::new();
    let mut start_key = None;
    loop {
        let page = world.ok(Scan { start_key, ..scan.clone() }).await;
        start_key = page.last_evaluated_key.clone();
        seen.extend(items(page));
        if start_key.is_none() {
            return seen;
        }
    }
}

fn numbers_of(items: &[Item]) -> BTreeSet<i64> {
    let numbers = column(items, "n");
    numbers.iter().filter_map(Value::as_n).map(|n| n.to_string().parse().expect("an integer")).collect()
}

pub(super) async fn a_scan_finds_every_item_once(world: World) {
    let table = filled(&world).await;
    let found = everything(&world, table.scan()).await;
    assert_eq!(found.len(), 60);
    assert_eq!(numbers_of(&found), (0..60).collect());
}

pub(super) async fn a_scan_keeps_partitions_together_and_in_order(world: World) {
    let table = filled(&world).await;
    let found = everything(&world, table.scan()).await;
    for partition in found.chunks(3) {
        assert_eq!(column(partition, "sk"), values([0, 1, 2]));
        assert_eq!(
            column(partition, "pk")
                .iter()
                .collect::<Vec<_>>()
                .windows(2)
                .filter(|two| two[0] != two[1])
                .count(),
            0
        );
    }
}

pub(super) async fn pages_of_a_scan_miss_nothing(world: World) {
    let table = filled(&world).await;
    for limit in [1, 7, 60] {
        let found = everything(&world, Scan { limit: Some(limit), ..table.scan() }).await;
        assert_eq!((found.len(), numbers_of(&found).len()), (60, 60), "by {limit}");
    }
}

pub(super) async fn segments_are_disjoint_and_complete(world: World) {
    let table = filled(&world).await;
    for total in [1, 4, 9] {
        let mut found = Vec::new();
        for segment in 0..total {
            let scan = Scan { segment: Some(Segment { segment, total }), limit: Some(5), ..table.scan() };
            found.extend(everything(&world, scan).await);
        }
        assert_eq!((found.len(), numbers_of(&found).len()), (60, 60), "{total} segments");
    }
}

pub(super) async fn a_segment_is_one_of_its_total(world: World) {
    let table = world.plain_table().await;
    let scan = |segment, total| Scan { segment: Some(Segment { segment, total }), ..table.scan() };
    world.refused(scan(4, 4), VALIDATION).await;
    world.refused(scan(0, 0), VALIDATION).await;
    world.refused(scan(0, 1_000_001), VALIDATION).await;
    world.ok(scan(999_999, 1_000_000)).await;
}

pub(super) async fn a_scan_filters_after_it_counts(world: World) {
    let table = filled(&world).await;
    let page = world.ok(Scan { filter: Some(when("n", Le, 9)), ..table.scan() }).await;
    assert_eq!((page.count, page.scanned_count), (10, 60));
    assert_eq!(numbers_of(&items(page)), (0..10).collect());
    let page = world.ok(Scan { filter: Some(exists("nothing")), limit: Some(8), ..table.scan() }).await;
    assert_eq!((page.count, page.scanned_count), (0, 8));
    assert!(page.last_evaluated_key.is_some());
}

pub(super) async fn a_scan_may_filter_on_keys(world: World) {
    let table = filled(&world).await;
    let page = world.ok(Scan { filter: Some(equals("sk", 1)), ..table.scan() }).await;
    assert_eq!(page.count, 20);
}

pub(super) async fn a_scan_counts_and_projects(world: World) {
    let table = filled(&world).await;
    let page = world.ok(Scan { select: Some(Select::Count), ..table.scan() }).await;
    assert_eq!((page.count, page.items), (60, None));
    let found = everything(&world, Scan { projection: only(["n"]), ..table.scan() }).await;
    assert!(found.iter().all(|item| item.names().eq(["n"])));
    world.refused(Scan { select: Some(Select::SpecificAttributes), ..table.scan() }, VALIDATION).await;
    world.refused(Scan { limit: Some(0), ..table.scan() }, VALIDATION).await;
}

pub(super) async fn a_scan_of_an_index_holds_what_the_index_holds(world: World) {
    let index = Index::named("by_tag").hash("tag", KeyType::S).keys_only();
    let table = world.table(Shape::plain().global(index)).await;
    for at in 0..9 {
        let item = item! { "pk": format!("p{at}"), "n": at };
        let item = if at % 3 == 0 { with(item, "tag", "third") } else { item };
        world.ok(table.put(item)).await;
    }
    let page = world.settled(table.scan_index("by_tag"), |page| page.count == 3).await;
    assert!(items(page).iter().all(|item| item.names().eq(["pk", "tag"])));
    let scan = Scan { limit: Some(1), ..table.scan_index("by_tag") };
    assert_eq!(everything(&world, scan).await.len(), 3);
}

pub(super) async fn a_scan_ends_its_page_at_one_megabyte(world: World) {
    let table = world.plain_table().await;
    for at in 0..5 {
        world.ok(table.put(item! { "pk": format!("p{at}"), "n": at, "data": text(300 * 1024) })).await;
    }
    let page = world.ok(table.scan()).await;
    assert!((3..5).contains(&page.count), "{}", page.count);
    assert!(page.last_evaluated_key.is_some());
    assert_eq!(everything(&world, table.scan()).await.len(), 5);
}
