//! What a copy is found to be when both sides are compared: what was written, lost or expired meanwhile.

use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::store::op::{DeleteItem, DescribeTimeToLive};
use tabletheory_core::{Clock as _, Item, StoreError, StoreExt as _, Value};
use theory_copy::verify::ItemDifference;
use theory_copy::{Event, Journal, Outcome, Plan};

use crate::world::{arc, copy, fill, item, items, make, pair, put, resume, side};

#[tokio::test]
async fn what_is_written_meanwhile_is_told_and_copied_by_another_run() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", Some("ends")).await;
    fill(&from, "users", 400).await;
    let (path, copy) = (folder.path().join("journal"), copy(side(&from, "a"), side(&to, "b")));
    let mut journal = Journal::begin(&path, "a", "b").unwrap();
    let pairs = [pair("users", "users")];
    let plan = Plan::make(&copy.from, &copy.to, &pairs, Some(&journal), false).await.unwrap();
    // Somebody writes when everything is copied.
    let engine = from.clone();
    let change = move |event: Event<'_>| {
        if let Event::Verifying(_) = event {
            let mut changed = item(7);
            changed.insert("text", Value::s("changed"));
            futures_util::future::FutureExt::now_or_never(async {
                put(&engine, "users", item(5000)).await;
                put(&engine, "users", changed).await;
                let key = Item::from([("pk", Value::s("p8")), ("n", Value::n(8))]);
                let delete = DeleteItem { table: "users".into(), key, ..DeleteItem::default() };
                engine.delete_item(delete).await.unwrap();
            })
            .expect("a store in memory answers at once");
        }
    };
    let reports = copy.run(plan, &mut journal, &change).await.unwrap();
    drop(journal);
    let comparison = reports[0].comparison.as_ref().unwrap();
    assert!(!reports[0].is_equal());
    assert_eq!((comparison.from.items, comparison.to.items), (400, 400), "one more and one less");
    let key = |pk: &str, n: i64| Item::from([("pk", Value::s(pk)), ("n", Value::n(n))]);
    for expected in [
        ItemDifference::Missing(key("p0", 5000)),
        ItemDifference::Different(key("p7", 7)),
        ItemDifference::Extra(key("p8", 8)),
    ] {
        assert!(comparison.differences.contains(&expected), "{expected:?}: {comparison:?}");
    }

    assert_eq!(reports[0].outcome, Outcome::Differs);
    let ttl = || async {
        to.describe_time_to_live(DescribeTimeToLive { table: "users".into() }).await.unwrap().attribute
    };
    assert_eq!(ttl().await, None, "there is more to copy");

    // Another run brings what is new. What the source has no more stays, is told, and is no reason to copy for ever.
    let again = resume(&copy, &path).await.unwrap();
    let differences = &again[0].comparison.as_ref().unwrap().differences;
    assert_eq!(differences, &[ItemDifference::Extra(key("p8", 8))]);
    assert_eq!((again[0].outcome, again[0].extra_items()), (Outcome::Extra, 1));
    assert_eq!(ttl().await.as_deref(), Some("ends"), "the copy came to its end");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_target_with_items_of_its_own_is_complete_with_everything_of_the_source() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    make(&arc(&to), "users", None).await;
    fill(&from, "users", 400).await;
    // More than can be named, in more parts than are looked at for names.
    for number in 10_000..10_300 {
        put(&to, "users", item(number)).await;
    }
    let (path, copy) = (folder.path().join("journal"), copy(side(&from, "a"), side(&to, "b")));
    let mut journal = Journal::begin(&path, "a", "b").unwrap();
    let pairs = [pair("users", "users")];
    let plan = Plan::make(&copy.from, &copy.to, &pairs, Some(&journal), true).await.unwrap();
    to.trouble("BatchWriteItem", Trouble::Refused(StoreError::AccessDenied("not now".into())));
    copy.run(plan, &mut journal, &|_| {}).await.unwrap_err();
    drop(journal);
    // Whoever goes on need not say again that the items of the target may stay.
    to.trouble("BatchGetItem", Trouble::Unprocessed(1));
    let reports = resume(&copy, &path).await.unwrap();
    assert_eq!((reports[0].outcome, reports[0].extra_items()), (Outcome::Beside, 300));
    assert!(!reports[0].is_equal() && reports[0].is_complete());
    assert_eq!(items(&to, "users").await.len(), 700);
    assert!(!path.exists());
}

