//! Concurrency slots as processes share them: each `Slots` here is a process of its own, on one store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_executor::block_on;
use limited::slots::{Acquire, Release, Renewal, Slot, Slots};
use limited::{Error, RateLimitRecord};
use tabletheory::Db;
use tabletheory::testing::TestStore;
use tabletheory_core::expr::RenderScope;
use tabletheory_core::store::op::GetItem;
use tabletheory_core::{Clock, Item, ManualClock, Request, Seconds, StoreExt, Timestamp};

use crate::forgetful::Forgetful;

pub(crate) const WHO: &str = "user:7";
pub(crate) const TERM: Duration = Duration::from_secs(30);

pub(crate) async fn store() -> TestStore {
    let store = TestStore::new();
    RateLimitRecord::ensure_table(&store.db()).await.unwrap();
    store.forget_calls();
    store
}

/// A process with so many slots for each identifier.
pub(crate) fn process(store: &TestStore, limit: usize) -> Slots {
    Slots::new(store.db(), "exports", limit, TERM).unwrap()
}

pub(crate) async fn acquired(slots: &Slots) -> Slot {
    match slots.try_acquire(WHO).await.unwrap() {
        Acquire::Acquired(slot) => slot,
        Acquire::Full { retry_after } => panic!("full for {retry_after:?}"),
    }
}

pub(crate) async fn full(slots: &Slots) -> Duration {
    match slots.try_acquire(WHO).await.unwrap() {
        Acquire::Acquired(slot) => panic!("there was one: {slot:?}"),
        Acquire::Full { retry_after } => retry_after,
    }
}

pub(crate) async fn row(store: &TestStore) -> Item {
    let key = Item::from([("Identifier", "exports#user:7"), ("WindowTime", "SLOTS")]);
    let get = GetItem { table: "rate-limits".into(), key, ..GetItem::default() };
    store.get_item(get).await.unwrap().item.unwrap_or_default()
}

/// How many slots the row says anything about.
pub(crate) async fn written(store: &TestStore) -> usize {
    row(store).await.names().filter(|name| name.starts_with('t')).count()
}

#[test]
fn a_slot_is_taken_in_one_call_and_given_back_in_one() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 4);
        for _ in 0..10 {
            store.forget_calls();
            let slot = acquired(&slots).await;
            assert_eq!((store.count("UpdateItem"), store.calls().len()), (1, 1));
            assert_eq!(slot.release().await.unwrap(), Release::Released);
            assert_eq!((store.count("UpdateItem"), store.calls().len()), (2, 2));
        }
        assert_eq!(written(&store).await, 0);
    });
}

#[test]
fn there_are_as_many_slots_as_the_limit_says_and_finding_none_is_one_call() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 3);
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(acquired(&slots).await);
            store.advance(Seconds(5));
        }
        assert_eq!(store.count("UpdateItem"), 3, "one process does not try for its own slots");
        store.forget_calls();
        assert_eq!(full(&slots).await, Duration::from_secs(15), "the first was taken 15 seconds ago");
        assert_eq!(full(&process(&store, 3)).await, Duration::from_secs(15));
        assert_eq!(store.calls().len(), 2);
        held.remove(1).release().await.unwrap();
        let _taken = acquired(&slots).await;
        assert_eq!(store.calls().len(), 4);
    });
}

#[test]
fn a_process_that_knows_nothing_finds_the_free_slot_in_two_calls() {
    block_on(async {
        let store = store().await;
        let ours = process(&store, 16);
        let mut held = Vec::new();
        for _ in 0..15 {
            held.push(acquired(&ours).await);
        }
        for _ in 0..20 {
            store.forget_calls();
            let slot = acquired(&process(&store, 16)).await;
            assert!(store.calls().len() <= 2, "{} calls", store.calls().len());
            slot.release().await.unwrap();
        }
    });
}

#[test]
fn identifiers_and_names_have_slots_of_their_own() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 1);
        let _held = acquired(&slots).await;
        for other in ["user:8", "a\nb", &"x".repeat(10_000)] {
            assert!(matches!(slots.try_acquire(other).await.unwrap(), Acquire::Acquired(_)));
            assert!(matches!(slots.try_acquire(other).await.unwrap(), Acquire::Full { .. }));
        }
        let _other = acquired(&Slots::new(store.db(), "imports", 1, TERM).unwrap()).await;
    });
}

