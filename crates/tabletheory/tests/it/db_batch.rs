//! Batches through `Db`: cut into requests, tried again, and what came of each operation.

use std::sync::{Arc, Mutex};

use tabletheory::db::{Backoff, Got, WriteOutcome};
use tabletheory::error::BulkFault;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory::{Db, Error, Model};
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::BatchWriteItemOutput;
use tabletheory_core::{Request, Response, Seconds, Store, StoreError};

#[derive(Model, Debug, Clone, PartialEq, Default)]
#[model(table = "docs")]
struct Doc {
    #[model(pk)]
    id: u64,
    title: String,
    #[model(version)]
    rev: u64,
    #[model(created_at)]
    made: jiff::Timestamp,
    #[model(updated_at)]
    changed: jiff::Timestamp,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "TAG#{name}", sk = "TAG")]
struct Tag {
    name: String,
}

fn doc(id: u64) -> Doc {
    Doc { id, title: format!("doc {id}"), ..Doc::default() }
}

fn tag(name: &str) -> Tag {
    Tag { name: name.into() }
}

async fn world() -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Doc>().await.unwrap();
    db.create_table::<Tag>().await.unwrap();
    (store, db)
}

/// With these documents, and none of the calls that made them.
async fn world_of(docs: std::ops::Range<u64>) -> (TestStore, Db, Vec<Doc>) {
    let (store, db) = world().await;
    let docs: Vec<Doc> = docs.map(doc).collect();
    db.batch_write().put_all(&docs).await.unwrap();
    let docs = db.batch_get(docs.iter().map(Model::key_of)).await.unwrap().into_iter().flatten().collect();
    store.forget_calls();
    (store, db, docs)
}

/// How many operations each batch had that the store got.
fn sizes(store: &TestStore) -> Vec<usize> {
    let size = |call: &Request| match call {
        Request::BatchGetItem(batch) => batch.tables.values().map(|keys| keys.keys.len()).sum(),
        Request::BatchWriteItem(batch) => batch.tables.values().map(Vec::len).sum(),
        _ => 0,
    };
    store.calls().iter().map(size).collect()
}

fn some(docs: &[Doc]) -> Vec<Option<Doc>> {
    docs.iter().cloned().map(Some).collect()
}

#[tokio::test]
async fn a_hundred_and_one_keys_are_two_requests_and_the_answers_stand_where_the_keys_stood() {
    let (store, db, docs) = world_of(0..101).await;
    let found = db.batch_get((0..101).rev().map(Doc::key)).await.unwrap();
    assert!(found.into_iter().rev().eq(some(&docs)));
    assert_eq!(sizes(&store), [100, 1]);
}

#[tokio::test]
async fn a_key_that_is_there_twice_is_asked_for_once_and_answered_twice() {
    let (store, db, docs) = world_of(0..2).await;
    let found = db.batch_get([1, 7, 0, 1, 7].map(Doc::key)).consistent().await.unwrap();
    let [zero, one] = [0, 1].map(|at: usize| Some(docs[at].clone()));
    assert_eq!(found, [one.clone(), None, zero, one, None]);
    assert_eq!(sizes(&store), [3]);
    let calls = store.calls();
    assert!(matches!(&calls[0], Request::BatchGetItem(batch) if batch.tables["docs"].consistent));
}

