//! The seed's backend and service, with the seed's rows and none of its defects.

use futures_executor::block_on;
use limited::{Counted, Error, IndexedRateLimitRecord, RateLimitRecord, Windows};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::expr::{Action, RenderScope};
use tabletheory_core::store::op::{GetItem, PutItem};
use tabletheory_core::{Item, Request, Seconds, StoreError, StoreExt, Timestamp, Value};

use crate::forgetful::Forgetful;

const WHO: &str = "tenant:123:user:456";
/// The minute in which tests begin.
const WINDOW: Timestamp = Timestamp::from_seconds(1_704_067_200);

async fn world() -> (TestStore, Windows) {
    let store = TestStore::new();
    let db = store.db();
    RateLimitRecord::ensure_table(&db).await.unwrap();
    store.forget_calls();
    (store, Windows::new(db))
}

async fn row(store: &TestStore) -> Item {
    let key = Item::from([("Identifier", WHO), ("WindowTime", "2024-01-01T00:00:00Z")]);
    let get = GetItem { table: "rate-limits".into(), key, ..GetItem::default() };
    store.get_item(get).await.unwrap().item.expect("there is such a row")
}

#[test]
fn an_increment_writes_the_row_of_the_seed() {
    block_on(async {
        let (store, windows) = world().await;
        store.advance(Seconds(59));
        assert_eq!(windows.increment(WHO, WINDOW).await.unwrap(), 1);
        store.advance(Seconds(1));
        assert_eq!(windows.increment(WHO, WINDOW).await.unwrap(), 2);
        let row = row(&store).await;
        assert_eq!(row.get("Count"), Some(&Value::n(2)));
        assert_eq!(row.get("ExpiresAt"), Some(&Value::n(1_704_067_200 + 7_200)));
        assert_eq!(row.get("BucketKey"), Some(&Value::s(WHO)));
        let said = |name| row.get(name).and_then(Value::as_s).unwrap();
        assert!(said("CreatedAt").starts_with("2024-01-01T00:00:59"), "{}", said("CreatedAt"));
        assert!(said("UpdatedAt").starts_with("2024-01-01T00:01:00"), "{}", said("UpdatedAt"));
        let names: Vec<&str> = row.names().collect();
        assert_eq!(
            names,
            ["BucketKey", "Count", "CreatedAt", "ExpiresAt", "Identifier", "UpdatedAt", "WindowTime"]
        );
    });
}

#[test]
fn windows_are_counted_apart_and_forgotten_apart() {
    block_on(async {
        let (_, windows) = world().await;
        let next = WINDOW + Seconds(60);
        windows.increment(WHO, WINDOW).await.unwrap();
        windows.increment(WHO, next).await.unwrap();
        windows.reset(WHO, WINDOW).await.unwrap();
        windows.reset(WHO, WINDOW).await.unwrap();
        assert_eq!(windows.get(WHO, WINDOW).await.unwrap(), 0);
        assert_eq!(windows.get(WHO, next).await.unwrap(), 1);
        assert_eq!(windows.get("somebody else", next).await.unwrap(), 0);
    });
}

/// F30, G30: the seed's condition `Count < limit` is false while there is no count, so that the first request of every window was
/// denied, and with it all others.
#[test]
fn the_first_request_of_a_window_is_allowed_and_one_beyond_the_limit_is_not() {
    block_on(async {
        let (store, windows) = world().await;
        for count in 1..=3 {
            let counted = windows.check_and_increment(WHO, 3).await.unwrap();
            assert_eq!(counted, Counted { allowed: true, count });
        }
        for _ in 0..2 {
            let counted = windows.check_and_increment(WHO, 3).await.unwrap();
            assert_eq!(counted, Counted { allowed: false, count: 3 });
        }
        assert_eq!(windows.get_usage(WHO).await.unwrap(), 3);
        store.advance(Seconds(60));
        assert_eq!(windows.get_usage(WHO).await.unwrap(), 0);
        assert!(windows.check_and_increment(WHO, 3).await.unwrap().allowed);
    });
}

#[test]
fn the_first_an_allowed_and_a_denied_request_are_one_call_each() {
    block_on(async {
        let (store, windows) = world().await;
        for _ in 0..3 {
            store.forget_calls();
            let _ = windows.check_and_increment(WHO, 2).await.unwrap();
            assert_eq!((store.count("UpdateItem"), store.calls().len()), (1, 1));
        }
    });
}

/// A limit that was lowered while a window was under way.
#[test]
fn the_true_count_is_told_also_when_it_is_above_the_limit() {
    block_on(async {
        let (_, windows) = world().await;
        for _ in 0..5 {
            windows.increment(WHO, WINDOW).await.unwrap();
        }
        let counted = windows.check_and_increment(WHO, 2).await.unwrap();
        assert_eq!(counted, Counted { allowed: false, count: 5 });
    });
}

