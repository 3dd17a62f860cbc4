//! Copies between tables: transformed, in parallel, under trouble, killed and resumed.

use std::collections::BTreeSet;
use std::future::IntoFuture;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tabletheory::Model;
use tabletheory::table::{Checkpoint, CopyFault, CopyProgress, Table, Transformed, copy};
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::store::op::{GetItem, PutItem, Scan};
use tabletheory_core::{Item, StoreError, StoreExt, Value};

use crate::troubled::Troubled;

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "users")]
struct User {
    #[model(pk)]
    id: String,
    #[model(sk)]
    number: u64,
    name: String,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "people", pk = "PERSON#{id}", sk = "PROFILE")]
struct Person {
    id: String,
    name: String,
}

fn person(user: User) -> Transformed<Person> {
    Transformed::Put(Person { id: user.id, name: user.name.to_uppercase() })
}

pub(crate) async fn put(store: &TestStore, table: &str, item: Item) {
    store.put_item(PutItem { table: table.into(), item, ..PutItem::default() }).await.unwrap();
}

async fn tables(store: &Troubled, users: u64) -> (Table<User>, Table<Person>) {
    let (from, to) =
        (Table::<User>::new(Arc::new(store.clone())), Table::<Person>::new(Arc::new(store.clone())));
    from.ensure().await.unwrap();
    to.ensure().await.unwrap();
    for number in 0..users {
        let user = User { id: format!("u{number:04}"), number, name: format!("name {number}") };
        put(&store.inner, "users", user.to_item().unwrap()).await;
    }
    (from, to)
}

async fn people(store: &TestStore) -> BTreeSet<String> {
    let scan = Scan { table: "people".into(), ..Scan::default() };
    let items = store.scan(scan).await.unwrap().items.unwrap();
    items.into_iter().map(|item| Person::from_item(item).unwrap().name).collect()
}

fn all(users: u64) -> BTreeSet<String> {
    (0..users).map(|number| format!("NAME {number}")).collect()
}

