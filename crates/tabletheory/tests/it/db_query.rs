//! Queries through `Db`: order, ranges, indexes, parts of items, and what is refused before it is sent.

use tabletheory::encryption::{LocalKeys, SecretKey};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory::{Db, Entities, Error, Model, Projection};
use tabletheory_core::Request;
use tabletheory_core::store::op::Select;

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{user}", sk = "ORDER#{number:04}")]
#[model(index(name = "by_city", pk = city, sk = total))]
#[model(index(name = "totals", pk = total, project = "keys"))]
#[model(local_index(name = "by_total", sk = total, project = "keys"))]
struct Order {
    user: String,
    number: u32,
    city: String,
    total: u64,
    note: Option<String>,
}

/// In the same partitions.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{user}", sk = "PROFILE")]
struct Profile {
    user: String,
    name: String,
}

#[derive(Entities, Debug, PartialEq)]
enum Row {
    Order(Order),
    Profile(Profile),
}

/// What every index has.
#[derive(Projection, Debug, PartialEq)]
#[projection(of = Order)]
struct Total {
    total: u64,
}

/// What only the table has.
#[derive(Projection)]
#[projection(of = Order)]
struct Note {
    note: Option<String>,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "patients")]
struct Patient {
    #[model(pk)]
    ward: String,
    #[model(sk)]
    bed: u32,
    #[model(encrypted)]
    name: String,
    #[model(encrypted)]
    weight: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Patient)]
struct Name {
    name: String,
}

fn order(number: u32) -> Order {
    let note = Some(format!("note {number}"));
    Order { user: "a".into(), number, city: "Oslo".into(), total: u64::from(number % 4), note }
}

fn total(total: u64) -> Total {
    Total { total }
}

async fn world(orders: u32) -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Order>().await.unwrap();
    for number in 0..orders {
        db.put(&order(number)).await.unwrap();
    }
    db.put(&Profile { user: "a".into(), name: "Ada".into() }).await.unwrap();
    store.forget_calls();
    (store, db)
}

fn numbers(orders: &[Order]) -> Vec<u32> {
    orders.iter().map(|order| order.number).collect()
}

#[tokio::test]
async fn a_query_gives_the_items_of_its_model_in_order() {
    let (_, db) = world(12).await;
    assert_eq!(numbers(&db.query(Order::query("a")).await.unwrap()), Vec::from_iter(0..12));
    let down = db.query(Order::query("a").between(3, 6)).desc();
    assert_eq!(numbers(&down.await.unwrap()), [6, 5, 4, 3]);
    assert_eq!(numbers(&db.query(Order::query("a")).desc().asc().limit(2).await.unwrap()), [0, 1]);
    assert_eq!(db.query(Order::query("a")).desc().first().await.unwrap(), Some(order(11)));
    assert_eq!(db.query(Order::query("b")).first().await.unwrap(), None);
    assert_eq!(db.query(Profile::query("a")).await.unwrap().len(), 1);
}

