//! Handlers that take long, panic, are dropped, or complete in their own transaction.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use idempotent::{Attempt, Claim, Completion, Guarded, Idempotency, ProcessError, Processed};
use tabletheory::Model;
use tabletheory::testing::Trouble;
use tabletheory_core::{Seconds, StoreError, Value};
use tokio::time::sleep;

use crate::world::{World, answer, granted, intent, is_running, replayed};

#[derive(Model, Debug, PartialEq)]
#[model(table = "orders")]
struct Order {
    #[model(pk)]
    id: u64,
    count: u64,
}

/// Both clocks run.
async fn run_for(world: &World, seconds: u64) {
    for _ in 0..seconds {
        sleep(Duration::from_secs(1)).await;
        world.pass(1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_of_ten_locks_is_never_run_beside_another() {
    let world = World::new().await;
    // The record would be over after two minutes, if the heartbeat did not keep it too.
    let short = world.set(|settings| settings.keep_for = Seconds(120));
    let attempt = granted(short.claim(&intent("k", "a")).await.unwrap());
    let others = async {
        for _ in 0..60 {
            run_for(&world, 10).await;
            is_running(world.other().claim(&intent("k", "a")).await.unwrap());
        }
    };
    let Guarded::Done(()) = attempt.guard(others).await else { panic!("nobody took it") };
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    let beats = world.store.calls().len();
    assert!(beats < 120, "{beats} calls in ten minutes");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_lost_its_lock_is_stopped_where_it_stands() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let went_on = AtomicBool::new(false);
    let work = async {
        sleep(Duration::from_secs(100)).await;
        went_on.store(true, Ordering::SeqCst);
    };
    let thief = async {
        sleep(Duration::from_secs(5)).await;
        world.tamper(|record| drop(record.insert("LockToken", "another"))).await;
    };
    let (guarded, ()) = tokio::join!(attempt.guard(work), thief);
    assert!(matches!(guarded, Guarded::Lost { error: None }), "{guarded:?}");
    assert!(!went_on.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_store_is_gone_is_stopped_before_another_could_begin() {
    let world = World::new().await;
    let attempt = granted(world.impatient().claim(&intent("k", "a")).await.unwrap());
    for _ in 0..1000 {
        world.store.trouble("UpdateItem", Trouble::NotReached);
    }
    let begun = tokio::time::Instant::now();
    let guarded = attempt.guard(sleep(Duration::from_secs(3600))).await;
    assert!(matches!(guarded, Guarded::Lost { error: Some(_) }), "{guarded:?}");
    assert!(begun.elapsed() < Duration::from_secs(60), "before the lock is over");
}

#[tokio::test(start_paused = true)]
async fn a_handler_whose_machine_slept_is_stopped() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let sleeper = async {
        sleep(Duration::from_secs(1)).await;
        // The process's clock stood still, and the wall clock went on.
        world.pass(3600);
        sleep(Duration::from_secs(5)).await;
    };
    assert!(matches!(attempt.guard(sleeper).await, Guarded::Lost { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_has_completed_itself_may_go_on() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let work = async {
        let completion = attempt.completion(&answer("done")).await.unwrap();
        world.requests.db().transact().with(completion).await.unwrap();
        run_for(&world, 600).await;
        "went on"
    };
    assert!(matches!(attempt.guard(work).await, Guarded::Done("went on")));
    assert_eq!(attempt.finish(&answer("other")).await.unwrap(), Completion::Completed);
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, answer("done"));
}

async fn order(requests: &Idempotency, attempt: &Attempt, answered: &str) -> Result<(), tabletheory::Error> {
    let completion = attempt.completion(&answer(answered)).await.expect("it is short");
    let db = requests.db();
    let count = db.update(Order::key(1)).change(Order::COUNT.add(1)).or_create();
    db.transact().with(count).with(completion).await
}

#[tokio::test(start_paused = true)]
async fn an_effect_in_the_completing_transaction_happens_once_though_two_work() {
    let world = World::new().await;
    world.requests.db().create_table::<Order>().await.unwrap();
    let late = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world.pass(63);
    let owner = granted(world.other().claim(&intent("k", "a")).await.unwrap());
    assert!(order(&world.requests, &late, "late").await.unwrap_err().is_condition_failed());
    order(&world.requests, &owner, "owner").await.unwrap();
    assert!(order(&world.requests, &late, "late").await.is_err());
    assert!(order(&world.requests, &owner, "twice").await.is_err());
    let orders = world.requests.db().get(Order::key(1)).await.unwrap();
    assert_eq!(orders, Some(Order { id: 1, count: 1 }));
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, answer("owner"));
    // After a failure of the server the claim would be given back; the answer stands.
    let failure = idempotent::Response::new(500, "").unwrap();
    assert_eq!(owner.finish(&failure).await.unwrap(), Completion::NotKept);
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, answer("owner"));
}

#[tokio::test(start_paused = true)]
async fn a_panic_gives_the_claim_back_and_goes_on() {
    let world = World::new().await;
    let fall = || async {
        if world.store.count("UpdateItem") > 0 {
            panic!("the handler fell");
        }
        Ok::<u8, ()>(1)
    };
    let ended = AssertUnwindSafe(world.requests.process("k", "f", &1, fall)).catch_unwind().await;
    let panic = ended.unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"the handler fell"));
    assert!(world.rows().await.is_empty());
    let again = world.requests.process("k", "f", &1, || async { Ok::<u8, ()>(2) }).await.unwrap();
    assert_eq!(again, Processed::Done(2));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_dropped_blocks_until_the_lock_is_over_and_no_longer() {
    let world = World::new().await;
    let begun = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&begun);
    let endless = || async move {
        flag.store(true, Ordering::SeqCst);
        std::future::pending::<Result<u8, ()>>().await
    };
    let call = world.requests.process("k", "f", &1, endless);
    assert!(tokio::time::timeout(Duration::from_secs(1), call).await.is_err());
    assert!(begun.load(Ordering::SeqCst));
    let quick = || async { Ok::<u8, ()>(2) };
    let blocked = world.other().process("k", "f", &1, quick).await;
    assert!(matches!(blocked, Err(ProcessError::Running { .. })), "{blocked:?}");
    world.pass(63);
    assert_eq!(world.other().process("k", "f", &1, quick).await.unwrap(), Processed::Done(2));
}

#[tokio::test(start_paused = true)]
async fn a_heartbeat_never_makes_a_lock_shorter() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let before = world.record().await.get("LockedUntil").cloned();
    let work = async {
        // The wall clock is set back, and then the heart beats.
        world.store.clock().advance(Seconds(-30));
        sleep(Duration::from_secs(25)).await;
        world.record().await.get("LockedUntil").cloned()
    };
    let Guarded::Done(after) = attempt.guard(work).await else { panic!("it is ours") };
    assert_eq!(after, before);
    assert!(before.as_ref().and_then(Value::as_s).is_some());
    let claim = world.other().claim(&intent("k", "a")).await.unwrap();
    assert!(matches!(claim, Claim::Running { .. }), "{claim:?}");
}

/// The heartbeat took an own completion for another's claim, and dropped the work in the middle.
#[tokio::test(start_paused = true)]
async fn work_that_completed_itself_goes_on_where_the_store_does_not_tell_what_stood_in_the_way() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let work = async {
        let _ = attempt.complete(&answer("own")).await.unwrap();
        let silent = StoreError::ConditionalCheckFailed { item: None };
        world.store.trouble("UpdateItem", Trouble::Refused(silent));
        sleep(Duration::from_secs(200)).await;
        "went on"
    };
    assert!(matches!(attempt.guard(work).await, Guarded::Done("went on")));
}