#[tokio::test]
async fn what_is_lost_among_items_of_the_targets_own_is_found() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    make(&arc(&to), "users", None).await;
    fill(&from, "users", 400).await;
    for number in 10_000..10_300 {
        put(&to, "users", item(number)).await;
    }
    for change in [None, Some(Value::s("changed"))] {
        let path = folder.path().join("journal");
        let copy = copy(side(&from, "a"), side(&to, "b"));
        let mut journal = Journal::begin(&path, "a", "b").unwrap();
        let pairs = [pair("users", "users")];
        let plan = Plan::make(&copy.from, &copy.to, &pairs, Some(&journal), true).await.unwrap();
        let engine = to.clone();
        let harm = move |event: Event<'_>| {
            if let Event::Verifying(_) = event {
                let change = change.clone();
                futures_util::future::FutureExt::now_or_never(async {
                    let key = Item::from([("pk", Value::s("p8")), ("n", Value::n(8))]);
                    match change {
                        Some(text) => {
                            let mut changed = key;
                            changed.insert("text", text);
                            put(&engine, "users", changed).await;
                        }
                        None => {
                            let delete = DeleteItem { table: "users".into(), key, ..DeleteItem::default() };
                            engine.delete_item(delete).await.unwrap();
                        }
                    }
                })
                .expect("a store in memory answers at once");
            }
        };
        let reports = copy.run(plan, &mut journal, &harm).await.unwrap();
        drop(journal);
        assert_eq!(reports[0].outcome, Outcome::Differs);
        assert_eq!(resume(&copy, &path).await.unwrap()[0].outcome, Outcome::Beside);
    }
}

/// Removes the item that has expired as soon as the comparison begins.
fn removing(store: &TestStore) -> impl Fn(Event<'_>) + use<> {
    let store = store.clone();
    move |event| {
        if let Event::Verifying(_) = event {
            let key = Item::from([("pk", Value::s("p0")), ("n", Value::n(1000))]);
            let delete = DeleteItem { table: "users".into(), key, ..DeleteItem::default() };
            let deleted = futures_util::future::FutureExt::now_or_never(store.delete_item(delete));
            deleted.expect("a store in memory answers at once").unwrap();
        }
    }
}

#[tokio::test]
async fn items_that_expire_only_in_the_target_are_no_difference() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", None).await;
    make(&arc(&to), "users", Some("ends")).await;
    fill(&from, "users", 100).await;
    let mut expired = item(1000);
    expired.insert("ends", Value::n(tabletheory_core::sys::SystemClock.now().seconds() - 10));
    put(&from, "users", expired).await;
    let (path, copy) = (folder.path().join("journal"), copy(side(&from, "a"), side(&to, "b")));
    let mut journal = Journal::begin(&path, "a", "b").unwrap();
    let pairs = [pair("users", "users")];
    let plan = Plan::make(&copy.from, &copy.to, &pairs, Some(&journal), false).await.unwrap();
    let reports = copy.run(plan, &mut journal, &removing(&to)).await.unwrap();
    assert!(reports[0].is_equal(), "{reports:?}");
}

#[tokio::test]
async fn items_that_expire_meanwhile_are_no_difference() {
    let (from, to, folder) = (TestStore::new(), TestStore::new(), tempfile::tempdir().unwrap());
    make(&arc(&from), "users", Some("ends")).await;
    fill(&from, "users", 100).await;
    let now = tabletheory_core::sys::SystemClock.now().seconds();
    for (number, ends) in [(1000, now - 10), (1001, now + 60), (1002, now + 100_000)] {
        let mut expiring = item(number);
        expiring.insert("ends", Value::n(ends));
        put(&from, "users", expiring).await;
    }
    let (path, copy) = (folder.path().join("journal"), copy(side(&from, "a"), side(&to, "b")));
    let mut journal = Journal::begin(&path, "a", "b").unwrap();
    let pairs = [pair("users", "users")];
    let plan = Plan::make(&copy.from, &copy.to, &pairs, Some(&journal), false).await.unwrap();
    let reports = copy.run(plan, &mut journal, &removing(&from)).await.unwrap();
    let comparison = reports[0].comparison.as_ref().unwrap();
    assert!(comparison.is_equal(), "{comparison:?}");
    assert_eq!(comparison.from.items, 101);
    assert_eq!((comparison.expiring.0.items, comparison.expiring.1.items), (1, 2));
}
