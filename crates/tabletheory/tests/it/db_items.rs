//! Single items through `Db`: what is written, what is refused, what is given back.

use std::sync::Arc;

use tabletheory::testing::TestStore;
use tabletheory::{Db, Error, Model};
use tabletheory_core::expr::{Condition, Path};
use tabletheory_core::store::op::{GetItem, OnConditionFailure, PutItem, WriteReturns};
use tabletheory_core::{Item, Seconds, StoreExt, Value};

#[derive(Model, Debug, Clone, PartialEq, Default)]
#[model(table = "app", pk = "DOC#{id}", sk = "META")]
struct Doc {
    id: String,
    title: String,
    hits: u64,
    #[model(omit_empty)]
    notes: Vec<String>,
    etag: Option<String>,
    #[model(version)]
    rev: u64,
    #[model(created_at)]
    made: jiff::Timestamp,
    #[model(updated_at)]
    changed: jiff::Timestamp,
}

fn doc(id: &str) -> Doc {
    Doc { id: id.into(), title: "first".into(), ..Doc::default() }
}

async fn world() -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db();
    db.create_table::<Doc>().await.unwrap();
    (store, db)
}

async fn raw(store: &TestStore, id: &str) -> Option<Item> {
    let key = Doc::key(id).into_item().unwrap();
    store.get_item(GetItem { table: "app".into(), key, ..GetItem::default() }).await.unwrap().item
}

#[tokio::test]
async fn create_stamps_the_item_and_gives_it_back_as_it_is_stored() {
    let (store, db) = world().await;
    let made = db.create(&doc("1")).await.unwrap();
    assert_eq!(made.rev, 0);
    assert_eq!(made.made, made.changed);
    assert_eq!(made.made.as_second(), 1_704_067_200);
    assert_eq!(db.get(Doc::key("1")).await.unwrap(), Some(made));
    let raw = raw(&store, "1").await.unwrap();
    let Some(Value::S(moment)) = raw.get("made") else { panic!("{raw:?}") };
    assert!(
        moment.starts_with("2024-01-01T00:00:00.000")
            && moment.len() == "2024-01-01T00:00:00.000000000Z".len()
    );
    assert_eq!(raw.get("rev"), Some(&Value::n(0)));
    assert!(!raw.contains("notes") && !raw.contains("etag"));
}

#[tokio::test]
async fn the_moments_of_two_writes_in_the_same_millisecond_differ() {
    let (_, db) = world().await;
    let db = db.with_entropy(Arc::new(tabletheory_core::SeededEntropy::new(7)));
    let first = db.create(&doc("1")).await.unwrap();
    let second = db.create(&doc("2")).await.unwrap();
    assert_eq!(first.made.as_millisecond(), second.made.as_millisecond());
    assert_ne!(first.made, second.made);
}

#[tokio::test]
async fn create_refuses_an_item_that_is_there_and_gives_it_typed_without_another_read() {
    let (store, db) = world().await;
    db.create(&doc("1")).await.unwrap();
    store.forget_calls();
    let error = db.create(&Doc { title: "second".into(), ..doc("1") }).await.unwrap_err();
    assert!(error.is_condition_failed() && !error.is_version_conflict());
    assert_eq!(error.into_current().unwrap().title, "first");
    assert_eq!(store.calls().len(), 1);
}

#[tokio::test]
async fn save_respects_the_version_and_counts_it() {
    let (store, db) = world().await;
    let read = db.create(&doc("1")).await.unwrap();
    store.advance(Seconds(5));
    let saved = db.save(&Doc { title: "second".into(), ..read.clone() }).await.unwrap();
    assert_eq!((saved.rev, saved.made), (1, read.made));
    assert_eq!(saved.changed.as_second() - saved.made.as_second(), 5);
    let error = db.save(&Doc { title: "third".into(), ..read }).await.unwrap_err();
    assert!(error.is_version_conflict() && error.is_condition_failed());
    assert_eq!(error.into_current().unwrap(), saved);
}

#[tokio::test]
async fn save_makes_an_item_of_version_zero_and_none_of_a_later_one() {
    let (store, db) = world().await;
    assert_eq!(db.save(&doc("1")).await.unwrap().rev, 1);
    let error = db.save(&Doc { rev: 4, ..doc("2") }).await.unwrap_err();
    assert!(matches!(error, Error::VersionConflict { current: None, .. }), "{error:?}");
    assert_eq!(raw(&store, "2").await, None);
}

