//! Pages through cursors: what a client gets, what it may bring back, and what is refused.

use tabletheory::cursor::{Cursor, CursorError, CursorKey, Sort};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory::{Db, Error, Model};
use tabletheory_core::{Item, Value};

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{user}", sk = "ORDER#{number:04}")]
#[model(index(name = "by_city", pk = city, sk = total))]
struct Order {
    user: String,
    number: u32,
    city: String,
    total: u64,
}

fn order(user: &str, number: u32) -> Order {
    Order { user: user.into(), number, city: "Oslo".into(), total: u64::from(number % 3) }
}

async fn world(orders: u32) -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Order>().await.unwrap();
    for number in 0..orders {
        db.put(&order("a", number * 10)).await.unwrap();
        db.put(&order("b", number * 10)).await.unwrap();
    }
    store.forget_calls();
    (store, db)
}

fn numbers(orders: &[Order]) -> Vec<u32> {
    orders.iter().map(|order| order.number).collect()
}

/// A cursor with this key, as a client could make it up.
fn made_up(last_key: Item) -> String {
    Cursor { last_key, index: None, sort: Some(Sort::Ascending) }.encode()
}

#[track_caller]
fn refused<T>(page: Result<T, Error<Order>>, expected: &CursorError) {
    match page {
        Err(Error::Cursor(error)) => assert_eq!(error, *expected),
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("the cursor was taken"),
    }
}

#[tokio::test]
async fn pages_go_on_while_items_are_inserted() {
    let (_, db) = world(9).await;
    let page = |cursor: Option<String>| {
        let query = db.query(Order::query("a")).limit(4);
        async move { query.page(cursor.as_deref()).await.unwrap() }
    };
    let first = page(None).await;
    assert_eq!(numbers(&first.items), [0, 10, 20, 30]);
    // One before the place where the page ended, and one behind it.
    db.put(&order("a", 5)).await.unwrap();
    db.put(&order("a", 45)).await.unwrap();
    let second = page(first.cursor).await;
    assert_eq!(numbers(&second.items), [40, 45, 50, 60]);
    // The item at which the page ended is gone, and the next page begins behind it all the same.
    db.delete(Order::key("a", 60)).await.unwrap();
    let third = page(second.cursor).await;
    assert_eq!((numbers(&third.items), third.cursor), (vec![70, 80], None));
}

#[tokio::test]
async fn every_order_and_index_has_its_pages() {
    let (_, db) = world(5).await;
    let mut cursor = String::new();
    let mut found = Vec::new();
    loop {
        let page = db.query(Order::by_city("Oslo")).desc().limit(3).page(Some(&cursor)).await.unwrap();
        found.extend(page.items);
        match page.cursor {
            Some(next) => cursor = next,
            None => break,
        }
    }
    assert_eq!(found.len(), 10);
    assert!(found.is_sorted_by_key(|order| std::cmp::Reverse(order.total)));
    let plain = Cursor::decode(&cursor).unwrap().unwrap();
    assert_eq!((plain.index.as_deref(), plain.sort), (Some("by_city"), Some(Sort::Descending)));
    assert_eq!(plain.last_key.names().collect::<Vec<_>>(), ["city", "pk", "sk", "total"]);
}

#[tokio::test]
async fn a_filter_fills_the_page_and_the_next_begins_right_behind_it() {
    let (_, db) = world(50).await;
    for page_size in [None, Some(1), Some(7)] {
        let mut cursor = None;
        let mut found = Vec::new();
        for _ in 0..6 {
            let query = db.query(Order::query("a")).filter(Order::TOTAL.eq(1)).limit(3);
            let query = match page_size {
                Some(size) => query.page_size(size),
                None => query,
            };
            let page = query.page(cursor.as_deref()).await.unwrap();
            found.extend(numbers(&page.items));
            cursor = page.cursor;
            if cursor.is_none() {
                break;
            }
            assert_eq!(page.items.len(), 3);
        }
        assert_eq!(found, Vec::from_iter((0..50).map(|n| n * 10).filter(|n| n % 3 == 1)));
    }
}

#[tokio::test]
async fn a_page_without_a_limit_is_one_request_and_may_be_empty() {
    let (store, db) = world(9).await;
    let none = db.query(Order::query("a")).filter(Order::TOTAL.eq(99)).page_size(4).page(None).await.unwrap();
    assert!(none.items.is_empty() && none.cursor.is_some());
    assert_eq!(store.calls().len(), 1);
    let nothing = db.query(Order::query("nobody")).page(None).await.unwrap();
    assert!(nothing.items.is_empty() && nothing.cursor.is_none());
    assert!(matches!(db.query(Order::query("a")).limit(0).page(None).await, Err(Error::Validation(_))));
}

#[tokio::test(start_paused = true)]
async fn a_busy_store_does_not_break_a_page() {
    let (store, db) = world(9).await;
    store.trouble("Query", Trouble::Throttled);
    store.trouble("Query", Trouble::LostAnswer);
    let page = db.query(Order::query("a")).limit(4).page(None).await.unwrap();
    assert_eq!(numbers(&page.items), [0, 10, 20, 30]);
    assert_eq!(store.count("Query"), 3);
}

