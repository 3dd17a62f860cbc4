//! Tables made, waited for and deleted, and models that cannot share one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tabletheory::table::{Clash, Difference, Ensured, Patience, Table, TableError};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::schema::{BillingMode, Projection, StreamView, Throughput};
use tabletheory_core::store::op::{ListTagsOfResource, PutItem, StreamUpdate, UpdateTable, UpdateTimeToLive};
use tabletheory_core::{Item, StoreError, StoreExt};

use crate::table_models::{Elsewhere, LaterUser, Place, Session, Stranger, User, table};
use crate::troubled::Troubled;

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

#[tokio::test(start_paused = true)]
async fn a_table_that_others_made_in_the_meantime_is_not_deleted() {
    let store = TestStore::new();
    let table = table::<User>(&store);
    let old = table.create().await.unwrap();
    let other = table.clone();
    store.trouble(
        "DeleteTable",
        Trouble::Refused(StoreError::ResourceInUse("it is being changed".to_owned())),
    );
    let replace = async move {
        assert!(other.delete().await.unwrap());
        other.create().await.unwrap()
    };
    let (deleted, new) = tokio::join!(table.delete(), replace);
    assert!(deleted.unwrap());
    assert_ne!(old.id, new.id);
    assert_eq!(table.describe().await.unwrap().map(|table| table.id), Some(new.id));
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
    assert_eq!(conflict.clash, Clash::TimeToLive { first: "ends".into(), second: "until".into() });
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