#[tokio::test]
async fn put_replaces_whatever_is_there() {
    let (_, db) = world().await;
    db.create(&Doc { hits: 9, ..doc("1") }).await.unwrap();
    let put = db.put(&doc("1")).await.unwrap();
    assert_eq!(db.get(Doc::key("1")).required().await.unwrap(), put);
    assert_eq!(put.hits, 0);
}

#[tokio::test]
async fn a_condition_that_fails_is_no_version_conflict() {
    let (_, db) = world().await;
    let read = db.create(&doc("1")).await.unwrap();
    let error = db.save(&read).when(Doc::HITS.gt(3)).await.unwrap_err();
    assert!(error.is_condition_failed() && !error.is_version_conflict());
}

#[tokio::test]
async fn update_changes_what_it_is_told_and_gives_the_new_item() {
    let (store, db) = world().await;
    let read = db.create(&doc("1")).await.unwrap();
    store.advance(Seconds(1));
    let update = db.update(Doc::key("1")).change(Doc::HITS.add(2)).change(Doc::ETAG.set("e"));
    let updated = update.change(Doc::NOTES.append(["n"])).await.unwrap();
    let expected = Doc {
        hits: 2,
        etag: Some("e".into()),
        notes: vec!["n".into()],
        rev: 1,
        changed: updated.changed,
        ..read.clone()
    };
    assert_eq!(updated, expected);
    assert!(updated.changed > read.changed);
}

#[tokio::test]
async fn update_does_not_make_an_item_unless_told() {
    let (store, db) = world().await;
    let error = db.update(Doc::key("1")).change(Doc::HITS.add(1)).await.unwrap_err();
    assert!(error.is_not_found(), "{error:?}");
    assert_eq!(raw(&store, "1").await, None);
    let update = db.update(Doc::key("1")).or_create().change(Doc::HITS.add(1));
    let changed = update.change(Doc::TITLE.set("t")).changed().await.unwrap();
    assert_eq!(changed.get("hits"), Some(&Value::n(1)));
    assert_eq!(raw(&store, "1").await.unwrap().get("made"), changed.get("made"));
}

#[tokio::test]
async fn an_update_of_a_value_that_others_changed_is_a_version_conflict() {
    let (_, db) = world().await;
    let read = db.create(&doc("1")).await.unwrap();
    db.update(&read).change(Doc::HITS.add(1)).await.unwrap();
    let error = db.update(&read).change(Doc::HITS.add(1)).await.unwrap_err();
    assert!(error.is_version_conflict());
    assert_eq!(error.into_current().unwrap().hits, 1);
    let absent = db.update(&doc("2")).change(Doc::HITS.add(1)).await.unwrap_err();
    assert!(matches!(absent, Error::VersionConflict { current: None, .. }));
}

#[tokio::test]
async fn a_selected_field_that_is_empty_is_removed_and_others_are_not_touched() {
    let (store, db) = world().await;
    let full = Doc { notes: vec!["n".into()], etag: Some("e".into()), hits: 3, ..doc("1") };
    let read = db.create(&full).await.unwrap();
    let emptied = Doc { notes: Vec::new(), etag: None, hits: 0, title: "kept out".into(), ..read };
    let updated = db.update(&emptied).field(Doc::NOTES).field(Doc::ETAG).field(Doc::HITS).await.unwrap();
    assert_eq!((updated.title.as_str(), updated.hits), ("first", 0));
    let raw = raw(&store, "1").await.unwrap();
    assert!(!raw.contains("notes") && !raw.contains("etag"));
    assert_eq!(raw.get("hits"), Some(&Value::n(0)));
}

