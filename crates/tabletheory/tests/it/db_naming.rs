//! Models that a database keeps in other tables than they name: everything about them is done there, and nowhere else.

use std::collections::BTreeSet;

use tabletheory::encryption::testing::DeterministicKeys;
use tabletheory::table::{Clash, Ensured, TableError, Transformed, copy};
use tabletheory::testing::TestStore;
use tabletheory::{Db, Error, Model};
use tabletheory_core::{Request, StoreExt};

#[derive(Model, Debug, Clone, PartialEq, Default)]
#[model(table = "notes", pk = "USER#{user}", sk = "NOTE#{number:04}")]
struct Note {
    user: String,
    number: u32,
    stars: u64,
    #[model(encrypted)]
    text: String,
    #[model(version)]
    rev: u64,
}

/// Lies in the table that notes name.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "notes", pk = "USER#{id}", sk = "PROFILE")]
struct Profile {
    id: String,
}

fn note(number: u32) -> Note {
    Note { user: "ada".into(), number, text: "secret".into(), ..Note::default() }
}

fn key(number: u32) -> tabletheory::key::Key<Note> {
    Note::key("ada", number)
}

/// A store with only the other table: what is done elsewhere fails.
async fn world() -> (TestStore, Db) {
    let store = TestStore::new();
    let db = store.db().with_keys(DeterministicKeys::new("seed")).with_table::<Note>("notes-acme");
    db.create_table::<Note>().await.unwrap();
    (store, db)
}

/// The tables that the store was asked about.
fn asked(store: &TestStore) -> BTreeSet<String> {
    store.calls().into_iter().flat_map(tables).collect()
}

fn tables(request: Request) -> Vec<String> {
    match request {
        Request::CreateTable(request) => vec![request.table],
        Request::DescribeTable(request) => vec![request.table],
        Request::DescribeTimeToLive(request) => vec![request.table],
        Request::GetItem(request) => vec![request.table],
        Request::PutItem(request) => vec![request.table],
        Request::UpdateItem(request) => vec![request.table],
        Request::DeleteItem(request) => vec![request.table],
        Request::Query(request) => vec![request.table],
        Request::Scan(request) => vec![request.table],
        Request::BatchGetItem(request) => request.tables.into_keys().collect(),
        Request::BatchWriteItem(request) => request.tables.into_keys().collect(),
        Request::TransactGetItems(request) => request.gets.into_iter().map(|get| get.table).collect(),
        Request::TransactWriteItems(request) => request.writes.into_iter().map(|write| write.table).collect(),
        other => panic!("no test asks for {}", other.name()),
    }
}

#[tokio::test]
async fn every_operation_on_one_item_goes_to_the_other_table() {
    let (store, db) = world().await;
    let first = db.create(&note(1)).await.unwrap();
    db.put(&note(2)).await.unwrap();
    let first = db.save(&first).await.unwrap();
    let first = db.update(&first).change(Note::STARS.add(1)).await.unwrap();
    assert_eq!(db.update(key(1)).change(Note::STARS.add(1)).old().await.unwrap(), Some(first));
    db.update(key(1)).change(Note::STARS.add(1)).silently().await.unwrap();
    let first = db.get(key(1)).required().await.unwrap();
    assert_eq!((first.stars, first.text.as_str()), (3, "secret"));
    assert_eq!(db.delete(&first).old().await.unwrap(), Some(first));
    db.delete(key(2)).await.unwrap();
    assert_eq!(db.get(key(2)).await.unwrap(), None);
    assert_eq!(asked(&store), BTreeSet::from(["notes-acme".to_owned()]));
}

#[tokio::test]
async fn every_operation_on_many_items_goes_to_the_other_table() {
    let (store, db) = world().await;
    let notes = db.save_all(&[note(1), note(2), note(3)]).await.unwrap();
    db.batch_write().put(&note(4)).delete(key(3)).await.unwrap();
    assert_eq!(
        db.batch_get([1, 2].map(key)).await.unwrap(),
        [Some(notes[0].clone()), Some(notes[1].clone())]
    );
    assert_eq!(db.query(Note::query("ada")).await.unwrap().len(), 3);
    assert_eq!(db.query(Note::query("ada")).page(None).await.unwrap().items.len(), 3);
    assert_eq!(db.query(Note::query("ada")).count().await.unwrap(), 3);
    assert_eq!(db.scan::<Note>().await.unwrap().len(), 3);
    assert_eq!(db.scan::<Note>().segments(2).await.unwrap().len(), 3);
    assert_eq!(db.scan::<Note>().sum(Note::STARS).await.unwrap(), 0.into());
    let transaction = db.transact().with(db.create(&note(5))).with(db.delete(&notes[0]));
    let transaction = transaction.with(db.update(key(2)).change(Note::STARS.add(1)));
    transaction.check(key(4), Note::STARS.eq(0)).await.unwrap();
    let (one, five) = db.transact_get((key(1), key(5))).await.unwrap();
    assert_eq!((one, five.unwrap().number), (None, 5));
    assert_eq!(db.transact_get(vec![key(2)]).await.unwrap()[0].as_ref().unwrap().stars, 1);
    assert_eq!(asked(&store), BTreeSet::from(["notes-acme".to_owned()]));
}