#[test]
fn a_holder_that_is_gone_without_a_word_blocks_for_a_term_and_no_longer() {
    block_on(async {
        let store = store().await;
        let (ours, theirs) = (process(&store, 1), process(&store, 1));
        drop(acquired(&ours).await);
        store.advance(Seconds(29));
        assert_eq!(full(&theirs).await, Duration::from_secs(1));
        assert_eq!(full(&ours).await, Duration::from_secs(1));
        store.advance(Seconds(1));
        let _taken = acquired(&theirs).await;
        assert_eq!(full(&ours).await, TERM);
    });
}

#[test]
fn a_renewed_slot_is_held_on_and_one_that_another_took_is_lost() {
    block_on(async {
        let store = store().await;
        let (ours, theirs) = (process(&store, 1), process(&store, 1));
        let mut slot = acquired(&ours).await;
        store.advance(Seconds(20));
        assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed);
        store.advance(Seconds(20));
        assert_eq!(full(&theirs).await, Duration::from_secs(10));
        store.advance(Seconds(10));
        assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed, "it lapsed, and nobody took it");
        assert_eq!(full(&theirs).await, TERM);
        store.advance(Seconds(30));
        let taken = acquired(&theirs).await;
        assert_eq!(slot.renew().await.unwrap(), Renewal::Lost);
        assert_eq!(slot.release().await.unwrap(), Release::NotOurs);
        assert_eq!(full(&ours).await, TERM, "it is still the other's");
        assert_eq!(taken.release().await.unwrap(), Release::Released);
    });
}

#[test]
fn a_process_does_not_try_for_slots_that_it_has_renewed() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 16);
        let mut held = Vec::new();
        for _ in 0..15 {
            held.push(acquired(&slots).await);
        }
        store.advance(Seconds(20));
        for slot in &mut held {
            assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed);
        }
        store.advance(Seconds(20));
        store.forget_calls();
        let _last = acquired(&slots).await;
        assert_eq!(store.calls().len(), 1);
    });
}

#[test]
fn a_lowered_limit_holds_for_who_comes_and_slots_above_it_lapse() {
    block_on(async {
        let store = store().await;
        let before = process(&store, 8);
        let mut held = Vec::new();
        for _ in 0..8 {
            held.push(acquired(&before).await);
        }
        let lowered = process(&store, 2);
        assert_eq!(full(&lowered).await, TERM);
        store.advance(Seconds(30));
        let _first = acquired(&lowered).await;
        let _second = acquired(&lowered).await;
        assert_eq!(full(&lowered).await, TERM);
        let row = row(&store).await;
        let now_ms = store_ms(&store);
        let held = (0..8).filter(|slot| {
            row.get(&format!("u{slot}")).is_some_and(|until| until.as_n().unwrap().to_i64().unwrap() > now_ms)
        });
        assert_eq!(held.collect::<Vec<_>>(), [0, 1]);
    });
}

fn store_ms(store: &TestStore) -> i64 {
    store.clock().now().millis()
}

/// A clock that was a day ahead when a slot was taken must not block it for a day.
#[test]
fn a_slot_from_a_wrong_clock_is_not_believed() {
    block_on(async {
        let store = store().await;
        let ahead = Arc::new(ManualClock::at(Timestamp::from_millis(store_ms(&store)) + Seconds(86_400)));
        let wrong = Slots::new(store.db().with_clock(ahead), "exports", 1, TERM).unwrap();
        let mut slot = acquired(&wrong).await;
        let ours = process(&store, 1);
        let _taken = acquired(&ours).await;
        assert_eq!(slot.renew().await.unwrap(), Renewal::Lost);
    });
}

#[test]
fn a_clock_that_is_set_back_shortens_nothing_and_gives_no_time() {
    block_on(async {
        let store = store().await;
        let clock = Arc::new(ManualClock::at(Timestamp::from_millis(store_ms(&store))));
        let slots = Slots::new(store.db().with_clock(clock.clone()), "exports", 1, TERM).unwrap();
        let mut slot = acquired(&slots).await;
        let before = row(&store).await;
        clock.advance(Seconds(-10));
        assert_eq!(slot.renew().await.unwrap(), Renewal::Renewed);
        assert!(slot.time_left() <= TERM);
        assert_eq!(row(&store).await, before);
        assert_eq!(full(&process(&store, 1)).await, TERM);
    });
}

/// The table may forget the row only when nobody can hold a slot any more, whoever wrote last.
#[test]
fn the_time_to_live_moves_along_and_never_frees_a_slot() {
    block_on(async {
        let store = store().await;
        let hour = Duration::from_secs(3_600);
        let long = Slots::new(store.db(), "exports", 2, hour).unwrap();
        let short = Slots::new(store.db(), "exports", 2, Duration::from_secs(1)).unwrap();
        let _held = acquired(&long).await;
        acquired(&short).await.release().await.unwrap();
        store.advance(Seconds(3_599));
        let _other = acquired(&long).await;
        assert_eq!(full(&short).await, Duration::from_secs(1));
        store.advance(Seconds(3 * 3_600));
        assert!(row(&store).await.is_empty(), "and is forgotten in the end");
    });
}

