//! What decisions cost: calls of the store, counted by the limiter and by a meter around the store. Nothing is timed.

use std::time::Duration;

use futures_executor::block_on;
use limited::{Calendar, Limit, Limiter, LimiterSettings, Policy};
use tabletheory_core::{Entropy as _, SeededEntropy};

use crate::world::{World, check, strict};

const IDENTIFIERS: u64 = 4;

/// Whole numbers below a bound, the same in each run.
struct Dice(SeededEntropy);

impl Dice {
    fn below(&self, bound: u64) -> u64 {
        u64::try_from(self.0.bits() % u128::from(bound)).unwrap()
    }
}

fn rules() -> [(&'static str, Vec<Limit>); 7] {
    let second = Limit::per_second(10);
    [
        ("bucket", vec![second.burst(15)]),
        ("fixed", vec![second.fixed_window()]),
        ("sliding", vec![second.sliding_window()]),
        ("log", vec![second.sliding_log()]),
        ("quota", vec![Limit::quota(500, Calendar::Hour)]),
        (
            "three",
            vec![second, Limit::per_minute(200).sliding_window(), Limit::per_hour(5_000).fixed_window()],
        ),
        ("others", vec![second.sliding_log(), Limit::quota(300, Calendar::Day), second.fixed_window()]),
    ]
}

/// Bursts, pauses of every length and rolls of windows; some requests are denied and some not.
fn mixed(world: &World, limiters: &[Limiter], policy: &Policy, decisions: u64) -> (u64, u64) {
    let dice = Dice(SeededEntropy::new(7));
    let (mut allowed, mut denied) = (0, 0);
    for _ in 0..decisions {
        let pause_ms = match dice.below(1_000) {
            0..970 => dice.below(3),
            970..990 => dice.below(300),
            990..998 => dice.below(3_000),
            _ => dice.below(200_000),
        };
        world.pass_ms(i64::try_from(pause_ms).unwrap());
        // Some identifiers are asked for much more often than others.
        let identifier = dice.below(IDENTIFIERS).min(dice.below(IDENTIFIERS)).to_string();
        let limiter = &limiters[usize::try_from(dice.below(limiters.len() as u64)).unwrap()];
        let is_allowed = check(limiter, policy, &identifier, 1 + dice.below(4) / 3).is_allowed();
        *if is_allowed { &mut allowed } else { &mut denied } += 1;
    }
    (allowed, denied)
}

#[test]
fn allow_first_hit_and_denial_cost_one_call_each_whatever_the_rule() {
    for (name, limits) in rules() {
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = Policy::new(name, limits).unwrap();
        let (allowed, denied) = mixed(&world, std::slice::from_ref(&limiter), &policy, 2_000);
        let (counted, metered) = (limiter.counts().store_calls, world.meter.take().calls);
        println!("{name}: {allowed} allowed, {denied} denied, {counted} calls");
        assert!(allowed > 100 && denied > 100, "{name}: {allowed} allowed, {denied} denied");
        assert_eq!((counted, metered), (2_000, 2_000), "{name}: 1.00 calls for a decision");
    }
}

#[test]
fn a_denial_is_one_call_of_at_most_two_write_units_and_no_read() {
    for (name, limits) in rules() {
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = Policy::new(name, limits).unwrap();
        while check(&limiter, &policy, "a", 1).is_allowed() {}
        let _ = world.meter.take();
        assert!(!check(&limiter, &policy, "a", 1).is_allowed());
        let usage = world.meter.take();
        assert_eq!((usage.calls, usage.read_units), (1, 0.0), "{name}");
        assert!(usage.write_units <= 2.0, "{name}: {} write units", usage.write_units);
    }
}

#[test]
fn under_five_times_the_load_the_deny_cache_leaves_a_quarter_of_the_calls() {
    for (name, limits) in
        [("bucket", vec![Limit::per_second(100)]), ("sliding", vec![Limit::per_second(100).sliding_window()])]
    {
        let world = World::new();
        let limiter = world.limiter(LimiterSettings::default());
        let policy = Policy::new(name, limits).unwrap();
        let mut allowed = 0_u64;
        // Five hundred a second for twenty seconds.
        for _ in 0..10_000 {
            world.pass_ms(2);
            allowed += u64::from(check(&limiter, &policy, "a", 1).is_allowed());
        }
        let counts = limiter.counts();
        println!("{name}: {allowed} allowed of 10000, {} calls", counts.store_calls);
        assert_eq!(
            (counts.denied_from_memory, counts.store_calls),
            (10_000 - counts.store_calls, world.meter.take().calls)
        );
        assert!(allowed >= 1_950, "{name}: what the limit gives is taken, {allowed}");
        assert!(counts.store_calls * 4 <= 10_000, "{name}: {} calls for 10000 decisions", counts.store_calls);
    }
}

#[test]
fn leases_of_fifty_take_five_calls_for_a_hundred_decisions_at_most() {
    let ample = Limit::per_second(100_000);
    for (name, limits) in
        [("bucket", vec![ample]), ("fixed", vec![Limit::per_hour(1_000_000).fixed_window()])]
    {
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = Policy::new(name, limits).and_then(|policy| policy.leased(50)).unwrap();
        for _ in 0..10_000 {
            // A thousand a second, so that units of a bucket are spent before they are lost.
            world.pass_ms(1);
            assert!(check(&limiter, &policy, "a", 1).is_allowed());
        }
        let (counted, metered) = (limiter.counts().store_calls, world.meter.take().calls);
        println!("{name}: {counted} calls for 10000 decisions");
        assert_eq!(counted, metered);
        assert!(counted * 100 <= 5 * 10_000, "{name}: {counted} calls for 10000 decisions");
    }
}

#[test]
fn four_processes_that_share_every_identifier_stay_below_two_calls_for_a_decision() {
    for (name, limits) in rules() {
        let world = World::new();
        let limiters: Vec<Limiter> = (0..4).map(|_| world.limiter(strict())).collect();
        let policy = Policy::new(name, limits).unwrap();
        mixed(&world, &limiters, &policy, 2_000);
        let counted: u64 = limiters.iter().map(|limiter| limiter.counts().store_calls).sum();
        println!(
            "{name}: {}.{:02} calls for a decision in four processes",
            counted / 2_000,
            counted % 2_000 / 20
        );
        assert_eq!(counted, world.meter.take().calls);
        // A window with a row of its own never has to guess; the others learn from the refusal what the row is.
        let most = if matches!(name, "fixed" | "quota") { 2_000 } else { 4_000 };
        assert!(counted <= most, "{name}: {counted} calls for 2000 decisions");
    }
}

#[test]
fn a_process_that_was_started_again_asks_once_more_at_most() {
    for (name, limits) in rules() {
        let world = World::new();
        let policy = Policy::new(name, limits).unwrap();
        assert!(check(&world.limiter(strict()), &policy, "a", 1).is_allowed());
        let again = world.limiter(strict());
        assert!(check(&again, &policy, "a", 1).is_allowed());
        assert!(again.counts().store_calls <= 2, "{name}");
        assert_eq!(block_on(again.peek(&policy, "a")).unwrap().limits[0].used, 2, "{name}: both are counted");
    }
}

#[test]
fn a_pause_of_any_length_costs_no_further_call() {
    for (name, limits) in rules() {
        let world = World::new();
        let limiter = world.limiter(strict());
        let policy = Policy::new(name, limits).unwrap();
        let pauses =
            [1, 50, 99, 100, 101, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 59_999, 3_600_000, 86_400_000];
        for pause in pauses.map(Duration::from_millis) {
            assert!(check(&limiter, &policy, "a", 1).is_allowed(), "{name} before a pause of {pause:?}");
            world.pass_ms(i64::try_from(pause.as_millis()).unwrap());
        }
        assert_eq!(limiter.counts().store_calls, pauses.len() as u64, "{name}");
    }
}