#[tokio::test]
async fn errors_name_the_other_table() {
    let (_, db) = world().await;
    let saved = db.save(&note(1)).await.unwrap();
    let update = || db.update(key(1)).change(Note::STARS.add(1));
    let operation_refused = db.transact().check(key(1), Note::STARS.gt(9)).await.unwrap_err();
    let Error::TransactionFailed(failure) = operation_refused else { panic!("{operation_refused}") };
    assert_eq!(failure.refusals()[0].table, "notes-acme");
    let unfit = Note::key("", 1);
    let errors = [
        db.create(&note(1)).await.unwrap_err(),
        db.save(&note(1)).await.unwrap_err(),
        update().version(9).await.unwrap_err(),
        update().when(Note::STARS.gt(9)).await.unwrap_err(),
        db.delete(&saved).when(Note::STARS.gt(9)).await.unwrap_err(),
        db.get(key(7)).required().await.unwrap_err(),
        db.update(key(7)).change(Note::STARS.add(1)).await.unwrap_err(),
        db.get(unfit.clone()).await.unwrap_err(),
        db.update(unfit.clone()).change(Note::STARS.add(1)).await.unwrap_err(),
        db.delete(unfit.clone()).await.unwrap_err(),
        db.batch_get([unfit.clone()]).await.unwrap_err(),
        db.save_all([&note(1)]).await.unwrap_err(),
        db.put(&Note { user: String::new(), ..note(1) }).await.unwrap_err(),
    ];
    for error in errors {
        assert!(error.to_string().contains("`notes-acme`"), "{error}");
    }
    let errors = [
        db.batch_write().delete(unfit.clone()).await.unwrap_err(),
        db.transact_get((unfit.clone(),)).await.unwrap_err(),
        db.transact().check(unfit, Note::STARS.eq(0)).await.unwrap_err(),
    ];
    for error in errors {
        assert!(error.to_string().contains("`notes-acme`"), "{error}");
    }
}

#[tokio::test]
async fn an_item_that_cannot_be_read_is_told_with_the_other_table() {
    let (_, db) = world().await;
    // Without the attributes that a note needs.
    db.update(key(1)).change(Note::STARS.add(1)).or_create().silently().await.unwrap();
    let errors = [
        db.get(key(1)).await.unwrap_err(),
        db.update(key(1)).change(Note::STARS.add(1)).await.unwrap_err(),
        db.update(key(1)).change(Note::STARS.add(1)).old().await.unwrap_err(),
        db.batch_get([key(1)]).await.unwrap_err(),
        db.query(Note::query("ada")).await.unwrap_err(),
        db.query(Note::query("ada")).page(None).await.unwrap_err(),
        db.scan::<Note>().await.unwrap_err(),
        db.delete(key(1)).old().await.unwrap_err(),
    ];
    for error in errors {
        assert!(error.to_string().contains("`notes-acme`"), "{error}");
    }
    db.update(key(1)).change(Note::STARS.add(1)).or_create().silently().await.unwrap();
    let error = db.transact_get((key(1),)).await.unwrap_err();
    assert!(error.to_string().contains("`notes-acme`"), "{error}");
    let error = db.with_keys(DeterministicKeys::new("other")).get(key(1)).await.unwrap_err();
    assert!(error.to_string().contains("`notes-acme`"), "{error}");
}