#[tokio::test]
async fn an_update_that_changes_nothing_is_refused_before_it_is_sent() {
    let (store, db) = world().await;
    store.forget_calls();
    let error = db.update(Doc::key("1")).await.unwrap_err();
    assert_eq!(error.to_string(), "an update of a Doc changes nothing; say what with `change`");
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn an_update_tells_what_was_there_before_if_asked() {
    let (_, db) = world().await;
    db.create(&doc("1")).await.unwrap();
    let old = db.update(Doc::key("1")).change(Doc::HITS.add(1)).old().await.unwrap().unwrap();
    assert_eq!((old.hits, old.rev), (0, 0));
    let from = db.update(Doc::key("1")).change(Doc::HITS.add(1)).changed_from().await.unwrap();
    assert_eq!(from.get("hits"), Some(&Value::n(1)));
}

#[tokio::test]
async fn delete_respects_the_version_of_a_value() {
    let (store, db) = world().await;
    let read = db.create(&doc("1")).await.unwrap();
    let changed = db.update(&read).change(Doc::HITS.add(1)).await.unwrap();
    assert!(db.delete(&read).await.unwrap_err().is_version_conflict());
    assert!(raw(&store, "1").await.is_some());
    assert_eq!(db.delete(&changed).old().await.unwrap(), Some(changed));
    assert_eq!(raw(&store, "1").await, None);
    db.delete(Doc::key("1")).await.unwrap();
}

#[tokio::test]
async fn an_item_that_is_none_of_the_model_is_a_typed_error_with_its_table() {
    let (store, db) = world().await;
    let mut item = Doc::key("1").into_item().unwrap();
    item.insert("hits", Value::s("secret"));
    let put = PutItem { table: "app".into(), item, ..Default::default() };
    store.put_item(put).await.unwrap();
    let error = db.get(Doc::key("1")).await.unwrap_err();
    assert!(matches!(error, Error::Model { .. }));
    assert!(error.to_string().ends_with("(table `app`)"), "{error}");
    // A create still says that something is there.
    assert!(db.create(&doc("1")).await.unwrap_err().is_condition_failed());
}

#[tokio::test]
async fn a_key_with_the_separator_is_refused_before_it_is_sent() {
    let (store, db) = world().await;
    store.forget_calls();
    for error in [
        db.get(Doc::key("a#META")).await.unwrap_err(),
        db.put(&doc("a#b")).await.unwrap_err(),
        db.delete(&doc("a#b")).await.unwrap_err(),
        db.update(Doc::key("a#b")).change(Doc::HITS.add(1)).await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::Model { .. }), "{error:?}");
        assert!(!error.to_string().contains("a#"), "{error}");
    }
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn a_version_that_cannot_grow_is_refused_before_anything_is_written() {
    #[derive(Model, Debug)]
    #[model(table = "small")]
    struct Small {
        #[model(pk)]
        id: String,
        #[model(version)]
        rev: u8,
    }
    let (store, db) = world().await;
    db.create_table::<Small>().await.unwrap();
    let full = db.create(&Small { id: "1".into(), rev: 255 }).await.unwrap();
    store.forget_calls();
    assert!(matches!(db.save(&full).await.unwrap_err(), Error::Model { .. }));
    assert!(store.calls().is_empty());
}

#[tokio::test]
async fn an_update_of_a_value_whose_version_cannot_grow_is_not_sent() {
    #[derive(Model, Debug)]
    #[model(table = "narrow")]
    struct Narrow {
        #[model(pk)]
        id: String,
        hits: u64,
        #[model(version)]
        rev: u8,
    }
    let (store, db) = world().await;
    db.create_table::<Narrow>().await.unwrap();
    let full = db.create(&Narrow { id: "1".into(), hits: 0, rev: 255 }).await.unwrap();
    store.forget_calls();
    let error = db.update(&full).change(Narrow::HITS.add(1)).await.unwrap_err();
    assert!(matches!(error, Error::Model { .. }), "{error:?}");
    assert!(store.calls().is_empty());
    assert_eq!(db.get(Narrow::key("1")).required().await.unwrap().rev, 255);
}

/// An item that was written before its model had a version.
async fn unversioned(store: &TestStore, db: &Db) -> Doc {
    let mut item = db.put(&doc("1")).await.unwrap().to_item().unwrap();
    item.remove("rev");
    let put = PutItem { table: "app".into(), item, ..Default::default() };
    store.put_item(put).await.unwrap();
    doc("1")
}

