//! Scans through `Db`: whole, in segments, counted and summed up.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tabletheory::testing::{TestStore, Trouble};
use tabletheory::{Db, Error, Model};
use tabletheory_core::store::op::{PutItem, Select};
use tabletheory_core::{Number, Request, StoreError, StoreExt, Value};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "things", index(name = "by_city", pk = city, sk = rank))]
#[model(index(name = "ranks", pk = rank, project = "keys"))]
struct Thing {
    #[model(pk)]
    id: u64,
    city: Option<String>,
    rank: u64,
    price: Option<Number>,
    made: Option<jiff::Timestamp>,
}

fn thing(id: u64) -> Thing {
    Thing { id, city: id.is_multiple_of(2).then(|| "Rome".into()), rank: id / 10, price: None, made: None }
}

async fn world(things: u64) -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Thing>().await.unwrap();
    for id in 0..things {
        db.put(&thing(id)).await.unwrap();
    }
    store.forget_calls();
    (store, db)
}

fn ids(things: &[Thing]) -> Vec<u64> {
    let mut ids: Vec<u64> = things.iter().map(|thing| thing.id).collect();
    ids.sort_unstable();
    ids
}

/// The limits of the scans that were sent.
fn limits(store: &TestStore) -> Vec<Option<u32>> {
    let limit = |call: &Request| match call {
        Request::Scan(scan) => Some(scan.limit),
        _ => None,
    };
    store.calls().iter().filter_map(limit).collect()
}

/// The engine answers without ever waiting, so a scan once ran to its end before anybody else had a turn: the sweep of a
/// gateway with many pages kept one of its threads for as long as it took to read all of their rows.
#[tokio::test]
async fn others_have_a_turn_between_the_pages_of_a_scan() {
    let (_, db) = world(100).await;
    let turns = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&turns);
    let other = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    let (pages, before) = (10, turns.load(Ordering::Relaxed));
    assert_eq!(db.scan::<Thing>().page_size(100 / pages).await.unwrap().len(), 100);
    let turns = turns.load(Ordering::Relaxed) - before;
    other.abort();
    assert!(turns >= u64::from(pages) - 1, "{turns} turns");
}

#[tokio::test]
async fn a_scan_gives_every_item_over_as_many_pages_as_it_takes() {
    let (store, db) = world(25).await;
    assert_eq!(ids(&db.scan::<Thing>().page_size(10).await.unwrap()), Vec::from_iter(0..25));
    assert_eq!(limits(&store), [Some(10); 3]);
    assert_eq!(db.scan::<Thing>().await.unwrap().len(), 25);
}

