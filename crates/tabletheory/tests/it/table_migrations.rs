//! Tables compared with their models, and extended.

use tabletheory::Model;
use tabletheory::model::IndexScope;
use tabletheory::table::{Difference, MigrationProgress, Standing, Step, TableError};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::expr::KeyCondition;
use tabletheory_core::schema::{StreamView, Throughput};
use tabletheory_core::store::op::{PutItem, Query};
use tabletheory_core::{Seconds, StoreExt};

use crate::table_models::{FirstUser, LaterUser, Session, Stranger, User, table};

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
