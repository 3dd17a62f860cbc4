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