#[tokio::test]
async fn a_limit_is_the_number_of_items_and_no_more_is_asked_for() {
    let (store, db) = world(25).await;
    assert_eq!(db.scan::<Thing>().limit(7).await.unwrap().len(), 7);
    assert_eq!(db.scan::<Thing>().limit(7).page_size(4).await.unwrap().len(), 7);
    assert_eq!(limits(&store), [Some(7), Some(4), Some(3)]);
    assert_eq!(db.scan::<Thing>().limit(99).await.unwrap().len(), 25);
    store.forget_calls();
    assert_eq!(db.scan::<Thing>().limit(0).await.unwrap(), []);
    assert!(db.scan::<Thing>().limit(0).first().await.unwrap().is_none());
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn a_limit_with_a_filter_needs_few_requests_and_skips_empty_pages() {
    let (store, db) = world(700).await;
    let rare = Thing::ID.eq(db.scan::<Thing>().await.unwrap()[699].id);
    store.forget_calls();
    let found = db.scan::<Thing>().filter(rare.clone()).limit(1).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(limits(&store), [Some(128), Some(512), Some(2048)]);
    // Two filters are both asked.
    assert!(db.scan::<Thing>().filter(rare.clone()).filter(Thing::RANK.gt(1000)).await.unwrap().is_empty());
    // Pages without items do not end the stream.
    assert!(db.scan::<Thing>().filter(rare).page_size(9).first().await.unwrap().is_some());
}

#[tokio::test]
async fn the_items_of_a_stream_come_a_page_at_a_time() {
    let (store, db) = world(25).await;
    let mut things = db.scan::<Thing>().page_size(10).stream();
    for _ in 0..10 {
        things.try_next().await.unwrap().unwrap();
    }
    assert_eq!(store.count("Scan"), 1);
    things.next().await.unwrap().unwrap();
    assert_eq!(store.count("Scan"), 2);
    let mut rest = 0;
    while things.try_next().await.unwrap().is_some() {
        rest += 1;
    }
    assert_eq!(rest, 14);
    assert!(things.next().await.is_none());
}

#[tokio::test]
async fn streams_and_futures_of_reads_can_be_spawned() {
    fn is_stream<S: futures_core::Stream + Send + Unpin + 'static>(stream: S) -> S {
        stream
    }
    let (_, db) = world(3).await;
    let mut things = is_stream(db.scan::<Thing>().stream());
    let first = tokio::spawn(async move { things.try_next().await }).await.unwrap().unwrap();
    assert!(first.is_some());
    let count = tokio::spawn(db.scan::<Thing>().segments(2).count()).await.unwrap();
    assert_eq!(count.unwrap(), 3);
    let page = tokio::spawn(async move { db.scan::<Thing>().page(Some("")).await }).await.unwrap();
    assert_eq!(page.unwrap().items.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn trouble_in_the_middle_is_waited_out() {
    for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::LostAnswer, Trouble::LostRequest] {
        let (store, db) = world(25).await;
        let mut things = db.scan::<Thing>().page_size(10).stream();
        let mut found = vec![things.try_next().await.unwrap().unwrap()];
        store.trouble("Scan", trouble.clone());
        store.trouble("Scan", trouble);
        while let Some(thing) = things.try_next().await.unwrap() {
            found.push(thing);
        }
        assert_eq!(ids(&found), Vec::from_iter(0..25));
        assert_eq!(store.count("Scan"), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn trouble_that_stays_is_an_error_after_what_was_read() {
    let (store, db) = world(25).await;
    let mut things = db.scan::<Thing>().page_size(10).stream();
    for _ in 0..10 {
        things.try_next().await.unwrap().unwrap();
    }
    for _ in 0..5 {
        store.trouble("Scan", Trouble::Throttled);
    }
    assert!(things.try_next().await.unwrap_err().is_throttled());
    assert_eq!(store.count("Scan"), 6);
    assert!(things.next().await.is_none());
    // What cannot pass is not tried again.
    store.trouble("Scan", Trouble::Refused(StoreError::AccessDenied("no".into())));
    store.forget_calls();
    assert!(matches!(db.scan::<Thing>().await, Err(Error::Store(StoreError::AccessDenied(_)))));
    assert_eq!(store.calls().len(), 1);
}

#[test]
fn a_busy_store_is_an_error_where_there_is_no_runtime_to_wait_with() {
    futures_executor::block_on(async {
        let (store, db) = world(5).await;
        store.trouble("Scan", Trouble::Throttled);
        assert!(db.scan::<Thing>().await.unwrap_err().is_throttled());
        assert_eq!(store.calls().len(), 1);
    });
}

#[tokio::test]
async fn an_item_that_cannot_be_read_ends_the_stream_after_those_before_it() {
    let (store, db) = world(20).await;
    let eighth = db.scan::<Thing>().await.unwrap().swap_remove(7);
    let mut item = eighth.to_item().unwrap();
    item.insert("price", Value::s("secret"));
    store.put_item(PutItem { table: "things".into(), item, ..PutItem::default() }).await.unwrap();
    let mut things = db.scan::<Thing>().stream();
    for _ in 0..7 {
        things.next().await.unwrap().unwrap();
    }
    let error = things.next().await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "cannot read a Thing: price: expected N, found S (table `things`)");
    assert!(things.next().await.is_none());
    let sum = db.scan::<Thing>().sum(Thing::PRICE).await.unwrap_err();
    assert_eq!(sum.to_string(), error.to_string());
    // Nobody asks whether what is counted can be read.
    assert_eq!(db.scan::<Thing>().count().await.unwrap(), 20);
}

#[tokio::test]
async fn a_parallel_scan_sees_each_item_once() {
    let (store, db) = world(300).await;
    for segments in [1, 2, 7] {
        assert_eq!(
            ids(&db.scan::<Thing>().segments(segments).page_size(10).await.unwrap()),
            Vec::from_iter(0..300)
        );
        assert_eq!(db.scan::<Thing>().segments(segments).count().await.unwrap(), 300);
    }
    let some = db.scan::<Thing>().segments(4).limit(30).await.unwrap();
    assert_eq!(ids(&some).len(), 30);
    assert_eq!(db.scan::<Thing>().segments(4).limit(30).count().await.unwrap(), 30);
    let even = db.scan::<Thing>().segments(4).filter(Thing::CITY.eq("Rome")).page_size(5);
    assert_eq!(ids(&even.await.unwrap()), Vec::from_iter((0..300).step_by(2)));
    store.forget_calls();
    for (worker, total) in [(3, 3), (0, 0), (0, 1_000_001)] {
        let refused = db.scan::<Thing>().segment(worker, total).await;
        assert!(matches!(refused, Err(Error::Validation(_))));
    }
    assert!(matches!(db.scan::<Thing>().segments(0).await, Err(Error::Validation(_))));
    assert!(store.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_segments_of_a_parallel_scan_are_under_way_at_the_same_time() {
    let (store, db) = world(30).await;
    for _ in 0..3 {
        store.trouble("Scan", Trouble::Slow(Duration::from_secs(5)));
    }
    let mut things = db.scan::<Thing>().segments(3).stream();
    things.try_next().await.unwrap().unwrap();
    let segment = |call: &Request| match call {
        Request::Scan(scan) => scan.segment.map(|segment| segment.segment),
        _ => None,
    };
    assert_eq!(store.calls().iter().map(segment).collect::<Vec<_>>(), [Some(0), Some(1), Some(2)]);
    // Whoever drops the stream gives up the rest: nothing runs on by itself.
    drop(things);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(store.count("Scan"), 3);
}

#[tokio::test(start_paused = true)]
async fn giving_up_the_wait_for_an_item_loses_none() {
    let (store, db) = world(30).await;
    store.trouble("Scan", Trouble::Slow(Duration::from_secs(5)));
    let mut things = db.scan::<Thing>().page_size(10).stream();
    for _ in 0..3 {
        assert!(tokio::time::timeout(Duration::from_secs(1), things.try_next()).await.is_err());
    }
    let mut found = Vec::new();
    while let Some(thing) = things.try_next().await.unwrap() {
        found.push(thing);
    }
    assert_eq!(ids(&found), Vec::from_iter(0..30));
    assert!(store.count("Scan") <= 4);
}

#[tokio::test(start_paused = true)]
async fn a_segment_that_waits_does_not_hold_up_the_others_and_the_first_error_ends_them_all() {
    let (store, db) = world(60).await;
    store.trouble("Scan", Trouble::Throttled);
    assert_eq!(ids(&db.scan::<Thing>().segments(3).page_size(4).await.unwrap()), Vec::from_iter(0..60));
    store.trouble("Scan", Trouble::Refused(StoreError::AccessDenied("no".into())));
    let mut things = db.scan::<Thing>().segments(3).page_size(4).stream();
    let refused = loop {
        match things.next().await {
            Some(Ok(_)) => {}
            other => break other,
        }
    };
    assert!(matches!(refused, Some(Err(Error::Store(StoreError::AccessDenied(_))))));
    assert!(things.next().await.is_none());
}

#[tokio::test]
async fn a_count_is_the_number_of_items_and_none_of_them_is_sent() {
    let (store, db) = world(25).await;
    assert_eq!(db.scan::<Thing>().page_size(10).count().await.unwrap(), 25);
    assert_eq!(limits(&store), [Some(10); 3]);
    let counts = |call: &Request| matches!(call, Request::Scan(scan) if scan.select == Some(Select::Count));
    assert!(store.calls().iter().all(counts));
    for filter in [Thing::ID.lt(7), Thing::CITY.exists(), Thing::ID.lt(0)] {
        let found = db.scan::<Thing>().filter(filter.clone()).await.unwrap().len();
        let counted = db.scan::<Thing>().filter(filter.clone()).page_size(3).count().await.unwrap();
        assert_eq!(counted, found as u64);
        assert_eq!(db.scan::<Thing>().filter(filter).limit(2).count().await.unwrap(), counted.min(2));
    }
    assert_eq!(db.scan::<Thing>().index("by_city").count().await.unwrap(), 13);
}

#[tokio::test]
async fn aggregates_are_exact_to_the_last_of_38_digits() {
    let (_, db) = world(3).await;
    let prices = ["12345678901234567890123456789012345678", "-1", "0.5"];
    for (id, price) in prices.iter().enumerate() {
        let price = price.parse().ok().filter(|_| id < 2);
        db.put(&Thing { price, ..thing(id as u64) }).await.unwrap();
    }
    let summary = db.scan::<Thing>().page_size(1).summary(Thing::PRICE).await.unwrap();
    assert_eq!(summary.count, 2);
    assert_eq!(summary.sum, "12345678901234567890123456789012345677".parse().unwrap());
    assert_eq!(summary.min, Some(Number::from(-1)));
    assert_eq!(summary.max, prices[0].parse().ok());
    assert_eq!(db.scan::<Thing>().max(Thing::PRICE).await.unwrap(), prices[0].parse().ok());
    assert_eq!(db.scan::<Thing>().average(Thing::ID).await.unwrap(), Some(1.0));
    assert_eq!(db.scan::<Thing>().min(Thing::CITY).await.unwrap().as_deref(), Some("Rome"));
    assert_eq!(db.scan::<Thing>().max(Thing::MADE).await.unwrap(), None);
    // A digit more is an error, and nothing is rounded.
    db.put(&Thing { price: prices[2].parse().ok(), ..thing(2) }).await.unwrap();
    let inexact = db.scan::<Thing>().sum(Thing::PRICE).await.unwrap_err();
    assert!(matches!(inexact, Error::InexactSum { attribute: "price", .. }), "{inexact:?}");
    // So is something that is no number.
    let empty = db.scan::<Thing>().filter(Thing::ID.gt(99));
    assert_eq!(empty.summary(Thing::PRICE).await.unwrap().average(), None);
}

#[tokio::test]
async fn groups_hold_their_results_and_no_more_than_was_allowed() {
    let (store, db) = world(25).await;
    let ranks = db.scan::<Thing>().page_size(4).group_by(Thing::RANK).count().await.unwrap();
    assert_eq!(ranks, BTreeMap::from([(0, 10), (1, 10), (2, 5)]));
    let sums = db.scan::<Thing>().segments(3).group_by(Thing::CITY).summary(Thing::ID).await.unwrap();
    assert_eq!(sums[&None].count, 12);
    assert_eq!(sums[&Some("Rome".to_owned())].sum, Number::from(156));
    let exact = db.scan::<Thing>().group_by(Thing::RANK).max_groups(3).summary(Thing::RANK).await.unwrap();
    assert_eq!(exact[&2].sum, Number::from(10));
    let refused = db.scan::<Thing>().group_by(Thing::RANK).max_groups(2).count().await;
    assert!(matches!(refused, Err(Error::TooManyGroups { max: 2, .. })));
    // Only what is needed was asked for.
    let Some(Request::Scan(last)) = store.calls().pop() else { panic!("not a scan") };
    assert_eq!(last.projection.unwrap().attributes(), ["rank"]);
}

#[tokio::test]
async fn an_index_is_scanned_for_what_it_carries_and_nothing_passes_for_missing() {
    let (store, db) = world(25).await;
    assert_eq!(ids(&db.scan::<Thing>().index("by_city").await.unwrap()), Vec::from_iter((0..25).step_by(2)));
    store.forget_calls();
    let whole = db.scan::<Thing>().index("ranks").await.unwrap_err();
    assert_eq!(whole.to_string(), "the index `ranks` does not carry the attribute `city` of a Thing");
    let filtered = db.scan::<Thing>().index("ranks").filter(Thing::PRICE.exists()).count().await;
    assert!(matches!(filtered, Err(Error::NotProjected { attribute, .. }) if attribute == "price"));
    assert!(matches!(
        db.scan::<Thing>().index("ranks").sum(Thing::PRICE).await,
        Err(Error::NotProjected { .. })
    ));
    let consistent = db.scan::<Thing>().index("by_city").consistent().await.unwrap_err();
    assert!(matches!(consistent, Error::Validation(_)) && consistent.to_string().contains("by_city"));
    let unknown = db.scan::<Thing>().index("by_town").count().await.unwrap_err();
    assert_eq!(unknown.to_string(), "a Thing has no index `by_town`");
    assert!(matches!(db.scan::<Thing>().page_size(0).await, Err(Error::Validation(_))));
    assert!(store.calls().is_empty());
    assert_eq!(db.scan::<Thing>().index("ranks").sum(Thing::ID).await.unwrap(), Number::from(300));
}

#[tokio::test]
async fn the_request_is_what_the_store_gets() {
    let (store, db) = world(1).await;
    let scan = || db.scan::<Thing>().filter(Thing::RANK.ge(0)).consistent().page_size(9).segment(0, 2);
    scan().await.unwrap();
    assert_eq!(store.calls(), [Request::from(scan().request().unwrap())]);
}

#[tokio::test]
async fn what_is_shown_of_a_read_has_no_values() {
    let (_, db) = world(0).await;
    let shown = format!("{:?}", db.scan::<Thing>().index("by_city").filter(Thing::CITY.eq("secret")));
    assert_eq!(shown, r#"Read { model: "Thing", table: "things", index: Some("by_city"), .. }"#);
}
