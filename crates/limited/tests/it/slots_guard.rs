//! The guard of a slot in paused time: work goes on as long as the slot is held, and stops before others could have it.

use std::sync::Arc;
use std::time::Duration;

use limited::slots::{Acquire, Guarded, Release, Slot, Slots};
use tabletheory::Db;
use tabletheory::testing::{TestStore, Trouble};
use tabletheory_core::{Clock, ManualClock, Seconds, Timestamp};
use tokio::time::{Instant, sleep, timeout};

use crate::slots::{TERM, WHO, store};

/// A wall clock that runs with tokio's time, and can be set wrong on top of that.
#[derive(Debug)]
struct RunningClock {
    began: Instant,
    set: ManualClock,
}

impl RunningClock {
    fn start() -> Arc<Self> {
        Arc::new(Self { began: Instant::now(), set: ManualClock::at(Timestamp::from_seconds(1_704_067_200)) })
    }
}

impl Clock for RunningClock {
    fn now(&self) -> Timestamp {
        let ran_ms = i64::try_from(self.began.elapsed().as_millis()).unwrap();
        Timestamp::from_millis(self.set.now().millis() + ran_ms)
    }
}

fn process(store: &TestStore, clock: &Arc<RunningClock>) -> Slots {
    let db = Db::new(store.clone()).with_clock(Arc::clone(clock) as _);
    Slots::new(db, "exports", 1, TERM).unwrap()
}

async fn acquired(slots: &Slots) -> Slot {
    match slots.try_acquire(WHO).await.unwrap() {
        Acquire::Acquired(slot) => slot,
        Acquire::Full { retry_after } => panic!("full for {retry_after:?}"),
    }
}

/// How long endless work went on in a slot, and whether the store is to blame.
async fn endless(slot: Slot) -> (Duration, bool) {
    let began = Instant::now();
    let guarded = timeout(Duration::from_secs(3_600), slot.guard(std::future::pending::<()>()));
    match guarded.await.expect("the guard ends") {
        Guarded::Done((), slot) => panic!("endless work ended: {slot:?}"),
        Guarded::Lost { error } => (began.elapsed(), error.is_some()),
    }
}

#[tokio::test(start_paused = true)]
async fn work_longer_than_the_term_is_done_and_the_slot_is_ours_all_the_time() {
    let (store, clock) = (store().await, RunningClock::start());
    let (ours, theirs) = (process(&store, &clock), process(&store, &clock));
    let slot = acquired(&ours).await;
    let work = async {
        for _ in 0..30 {
            sleep(Duration::from_secs(5)).await;
            assert!(matches!(theirs.try_acquire(WHO).await.unwrap(), Acquire::Full { .. }));
        }
        "done"
    };
    let Guarded::Done("done", slot) = slot.guard(work).await else { panic!("the slot was kept") };
    assert_eq!(slot.release().await.unwrap(), Release::Released);
}

#[tokio::test(start_paused = true)]
async fn short_work_sends_nothing() {
    let (store, clock) = (store().await, RunningClock::start());
    let slot = acquired(&process(&store, &clock)).await;
    assert!(matches!(slot.guard(sleep(Duration::from_secs(9))).await, Guarded::Done((), _)));
    assert_eq!(store.calls().len(), 1, "the slot alone was asked for");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_not_reached_ends_the_work_before_the_term() {
    let (store, clock) = (store().await, RunningClock::start());
    let slot = acquired(&process(&store, &clock)).await;
    for _ in 0..100 {
        store.trouble("UpdateItem", Trouble::NotReached);
    }
    assert_eq!(endless(slot).await, (Duration::from_secs(25), true));
    let asked = store.calls().len();
    assert!((3..=20).contains(&asked), "it was asked again, within bounds: {asked}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_says_nothing_ends_the_work_before_the_term() {
    let (store, clock) = (store().await, RunningClock::start());
    let slot = acquired(&process(&store, &clock)).await;
    store.trouble("UpdateItem", Trouble::Slow(Duration::from_secs(3_600)));
    assert_eq!(endless(slot).await, (Duration::from_secs(25), false));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_for_a_while_does_not_end_the_work() {
    let (store, clock) = (store().await, RunningClock::start());
    let slot = acquired(&process(&store, &clock)).await;
    for trouble in [Trouble::NotReached, Trouble::LostAnswer, Trouble::Throttled, Trouble::LostRequest] {
        store.trouble("UpdateItem", trouble);
    }
    assert!(matches!(slot.guard(sleep(Duration::from_secs(100))).await, Guarded::Done((), _)));
}

#[tokio::test(start_paused = true)]
async fn a_wall_clock_that_jumps_ahead_ends_the_work_at_the_next_look() {
    let (store, clock) = (store().await, RunningClock::start());
    let slot = acquired(&process(&store, &clock)).await;
    let jump = tokio::spawn(async move {
        sleep(Duration::from_millis(2_500)).await;
        clock.set.advance(Seconds(26));
    });
    let (worked, blamed) = endless(slot).await;
    assert!(worked <= Duration::from_millis(3_500) && !blamed, "{worked:?}");
    jump.await.unwrap();
}
