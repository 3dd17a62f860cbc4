//! Writes whose answer is lost: done once, told truly.

use tabletheory::testing::{TestStore, Trouble};
use tabletheory::{Db, Model};
use tabletheory_core::Seconds;

#[derive(Model, Debug, Clone, PartialEq, Default)]
#[model(table = "app")]
struct Doc {
    #[model(pk)]
    id: String,
    hits: u64,
    title: String,
    #[model(version)]
    rev: u64,
    #[model(created_at)]
    made: jiff::Timestamp,
    #[model(updated_at)]
    changed: jiff::Timestamp,
}

/// Without a version and without moments.
#[derive(Model, Debug, Clone, PartialEq, Default)]
#[model(table = "plain")]
struct Plain {
    #[model(pk)]
    id: String,
    hits: u64,
}

/// With a version and without moments.
#[derive(Model, Debug, Clone, PartialEq, Default)]
#[model(table = "counted")]
struct Counted {
    #[model(pk)]
    id: String,
    hits: u64,
    title: String,
    notes: Vec<String>,
    #[model(version)]
    rev: u64,
}

async fn world() -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Doc>().await.unwrap();
    db.create_table::<Plain>().await.unwrap();
    db.create_table::<Counted>().await.unwrap();
    (store, db)
}

fn doc() -> Doc {
    Doc { id: "1".into(), ..Doc::default() }
}

fn plain() -> Plain {
    Plain { id: "1".into(), hits: 0 }
}

fn counted() -> Counted {
    Counted { id: "1".into(), ..Counted::default() }
}

#[tokio::test]
async fn a_create_that_meets_its_own_success_is_one() {
    let (store, db) = world().await;
    store.trouble("PutItem", Trouble::LostAnswer);
    let made = db.create(&doc()).await.unwrap();
    assert_eq!(db.get(Doc::key("1")).await.unwrap(), Some(made));
    store.trouble("PutItem", Trouble::LostAnswer);
    assert!(db.create(&plain()).await.is_ok());
}

#[tokio::test]
async fn a_create_that_was_never_done_and_meets_another_item_is_refused() {
    let (store, db) = world().await;
    db.create(&doc()).await.unwrap();
    store.advance(Seconds(1));
    store.trouble("PutItem", Trouble::LostRequest);
    let error = db.create(&doc()).await.unwrap_err();
    assert!(error.is_condition_failed(), "{error:?}");
}

#[tokio::test]
async fn a_save_that_meets_its_own_success_is_one_and_counts_once() {
    let (store, db) = world().await;
    let read = db.create(&doc()).await.unwrap();
    store.trouble("PutItem", Trouble::LostAnswer);
    let saved = db.save(&read).await.unwrap();
    assert_eq!(saved.rev, 1);
    assert_eq!(db.get(Doc::key("1")).required().await.unwrap().rev, 1);
}

#[tokio::test]
async fn a_save_that_lost_the_race_and_its_answer_is_a_conflict() {
    let (store, db) = world().await;
    let read = db.create(&doc()).await.unwrap();
    db.update(&read).change(Doc::HITS.add(5)).await.unwrap();
    store.trouble("PutItem", Trouble::LostRequest);
    assert!(db.save(&read).await.unwrap_err().is_version_conflict());
}

#[tokio::test]
async fn a_save_whose_fate_nobody_can_tell_is_ambiguous_and_not_a_conflict() {
    let (store, db) = world().await;
    let read = db.create(&doc()).await.unwrap();
    let second = db.update(&read).change(Doc::HITS.add(5)).await.unwrap();
    db.update(&second).change(Doc::HITS.add(5)).await.unwrap();
    store.trouble("PutItem", Trouble::LostRequest);
    let error = db.save(&read).await.unwrap_err();
    assert!(error.is_ambiguous() && !error.is_condition_failed(), "{error:?}");
}

#[tokio::test]
async fn a_versioned_update_that_meets_its_own_success_adds_once() {
    let (store, db) = world().await;
    let read = db.create(&doc()).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostAnswer);
    let updated = db.update(&read).change(Doc::HITS.add(5)).await.unwrap();
    assert_eq!((updated.hits, updated.rev), (5, 1));
    assert_eq!(db.get(Doc::key("1")).await.unwrap(), Some(updated));
}

#[tokio::test]
async fn an_update_that_adds_without_a_version_is_not_repeated() {
    let (store, db) = world().await;
    db.create(&plain()).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostAnswer);
    let error = db.update(Plain::key("1")).change(Plain::HITS.add(5)).await.unwrap_err();
    assert!(error.is_ambiguous());
    assert_eq!(db.get(Plain::key("1")).required().await.unwrap().hits, 5);
}

#[tokio::test]
async fn an_update_that_only_sets_is_repeated() {
    let (store, db) = world().await;
    db.create(&plain()).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostRequest);
    let updated = db.update(Plain::key("1")).change(Plain::HITS.set(5)).await.unwrap();
    assert_eq!(updated.hits, 5);
    assert_eq!(store.count("UpdateItem"), 2);
}

