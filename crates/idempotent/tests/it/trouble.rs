//! Answers that are lost, stores that are slow, busy or not there.

use std::time::Duration;

use idempotent::{Claim, Completion, Failure, Release};
use tabletheory::testing::Trouble;
use tabletheory_core::Value;

use crate::world::{World, answer, granted, intent, is_running, replayed};

#[tokio::test(start_paused = true)]
async fn a_claim_whose_answer_was_lost_is_ours() {
    let world = World::new().await;
    world.store.trouble("UpdateItem", Trouble::LostAnswer);
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    assert_eq!(world.store.count("UpdateItem"), 2);
    is_running(world.other().claim(&intent("k", "a")).await.unwrap());
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_lost_on_its_way_is_sent_again() {
    let world = World::new().await;
    world.store.trouble("UpdateItem", Trouble::LostRequest);
    assert_eq!(granted(world.requests.claim(&intent("k", "a")).await.unwrap()).number(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_cannot_be_settled_is_an_error_and_blocks_for_a_term_only() {
    let world = World::new().await;
    for _ in 0..2 {
        world.store.trouble("UpdateItem", Trouble::LostAnswer);
    }
    let error = world.requests.claim(&intent("k", "a")).await.unwrap_err();
    assert!(error.is_ambiguous(), "{error}");
    is_running(world.other().claim(&intent("k", "a")).await.unwrap());
    world.pass(63);
    let _ = granted(world.other().claim(&intent("k", "a")).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_completion_whose_answer_was_lost_is_completed() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world.store.trouble("UpdateItem", Trouble::LostAnswer);
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    assert_eq!(attempt.complete(&answer("again")).await.unwrap(), Completion::Completed, "its own is known");
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, answer("done"));
}

#[tokio::test(start_paused = true)]
async fn a_completion_that_cannot_be_settled_is_unknown_and_never_a_guess() {
    for trouble in [Trouble::LostAnswer, Trouble::LostRequest] {
        let world = World::new().await;
        let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
        world.store.trouble("UpdateItem", trouble.clone());
        world.store.trouble("UpdateItem", Trouble::LostRequest);
        assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Unknown);
        // Asked again when the store answers, it is known.
        assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed, "{trouble:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_attempt_whose_answer_was_lost_is_its_end() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world.store.trouble("UpdateItem", Trouble::LostAnswer);
    assert_eq!(attempt.fail(Failure::Retryable).await.unwrap(), Release::Released);
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world.store.trouble("DeleteItem", Trouble::LostAnswer);
    assert_eq!(attempt.release().await.unwrap(), Release::NotOurs, "it is not ours in any case");
    assert!(world.rows().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_busy_store_is_waited_for_and_one_that_stays_busy_is_an_error() {
    let world = World::new().await;
    for trouble in [Trouble::Throttled, Trouble::Conflict, Trouble::NotReached] {
        world.store.trouble("UpdateItem", trouble);
    }
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    attempt.release().await.unwrap();
    for _ in 0..10 {
        world.store.trouble("UpdateItem", Trouble::NotReached);
    }
    let error = world.requests.claim(&intent("k", "a")).await.unwrap_err();
    assert!(!error.is_ambiguous(), "{error}");
    assert!(world.rows().await.is_empty(), "nothing was claimed");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_slow_is_not_a_reason_to_run_twice() {
    let world = World::new().await;
    world.store.trouble("UpdateItem", Trouble::Slow(Duration::from_secs(20)));
    let (first, second) = (intent("k", "a"), intent("k", "a"));
    let (requests, other) = (world.requests.clone(), world.other());
    let (slow, quick) = tokio::join!(requests.claim(&first), other.claim(&second));
    let granted =
        [slow.unwrap(), quick.unwrap()].into_iter().filter(|claim| matches!(claim, Claim::Granted(_)));
    assert_eq!(granted.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_of_a_large_body_does_no_harm() {
    let world = World::new().await;
    let large = answer(&"x".repeat(50_000));
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    world.store.trouble("PutItem", Trouble::LostAnswer);
    assert_eq!(attempt.complete(&large).await.unwrap(), Completion::Completed);
    assert_eq!(replayed(world.other().claim(&intent("k", "a")).await.unwrap()).response, large);
}

#[tokio::test(start_paused = true)]
async fn a_late_double_of_a_claim_does_not_undo_the_answer() {
    let world = World::new().await;
    let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
    let claim = world.store.calls().into_iter().find(|call| call.name() == "UpdateItem").unwrap();
    assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
    let answered = world.record().await;
    let late = tabletheory_core::Store::call(&world.store, claim).await;
    assert!(late.is_err());
    assert_eq!(world.record().await, answered);
}

#[tokio::test(start_paused = true)]
async fn a_late_double_of_a_release_or_failure_does_not_undo_the_answer() {
    for operation in ["DeleteItem", "UpdateItem"] {
        let world = World::new().await;
        let attempt = granted(world.requests.claim(&intent("k", "a")).await.unwrap());
        world.store.forget_calls();
        // They are sent, lost on the way, and come after the answer.
        for _ in 0..2 {
            world.store.trouble(operation, Trouble::LostRequest);
        }
        match operation {
            "DeleteItem" => drop(attempt.release().await.unwrap_err()),
            _ => drop(attempt.fail(Failure::Final).await.unwrap_err()),
        }
        let late = world.store.calls().remove(0);
        assert_eq!(attempt.complete(&answer("done")).await.unwrap(), Completion::Completed);
        assert!(tabletheory_core::Store::call(&world.store, late).await.is_err());
        assert_eq!(world.record().await.get("Status"), Some(&Value::s("COMPLETED")));
    }
}