#[tokio::test]
async fn an_empty_batch_sends_nothing() {
    let (store, db, _) = world_of(0..0).await;
    assert_eq!(db.batch_get(Vec::<tabletheory::key::Key<Doc>>::new()).await.unwrap(), []);
    db.batch_write().await.unwrap();
    assert!(store.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn keys_that_the_store_leaves_are_asked_for_again_and_only_those() {
    let (store, db, docs) = world_of(0..10).await;
    store.trouble("BatchGetItem", Trouble::Unprocessed(4));
    store.trouble("BatchGetItem", Trouble::Unprocessed(1));
    let found = db.batch_get((0..10).map(Doc::key)).await.unwrap();
    assert_eq!(found, some(&docs));
    assert_eq!(sizes(&store), [10, 4, 1]);
}

#[tokio::test(start_paused = true)]
async fn what_the_store_leaves_forever_is_told_key_by_key() {
    let (store, db, docs) = world_of(0..3).await;
    let db = db.with_backoff(Backoff { attempts: 3, ..Backoff::default() });
    let leave = || {
        for trouble in [1, usize::MAX, usize::MAX].map(Trouble::Unprocessed) {
            store.trouble("BatchGetItem", trouble);
        }
    };
    leave();
    let got = db.batch_get([0, 1, 2, 2].map(Doc::key)).each().await;
    assert!(
        matches!(&got[..2], [Got::Found(first), Got::Found(second)] if [first, second] == [&docs[0], &docs[1]])
    );
    assert!(matches!(&got[2..], [Got::Unprocessed, Got::Unprocessed]));
    // After an answer with something in it, patience began anew: that one, and two more.
    assert_eq!(sizes(&store), [3, 1, 1]);
    leave();
    let error = db.batch_get((0..3).map(Doc::key)).await.unwrap_err();
    assert!(
        matches!(error, Error::Incomplete { done: 2, ref left, cause: None } if *left == [2]),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_get_that_was_throttled_or_lost_is_sent_again() {
    let (store, db, docs) = world_of(0..2).await;
    for trouble in [Trouble::Throttled, Trouble::LostAnswer, Trouble::NotReached] {
        store.trouble("BatchGetItem", trouble);
    }
    assert_eq!(db.batch_get((0..2).map(Doc::key)).await.unwrap(), some(&docs));
    assert_eq!(sizes(&store), [2, 2, 2, 2]);
}

#[tokio::test]
async fn a_key_that_is_none_spoils_only_its_own_answer() {
    let (_, db) = world().await;
    db.create(&tag("a")).await.unwrap();
    let got = db.batch_get([Tag::key("a"), Tag::key("a#b"), Tag::key("c")]).each().await;
    assert!(matches!(&got[..], [Got::Found(_), Got::Failed(Error::Model { .. }), Got::Missing]), "{got:?}");
    let error = db.batch_get([Tag::key("a"), Tag::key("a#b")]).await.unwrap_err();
    assert!(matches!(error, Error::Model { .. }));
}

#[tokio::test(start_paused = true)]
async fn as_many_requests_are_under_way_as_were_allowed() {
    let (store, db, docs) = world_of(0..400).await;
    for _ in 0..4 {
        store.trouble("BatchGetItem", Trouble::Slow(std::time::Duration::from_secs(10)));
    }
    let begun = tokio::time::Instant::now();
    assert_eq!(db.batch_get((0..400).map(Doc::key)).concurrency(2).await.unwrap(), some(&docs));
    assert_eq!(begun.elapsed().as_secs(), 20);
}

#[tokio::test]
async fn twenty_six_writes_are_two_requests_over_all_tables_and_models() {
    let (store, db, _) = world_of(0..1).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&seen);
    let batch = db.batch_write().put_all(&(1..25).map(doc).collect::<Vec<_>>()).delete(Doc::key(0));
    let batch = batch.put(&tag("a")).concurrency(1);
    batch.on_progress(move |done, total| note.lock().unwrap().push((done, total))).await.unwrap();
    assert_eq!(sizes(&store), [25, 1]);
    assert_eq!(*seen.lock().unwrap(), [(25, 26), (26, 26)]);
    let found = db.batch_get((0..25).map(Doc::key)).await.unwrap();
    assert!(found[0].is_none() && found[1..].iter().all(Option::is_some));
    assert_eq!(db.get(Tag::key("a")).await.unwrap(), Some(tag("a")));
}

#[tokio::test(start_paused = true)]
async fn writes_that_the_store_leaves_are_sent_again_as_they_were_built() {
    let (store, db, _) = world_of(0..0).await;
    store.trouble("BatchWriteItem", Trouble::Unprocessed(2));
    let begun = store.clock();
    let batch = db.batch_write().put(&doc(1)).put(&tag("a")).put(&doc(2)).on_progress(move |_, _| {
        // The moments were set when the batch was built, and are not set again.
        begun.advance(Seconds(60));
    });
    batch.await.unwrap();
    let [first, second]: [Request; 2] = store.calls().try_into().unwrap();
    let (Request::BatchWriteItem(first), Request::BatchWriteItem(second)) = (first, second) else {
        panic!("there were other calls")
    };
    assert_eq!(second.tables["docs"], first.tables["docs"]);
    let docs = db.batch_get([1, 2].map(Doc::key)).await.unwrap();
    assert!(
        docs.iter().flatten().all(|doc| doc.changed.as_second() == 1_704_067_200 && doc.made == doc.changed)
    );
}

#[tokio::test(start_paused = true)]
async fn a_write_that_was_throttled_or_lost_is_sent_again() {
    let (store, db, _) = world_of(0..0).await;
    for trouble in [Trouble::LostAnswer, Trouble::Throttled, Trouble::LostRequest] {
        store.trouble("BatchWriteItem", trouble);
    }
    let outcomes = db.batch_write().put(&doc(1)).put(&doc(2)).each().await.unwrap();
    assert!(outcomes.iter().all(|outcome| matches!(outcome, WriteOutcome::Written)), "{outcomes:?}");
    assert_eq!(sizes(&store), [2, 2, 2, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_answer_was_lost_before_the_store_got_busy_may_have_happened() {
    let (store, db, _) = world_of(0..0).await;
    let db = db.with_backoff(Backoff { attempts: 2, ..Backoff::default() });
    store.trouble("BatchWriteItem", Trouble::LostAnswer);
    store.trouble("BatchWriteItem", Trouble::Throttled);
    let error = db.batch_write().put(&doc(1)).await.unwrap_err();
    assert!(error.is_ambiguous() && !error.is_throttled(), "{error:?}");
    assert!(db.get(Doc::key(1)).await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn what_is_left_of_the_writes_is_told_one_by_one_and_by_place() {
    let (store, db, _) = world_of(0..0).await;
    let db = db.with_backoff(Backoff { attempts: 1, ..Backoff::default() });
    store.trouble("BatchWriteItem", Trouble::Unprocessed(1));
    let outcomes = db.batch_write().put(&doc(1)).put(&doc(2)).each().await.unwrap();
    assert!(matches!(outcomes[..], [WriteOutcome::Written, WriteOutcome::Unprocessed]), "{outcomes:?}");
    store.trouble("BatchWriteItem", Trouble::Unprocessed(1));
    let error = db.batch_write().put(&doc(1)).put(&doc(2)).await.unwrap_err();
    assert!(
        matches!(error, Error::Incomplete { done: 1, ref left, cause: None } if *left == [1]),
        "{error:?}"
    );
}

#[tokio::test]
async fn one_item_that_is_too_large_does_not_take_the_others_with_it() {
    let (store, db, _) = world_of(0..0).await;
    let mut docs: Vec<Doc> = (0..25).map(doc).collect();
    docs[13].title = "x".repeat(500_000);
    let outcomes = db.batch_write().put_all(&docs).each().await.unwrap();
    for (place, outcome) in outcomes.iter().enumerate() {
        let is_written = matches!(outcome, WriteOutcome::Written);
        assert_eq!(is_written, place != 13, "{place}: {outcome:?}");
    }
    assert!(matches!(&outcomes[13], WriteOutcome::Failed(Error::Validation(_))));
    assert!(sizes(&store).len() < 12, "{:?}", sizes(&store));
    let error = db.batch_write().put_all(&docs).await.unwrap_err();
    let Error::Incomplete { done: 24, left, cause: Some(StoreError::Validation(_)) } = error else {
        panic!("{error:?}")
    };
    assert_eq!(left, [13]);
}

#[tokio::test]
async fn the_same_item_twice_in_a_batch_is_refused_with_both_places_before_anything_is_sent() {
    let (store, db, _) = world_of(0..0).await;
    let error = db.batch_write().put(&doc(1)).put(&tag("1")).delete(Doc::key(1)).each().await.unwrap_err();
    let Error::Bulk(fault @ BulkFault::SameItem { first: 0, second: 2, .. }) = error else {
        panic!("{error:?}")
    };
    assert_eq!(fault.to_string(), "the operations 0 and 2 are about the same Doc in the table `docs`");
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn a_table_that_is_not_there_is_told_for_each_of_its_writes() {
    let db = TestStore::new().db();
    let outcomes = db.batch_write().put(&doc(1)).put(&doc(2)).each().await.unwrap();
    let is_missing = |outcome: &WriteOutcome| {
        matches!(outcome, WriteOutcome::Failed(Error::Store(StoreError::ResourceNotFound(_))))
    };
    assert!(outcomes.iter().all(is_missing), "{outcomes:?}");
}

#[tokio::test]
async fn a_batch_puts_the_version_as_it_is_and_tells_its_requests_without_sending_them() {
    let (store, db, _) = world_of(0..1).await;
    let plans = db.batch_write().put_all(&(0..30).map(doc).collect::<Vec<_>>()).explain().await.unwrap();
    assert_eq!(plans.iter().map(|plan| plan.write_units).collect::<Vec<_>>(), [25.0, 5.0]);
    assert_eq!(db.batch_get((0..101).map(Doc::key)).requests().unwrap().len(), 2);
    assert!(store.calls().is_empty());
    db.batch_write().put(&Doc { rev: 41, ..doc(0) }).await.unwrap();
    assert_eq!(db.get(Doc::key(0)).required().await.unwrap().rev, 41);
}

/// A store that leaves every write, in words of its own.
#[derive(Debug)]
struct Mumbler;

impl Store for Mumbler {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        let Request::BatchWriteItem(batch) = request else { panic!("only batches are sent") };
        let unprocessed =
            batch.tables.into_iter().map(|(table, writes)| (table.to_uppercase(), writes)).collect();
        let output = BatchWriteItemOutput { unprocessed, ..BatchWriteItemOutput::default() };
        Box::pin(std::future::ready(Ok(Response::BatchWriteItem(Box::new(output)))))
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_store_leaves_is_never_taken_for_done_though_it_cannot_be_recognised() {
    let outcomes = Db::new(Mumbler).batch_write().put(&doc(1)).put(&doc(2)).each().await.unwrap();
    assert!(matches!(outcomes[..], [WriteOutcome::Unprocessed, WriteOutcome::Unprocessed]), "{outcomes:?}");
}

#[tokio::test]
async fn builders_of_batches_show_no_values() {
    let (_, db) = world().await;
    let shown = format!(
        "{:?} {:?}",
        db.batch_write().put(&tag("secret")),
        db.transact().with(db.put(&tag("secret")))
    );
    assert!(!shown.contains("secret"), "{shown}");
}
