//! Costs that are known only afterwards: what was reserved is settled up, down, to nothing, late, and after it is forgotten.

use futures_executor::block_on;
use limited::{Limit, LimiterSettings, Policy};
use tabletheory_core::store::op::Scan;
use tabletheory_core::{StoreExt as _, Value};

use super::{rules, used};
use crate::world::{World, check, strict};

#[test]
fn what_was_reserved_is_replaced_by_what_it_took() {
    for policy in rules(50) {
        for actual in [0, 1, 19, 20, 21, 50, 70] {
            let world = World::new();
            let limiter = world.limiter(strict());
            let reserved = block_on(limiter.reserve(&policy, "a", 20)).unwrap();
            assert!(reserved.decision.is_allowed());
            block_on(reserved.settle(actual)).unwrap();
            let used = used(&limiter, &policy, "a");
            // More than there is can be owed, and is denied to those who come after. A bucket owes no more than half a minute.
            let is_charged = |used: &u64| if actual <= 50 { *used == actual } else { *used > 50 };
            assert!(used.iter().all(is_charged), "{}: {used:?} for {actual}", policy.name());
            assert_eq!(
                check(&limiter, &policy, "a", 1).is_allowed(),
                actual < 50,
                "{} {actual}",
                policy.name()
            );
        }
    }
}

#[test]
fn a_denied_reservation_settles_nothing() {
    let world = World::new();
    let limiter = world.limiter(strict());
    for policy in rules(5) {
        assert!(check(&limiter, &policy, "a", 5).is_allowed());
        let reserved = block_on(limiter.reserve(&policy, "a", 1)).unwrap();
        assert!(!reserved.decision.is_allowed());
        block_on(reserved.settle(0)).unwrap();
        assert_eq!(used(&limiter, &policy, "a")[0], 5, "{}", policy.name());
    }
}

#[test]
fn absurd_settlements_do_no_harm_beyond_the_period() {
    for policy in rules(50) {
        let world = World::new();
        let limiter = world.limiter(strict());
        for _ in 0..3 {
            let reserved = block_on(limiter.reserve(&policy, "a", 1)).unwrap();
            block_on(reserved.settle(u64::MAX)).unwrap();
        }
        assert!(!check(&limiter, &policy, "a", 1).is_allowed(), "{}", policy.name());
        world.pass_ms(2 * 24 * 3_600_000);
        assert!(check(&limiter, &policy, "a", 50).is_allowed(), "{}", policy.name());
    }
}

#[test]
fn after_the_window_has_rolled_less_gives_nothing_to_the_next() {
    for policy in rules(50) {
        let world = World::new();
        let limiter = world.limiter(strict());
        let reserved = block_on(limiter.reserve(&policy, "a", 20)).unwrap();
        world.pass_ms(2 * 24 * 3_600_000);
        assert!(check(&limiter, &policy, "a", 30).is_allowed());
        block_on(reserved.settle(0)).unwrap();
        assert!(used(&limiter, &policy, "a").iter().all(|used| *used == 30), "{}", policy.name());
    }
}

#[test]
fn units_of_a_lease_are_not_given_back_to_another_window() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let policy = Policy::new("p", [Limit::per_minute(40).fixed_window()])
        .and_then(|policy| policy.leased(10))
        .unwrap();
    assert!(check(&limiter, &policy, "a", 1).is_allowed());
    let reserved = block_on(limiter.reserve(&policy, "a", 1)).unwrap();
    assert_eq!(reserved.decision.source, limited::Source::Lease);
    world.pass_ms(60_000);
    assert!(check(&limiter, &policy, "a", 1).is_allowed());
    block_on(reserved.settle(0)).unwrap();
    let more = (0..100).filter(|_| check(&limiter, &policy, "a", 1).is_allowed()).count();
    assert_eq!(more, 39);
}

#[test]
fn what_this_process_has_forgotten_is_given_back_all_the_same() {
    for policy in rules(50) {
        let world = World::new();
        let limiter = world.limiter(LimiterSettings { remembered: 1, ..strict() });
        let reserved = block_on(limiter.reserve(&policy, "a", 20)).unwrap();
        for number in 0..100 {
            assert!(check(&limiter, &policy, &format!("other {number}"), 1).is_allowed());
        }
        block_on(reserved.settle(5)).unwrap();
        assert!(used(&limiter, &policy, "a").iter().all(|used| *used == 5), "{}", policy.name());
    }
}

#[test]
fn a_late_settlement_does_not_make_the_table_forget_what_is_still_counted() {
    for policy in rules(50) {
        let world = World::new();
        let limiter = world.limiter(strict());
        let reserved = block_on(limiter.reserve(&policy, "a", 20)).unwrap();
        world.pass_ms(12 * 3_600_000);
        assert!(check(&limiter, &policy, "a", 20).is_allowed());
        block_on(reserved.settle(0)).unwrap();
        let scan = Scan { table: "rate-limits".to_owned(), ..Scan::default() };
        let rows = block_on(world.db.store().scan(scan)).unwrap().items.unwrap();
        let expires =
            rows.iter().filter_map(|row| row.get("ExpiresAt").and_then(Value::as_n)?.to_i64()).max().unwrap();
        assert!(expires > world.now_ms() / 1_000, "{}: the row of today is kept", policy.name());
    }
}

/// A long reservation was given back whole although most of it had come back by itself, and a bucket of ten gave nineteen at once.
#[test]
fn units_that_came_back_by_themselves_are_not_given_back_again() {
    let policy = Policy::new("bucket", [Limit::per_second(1).burst(10)]).unwrap();
    let world = World::new();
    let limiter = world.limiter(strict());
    let reserved = block_on(limiter.reserve(&policy, "a", 10)).unwrap();
    world.pass_ms(9_900);
    assert!(check(&limiter, &policy, "a", 9).is_allowed());
    world.pass_ms(50);
    block_on(reserved.settle(0)).unwrap();
    let at_once = (0..10).filter(|_| check(&limiter, &policy, "a", 1).is_allowed()).count();
    assert!(at_once <= 1, "{at_once} more");
}

/// A lower burst took what others had charged for a clock's mistake: the bucket was full again whenever the two took turns.
#[test]
fn a_lower_burst_forgives_nothing() {
    let burst = |burst| Policy::new("bucket", [Limit::per_hour(1_000).burst(burst)]).unwrap();
    let (before, after) = (burst(1_000), burst(100));
    let world = World::new();
    let (old, new) = (world.limiter(strict()), world.limiter(strict()));
    let mut admitted = 0;
    for turn in 0..2_000 {
        let (limiter, policy) = if turn % 2 == 0 { (&old, &before) } else { (&new, &after) };
        admitted += u64::from(check(limiter, policy, "a", 1).is_allowed());
    }
    assert_eq!(admitted, 1_000);
}

#[test]
fn a_row_from_a_clock_that_was_days_ahead_lets_one_request_pass_and_is_an_empty_bucket_then() {
    let policy = Policy::new("bucket", [Limit::per_second(1).burst(10)]).unwrap();
    let world = World::new();
    let limiter = world.limiter(strict());
    world.pass_ms(3 * 24 * 3_600_000);
    assert!(check(&limiter, &policy, "a", 1).is_allowed());
    world.pass_ms(-3 * 24 * 3_600_000);
    let at_once = (0..10).filter(|_| check(&limiter, &policy, "a", 1).is_allowed()).count();
    assert_eq!(at_once, 1);
    world.pass_ms(1_000);
    assert!(check(&limiter, &policy, "a", 1).is_allowed());
}