#[tokio::test]
async fn a_cursor_of_another_question_is_refused_before_anything_is_sent() {
    let (store, db) = world(9).await;
    let cursor = db.query(Order::query("a")).limit(4).page(None).await.unwrap().cursor;
    let of_index = db.query(Order::by_city("Oslo")).limit(4).page(None).await.unwrap().cursor;
    let of_scan = db.scan::<Order>().limit(4).page(None).await.unwrap().cursor;
    store.forget_calls();
    let (cursor, of_index) = (cursor.as_deref(), of_index.as_deref());
    refused(db.query(Order::query("b")).page(cursor).await, &CursorError::OtherKey);
    refused(db.query(Order::query("a").ge(50)).page(cursor).await, &CursorError::OtherKey);
    let query = Sort::Descending;
    refused(db.query(Order::query("a")).desc().page(cursor).await, &CursorError::OtherOrder { query });
    refused(db.query(Order::query("a")).page(of_index).await, &CursorError::OtherIndex { query: None });
    refused(db.query(Order::by_city("Rome")).page(of_index).await, &CursorError::OtherKey);
    refused(db.query(Order::by_city("Oslo")).page(cursor).await, &CursorError::OtherKey);
    refused(db.scan::<Order>().index("by_city").page(of_scan.as_deref()).await, &CursorError::OtherKey);
    assert!(store.calls().is_empty());
    // A scan and a query of the same table have the same keys, and a scan says no order.
    assert!(db.scan::<Order>().page(cursor).await.is_ok());
}

#[tokio::test]
async fn a_cursor_that_somebody_made_up_is_refused_before_anything_is_sent() {
    let (store, db) = world(9).await;
    let key = |pk: Value, sk: Value| Item::from([("pk", pk), ("sk", sk)]);
    let good = key(Value::s("USER#a"), Value::s("ORDER#0030"));
    let mut more = good.clone();
    more.insert("city", Value::s("Oslo"));
    let hostile = [
        key(Value::s("USER#b"), Value::s("ORDER#0030")),
        key(Value::s("USER#a"), Value::s("PROFILE")),
        key(Value::s("USER#a"), Value::n(3)),
        key(Value::s("USER#a"), Value::L(vec![])),
        key(Value::s("USER#a"), Value::s("")),
        key(Value::s("USER#a"), Value::s("ORDER#".to_owned() + &"9".repeat(3000))),
        Item::from([("pk", Value::s("USER#a"))]),
        Item::from([("PK", Value::s("USER#a")), ("SK", Value::s("ORDER#0030"))]),
        more,
    ];
    for last_key in hostile {
        let text = made_up(last_key);
        refused(db.query(Order::query("a")).page(Some(&text)).await, &CursorError::OtherKey);
    }
    for text in ["x", "{}", "e30=", "v1.e30=.AAAA", "\u{0}", "eyJsYXN0S2V5Ijo", &"A".repeat(1 << 20)] {
        let page = db.query(Order::query("a")).page(Some(text)).await;
        assert!(matches!(page, Err(Error::Cursor(_))), "{text}");
    }
    assert!(store.calls().is_empty());
    let page = db.query(Order::query("a")).page(Some(&made_up(good))).await.unwrap();
    assert_eq!(numbers(&page.items), [40, 50, 60, 70, 80]);
}

#[tokio::test]
async fn signed_pages_give_and_demand_signatures_for_their_scope() {
    let (store, db) = world(9).await;
    let key = CursorKey::new([3; 32]);
    let query = || db.query(Order::query("a")).limit(4);
    let plain = query().page(None).await.unwrap().cursor.unwrap();
    let signed = query().signed(&key, &["tenant-1"]).page(None).await.unwrap().cursor.unwrap();
    store.forget_calls();
    refused(query().signed(&key, &["tenant-1"]).page(Some(&plain)).await, &CursorError::Unsigned);
    refused(query().signed(&key, &["tenant-2"]).page(Some(&signed)).await, &CursorError::Forged);
    refused(
        query().signed(&CursorKey::new([4; 32]), &["tenant-1"]).page(Some(&signed)).await,
        &CursorError::Forged,
    );
    refused(query().page(Some(&signed)).await, &CursorError::Signed);
    for at in 3..signed.len() - 1 {
        let mut forged = signed.clone().into_bytes();
        forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(forged).unwrap();
        let page = query().signed(&key, &["tenant-1"]).page(Some(&forged)).await;
        assert!(matches!(page, Err(Error::Cursor(CursorError::Forged))), "{at}");
    }
    assert!(store.calls().is_empty());
    let second = query().signed(&key, &["tenant-1"]).page(Some(&signed)).await.unwrap();
    assert_eq!(numbers(&second.items), [40, 50, 60, 70]);
}

#[tokio::test]
async fn the_key_of_the_database_signs_every_page() {
    let (_, db) = world(9).await;
    let db = db.with_cursor_key(CursorKey::new([3; 32]));
    let cursor = db.scan::<Order>().limit(4).page(None).await.unwrap().cursor.unwrap();
    assert!(cursor.starts_with("v1."));
    assert_eq!(db.scan::<Order>().page(Some(&cursor)).await.unwrap().items.len(), 14);
    let own = CursorKey::new([4; 32]);
    refused(db.scan::<Order>().signed(&own, &[]).page(Some(&cursor)).await, &CursorError::Forged);
}