#[tokio::test]
async fn an_update_whose_condition_its_own_success_made_false_is_done() {
    let (store, db) = world().await;
    db.create(&doc()).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostAnswer);
    let update = db.update(Doc::key("1")).change(Doc::HITS.set(5)).when(Doc::HITS.eq(0));
    assert_eq!(update.await.unwrap().hits, 5);
}

#[tokio::test]
async fn an_update_by_key_that_another_may_have_done_is_ambiguous() {
    let (store, db) = world().await;
    db.create(&Plain { hits: 5, ..plain() }).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostRequest);
    let update = db.update(Plain::key("1")).change(Plain::HITS.set(5)).when(Plain::HITS.eq(0));
    assert!(update.await.unwrap_err().is_ambiguous());
}

#[tokio::test]
async fn an_update_that_never_happened_is_not_done_because_another_one_was() {
    let (store, db) = world().await;
    let read = db.create(&doc()).await.unwrap();
    db.update(&read).change(Doc::TITLE.set("theirs")).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostRequest);
    let error = db.update(&read).change(Doc::HITS.add(5)).await.unwrap_err();
    assert!(error.is_version_conflict(), "{error:?}");
    assert_eq!(db.get(Doc::key("1")).required().await.unwrap().hits, 0);
}

#[tokio::test]
async fn an_update_without_a_moment_is_told_by_what_it_sets_and_not_by_what_it_adds() {
    let (store, db) = world().await;
    let read = db.create(&counted()).await.unwrap();
    db.update(&read).change(Counted::TITLE.set("theirs")).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostRequest);
    let error = db.update(&read).change(Counted::HITS.add(5)).await.unwrap_err();
    assert!(error.is_ambiguous() && !error.is_version_conflict(), "{error:?}");
    store.trouble("UpdateItem", Trouble::LostRequest);
    let update = db.update(&read).change(Counted::HITS.add(5)).change(Counted::TITLE.set("ours"));
    assert!(update.await.unwrap_err().is_version_conflict());
    let read = db.get(Counted::key("1")).required().await.unwrap();
    store.trouble("UpdateItem", Trouble::LostAnswer);
    let updated = db.update(&read).change(Counted::TITLE.set("ours")).await.unwrap();
    assert_eq!((updated.title.as_str(), updated.rev), ("ours", 2));
}

#[tokio::test]
async fn a_put_whose_condition_failed_is_told_by_its_moment_alone() {
    let (store, db) = world().await;
    db.create(&doc()).await.unwrap();
    store.trouble("PutItem", Trouble::LostAnswer);
    let put = db.put(&Doc { hits: 5, ..doc() }).when(Doc::HITS.eq(0));
    assert_eq!(put.await.unwrap().hits, 5);
    db.create(&Plain { hits: 5, ..plain() }).await.unwrap();
    store.trouble("PutItem", Trouble::LostRequest);
    let put = db.put(&Plain { hits: 5, ..plain() }).when(Plain::HITS.eq(0));
    assert!(put.await.unwrap_err().is_ambiguous());
}

#[tokio::test]
async fn a_create_that_meets_the_same_value_of_the_same_millisecond_is_refused() {
    let (store, db) = world().await;
    db.create(&doc()).await.unwrap();
    store.trouble("PutItem", Trouble::LostRequest);
    assert!(db.create(&doc()).await.unwrap_err().is_condition_failed());
}

#[tokio::test]
async fn an_update_that_sets_an_element_of_a_list_is_not_repeated() {
    let (store, db) = world().await;
    db.create(&counted()).await.unwrap();
    store.trouble("UpdateItem", Trouble::LostAnswer);
    let update = db.update(Counted::key("1")).change(Counted::NOTES.element(7).set("late"));
    assert!(update.await.unwrap_err().is_ambiguous());
    assert_eq!(db.get(Counted::key("1")).required().await.unwrap().notes, ["late"]);
}

#[tokio::test]
async fn a_delete_that_meets_its_own_success_is_one() {
    let (store, db) = world().await;
    let read = db.create(&doc()).await.unwrap();
    store.trouble("DeleteItem", Trouble::LostAnswer);
    db.delete(&read).await.unwrap();
    assert_eq!(db.get(Doc::key("1")).await.unwrap(), None);
}

#[tokio::test]
async fn a_delete_with_a_condition_that_meets_nothing_is_ambiguous() {
    let (store, db) = world().await;
    let read = db.create(&doc()).await.unwrap();
    store.trouble("DeleteItem", Trouble::LostAnswer);
    let error = db.delete(&read).when(Doc::HITS.eq(0)).await.unwrap_err();
    assert!(error.is_ambiguous() && !error.is_condition_failed(), "{error:?}");
}

#[tokio::test]
async fn a_write_that_was_throttled_is_told_so_and_not_done() {
    let (store, db) = world().await;
    store.trouble("PutItem", Trouble::Throttled);
    assert!(db.create(&doc()).await.unwrap_err().is_throttled());
    assert_eq!(db.get(Doc::key("1")).await.unwrap(), None);
}