/// F29, F31: the seed changed `Count` by ADD and by SET at once, which the service refuses, and wrote `Count` without an alias,
/// which is a reserved word.
#[test]
fn each_attribute_is_changed_once_and_no_reserved_word_is_written_out() {
    block_on(async {
        let (store, windows) = world().await;
        let _ = windows.check_and_increment(WHO, 2).await.unwrap();
        let calls = store.calls();
        let [Request::UpdateItem(update)] = &calls[..] else { panic!("one call: {calls:?}") };
        let actions = &update.update.as_ref().unwrap().actions;
        let mut paths: Vec<String> = actions.iter().map(|action| action.path().to_string()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["BucketKey", "Count", "CreatedAt", "ExpiresAt", "UpdatedAt"]);
        assert!(actions.iter().any(|action| matches!(action, Action::Add(path, _) if path.root == "Count")));
        let text = RenderScope::new().update(update.update.as_ref().unwrap());
        assert!(!text.contains("Count"), "{text}");
    });
}

/// F28, G22: windows were named in the local time of each process, so that processes counted in different ones.
#[test]
fn a_window_has_one_name_whatever_the_time_zone() {
    block_on(async {
        let (store, windows) = world().await;
        let _ = windows.check_and_increment(WHO, 2).await.unwrap();
        let calls = store.calls();
        let [Request::UpdateItem(update)] = &calls[..] else { panic!("one call: {calls:?}") };
        assert_eq!(update.key.get("WindowTime"), Some(&Value::s("2024-01-01T00:00:00Z")));
    });
}

#[test]
fn a_key_that_no_table_holds_is_refused_before_the_store_is_asked() {
    block_on(async {
        let (store, windows) = world().await;
        let long = "x".repeat(2_049);
        for refused in [
            windows.increment(&long, WINDOW).await,
            windows.get(&long, WINDOW).await,
            windows.reset(&long, WINDOW).await.map(|()| 0),
            windows.check_and_increment(&long, 1).await.map(|counted| counted.count),
            windows.get_usage(&long).await,
        ] {
            let error = refused.expect_err("it is too long");
            assert!(matches!(error, Error::IdentifierTooLong { bytes: 2_049, bytes_max: 2_048 }), "{error}");
        }
        assert!(matches!(windows.increment("", WINDOW).await, Err(Error::NoIdentifier)));
        assert!(matches!(windows.check_and_increment("", 1).await, Err(Error::NoIdentifier)));
        assert!(matches!(windows.check_and_increment(WHO, 0).await, Err(Error::Limit { .. })));
        assert!(store.calls().is_empty());
    });
}

#[test]
fn the_longest_key_is_counted_also_in_a_table_with_indexes() {
    block_on(async {
        let store = TestStore::new();
        IndexedRateLimitRecord::ensure_table(&store.db()).await.unwrap();
        let windows = Windows::new(store.db());
        assert_eq!(windows.increment(&"x".repeat(2_048), WINDOW).await.unwrap(), 1);
        assert_eq!(windows.increment("a\u{0}b", WINDOW).await.unwrap(), 1);
    });
}

#[test]
fn a_lost_answer_is_an_error_and_is_not_counted_twice() {
    block_on(async {
        let (store, windows) = world().await;
        store.trouble("UpdateItem", Trouble::LostAnswer);
        assert!(matches!(windows.check_and_increment(WHO, 2).await, Err(Error::Store(_))));
        assert_eq!(windows.get(WHO, WINDOW).await.unwrap(), 1);
    });
}

#[test]
fn a_damaged_row_is_an_error_and_not_a_guess() {
    block_on(async {
        let (store, windows) = world().await;
        let item = Item::from([
            ("Identifier", Value::s(WHO)),
            ("WindowTime", Value::s("2024-01-01T00:00:00Z")),
            ("Count", Value::s("many")),
        ]);
        store.put_item(PutItem { table: "rate-limits".into(), item, ..PutItem::default() }).await.unwrap();
        assert!(matches!(windows.get(WHO, WINDOW).await, Err(Error::Row(_))));
        assert!(matches!(windows.check_and_increment(WHO, 2).await, Err(Error::Row(_))));
        let error = windows.increment(WHO, WINDOW).await.expect_err("text cannot be added to");
        assert!(matches!(error, Error::Store(StoreError::Validation(_))), "{error:?}");
    });
}

#[test]
fn a_store_that_does_not_tell_the_row_with_a_denial_is_asked_for_it() {
    block_on(async {
        let (store, _) = world().await;
        let db = tabletheory::Db::new(Forgetful(store.clone())).with_clock(store.clock());
        let windows = Windows::new(db);
        assert_eq!(windows.check_and_increment(WHO, 1).await.unwrap(), Counted { allowed: true, count: 1 });
        store.forget_calls();
        assert_eq!(windows.check_and_increment(WHO, 1).await.unwrap(), Counted { allowed: false, count: 1 });
        assert_eq!((store.count("UpdateItem"), store.count("GetItem")), (1, 1));
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_at_once_are_allowed_exactly_as_often_as_the_limit_says() {
    let (store, windows) = world().await;
    let asked = (0..64).map(|_| {
        let windows = windows.clone();
        tokio::spawn(async move { windows.check_and_increment(WHO, 20).await.unwrap() })
    });
    let mut counts = Vec::new();
    for answer in asked.collect::<Vec<_>>() {
        let counted = answer.await.unwrap();
        if counted.allowed {
            counts.push(counted.count);
        }
    }
    counts.sort_unstable();
    assert_eq!(counts, (1..=20).collect::<Vec<u64>>());
    assert_eq!(store.count("UpdateItem"), 64);
}
