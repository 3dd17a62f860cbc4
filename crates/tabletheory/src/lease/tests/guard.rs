//! The guard in paused time: work goes on as long as the lease does, and stops before others could begin.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tabletheory_core::store::op::DeleteItem;
use tabletheory_core::{Clock, Seconds, StoreError};
use tokio::time::{Instant, sleep, timeout};

use super::world::Fault::{AnswerLost, Down, RequestLost, Stall};
use super::world::{Fault, RunningClock, World, granted, held_until};
use crate::lease::{Guarded, Release};

/// Tells when the work is dropped, and by how much it went on.
struct Work {
    began: Instant,
    dropped_after: Arc<Mutex<Option<Duration>>>,
}

impl Drop for Work {
    fn drop(&mut self) {
        *self.dropped_after.lock().unwrap() = Some(self.began.elapsed());
    }
}

/// Runs endless work under a lease of 30 seconds, and returns how long it went on and the store's last error.
async fn endless(world: &World) -> (Duration, Option<StoreError>) {
    let lease = granted(&world.ours, 30).await;
    let dropped_after = Arc::new(Mutex::new(None));
    let work = Work { began: Instant::now(), dropped_after: Arc::clone(&dropped_after) };
    let guarded = lease.guard(async move {
        let _work = work;
        std::future::pending::<()>().await;
    });
    match timeout(Duration::from_secs(3600), guarded).await.expect("the guard ends") {
        Guarded::Done((), lease) => panic!("endless work ended: {lease:?}"),
        Guarded::Lost { error } => (dropped_after.lock().unwrap().expect("the work was dropped"), error),
    }
}

#[tokio::test(start_paused = true)]
async fn work_longer_than_the_term_is_done_and_the_lease_is_ours_all_the_time() {
    let clock = RunningClock::start();
    let world = World::running(&clock);
    let lease = granted(&world.ours, 30).await;
    let theirs = world.theirs.clone();
    let work = async {
        for _ in 0..60 {
            sleep(Duration::from_secs(5)).await;
            assert!(held_until(&theirs, 30).await > clock.now());
        }
        "done"
    };
    let Guarded::Done("done", lease) = lease.guard(work).await else { panic!("the lease was kept") };
    assert_eq!(lease.release().await.unwrap(), Release::Released);
}

#[tokio::test(start_paused = true)]
async fn short_work_sends_nothing() {
    let world = World::running(&RunningClock::start());
    let lease = granted(&world.ours, 30).await;
    let guarded = lease.guard(sleep(Duration::from_secs(9))).await;
    assert!(matches!(guarded, Guarded::Done((), _)));
    assert_eq!(world.store.sent.lock().unwrap().len(), 1, "the acquire alone");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_stalls_ends_the_work_before_the_lease() {
    let world = World::running(&RunningClock::start());
    world.store.will([Fault::None, Stall]);
    let (worked, error) = endless(&world).await;
    assert_eq!((worked, error), (Duration::from_secs(25), None));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_down_ends_the_work_before_the_lease_and_is_named() {
    let world = World::running(&RunningClock::start());
    world.store.will([Fault::None]);
    world.store.always(Down);
    let (worked, error) = endless(&world).await;
    assert_eq!(worked, Duration::from_secs(25));
    assert_eq!(error, Some(StoreError::Unavailable("connection refused".into())));
    let asked = world.store.sent.lock().unwrap().len();
    assert!((3..=20).contains(&asked), "it was asked again, within bounds: {asked}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_for_a_while_does_not_end_the_work() {
    let world = World::running(&RunningClock::start());
    let lease = granted(&world.ours, 30).await;
    world.store.will([Down, RequestLost, RequestLost, Down, AnswerLost, Down, AnswerLost]);
    let guarded = lease.guard(sleep(Duration::from_secs(100))).await;
    assert!(matches!(guarded, Guarded::Done((), _)), "{guarded:?}");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_was_deleted_ends_the_work_at_the_next_heartbeat() {
    let world = World::running(&RunningClock::start());
    let lease = granted(&world.ours, 30).await;
    let began = Instant::now();
    // A purge deletes the row whoever holds it.
    let delete = DeleteItem { table: "cache".into(), key: lease.key(), ..DeleteItem::default() };
    world.store.engine.run(delete).unwrap();
    let guarded = lease.guard(std::future::pending::<()>()).await;
    assert!(matches!(guarded, Guarded::Lost { error: None }));
    assert_eq!(began.elapsed(), Duration::from_secs(10));
    assert_eq!(world.row(), None, "a refresh does not make the row again");
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_jumps_forward_ends_the_work_at_the_next_look() {
    let clock = RunningClock::start();
    let world = World::running(&clock);
    // In a task of its own: nothing but its own timer wakes the guard.
    let jump = tokio::spawn(async move {
        sleep(Duration::from_millis(2500)).await;
        clock.set.advance(Seconds(26));
    });
    let (worked, error) = endless(&world).await;
    jump.await.unwrap();
    assert_eq!((worked, error), (Duration::from_secs(3), None), "there is a look at every second");
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_jumps_back_gives_the_work_no_time() {
    let clock = RunningClock::start();
    let world = World::running(&clock);
    let jump = async {
        sleep(Duration::from_secs(1)).await;
        clock.set.advance(Seconds(-3600));
    };
    let ((worked, _), ()) = tokio::join!(endless(&world), jump);
    assert_eq!(worked, Duration::from_secs(25), "the process's own clock ends it");
}

#[tokio::test(start_paused = true)]
async fn work_under_a_lease_that_is_over_does_not_begin() {
    let clock = RunningClock::start();
    let world = World::running(&clock);
    let lease = granted(&world.ours, 30).await;
    sleep(Duration::from_secs(25)).await;
    let began = AtomicBool::new(false);
    let guarded = lease.guard(async { began.store(true, Ordering::SeqCst) }).await;
    assert!(matches!(guarded, Guarded::Lost { error: None }));
    assert!(!began.into_inner());
}

#[tokio::test(start_paused = true)]
async fn the_result_of_work_that_blocked_past_the_margin_is_given_up() {
    let clock = RunningClock::start();
    let world = World::running(&clock);
    let lease = granted(&world.ours, 30).await;
    let blocks = async { clock.set.advance(Seconds(25)) };
    assert!(matches!(lease.guard(blocks).await, Guarded::Lost { error: None }));
}