#[tokio::test(start_paused = true)]
async fn every_item_is_transformed_and_written_once() {
    for segments in [1, 4, 7] {
        let store = Troubled::new();
        let (from, to) = tables(&store, 130).await;
        let mut told = CopyProgress::default();
        let done = copy(from, to)
            .transform(|user| if user.number % 10 == 0 { Transformed::Skip } else { person(user) })
            .segments(segments)
            .on_progress(|progress| told = *progress)
            .await
            .unwrap();
        let expected = CopyProgress { read: 130, written: 117, skipped: 13, ..CopyProgress::default() };
        assert_eq!(done, expected);
        assert_eq!(told, done);
        assert_eq!(people(&store.inner).await.len(), 117);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_batch_leaves_undone_is_written_later() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 60).await;
    store.partial.store(30, Ordering::SeqCst);
    let done = copy(from, to).transform(person).await.unwrap();
    assert_eq!(done.written, 60);
    assert_eq!(people(&store.inner).await, all(60));
    assert_eq!(store.partial.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn trouble_that_passes_is_waited_out() {
    for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::LostRequest, Trouble::LostAnswer] {
        for (operation, if_absent) in [("Scan", false), ("BatchWriteItem", false), ("PutItem", true)] {
            let store = Troubled::new();
            let (from, to) = tables(&store, 40).await;
            store.inner.trouble(operation, trouble.clone());
            store.inner.trouble(operation, trouble.clone());
            let copying = copy(from, to).transform(person);
            let copying = if if_absent { copying.if_absent() } else { copying };
            let done = copying.await.unwrap();
            assert_eq!((done.written, done.kept), (40, 0), "{operation} {trouble:?}");
            assert_eq!(people(&store.inner).await, all(40), "{operation} {trouble:?}");
        }
    }
}

#[tokio::test]
async fn a_copy_that_was_killed_goes_on_at_its_last_checkpoint() {
    for killed_after in 1..=6 {
        for segments in [1, 3] {
            let store = Troubled::new();
            let (from, to) = tables(&store, 200).await;
            store.batches_left.store(killed_after, Ordering::SeqCst);
            let mut saved: Option<String> = None;
            let copying = copy(from.clone(), to.clone()).transform(person).segments(segments);
            let copying = copying.on_checkpoint(|checkpoint| {
                saved = Some(serde_json::to_string(checkpoint).unwrap());
                ControlFlow::Continue(())
            });
            assert!(store.until_dead(copying.into_future()).await.is_none(), "it was killed");
            store.batches_left.store(usize::MAX, Ordering::SeqCst);

            let checkpoint: Option<Checkpoint> = saved.map(|text| serde_json::from_str(&text).unwrap());
            let before = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.progress().read);
            assert!(before <= 25 * killed_after as u64, "what is not durable is in no checkpoint");
            store.inner.forget_calls();
            let copying = copy(from, to).transform(person).segments(segments);
            let copying = match checkpoint {
                Some(checkpoint) => copying.resume(checkpoint),
                None => copying,
            };
            let done = copying.await.unwrap();
            assert_eq!(
                (done.read, done.written),
                (200, 200),
                "what was done before is counted and not done again"
            );
            assert_eq!(people(&store.inner).await, all(200));
            let batches = u64::try_from(store.inner.count("BatchWriteItem")).unwrap();
            assert!(batches <= (200 - before).div_ceil(25) + segments as u64, "{batches} after {before}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_copy_stops_when_its_checkpoint_cannot_be_kept() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 60).await;
    let copying = copy(from.clone(), to.clone()).transform(person).on_checkpoint(|_| ControlFlow::Break(()));
    let stopped = copying.await.unwrap_err();
    assert_eq!(stopped.fault, CopyFault::Stopped);
    assert_eq!(stopped.checkpoint.progress().written, 25);
    let done = copy(from, to).transform(person).resume(stopped.checkpoint).await.unwrap();
    assert_eq!(done.written, 60);
    assert_eq!(people(&store.inner).await, all(60));
}

#[tokio::test(start_paused = true)]
async fn copying_again_changes_nothing() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 30).await;
    let first = copy(from.clone(), to.clone()).transform(person).await.unwrap();
    assert_eq!(copy(from, to).transform(person).await.unwrap(), first);
    assert_eq!(people(&store.inner).await, all(30));
}

#[tokio::test(start_paused = true)]
async fn what_is_newer_in_the_target_stays_if_that_is_asked_for() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 30).await;
    let newer = Person { id: "u0007".into(), name: "newer".into() };
    put(&store.inner, "people", newer.to_item().unwrap()).await;
    let done = copy(from.clone(), to.clone()).transform(person).if_absent().await.unwrap();
    assert_eq!((done.written, done.kept), (29, 1));
    assert!(people(&store.inner).await.contains("newer"));
    let again = copy(from.clone(), to.clone()).transform(person).if_absent().await.unwrap();
    assert_eq!((again.written, again.kept), (0, 30));
    copy(from, to).transform(person).await.unwrap();
    assert!(!people(&store.inner).await.contains("newer"), "otherwise it is replaced");
}

#[tokio::test(start_paused = true)]
async fn an_item_of_another_model_stops_the_copy_or_is_counted() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 3).await;
    let stranger =
        Item::from([("id", Value::s("secret-id")), ("number", Value::n(9)), ("name", Value::n(42))]);
    put(&store.inner, "users", stranger).await;
    let stopped = copy(from.clone(), to.clone()).transform(person).await.unwrap_err();
    let CopyFault::Unreadable { keys, .. } = &stopped.fault else { panic!("{stopped}") };
    assert_eq!(keys[..], ["id", "number"]);
    assert_eq!(
        stopped.to_string(),
        "the copy of `users` into `people` stopped: an item with the key attributes id, number is not of the model: \
         cannot read a User: name: expected S, found N"
    );
    assert!(!format!("{stopped:?}").contains("secret-id"));
    let done = copy(from, to).transform(person).skip_unreadable().await.unwrap();
    assert_eq!((done.read, done.written, done.unreadable), (4, 3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_checkpoint_prints_no_keys_and_belongs_to_its_copy() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 60).await;
    let copying = copy(from.clone(), to.clone()).transform(person).on_checkpoint(|_| ControlFlow::Break(()));
    let checkpoint = copying.await.unwrap_err().checkpoint;
    assert!(!format!("{checkpoint:?}").contains("u00"), "{checkpoint:?}");
    let other = to.clone().named("people-2");
    let refused = copy(from, other).transform(person).resume(checkpoint).await.unwrap_err();
    assert_eq!(refused.fault, CopyFault::OtherCheckpoint);
}

