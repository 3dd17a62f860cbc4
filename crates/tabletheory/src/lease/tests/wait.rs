//! Waiting for a lease in paused time.

use std::time::Duration;

use tabletheory_core::{Clock, Seconds, StoreError};
use tokio::time::{Instant, sleep};

use super::world::Fault::{AnswerLost, Down};
use super::world::{PAGE, RunningClock, START, World, granted};
use crate::lease::{Acquire, Release};

#[tokio::test(start_paused = true)]
async fn a_waiter_wakes_when_the_holder_expires() {
    let clock = RunningClock::start();
    let world = World::running(&clock);
    let held = granted(&world.ours, 30).await;
    let answer = world.theirs.acquire_within(PAGE, Seconds(30), Duration::from_secs(60)).await.unwrap();
    assert!(matches!(answer, Acquire::Granted(_)));
    assert_eq!(clock.now(), held.expires_at());
    let asked = world.store.sent.lock().unwrap().len();
    assert!((30..=70).contains(&asked), "bounded polling: {asked}");
}

#[tokio::test(start_paused = true)]
async fn a_waiter_notices_a_release_within_a_second() {
    let world = World::running(&RunningClock::start());
    let lease = granted(&world.ours, 30).await;
    let began = Instant::now();
    let release = async {
        sleep(Duration::from_secs(10)).await;
        assert_eq!(lease.release().await.unwrap(), Release::Released);
    };
    let wait = world.theirs.acquire_within(PAGE, Seconds(30), Duration::from_secs(60));
    let (answer, ()) = tokio::join!(wait, release);
    assert!(matches!(answer.unwrap(), Acquire::Granted(_)));
    assert!(began.elapsed() <= Duration::from_secs(11), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn when_the_time_is_over_the_holder_is_named_by_its_end() {
    let clock = RunningClock::start();
    let world = World::running(&clock);
    let _lease = granted(&world.ours, 30).await;
    let began = Instant::now();
    let answer = world.theirs.acquire_within(PAGE, Seconds(30), Duration::from_millis(2_345)).await.unwrap();
    assert!(matches!(answer, Acquire::HeldUntil(until) if until == START + Seconds(30)));
    assert_eq!(began.elapsed(), Duration::from_millis(2_345));
}

#[tokio::test(start_paused = true)]
async fn without_time_to_wait_the_lease_is_asked_for_once() {
    let world = World::running(&RunningClock::start());
    let answer = world.ours.acquire_within(PAGE, Seconds(30), Duration::ZERO).await.unwrap();
    assert!(matches!(answer, Acquire::Granted(_)));
    let answer = world.theirs.acquire_within(PAGE, Seconds(30), Duration::ZERO).await.unwrap();
    assert!(matches!(answer, Acquire::HeldUntil(_)));
    assert_eq!(world.store.sent.lock().unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_waiter_recognises_its_own_attempt_that_could_not_be_settled() {
    let world = World::running(&RunningClock::start());
    let began = Instant::now();
    world.store.will([AnswerLost, Down, Down]);
    let answer = world.ours.acquire_within(PAGE, Seconds(30), Duration::from_secs(5)).await.unwrap();
    let Acquire::Granted(lease) = answer else { panic!("it lost to itself") };
    assert_eq!(world.holder().as_deref(), Some(lease.token()));
    assert!(began.elapsed() < Duration::from_secs(1), "it did not wait for its own lease to end");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stays_down_is_an_error_when_the_time_is_over() {
    let world = World::running(&RunningClock::start());
    world.store.always(Down);
    let began = Instant::now();
    let answer = world.ours.acquire_within(PAGE, Seconds(30), Duration::from_secs(5)).await;
    assert_eq!(answer.unwrap_err(), StoreError::Unavailable("connection refused".into()));
    assert_eq!(began.elapsed(), Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn an_error_that_will_not_pass_is_told_at_once() {
    let world = World::running(&RunningClock::start());
    let answer = world.ours.acquire_within("", Seconds(30), Duration::from_secs(5)).await;
    assert!(matches!(answer, Err(StoreError::Validation(_))), "{answer:?}");
    assert_eq!(world.store.sent.lock().unwrap().len(), 1);
}
