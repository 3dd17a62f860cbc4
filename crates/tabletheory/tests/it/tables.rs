//! Tables made, waited for, compared, extended and deleted.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tabletheory::Model;
use tabletheory::model::IndexScope;
use tabletheory::table::{
    Clash, Difference, Ensured, MigrationProgress, Patience, Standing, Step, Table, TableError,
};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::expr::KeyCondition;
use tabletheory_core::schema::{BillingMode, Projection, StreamView, Throughput};
use tabletheory_core::store::op::{
    ListTagsOfResource, PutItem, Query, StreamUpdate, UpdateTable, UpdateTimeToLive,
};
use tabletheory_core::{Item, Seconds, StoreError, StoreExt};

use crate::troubled::Troubled;

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
#[model(index(name = "gsi1", pk = city, project = "include(age)"))]
struct User {
    id: String,
    city: String,
    age: u8,
}

/// Shares the table and the index with users, carries other attributes, and expires.
#[derive(Model)]
#[model(table = "app", pk = "USER#{user}", sk = "SESSION#{id}")]
#[model(index(name = "gsi1", pk = city, project = "include(ends)"), index(name = "gsi2", pk = state))]
#[model(local_index(name = "lsi1", sk = ends))]
struct Session {
    user: String,
    id: String,
    city: String,
    state: String,
    #[model(ttl)]
    ends: u64,
}

/// The users of an earlier release.
#[derive(Model)]
#[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
struct FirstUser {
    id: String,
}

/// The users of a later release: two more indexes and a life time.
#[derive(Model)]
#[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
#[model(index(name = "by_city", pk = city), index(name = "by_age", pk = city, sk = age, project = "keys"))]
struct LaterUser {
    id: String,
    city: String,
    age: u8,
    #[model(ttl)]
    ends: u64,
}

fn table<M: Model>(store: &TestStore) -> Table<M> {
    Table::new(Arc::new(store.clone()))
}

#[tokio::test(start_paused = true)]
async fn a_table_is_made_with_what_all_its_models_need() {
    let store = TestStore::new();
    let table = table::<User>(&store).and::<Session>();
    assert_eq!(table.ensure().await.unwrap(), Ensured::Created);
    let made = table.describe().await.unwrap().unwrap();
    assert_eq!(made.billing, BillingMode::PayPerRequest);
    let names: Vec<&str> = made.global_indexes.iter().map(|index| index.name.as_str()).collect();
    assert_eq!(names, ["gsi1", "gsi2"]);
    assert_eq!(made.global_indexes[0].projection, Projection::Include(vec!["age".into(), "ends".into()]));
    assert_eq!(made.local_indexes.len(), 1);
    assert!(table.verify().await.unwrap().is_empty());
    // One model of the two finds everything it needs, and more.
    let drift = Table::<User>::new(Arc::new(store)).verify().await.unwrap();
    assert!(drift.is_harmless() && !drift.is_empty(), "{drift}");
}

#[tokio::test(start_paused = true)]
async fn a_table_is_made_as_the_options_say() {
    let store = TestStore::new();
    let table = table::<User>(&store)
        .with_throughput(3, 4)
        .with_stream(StreamView::NewImage)
        .with_deletion_protection()
        .with_tag("team", "web");
    let made = table.create().await.unwrap();
    let units = Throughput { read_units: 3, write_units: 4 };
    assert_eq!((made.billing, made.throughput), (BillingMode::Provisioned, units));
    assert_eq!(made.global_indexes[0].throughput, Some(units));
    assert_eq!(made.stream.unwrap().view, StreamView::NewImage);
    let tags = ListTagsOfResource { arn: made.arn, next_token: None };
    assert_eq!(store.list_tags_of_resource(tags).await.unwrap().tags[0].value, "web");
    let refused = table.delete().await.unwrap_err();
    assert_eq!(refused, TableError::Protected { table: "app".into() });
    assert_eq!(table.create().await.unwrap_err(), TableError::AlreadyExists { table: "app".into() });
}

#[tokio::test(start_paused = true)]
async fn of_two_that_ensure_at_once_both_succeed_and_one_made_it() {
    for _ in 0..20 {
        let store = TestStore::new();
        let first = table::<Session>(&store).with_stream(StreamView::KeysOnly);
        let second = first.clone();
        let (first, second) = tokio::join!(first.ensure(), second.ensure());
        let mut both = [first.unwrap(), second.unwrap()];
        both.sort_by_key(|ensured| *ensured == Ensured::Existed);
        assert_eq!(both, [Ensured::Created, Ensured::Existed]);
    }
}