#[tokio::test]
async fn all_pages_of_a_query_are_read_also_those_that_are_empty() {
    let (store, db) = world(12).await;
    let last = db.query(Order::query("a")).filter(Order::NOTE.eq("note 11")).page_size(2).await.unwrap();
    assert_eq!(numbers(&last), [11]);
    assert!(store.count("Query") >= 6);
    store.forget_calls();
    let three = db.query(Order::query("a")).filter(Order::TOTAL.ge(2)).limit(3).await.unwrap();
    assert_eq!(numbers(&three), [2, 3, 6]);
    assert_eq!(store.count("Query"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_in_the_middle_of_a_query_changes_neither_order_nor_number() {
    let (store, db) = world(12).await;
    let mut orders = db.query(Order::query("a")).page_size(5).stream();
    let mut found = vec![orders.try_next().await.unwrap().unwrap()];
    store.trouble("Query", Trouble::Throttled);
    store.trouble("Query", Trouble::LostAnswer);
    store.trouble("Query", Trouble::NotReached);
    while let Some(order) = orders.try_next().await.unwrap() {
        found.push(order);
    }
    assert_eq!(numbers(&found), Vec::from_iter(0..12));
}

#[tokio::test]
async fn a_consistent_read_of_a_global_index_is_refused_before_it_is_sent() {
    let (store, db) = world(3).await;
    let refusals = [
        db.query(Order::by_city("Oslo")).consistent().await.map(drop),
        db.query(Order::by_city("Oslo")).consistent().count().await.map(drop),
        db.query(Order::by_city("Oslo")).consistent().page(None).await.map(drop),
        db.query(Order::by_city("Oslo")).consistent().request().map(drop),
    ];
    for refusal in refusals {
        let error = refusal.unwrap_err();
        assert!(matches!(error, Error::Validation(_)), "{error:?}");
        assert!(error.to_string().contains("the index `by_city` of a Order is global"), "{error}");
    }
    assert!(store.calls().is_empty());
    assert_eq!(db.query(Order::by_total("a").ge(0)).consistent().count().await.unwrap(), 3);
    assert_eq!(db.query(Order::query("a")).consistent().await.unwrap().len(), 3);
}

#[tokio::test]
async fn an_index_that_lacks_attributes_does_not_pass_for_items_that_lack_them() {
    let (store, db) = world(8).await;
    let whole = db.query(Order::totals(2)).await.unwrap_err();
    assert!(
        matches!(&whole, Error::NotProjected { index: "totals", attribute, .. } if attribute == "user"),
        "{whole:?}"
    );
    let filtered = db.query(Order::by_total("a")).filter(Order::NOTE.exists()).await.unwrap_err();
    assert!(matches!(filtered, Error::NotProjected { index: "by_total", .. }), "{filtered:?}");
    assert!(store.calls().is_empty());
    assert_eq!(db.query(Order::totals(2)).count().await.unwrap(), 2);
    // A local index fetches the rest from the table.
    let local = db.query(Order::by_total("a").eq(2)).await.unwrap();
    assert_eq!(local, [order(2), order(6)]);
    let Some(Request::Query(query)) = store.calls().pop() else { panic!("not a query") };
    assert_eq!(query.select, Some(Select::AllAttributes));
}

#[tokio::test]
async fn a_key_or_filter_that_cannot_be_asked_is_refused_before_it_is_sent() {
    let (store, db) = world(1).await;
    for error in [
        db.query(Order::query("a#b")).await.unwrap_err(),
        db.query(Order::query("a#b")).page(Some("")).await.unwrap_err(),
        db.query(Order::query("a#b")).count().await.unwrap_err(),
        db.query(Order::query("a")).filter(Order::CITY.one_of(Vec::<String>::new())).await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::Model { .. }), "{error:?}");
        assert!(!error.to_string().contains("a#"), "{error}");
    }
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn the_request_is_what_the_store_gets() {
    let (store, db) = world(1).await;
    let query = || db.query(Order::by_city("Oslo").ge(1)).filter(Order::NOTE.exists()).desc().page_size(9);
    query().await.unwrap();
    assert_eq!(store.calls(), [Request::from(query().request().unwrap())]);
}

#[tokio::test]
async fn what_is_summed_up_along_a_query_is_only_its_partition() {
    let (_, db) = world(12).await;
    assert_eq!(db.query(Order::query("a")).sum(Order::TOTAL).await.unwrap(), 18.into());
    let sums = db.query(Order::by_city("Oslo")).group_by(Order::TOTAL).count().await.unwrap();
    assert_eq!(sums.into_values().collect::<Vec<_>>(), [3; 4]);
    let notes =
        db.query(Order::query("a")).fold(0, |bytes, order| bytes + order.note.unwrap_or_default().len());
    assert_eq!(notes.await.unwrap(), 10 * 6 + 2 * 7);
}

#[tokio::test]
async fn a_partition_with_several_models_is_read_as_an_enum_of_them() {
    let (_, db) = world(3).await;
    let rows = db.query(Order::partition("a")).select::<Row>().await.unwrap();
    assert!(matches!(&rows[..], [Row::Order(_), Row::Order(_), Row::Order(_), Row::Profile(_)]), "{rows:?}");
    let mut cursor = None;
    let mut found = Vec::new();
    loop {
        let read = db.query(Order::partition("a")).select::<Row>().limit(3);
        let page = read.page(cursor.as_deref()).await.unwrap();
        found.extend(page.items);
        cursor = page.cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(found, rows);
}

#[tokio::test]
async fn a_scan_of_a_table_with_several_models_gives_its_own() {
    let (store, db) = world(3).await;
    assert_eq!(db.scan::<Order>().await.unwrap().len(), 3);
    assert_eq!(db.scan::<Profile>().segments(2).await.unwrap().len(), 1);
    assert_eq!(
        (db.scan::<Order>().count().await.unwrap(), db.scan::<Profile>().count().await.unwrap()),
        (3, 1)
    );
    assert_eq!(db.scan::<Order>().group_by(Order::TOTAL).count().await.unwrap().len(), 3);
    assert_eq!(db.scan::<Order>().select::<Total>().await.unwrap().len(), 3);
    // Together they are all there is.
    assert_eq!(db.scan::<Order>().select::<Row>().await.unwrap().len(), 4);
    assert_eq!(db.scan::<Order>().select::<Row>().count().await.unwrap(), 4);
    // Nobody visits more than is wanted while there is no sign of other models.
    store.forget_calls();
    assert_eq!(db.scan::<Order>().limit(1).await.unwrap().len(), 1);
    assert!(matches!(&store.calls()[0], Request::Scan(scan) if scan.limit == Some(1)));
}

#[tokio::test]
async fn a_part_of_an_item_is_all_that_is_sent_and_must_be_where_it_is_read() {
    let (store, db) = world(8).await;
    assert_eq!(db.query(Order::query("a").le(1)).select::<Total>().await.unwrap(), [total(0), total(1)]);
    assert_eq!(db.query(Order::totals(2)).select::<Total>().await.unwrap(), [total(2), total(2)]);
    let Some(Request::Query(query)) = store.calls().pop() else { panic!("not a query") };
    assert_eq!(
        query.projection.unwrap().attributes(),
        ["pk", "sk", "total"],
        "and the key, to tell models apart"
    );
    let lacking = db.query(Order::totals(2)).select::<Note>().await.err().unwrap();
    assert!(matches!(&lacking, Error::NotProjected { attribute, .. } if attribute == "note"), "{lacking:?}");
    let notes = db.query(Order::by_total("a")).select::<Note>().await.unwrap();
    assert!(notes.len() == 8 && notes.iter().all(|note| note.note.is_some()));
    // A page of parts goes on, though they do not have the keys.
    let read = || db.query(Order::query("a")).select::<Total>().filter(Order::TOTAL.ge(2)).limit(3);
    let first = read().page(None).await.unwrap();
    let second = read().page(first.cursor.as_deref()).await.unwrap();
    assert_eq!((first.items, second.items), (vec![total(2), total(3), total(2)], vec![total(3)]));
}

#[tokio::test]
async fn encrypted_fields_are_open_however_items_are_read() {
    let store = TestStore::new();
    let db = store.db().with_keys(LocalKeys::new(1, SecretKey::new([7; 32])));
    db.create_table::<Patient>().await.unwrap();
    let patient =
        |bed| Patient { ward: "w".into(), bed, name: format!("name {bed}"), weight: 60 + u64::from(bed) };
    for bed in 0..5 {
        db.create(&patient(bed)).await.unwrap();
    }
    let all = Vec::from_iter((0..5).map(patient));
    assert_eq!(db.query(Patient::query("w")).await.unwrap(), all);
    assert_eq!(db.query(Patient::query("w")).limit(2).page(None).await.unwrap().items, all[..2]);
    let mut scanned = db.scan::<Patient>().segments(2).await.unwrap();
    scanned.sort_by_key(|patient| patient.bed);
    assert_eq!(scanned, all);
    assert_eq!(db.scan::<Patient>().sum(Patient::WEIGHT).await.unwrap(), 310.into());
    assert_eq!(db.scan::<Patient>().max(Patient::NAME).await.unwrap().as_deref(), Some("name 4"));
    let names = db.query(Patient::query("w")).desc().select::<Name>().first().await.unwrap();
    assert_eq!(names, Some(Name { name: "name 4".into() }));
    // Without keys they stay closed. Counting opens nothing.
    let without = store.db();
    assert!(matches!(without.query(Patient::query("w")).await, Err(Error::Encryption { .. })));
    assert!(matches!(without.scan::<Patient>().sum(Patient::WEIGHT).await, Err(Error::Encryption { .. })));
    assert_eq!(without.scan::<Patient>().count().await.unwrap(), 5);
}
