//! Attributes that items lack.

use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::store::op::DeleteItem;
use tabletheory_core::{Item, StoreError, StoreExt as _, Value};
use theory_copy::Error;
use theory_copy::fill::Filling;

use crate::world::{arc, fill, item, items, make, put, side};

fn values() -> Vec<(String, Value)> {
    vec![("status".to_owned(), Value::s("new")), ("hits".to_owned(), Value::n(0))]
}

#[tokio::test]
async fn only_what_is_missing_is_given_and_twice_is_as_once() {
    let store = TestStore::new();
    make(&arc(&store), "users", None).await;
    fill(&store, "users", 300).await;
    let mut half = item(7);
    half.insert("status", Value::s("old"));
    put(&store, "users", half).await;
    let side = side(&store, "a");
    let filling = Filling::open(&side, "users", values(), 4).await.unwrap();
    assert_eq!(filling.count(&side).await.unwrap(), 300);
    store.trouble("UpdateItem", Trouble::LostAnswer);
    store.trouble("UpdateItem", Trouble::Throttled);
    assert_eq!(filling.run(&side, &|_| {}).await.unwrap(), 300);
    let all = items(&store, "users").await;
    assert!(all.iter().all(|item| item.contains(r#""hits":{"N":"0"}"#)));
    assert_eq!(all.iter().filter(|item| item.contains(r#""status":{"S":"old"}"#)).count(), 1);
    assert_eq!((filling.count(&side).await.unwrap(), filling.run(&side, &|_| {}).await.unwrap()), (0, 0));
}

#[tokio::test]
async fn an_item_that_is_deleted_meanwhile_stays_deleted() {
    let store = TestStore::new();
    make(&arc(&store), "users", None).await;
    fill(&store, "users", 60).await;
    let side = side(&store, "a");
    let filling = Filling::open(&side, "users", values(), 1).await.unwrap();
    let engine = store.clone();
    // After the first ones are filled all others are deleted; they were read by then.
    let tell = move |_: u64| {
        for number in 0..60 {
            let key = Item::from([("pk", Value::s(format!("p{}", number % 50))), ("n", Value::n(number))]);
            let delete = DeleteItem { table: "users".into(), key, ..DeleteItem::default() };
            let deleted = futures_util::future::FutureExt::now_or_never(engine.delete_item(delete));
            deleted.expect("a store in memory answers at once").unwrap();
        }
    };
    assert_eq!(filling.run(&side, &tell).await.unwrap(), 16);
    assert!(items(&store, "users").await.is_empty());
}

#[tokio::test]
async fn keys_are_not_filled_and_a_refusal_is_told() {
    let store = TestStore::new();
    make(&arc(&store), "users", None).await;
    fill(&store, "users", 1).await;
    let side = side(&store, "a");
    let key = Filling::open(&side, "users", vec![("pk".to_owned(), Value::s("x"))], 1).await.unwrap_err();
    assert!(matches!(key, Error::KeyAttribute { .. }), "{key}");
    let missing = Filling::open(&side, "nobody", values(), 1).await.unwrap_err();
    assert!(matches!(missing, Error::NoTable { .. }), "{missing}");
    let filling = Filling::open(&side, "users", values(), 1).await.unwrap();
    store.trouble("UpdateItem", Trouble::Refused(StoreError::AccessDenied("no".into())));
    assert!(filling.run(&side, &|_| {}).await.is_err());
}