#[tokio::test]
async fn an_item_that_never_had_a_version_has_version_zero() {
    let (store, db) = world().await;
    let read = unversioned(&store, &db).await;
    assert_eq!(db.update(&read).change(Doc::HITS.add(1)).await.unwrap().rev, 1);
    assert!(db.update(&read).change(Doc::HITS.add(1)).await.unwrap_err().is_version_conflict());
    let read = unversioned(&store, &db).await;
    let error = db.delete(&read).when(Doc::HITS.gt(3)).await.unwrap_err();
    assert!(error.is_condition_failed() && !error.is_version_conflict(), "{error:?}");
    db.delete(&read).await.unwrap();
    assert_eq!(raw(&store, "1").await, None);
    assert!(db.delete(&read).await.unwrap_err().is_version_conflict(), "there is no item");
}

#[tokio::test]
async fn an_update_of_a_new_value_makes_it_if_told_and_one_of_a_later_version_is_refused() {
    let (store, db) = world().await;
    let update = |read: &Doc| db.update(read).change(Doc::HITS.add(1)).field(Doc::TITLE).or_create();
    let error = update(&Doc { rev: 3, ..doc("1") }).silently().await.unwrap_err();
    assert!(matches!(&error, Error::Validation(text) if text.contains("`or_create`")), "{error:?}");
    assert_eq!(raw(&store, "1").await, None);
    update(&doc("1")).silently().await.unwrap();
    assert_eq!(raw(&store, "1").await.unwrap().get("rev"), Some(&Value::n(1)));
    assert!(update(&doc("1")).silently().await.unwrap_err().is_version_conflict());
}

#[tokio::test]
async fn a_value_is_never_in_the_debug_text_of_a_builder_or_an_error() {
    const SECRET: &str = "canary";
    let (store, db) = world().await;
    let made = db.create(&Doc { title: SECRET.into(), ..doc(SECRET) }).await.unwrap();
    let key = || Doc::key(SECRET);
    let condition = Condition::AttributeNotExists(Path::attribute("title"));
    let put = PutItem {
        table: "app".into(),
        item: made.to_item().unwrap(),
        condition: Some(condition),
        returns: WriteReturns { on_condition_failure: OnConditionFailure::AllOld, ..Default::default() },
    };
    let refused = store.put_item(put).await.unwrap_err();
    assert!(format!("{refused:?}").contains(SECRET), "the store gives the item");
    let texts = [
        format!("{:?}", db.put(&made).when(Doc::TITLE.eq(SECRET))),
        format!("{:?}", db.create(&made)),
        format!("{:?}", db.save(&made)),
        format!("{:?}", db.save_all([&made])),
        format!("{:?}", db.get(key())),
        format!("{:?}", db.update(key()).change(Doc::TITLE.set(SECRET))),
        format!("{:?}", db.update(&made).field(Doc::TITLE)),
        format!("{:?}", db.delete(key())),
        format!("{:?}", db.delete(&made).when(Doc::TITLE.eq(SECRET))),
        format!("{:?}", db.transact().with(db.create(&made))),
        format!("{:?}", Error::<Doc>::from(refused.clone())),
        format!("{:?}", Error::<Doc>::Throttled(refused.clone())),
        format!("{:?}", Error::<Doc>::Incomplete { done: 0, left: vec![0], cause: Some(refused) }),
        format!("{:?}", db.create(&made).await.unwrap_err()),
    ];
    for text in texts {
        assert!(!text.contains(SECRET), "{text}");
    }
}

#[test]
fn a_batch_that_was_left_undone_says_whether_it_was_throttled_or_late() {
    use tabletheory_core::StoreError;
    let left = |cause| Error::<()>::Incomplete { done: 1, left: vec![1], cause };
    assert!(left(None).is_throttled());
    assert!(left(Some(StoreError::Throttling("slow down".into()))).is_throttled());
    let late = left(Some(StoreError::DeadlineExceeded { sent: true }));
    assert!(late.is_deadline_exceeded() && late.is_ambiguous() && !late.is_throttled());
    assert!(!left(None).is_deadline_exceeded());
}

#[tokio::test]
async fn an_error_of_one_model_becomes_the_plain_error() {
    async fn read(db: &Db) -> Result<Doc, Error> {
        Ok(db.get(Doc::key("1")).required().await?)
    }
    let (_, db) = world().await;
    assert!(read(&db).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn futures_of_builders_can_be_spawned() {
    let (_, db) = world().await;
    let task = tokio::spawn({
        let db = Arc::new(db);
        async move { db.create(&doc("1")).await }
    });
    assert_eq!(task.await.unwrap().unwrap().id, "1");
}