#[tokio::test]
async fn many_threads_ensure_at_once() {
    let store = TestStore::new();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let table = table::<Session>(&store).with_stream(StreamView::KeysOnly);
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
                runtime.block_on(table.ensure())
            })
        })
        .collect();
    let outcomes: Vec<Ensured> = threads.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect();
    assert_eq!(outcomes.iter().filter(|ensured| **ensured == Ensured::Created).count(), 1);
    let table = table::<Session>(&store).with_stream(StreamView::KeysOnly);
    assert!(table.verify().await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn ensuring_survives_every_trouble_of_every_request() {
    let operations = ["DescribeTable", "CreateTable", "UpdateTimeToLive", "DescribeTimeToLive"];
    for operation in operations {
        for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::LostRequest, Trouble::LostAnswer] {
            let store = TestStore::new();
            store.trouble(operation, trouble.clone());
            let table = table::<Session>(&store);
            assert_eq!(table.ensure().await.unwrap(), Ensured::Created, "{operation} {trouble:?}");
            assert!(table.verify().await.unwrap().is_empty(), "{operation} {trouble:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn switching_on_and_deleting_survive_every_trouble() {
    for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::LostRequest, Trouble::LostAnswer] {
        let store = TestStore::new();
        table::<User>(&store).ensure().await.unwrap();
        store.trouble("UpdateTable", trouble.clone());
        let table = table::<User>(&store).with_stream(StreamView::KeysOnly);
        assert_eq!(table.ensure().await.unwrap(), Ensured::Existed, "{trouble:?}");
        store.trouble("DeleteTable", trouble.clone());
        assert!(table.delete().await.unwrap(), "{trouble:?}");
        assert!(!table.delete().await.unwrap(), "{trouble:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_table_in_the_making_is_waited_for_as_long_as_there_is_patience() {
    let store = Troubled::new();
    store.creating.store(5, Ordering::SeqCst);
    let table = Table::<User>::new(Arc::new(store.clone()));
    assert_eq!(table.ensure().await.unwrap(), Ensured::Created);
    assert_eq!(store.creating.load(Ordering::SeqCst), 0);

    store.creating.store(usize::MAX, Ordering::SeqCst);
    let patience = Patience { table: Duration::from_secs(20), ..Patience::default() };
    let error = table.with_patience(patience).ensure().await.unwrap_err();
    assert_eq!(error.to_string(), "the table `app` was still being made after 20 seconds");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stays_away_is_told_when_patience_ends() {
    let store = TestStore::new();
    for _ in 0..1000 {
        store.trouble("DescribeTable", Trouble::NotReached);
    }
    let error = table::<User>(&store).ensure().await.unwrap_err();
    assert!(matches!(error, TableError::Store { operation: "DescribeTable", .. }), "{error}");
    assert!(store.count("DescribeTable") < 200, "the pauses grow");
}

#[tokio::test(start_paused = true)]
async fn what_does_not_pass_is_not_asked_again() {
    let store = TestStore::new();
    store.trouble("CreateTable", Trouble::Refused(StoreError::AccessDenied("you may not".into())));
    let error = table::<User>(&store).ensure().await.unwrap_err();
    assert!(matches!(error, TableError::Store { operation: "CreateTable", .. }), "{error}");
    assert_eq!(store.count("CreateTable"), 1);
}

#[tokio::test(start_paused = true)]
async fn items_that_expire_by_another_attribute_are_drift() {
    let store = TestStore::new();
    let table = table::<Session>(&store);
    table.ensure().await.unwrap();
    let ttl = |attribute: &str, enabled| UpdateTimeToLive {
        table: "app".into(),
        attribute: attribute.into(),
        enabled,
    };
    store.update_time_to_live(ttl("ends", false)).await.unwrap();
    assert_eq!(table.ensure().await.unwrap(), Ensured::Existed);
    store.update_time_to_live(ttl("ends", false)).await.unwrap();
    store.update_time_to_live(ttl("other", true)).await.unwrap();
    let Err(TableError::Drift { drift, .. }) = table.ensure().await else { panic!("it expires by another") };
    let expected = Difference::TimeToLiveOther { expected: "ends".into(), found: "other".into() };
    assert_eq!(drift.differences(), [expected]);
    assert!(!drift.is_additive());
}

#[tokio::test(start_paused = true)]
async fn a_stream_with_another_view_is_drift() {
    let store = TestStore::new();
    table::<User>(&store).with_stream(StreamView::KeysOnly).ensure().await.unwrap();
    let other = table::<User>(&store).with_stream(StreamView::NewImage);
    let Err(TableError::Drift { drift, .. }) = other.ensure().await else { panic!("it carries keys") };
    assert_eq!(
        drift.to_string(),
        "the stream carries KEYS_ONLY, not NEW_IMAGE (switch the stream off first; its readers begin anew)"
    );
    let off =
        UpdateTable { table: "app".into(), stream: Some(StreamUpdate::Disable), ..UpdateTable::default() };
    store.update_table(off).await.unwrap();
    assert_eq!(other.ensure().await.unwrap(), Ensured::Existed);
}

#[derive(Model)]
#[model(table = "app")]
#[model(index(name = "gsi1", pk = city, project = "keys"), index(name = "lsi1", pk = city))]
struct Stranger {
    #[model(pk)]
    pk: u64,
    city: u64,
}

#[tokio::test(start_paused = true)]
async fn every_difference_is_told() {
    let store = TestStore::new();
    table::<User>(&store).and::<Session>().ensure().await.unwrap();
    let drift = table::<Stranger>(&store).verify().await.unwrap();
    let told: Vec<String> = drift.differences().iter().map(ToString::to_string).collect();
    let expected = [
        "its key is (pk, sk), not (pk)",
        "the key attribute `pk` is S, not N",
        "the key attribute `city` is S, not N",
        "the index `gsi1` carries keys and age, ends, not only keys",
        "the index `lsi1` is local, not global",
        "there is a global index `gsi2` that no model asks for",
        "items expire by `ends`, and no model asks for it",
    ];
    assert_eq!(told, expected);
    assert_eq!(drift.of(Standing::Harmless).count(), 3);
    assert!(!drift.is_additive());
}

#[tokio::test(start_paused = true)]
async fn local_indexes_and_other_keys_are_refused_before_anything_is_done() {
    let store = TestStore::new();
    table::<FirstUser>(&store).ensure().await.unwrap();
    let sessions = table::<Session>(&store);
    let plan = sessions.plan().await.unwrap();
    let missing = Difference::MissingIndex { index: "lsi1".into(), scope: IndexScope::Local };
    assert_eq!(plan.refused(), [missing]);
    store.forget_calls();
    let Err(TableError::Drift { drift, .. }) = sessions.migrate().await else { panic!("it cannot be added") };
    assert_eq!(
        drift.to_string(),
        "the local index `lsi1` is missing (a local index is made with its table or never: copy into a new table)"
    );
    assert_eq!(store.count("UpdateTable") + store.count("UpdateTimeToLive"), 0);
    let Err(TableError::Drift { .. }) = sessions.ensure().await else {
        panic!("ensuring does not add it either")
    };
}

#[tokio::test(start_paused = true)]
async fn a_migration_adds_what_is_missing_one_after_the_other() {
    let store = TestStore::new();
    table::<FirstUser>(&store).ensure().await.unwrap();
    for id in 0..40 {
        let item = LaterUser { id: format!("{id}"), city: "Rome".into(), age: id, ends: u64::MAX / 2 };
        let item = item.to_item().unwrap();
        store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await.unwrap();
    }
    let later = table::<LaterUser>(&store).with_stream(StreamView::NewImage);
    let plan = later.plan().await.unwrap();
    let words: Vec<String> = plan.steps().iter().map(ToString::to_string).collect();
    let expected = [
        "add the global index `by_city` with the key (city), which carries every attribute",
        "add the global index `by_age` with the key (city, age), which carries only keys",
        "let items expire by `ends`",
        "start a stream of NEW_IMAGE",
    ];
    assert_eq!(words, expected);

    let mut waited = 0;
    let done = later.migrate().on_progress(|progress| {
        if let MigrationProgress::Waiting { step } = progress {
            assert!(matches!(step, Step::AddIndex(_)));
            waited += 1;
            store.advance(Seconds(1));
        }
    });
    assert_eq!(done.await.unwrap(), plan);
    assert!(waited >= 2);
    assert!(later.verify().await.unwrap().is_empty());
    assert!(later.migrate().await.unwrap().is_empty());
    let key_condition = KeyCondition::partition("city", "Rome");
    let query =
        Query { table: "app".into(), index: Some("by_age".into()), key_condition, ..Query::default() };
    assert_eq!(store.query(query).await.unwrap().count, 40);
}

#[tokio::test(start_paused = true)]
async fn two_migrations_at_once_both_end_with_everything_there() {
    let store = TestStore::new();
    table::<FirstUser>(&store).ensure().await.unwrap();
    let later = table::<LaterUser>(&store);
    let fill = |_: &MigrationProgress| store.advance(Seconds(1));
    let (first, second) = tokio::join!(later.migrate().on_progress(fill), later.migrate().on_progress(fill));
    first.unwrap();
    second.unwrap();
    assert!(later.verify().await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_migration_survives_every_trouble() {
    for operation in ["DescribeTable", "UpdateTable", "UpdateTimeToLive"] {
        for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::LostRequest, Trouble::LostAnswer] {
            let store = TestStore::new();
            table::<FirstUser>(&store).ensure().await.unwrap();
            store.trouble(operation, trouble.clone());
            let later = table::<LaterUser>(&store);
            let migration = later.migrate().on_progress(|_| store.advance(Seconds(1)));
            migration.await.unwrap_or_else(|error| panic!("{operation} {trouble:?}: {error}"));
            assert!(later.verify().await.unwrap().is_empty(), "{operation} {trouble:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_migration_makes_a_table_that_is_missing() {
    let store = TestStore::new();
    let later = table::<LaterUser>(&store);
    let drift = later.verify().await.unwrap();
    assert_eq!(drift.differences(), [Difference::NoTable]);
    later.migrate().await.unwrap();
    assert!(later.verify().await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_index_of_a_provisioned_table_is_provisioned_as_the_table_is() {
    let store = TestStore::new();
    table::<FirstUser>(&store).with_throughput(7, 8).ensure().await.unwrap();
    let later = table::<LaterUser>(&store);
    later.migrate().on_progress(|_| store.advance(Seconds(1))).await.unwrap();
    let made = later.describe().await.unwrap().unwrap();
    let units = Throughput { read_units: 7, write_units: 8 };
    assert!(made.global_indexes.iter().all(|index| index.throughput == Some(units)));
}

/// `city` is a plain number here, and the key of an index elsewhere.
#[derive(Model)]
#[model(table = "app", pk = "PLACE#{id}", sk = "META")]
struct Place {
    id: String,
    city: u64,
}

/// The same index with another key, in another table, expiring by another attribute.
#[derive(Model)]
#[model(table = "elsewhere", pk = "USER#{id}", sk = "OTHER")]
#[model(index(name = "gsi1", pk = id))]
struct Elsewhere {
    id: String,
    #[model(ttl)]
    until: u64,
}

async fn clash<M>(table: Table<M>) -> String {
    let Err(TableError::Conflict(conflict)) = table.ensure().await else { panic!("they do not fit") };
    conflict.to_string()
}

#[tokio::test(start_paused = true)]
async fn models_that_contradict_each_other_are_both_named() {
    let store = TestStore::new();
    assert_eq!(
        clash(table::<User>(&store).and::<Session>().and::<Place>()).await,
        "User and Place cannot share a table: the key attribute `city` would be S for the one and N for the other"
    );
    assert_eq!(
        clash(table::<Place>(&store).and::<User>()).await,
        "Place and User cannot share a table: the key attribute `city` would be N for the one and S for the other"
    );
    assert_eq!(
        clash(table::<User>(&store).and::<Elsewhere>()).await,
        "User and Elsewhere cannot share a table: the one lies in `app` and the other in `elsewhere`"
    );
    assert_eq!(
        clash(table::<User>(&store).and::<Elsewhere>().named("both")).await,
        "User and Elsewhere cannot share a table: the key of the index `gsi1` would be (city) for the one and (id) \
         for the other"
    );
    assert_eq!(
        clash(table::<Session>(&store).and::<Stranger>()).await,
        "Session and Stranger cannot share a table: its key would be (pk, sk) for the one and (pk) for the other"
    );
    let Err(TableError::Conflict(conflict)) =
        table::<LaterUser>(&store).and::<Elsewhere>().named("x").verify().await
    else {
        panic!("they expire by different attributes")
    };
    assert_eq!(conflict.clash, Clash::TimeToLive { first: "ends", second: "until" });
    assert!(store.calls().is_empty(), "nothing is asked of the store");
}

#[tokio::test(start_paused = true)]
async fn a_table_and_its_models_show_no_items_when_printed() {
    let store = TestStore::new();
    let item = Item::from([("pk", "secret")]);
    let _ = store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await;
    let printed = format!("{:?}", table::<User>(&store).and::<Session>());
    assert!(printed.contains("User") && !printed.contains("secret"), "{printed}");
}