#[tokio::test(start_paused = true)]
async fn a_table_is_not_copied_into_itself() {
    let store = Troubled::new();
    let (from, _) = tables(&store, 1).await;
    let refused = copy(from.clone(), from).transform(Transformed::Put).await.unwrap_err();
    assert_eq!(refused.fault, CopyFault::SameTable);
}

#[tokio::test(start_paused = true)]
async fn items_that_become_one_are_written_as_the_last_of_them() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 10).await;
    let one = |user: User| Transformed::Put(Person { id: "same".into(), name: user.name });
    let done = copy(from, to).transform(one).await.unwrap();
    assert_eq!((done.read, done.written), (10, 10));
    assert_eq!(people(&store.inner).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_refuses_for_good_stops_the_copy() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 10).await;
    let refused = StoreError::AccessDenied("you may not".into());
    store.inner.trouble("BatchWriteItem", Trouble::Refused(refused.clone()));
    let stopped = copy(from.clone(), to.clone()).transform(person).await.unwrap_err();
    assert_eq!(stopped.fault, CopyFault::Store { operation: "BatchWriteItem", source: refused });
    assert_eq!(stopped.checkpoint.progress(), CopyProgress::default());
    let missing = to.named("nowhere");
    let stopped = copy(from, missing).transform(person).await.unwrap_err();
    assert!(
        matches!(stopped.fault, CopyFault::Store { source: StoreError::ResourceNotFound(_), .. }),
        "{stopped}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_finishes_a_batch_is_told_when_patience_ends() {
    let store = Troubled::new();
    let (from, to) = tables(&store, 10).await;
    for _ in 0..1000 {
        store.inner.trouble("BatchWriteItem", Trouble::Throttled);
    }
    let stopped = copy(from, to).transform(person).await.unwrap_err();
    assert!(matches!(stopped.fault, CopyFault::Store { source: StoreError::Throttling(_), .. }), "{stopped}");
    assert!(store.inner.count("BatchWriteItem") < 200, "the pauses grow");
}

#[tokio::test(start_paused = true)]
async fn binary_and_number_keys_are_checkpoints_too() {
    #[derive(Model)]
    #[model(table = "blobs")]
    struct Blob {
        #[model(pk)]
        hash: tabletheory::attribute::Binary,
        #[model(sk)]
        at: i64,
    }
    let store = Troubled::new();
    let from = Table::<Blob>::new(Arc::new(store.clone()));
    let to = from.clone().named("blobs-2");
    from.ensure().await.unwrap();
    to.ensure().await.unwrap();
    for at in 0..60_u8 {
        let blob = Blob { hash: vec![at, 255].into(), at: -i64::from(at) };
        put(&store.inner, "blobs", blob.to_item().unwrap()).await;
    }
    let mut checkpoint = None;
    let mut runs = 0;
    let done = loop {
        let copying = copy(from.clone(), to.clone()).transform(Transformed::Put);
        let copying = match checkpoint.take() {
            Some(text) => copying.resume(serde_json::from_str(&text as &String).unwrap()),
            None => copying,
        };
        runs += 1;
        match copying.on_checkpoint(|_| ControlFlow::Break(())).await {
            Ok(done) => break done,
            Err(stopped) => checkpoint = Some(serde_json::to_string(&stopped.checkpoint).unwrap()),
        }
    };
    assert_eq!((done.written, runs), (60, 4));
    let key = Blob { hash: vec![59, 255].into(), at: -59 }.key_of().into_item().unwrap();
    let found =
        store.inner.get_item(GetItem { table: "blobs-2".into(), key, ..GetItem::default() }).await.unwrap();
    assert!(found.item.is_some());
}