#[test]
fn an_expression_stays_small_however_many_slots_there_are() {
    block_on(async {
        let store = store().await;
        let _slot = acquired(&process(&store, 256)).await;
        let calls = store.calls();
        let [Request::UpdateItem(update)] = &calls[..] else { panic!("one call: {calls:?}") };
        let mut scope = RenderScope::new();
        let condition = scope.condition(update.condition.as_ref().unwrap());
        let update = scope.update(update.update.as_ref().unwrap());
        assert!(condition.len() + update.len() < 256, "{condition} {update}");
    });
}

#[test]
fn absurd_settings_and_nobody_are_refused() {
    block_on(async {
        let store = store().await;
        let refused =
            |name: &str, limit, term| Slots::new(store.db(), name, limit, term).expect_err("absurd");
        assert!(matches!(refused("exports", 0, TERM), Error::Setting { name: "limit", .. }));
        assert!(matches!(refused("exports", 257, TERM), Error::Setting { name: "limit", .. }));
        assert!(matches!(refused("exports", 1, Duration::ZERO), Error::Setting { name: "term", .. }));
        assert!(matches!(refused("exports", 1, Duration::MAX), Error::Setting { name: "term", .. }));
        assert!(matches!(refused("a#b", 1, TERM), Error::Policy { .. }));
        assert!(matches!(process(&store, 1).try_acquire("").await, Err(Error::NoIdentifier)));
        assert!(store.calls().is_empty());
    });
}

#[test]
fn a_store_that_does_not_tell_the_row_is_asked_for_it() {
    block_on(async {
        let store = store().await;
        let db = Db::new(Forgetful(store.clone())).with_clock(store.clock());
        let slots = Slots::new(db, "exports", 2, TERM).unwrap();
        let _held = acquired(&process(&store, 2)).await;
        let _other = acquired(&slots).await;
        store.forget_calls();
        assert_eq!(full(&slots).await, TERM);
        assert_eq!((store.count("UpdateItem"), store.count("GetItem")), (1, 1));
    });
}

#[test]
fn nothing_that_is_shown_says_whose_a_slot_is() {
    block_on(async {
        let store = store().await;
        let slots = process(&store, 1);
        let slot = acquired(&slots).await;
        let shown = format!("{slots:?} {slot:?}");
        assert!(!shown.contains(WHO) && !shown.contains("token"), "{shown}");
    });
}

/// G37: a semaphore that tried 256 slots one after the other, and gave one owner several.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn never_more_holders_than_slots_whatever_happens_at_once() {
    const LIMIT: usize = 5;
    let store = store().await;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut tasks = Vec::new();
    for _ in 0..4 {
        let slots = process(&store, LIMIT);
        for _ in 0..12 {
            let (slots, now, most) = (slots.clone(), Arc::clone(&now), Arc::clone(&most));
            tasks.push(tokio::spawn(async move {
                for _ in 0..5 {
                    let slot = patiently(&slots).await;
                    let holders = now.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(holders, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    now.fetch_sub(1, Ordering::SeqCst);
                    assert_eq!(slot.release().await.unwrap(), Release::Released);
                }
            }));
        }
    }
    for task in tasks {
        task.await.unwrap();
    }
    let most = most.load(Ordering::SeqCst);
    assert!((1..=LIMIT).contains(&most), "{most} held a slot at once");
    assert_eq!(written(&store).await, 0);
}

async fn patiently(slots: &Slots) -> Slot {
    for _ in 0..100_000 {
        if let Acquire::Acquired(slot) = slots.try_acquire(WHO).await.unwrap() {
            return slot;
        }
        tokio::task::yield_now().await;
    }
    panic!("a slot was never free");
}

/// The end of a term of an hour lay beyond what a clock that was a moment behind believed, and the slot was taken a second time.
#[tokio::test(start_paused = true)]
async fn a_term_of_an_hour_is_held_against_clocks_that_are_a_little_behind() {
    let store = store().await;
    let clock = |millis| Arc::new(ManualClock::at(Timestamp::from_millis(millis)));
    let process = |millis| {
        Slots::new(store.db().with_clock(clock(millis)), "exports", 1, Duration::from_secs(3_600)).unwrap()
    };
    let _slot = acquired(&process(1_700_000_000_000)).await;
    full(&process(1_699_999_995_000)).await;
}