#[tokio::test]
async fn what_is_shown_before_it_is_sent_names_the_other_table() {
    let (_, db) = world().await;
    let (get, put, delete) = (db.get(key(1)), db.put(&note(1)), db.delete(key(1)));
    let (query, scan) = (db.query(Note::query("ada")), db.scan::<Note>());
    for shown in [format!("{get:?}{query:?}"), format!("{put:?}{scan:?}"), format!("{delete:?}")] {
        assert!(shown.contains(r#""notes-acme""#) && !shown.contains(r#""notes""#), "{shown}");
    }
    assert!(format!("{db:?}").contains(r#"{"Note": "notes-acme"}"#), "{db:?}");
    let update = db.update(key(1)).change(Note::STARS.add(1));
    let requests: [Request; 6] = [
        get.request().unwrap().into(),
        put.request().await.unwrap().into(),
        update.request().await.unwrap().into(),
        delete.request().unwrap().into(),
        query.request().unwrap().into(),
        scan.request().unwrap().into(),
    ];
    assert!(requests.into_iter().flat_map(tables).all(|table| table == "notes-acme"));
    let plans = [
        db.get(key(1)).explain().await.unwrap(),
        db.query(Note::query("ada")).explain().await.unwrap(),
        db.transact().with(db.delete(key(1))).explain().await.unwrap(),
    ];
    for plan in plans {
        assert!(plan.to_string().contains("`notes-acme`"), "{plan}");
    }
}

#[tokio::test]
async fn databases_over_one_store_with_different_tables_do_not_see_each_others_items() {
    let store = TestStore::new();
    let own = store.db().with_keys(DeterministicKeys::new("seed"));
    // The last name holds, and a clone that was made before is as it was.
    let acme = own.clone().with_table::<Note>("wrong").with_table::<Note>("notes-acme");
    let globex = acme.clone().with_table::<Note>("notes-globex");
    for (db, stars) in [(&own, 1), (&acme, 2), (&globex, 3)] {
        db.create_table::<Note>().await.unwrap();
        db.create(&Note { stars, ..note(1) }).await.unwrap();
    }
    for (db, stars) in [(&own, 1), (&acme, 2), (&globex, 3)] {
        assert_eq!(db.get(key(1)).await.unwrap().unwrap().stars, stars);
        assert_eq!(db.scan::<Note>().await.unwrap().len(), 1);
    }
    let tables = store.list_tables(Default::default()).await.unwrap().tables;
    assert_eq!(tables, ["notes", "notes-acme", "notes-globex"]);
}

#[tokio::test]
async fn only_the_model_that_was_told_moves() {
    let (store, db) = world().await;
    db.create_table::<Profile>().await.unwrap();
    let ada = Profile { id: "ada".into() };
    store.forget_calls();
    db.transact().with(db.create(&ada)).with(db.create(&note(1))).await.unwrap();
    let (profile, note) = db.transact_get((Profile::key("ada"), key(1))).await.unwrap();
    assert_eq!((profile, note.unwrap().number), (Some(ada), 1));
    let asked: Vec<Vec<String>> = store.calls().into_iter().map(tables).collect();
    assert_eq!(asked, [["notes", "notes-acme"], ["notes", "notes-acme"]]);
    db.batch_write().delete(Profile::key("ada")).delete(key(1)).await.unwrap();
    assert!(db.scan::<Profile>().await.unwrap().is_empty() && db.scan::<Note>().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_tools_for_tables_know_the_other_table() {
    let store = TestStore::new();
    let db = store.db().with_keys(DeterministicKeys::new("seed"));
    let acme = db.clone().with_table::<Note>("notes-acme");
    let (old, new) = (db.table::<Note>(), acme.table::<Note>());
    assert_eq!((old.name(), new.name()), ("notes", "notes-acme"));
    assert_eq!(new.ensure().await.unwrap(), Ensured::Created);
    assert!(new.verify().await.unwrap().is_empty());
    assert_eq!(asked(&store), BTreeSet::from(["notes-acme".to_owned()]));
    old.ensure().await.unwrap();
    db.create(&note(1)).await.unwrap();
    copy(old, new.clone()).transform(Transformed::Put).await.unwrap();
    assert_eq!(acme.get(key(1)).await.unwrap().unwrap().text, "secret");
    // Two models of one table are still two models of one table when both have moved, and only then.
    let clash = new.and::<Profile>().verify().await.unwrap_err();
    let TableError::Conflict(conflict) = clash else { panic!("{clash}") };
    assert!(
        matches!(conflict.clash, Clash::Table { first, second } if (&*first, &*second) == ("notes-acme", "notes"))
    );
    let both = acme.with_table::<Profile>("notes-acme").table::<Note>().and::<Profile>();
    assert!(both.verify().await.unwrap().is_empty());
}
