//! Slots while answers are lost, calls are refused, and rows are damaged.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_executor::block_on;
use limited::Error;
use limited::slots::{Release, Renewal, Slots};
use tabletheory::Db;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::store::StoreFuture;
use tabletheory_core::store::op::{DeleteItem, PutItem};
use tabletheory_core::{Item, Request, Seconds, Store, StoreError, StoreExt, Value};

use crate::slots::{TERM, WHO, acquired, full, process, row, store, written};

#[test]
fn a_lost_answer_is_asked_for_again_and_takes_one_slot() {
    block_on(async {
        for trouble in [Trouble::LostAnswer, Trouble::LostRequest] {
            let store = store().await;
            let slots = process(&store, 3);
            store.trouble("UpdateItem", trouble);
            let slot = acquired(&slots).await;
            assert_eq!((store.count("UpdateItem"), written(&store).await), (2, 1));
            assert_eq!(slot.release().await.unwrap(), Release::Released);
        }
    });
}

#[test]
fn a_request_that_is_repeated_after_lost_answers_does_not_hold_two_slots() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 3);
        store.trouble("UpdateItem", Trouble::LostAnswer);
        store.trouble("UpdateItem", Trouble::LostRequest);
        let error = slots.try_acquire(WHO).await.expect_err("nobody knows");
        assert!(matches!(&error, Error::Store(error) if error.is_ambiguous()), "{error:?}");
        assert_eq!(written(&store).await, 1, "a ghost");
        store.advance(Seconds(5));
        let _slot = acquired(&slots).await;
        assert_eq!(written(&store).await, 1, "the ghost's slot was taken over");
        let _second = acquired(&slots).await;
        let _third = acquired(&slots).await;
        assert_eq!(full(&slots).await, TERM);
    });
}

/// A store that does the next update and never says so.
#[derive(Debug)]
struct Silent {
    store: TestStore,
    once: AtomicBool,
}

impl Store for Silent {
    fn call(&self, request: Request) -> StoreFuture<'_> {
        Box::pin(async move {
            let is_update = matches!(request, Request::UpdateItem(_));
            let answer = self.store.call(request).await;
            if is_update && self.once.swap(false, Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            answer
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_given_up_half_way_does_not_hold_a_slot_beside_the_next() {
    let store = store().await;
    let silent = Silent { store: store.clone(), once: AtomicBool::new(true) };
    let db = Db::new(silent).with_clock(store.clock());
    let slots = Slots::new(db, "exports", 3, TERM).unwrap();
    let given_up = tokio::time::timeout(Duration::from_secs(1), slots.try_acquire(WHO)).await;
    assert!(given_up.is_err());
    assert_eq!(written(&store).await, 1, "a ghost");
    let slot = acquired(&slots).await;
    assert_eq!(written(&store).await, 1, "the ghost's slot was taken over");
    assert_eq!(slot.release().await.unwrap(), Release::Released);
}

#[test]
fn a_store_that_refuses_is_an_error_and_takes_no_slot() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 1);
        for trouble in [Trouble::Throttled, Trouble::NotReached, Trouble::Conflict] {
            store.trouble("UpdateItem", trouble);
            assert!(matches!(slots.try_acquire(WHO).await, Err(Error::Store(_))));
            assert_eq!(written(&store).await, 0);
        }
        let mut slot = acquired(&slots).await;
        store.trouble("UpdateItem", Trouble::Throttled);
        assert!(matches!(slot.renew().await, Err(Error::Store(StoreError::Throttling(_)))));
        assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed);
        store.trouble("UpdateItem", Trouble::NotReached);
        assert!(slot.release().await.is_err());
        assert_eq!(full(&slots).await, TERM);
        store.advance(Seconds(30));
        let _again = acquired(&slots).await;
    });
}

#[test]
fn a_slot_whose_release_or_renewal_was_answered_in_vain_is_free_or_held() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 1);
        let mut slot = acquired(&slots).await;
        store.trouble("UpdateItem", Trouble::LostAnswer);
        assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed);
        store.trouble("UpdateItem", Trouble::LostAnswer);
        assert_eq!(slot.release().await.unwrap(), Release::NotOurs, "the first try gave it back");
        store.forget_calls();
        let slot = acquired(&slots).await;
        assert_eq!(store.calls().len(), 1);
        store.trouble("UpdateItem", Trouble::LostRequest);
        assert_eq!(slot.release().await.unwrap(), Release::Released);
    });
}

/// A request that was on its way for long arrives once more.
#[test]
fn a_late_double_shortens_nothing_and_frees_nothing() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 1);
        let mut slot = acquired(&slots).await;
        let acquire = store.calls().pop().unwrap();
        store.advance(Seconds(10));
        assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed);
        let renew = store.calls().pop().unwrap();
        store.advance(Seconds(10));
        assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed);
        let before = row(&store).await;
        for double in [acquire, renew.clone()] {
            assert!(store.call(double).await.is_err());
        }
        assert_eq!(row(&store).await, before);
        slot.release().await.unwrap();
        let other = acquired(&process(&store, 1)).await;
        let before = row(&store).await;
        assert!(store.call(renew).await.is_err());
        assert_eq!(row(&store).await, before);
        other.release().await.unwrap();
    });
}

#[test]
fn a_row_that_is_wrong_blocks_nobody() {
    block_on(async {
        let store = store().await;
        let item = Item::from([
            ("Identifier", Value::s("exports#user:7")),
            ("WindowTime", Value::s("SLOTS")),
            ("t0", Value::n(5)),
            ("u0", Value::s("soon")),
            ("u1", Value::n(i64::MAX)),
            ("t2", Value::Null),
        ]);
        store.put_item(PutItem { table: "rate-limits".into(), item, ..PutItem::default() }).await.unwrap();
        let slots = process(&store, 3);
        for _ in 0..3 {
            let _ = acquired(&slots).await;
        }
        assert_eq!(full(&slots).await, TERM);
    });
}

#[test]
fn a_row_that_was_deleted_is_a_slot_that_was_lost() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 1);
        let mut slot = acquired(&slots).await;
        let delete = DeleteItem {
            table: "rate-limits".into(),
            key: Item::from([("Identifier", "exports#user:7"), ("WindowTime", "SLOTS")]),
            ..DeleteItem::default()
        };
        store.delete_item(delete).await.unwrap();
        assert_eq!(slot.renew().await.unwrap(), Renewal::Lost);
        assert_eq!(slot.release().await.unwrap(), Release::NotOurs);
        assert!(row(&store).await.is_empty(), "neither makes the row again");
    });
}
