//! What is asked of the store, and what happens without it.

use super::*;

/// More than any back-off tries.
const OUTAGE: usize = 50;

fn outage(world: &World) {
    for _ in 0..OUTAGE {
        world.store.trouble("UpdateItem", Trouble::NotReached);
    }
}

/// Lift took a store that it could not read for a new request, and ran it again (G32).
#[tokio::test(start_paused = true)]
async fn without_the_store_nothing_runs_twice_in_silence() {
    let world = World::new().await;
    outage(&world);
    let seen = world.call(&world.layer(), post("/orders")).await;
    assert_eq!((seen.status, seen.code().as_str()), (503, "idempotency_unavailable"));
    assert_eq!((seen.header("retry-after"), world.begun()), ("1", 0));
}

#[tokio::test(start_paused = true)]
async fn whoever_wants_it_so_runs_without_the_store() {
    let world = World::new().await;
    let layer = world.layer().on_store_failure(OnStoreFailure::RunUnprotected);
    outage(&world);
    let seen = world.call(&layer, post("/orders")).await;
    assert_eq!((seen.status, seen.body.as_str()), (201, "run 1 of {}"));
    outage(&world);
    let panicked = world.call(&layer, post("/panic")).await;
    assert_eq!((panicked.status, panicked.code().as_str()), (500, "internal_error"));
}

/// A table of another shape switched Lift's protection off, and nobody noticed (G32).
#[tokio::test]
async fn a_table_that_is_not_there_is_an_error_of_the_server_in_any_case() {
    let world = World { machine: Idempotency::new(TestStore::new().db()), ..World::new().await };
    let layer = world.layer().on_store_failure(OnStoreFailure::RunUnprotected);
    let seen = world.call(&layer, post("/orders")).await;
    assert_eq!((seen.status, seen.code().as_str(), world.begun()), (500, "internal_error", 0));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_written_down_is_still_what_happened() {
    let world = World::new().await;
    let layer = world.layer();
    let trouble = async {
        world.until_begun(1).await;
        outage(&world);
        world.open();
    };
    let (first, ()) = tokio::join!(world.call(&layer, post("/gate")), trouble);
    assert_eq!((first.status, first.body.as_str()), (201, "run 1 of {}"));
}

#[tokio::test]
async fn the_first_request_takes_two_calls_and_a_repetition_one_or_none() {
    let mut world = World::new().await;
    world.store.forget_calls();
    world.call(&world.layer(), post("/orders")).await;
    assert_eq!(world.store.calls().len(), 2);
    world.call(&world.layer(), post("/orders")).await;
    assert_eq!(world.store.calls().len(), 2, "this process knows the answer");
    world.machine = Idempotency::new(world.store.db());
    assert!(world.call(&world.layer(), post("/orders")).await.is_replay());
    assert_eq!(world.store.calls().len(), 3);
}

/// Whatever else the store does not tell: it has said that there is a record.
#[tokio::test(start_paused = true)]
async fn what_was_seen_to_be_done_or_running_does_not_run_unprotected() {
    let world = World::new().await;
    let layer = world.layer().on_store_failure(OnStoreFailure::RunUnprotected);
    assert_eq!(world.call(&layer, post("/large")).await.status, 201);
    assert_eq!(world.call(&layer, post("/orders")).await.status, 201);
    // Another process, which remembers nothing.
    let mut other = World { machine: Idempotency::new(world.store.db()), ..world.clone() };
    let layer = other.layer().on_store_failure(OnStoreFailure::RunUnprotected);
    let unread = |times: usize| (0..times).for_each(|_| other.store.trouble("GetItem", Trouble::Throttled));
    unread(OUTAGE);
    let seen = other.call(&layer, post("/large")).await;
    assert_eq!(
        (seen.status, seen.code().as_str()),
        (503, "idempotency_unavailable"),
        "its body is elsewhere"
    );
    let silent = StoreError::ConditionalCheckFailed { item: None };
    other.store.trouble("UpdateItem", Trouble::Refused(silent));
    let seen = other.call(&layer, post("/orders")).await;
    assert_eq!((seen.status, world.begun()), (503, 2), "a store that does not tell what stood in the way");

    let settings = Settings { wait_up_to: std::time::Duration::from_secs(10), ..Settings::default() };
    other.machine = other.machine.with_settings(settings).expect("settings that make sense");
    let layer = other.layer().on_store_failure(OnStoreFailure::RunUnprotected);
    let meanwhile = async {
        world.until_begun(3).await;
        let wait = async {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            outage(&world);
        };
        let call =
            tokio::time::timeout(std::time::Duration::from_secs(60), other.call(&layer, post("/gate")));
        let (seen, ()) = tokio::join!(call, wait);
        let seen = seen.expect("nothing that waits behind the gate was begun");
        assert_eq!((seen.status, world.begun()), (503, 3), "another was seen to do it");
        world.open();
    };
    let first = world.layer();
    tokio::join!(world.call(&first, post("/gate")), meanwhile);
}

/// A store that is busy for longer than one back-off, and not for longer than the lock.
#[tokio::test(start_paused = true)]
async fn an_answer_is_written_down_as_soon_as_the_store_takes_it() {
    let world = World::new().await;
    let layer = world.layer();
    let trouble = async {
        world.until_begun(1).await;
        (0..20).for_each(|_| world.store.trouble("UpdateItem", Trouble::Throttled));
        world.open();
    };
    let (first, ()) = tokio::join!(world.call(&layer, post("/gate")), trouble);
    assert_eq!(first.status, 201);
    let other = World { machine: Idempotency::new(world.store.db()), ..world.clone() };
    assert!(other.call(&other.layer(), post("/gate")).await.is_replay());
    assert_eq!(world.begun(), 1);
}

/// The lock of a handler that was done ended while its answer was on its way, and the next who came did it again.
#[tokio::test(start_paused = true)]
async fn the_lock_is_kept_while_an_answer_is_written_down() {
    let world = World::new().await;
    let layer = world.layer();
    world.store.trouble("PutItem", Trouble::Slow(std::time::Duration::from_secs(100)));
    let meanwhile = async {
        for _ in 0..90 {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            world.store.advance(Seconds(1));
        }
        let seen = world.call(&layer, post("/large")).await;
        assert_eq!((seen.status, seen.code().as_str()), (409, "request_running"));
    };
    let (first, ()) = tokio::join!(world.call(&layer, post("/large")), meanwhile);
    assert_eq!((first.status, world.begun()), (201, 1));
    assert!(world.call(&layer, post("/large")).await.is_replay());
}

/// What is done is told, also if the lock is lost before it is written down.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_written_down_too_late_is_still_what_happened() {
    let world = World::new().await;
    let layer = world.layer();
    world.store.trouble("PutItem", Trouble::Slow(std::time::Duration::from_secs(30)));
    let jump = async {
        world.until_begun(1).await;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        world.store.advance(Seconds(90));
    };
    let (first, ()) = tokio::join!(world.call(&layer, post("/large")), jump);
    assert_eq!(first.status, 201);
    assert!(world.call(&layer, post("/large")).await.is_replay());
    assert_eq!(world.begun(), 1);
}
