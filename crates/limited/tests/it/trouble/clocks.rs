//! Clocks that jump, and clocks that differ between processes. Within a minute, what others counted counts; what is further ahead is a
//! mistake, and closes nothing for longer than it takes to be seen.

use std::sync::Arc;

use limited::{Calendar, Limit, Limiter, Policy};
use tabletheory::Db;
use tabletheory_core::{ManualClock, Timestamp};

use crate::world::{BEGINNING_MS, World, check, strict, whole_ms};

const HOUR_MS: i64 = 3_600_000;

fn limits() -> Vec<(&'static str, Vec<Limit>)> {
    let minute = Limit::per_minute(10);
    vec![
        ("bucket", vec![minute]),
        ("fixed", vec![minute.fixed_window()]),
        ("sliding", vec![minute.sliding_window()]),
        ("log", vec![minute.sliding_log()]),
        ("quota", vec![Limit::quota(10, Calendar::Hour)]),
        ("all", vec![minute, minute.fixed_window(), minute.sliding_window(), minute.sliding_log()]),
    ]
}

fn drain(limiter: &Limiter, policy: &Policy) -> u64 {
    (0..100).take_while(|_| check(limiter, policy, "a", 1).is_allowed()).count() as u64
}

#[test]
fn however_a_clock_jumps_no_jump_gives_more_than_the_limit_once_and_nobody_is_closed_out_for_hours() {
    for (name, limits) in limits() {
        for jump_ms in [HOUR_MS, -HOUR_MS, 90_000, -90_000] {
            let world = World::new();
            // In the middle of an hour and of a minute.
            world.set_ms(BEGINNING_MS + HOUR_MS / 2 + 30_000);
            let limiter = world.limiter(strict());
            let policy = Policy::new(name, limits.clone()).unwrap();
            assert_eq!(drain(&limiter, &policy), 10, "{name}");
            world.pass_ms(jump_ms);
            assert!(drain(&limiter, &policy) <= 10, "{name} after {jump_ms} ms");
            world.pass_ms(-jump_ms);
            assert!(drain(&limiter, &policy) <= 10, "{name} after {jump_ms} ms and back");
            // A window that the wrong clock used up is used up when its time comes; the one after it is not.
            world.pass_ms(if name == "quota" { 2 * HOUR_MS } else { 2 * 60_000 + 90_000 });
            assert_eq!(drain(&limiter, &policy), 10, "{name} is open again after {jump_ms} ms");
        }
    }
}

#[test]
fn a_clock_that_jumps_changes_no_number_of_calls_by_more_than_one() {
    for (name, limits) in limits() {
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = Policy::new(name, limits).unwrap();
        let jumps = [HOUR_MS, -HOUR_MS, 90_000, -90_000, -1, 1, -59_000, 59_000, -61_000, 61_000];
        for jump_ms in jumps {
            let before = limiter.counts().store_calls;
            let _ = check(&limiter, &policy, "a", 1);
            world.pass_ms(jump_ms);
            let _ = check(&limiter, &policy, "a", 1);
            assert!(limiter.counts().store_calls - before <= 4, "{name} by {jump_ms} ms");
        }
    }
}

/// A process whose clock is wrong, at the same store.
fn elsewhere(world: &World, wrong_by_ms: i64) -> (Limiter, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at(Timestamp::from_millis(world.now_ms() + wrong_by_ms)));
    let db: Db = world.db.clone().with_clock(Arc::clone(&clock) as _);
    (Limiter::new(db).with_settings(strict()).unwrap(), clock)
}

#[test]
fn a_process_whose_clock_is_behind_by_less_than_a_minute_gets_nothing_that_others_took() {
    for (name, limits) in limits() {
        // Windows with a row of their own count where each clock is, so each of them keeps its limit, but not both together.
        if matches!(name, "fixed" | "quota") {
            continue;
        }
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = Policy::new(name, limits).unwrap();
        assert_eq!(drain(&limiter, &policy), 10);
        for behind_ms in [1, 999, 30_000, 59_000] {
            let (other, _) = elsewhere(&world, -behind_ms);
            assert_eq!(drain(&other, &policy), 0, "{name} behind by {behind_ms} ms");
        }
    }
}

#[test]
fn a_clock_that_is_behind_is_told_the_wait_by_its_own_time() {
    for (name, limits) in limits() {
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = Policy::new(name, limits).unwrap();
        assert_eq!(drain(&limiter, &policy), 10);
        let (other, clock) = elsewhere(&world, -5_000);
        let Some(told) = check(&other, &policy, "a", 1).retry_after else { continue };
        clock.set(Timestamp::from_millis(world.now_ms() - 5_000 + whole_ms(told)));
        assert!(check(&other, &policy, "a", 1).is_allowed(), "{name}: {told:?} were told");
    }
}

#[test]
fn clocks_at_the_ends_of_time_do_not_panic() {
    for (name, limits) in limits() {
        for now_ms in [i64::MIN, i64::MIN / 2, -1, 0, i64::MAX / 1_000_000, i64::MAX / 2, i64::MAX] {
            let world = World::new();
            world.set_ms(now_ms);
            let limiter = world.limiter(strict());
            let policy = Policy::new(name, limits.clone()).unwrap();
            for _ in 0..3 {
                let _ = futures_executor::block_on(limiter.check(&policy, "a", 1));
            }
        }
    }
}
