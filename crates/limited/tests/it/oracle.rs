//! The limiter beside models that know every admission and count in whole numbers: every decision of every rule, in arbitrary
//! traffic. Failing cases are printed with their seed by proptest.

mod lease;
mod model;
mod retry;
mod smooth;

use std::time::Duration;

use limited::{Calendar, Limit, Policy};
use proptest::prelude::*;

use crate::world::{World, check, strict, whole_ms};
use model::Models;

/// A request: how long after the one before, and its cost as a part of 16 of what the policy allows at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    gap: Gap,
    sixteenths: u64,
}

/// How long after the one before.
#[derive(Debug, Clone, Copy)]
enum Gap {
    Millis(i64),
    /// Parts of 1000 of the period of the first limit.
    Period(i64),
    /// Exactly when the last denial said, and so many milliseconds later or earlier.
    AsTold(i64),
}

pub(crate) fn arrivals(count: usize) -> impl Strategy<Value = Vec<Arrival>> {
    let gap = prop_oneof![
        4 => Just(Gap::Millis(0)),
        2 => (1_i64..50).prop_map(Gap::Millis),
        3 => (0_i64..150).prop_map(Gap::Period),
        1 => (150_i64..2_500).prop_map(Gap::Period),
        2 => (-1_i64..2).prop_map(Gap::AsTold),
    ];
    let sixteenths = prop_oneof![3 => Just(0_u64), 2 => 1_u64..4, 1 => 0_u64..=16];
    let arrival = (gap, sixteenths).prop_map(|(gap, sixteenths)| Arrival { gap, sixteenths });
    proptest::collection::vec(arrival, count / 2..count)
}

fn period() -> impl Strategy<Value = Duration> {
    let millis = prop_oneof![
        Just(1_000_u64),
        Just(60_000),
        Just(3_600_000),
        Just(90_000),
        10_u64..10_000,
        10_000_u64..100_000_000,
    ];
    millis.prop_map(Duration::from_millis)
}

pub(crate) fn bucket() -> impl Strategy<Value = Limit> {
    let amount = prop_oneof![1_u64..10, 1_u64..100, 1_u64..100_000];
    let burst = prop_oneof![1_u64..5, 1_u64..200, 1_u64..20_000];
    (amount, period(), burst)
        .prop_map(|(amount, period, burst)| Limit::per(amount, period).burst(burst))
        .prop_filter("a limit that can be kept", |limit| limit.check().is_ok())
}

fn amount() -> impl Strategy<Value = u64> {
    prop_oneof![1_u64..6, 1_u64..100, 1_u64..1_000_000]
}

pub(crate) fn fixed() -> impl Strategy<Value = Limit> {
    (amount(), period()).prop_map(|(amount, period)| Limit::per(amount, period).fixed_window())
}

pub(crate) fn sliding() -> impl Strategy<Value = Limit> {
    (amount(), period()).prop_map(|(amount, period)| Limit::per(amount, period).sliding_window())
}

fn log() -> impl Strategy<Value = Limit> {
    (1_u64..=100, period()).prop_map(|(amount, period)| Limit::per(amount, period).sliding_log())
}

fn quota() -> impl Strategy<Value = Limit> {
    let calendars = vec![Calendar::Hour, Calendar::Day, Calendar::Week, Calendar::Month, Calendar::Year];
    (amount(), proptest::sample::select(calendars)).prop_map(|(amount, part)| Limit::quota(amount, part))
}

pub(crate) fn any_limit() -> impl Strategy<Value = Limit> {
    prop_oneof![bucket(), fixed(), sliding(), log(), quota()]
}

/// One to three limits, no two of one rule and period.
pub(crate) fn limits() -> impl Strategy<Value = Vec<Limit>> {
    proptest::collection::vec(any_limit(), 1..4)
        .prop_filter("limits that go together", |limits| Policy::new("p", limits.clone()).is_ok())
}

/// Plays arrivals to a limiter. After each decision `judge` sees the policy's time, the cost, the verdict and what peeking said
/// before.
pub(crate) fn play(
    world: &World,
    limits: &[Limit],
    arrivals: &[Arrival],
    mut judge: impl FnMut(i64, u64, bool, &[u64]) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let limiter = world.limiter(strict());
    let policy = Policy::new("p", limits.to_vec()).unwrap();
    let most = limits.iter().map(Limit::capacity).min().unwrap();
    let mut told_ms = 1;
    for arrival in arrivals {
        world.pass_ms(match arrival.gap {
            Gap::Millis(millis) => millis,
            Gap::Period(parts) => i64::try_from(limits[0].period().as_millis()).unwrap() * parts / 1_000,
            Gap::AsTold(more) => (told_ms + more).max(0),
        });
        let cost = (most * arrival.sixteenths / 16).max(1);
        let before = futures_executor::block_on(limiter.peek(&policy, "a")).unwrap();
        let remaining: Vec<u64> = before.limits.iter().map(|standing| standing.remaining).collect();
        let decision = check(&limiter, &policy, "a", cost);
        prop_assert_eq!(decision.retry_after.is_some(), !decision.is_allowed());
        told_ms = decision.retry_after.map_or(1, whole_ms);
        judge(world.now_ms(), cost, decision.is_allowed(), &remaining)?;
    }
    println!("counted: limiter histories=1 requests={}", arrivals.len());
    Ok(())
}

/// Holds the limiter against the models: the same decision each time, and a denied request counts nowhere.
fn agrees(limits: &[Limit], arrivals: &[Arrival]) -> Result<(), TestCaseError> {
    let world = World::new();
    let mut models = Models::of(limits);
    play(&world, limits, arrivals, |now_ms, cost, is_allowed, remaining| {
        prop_assert_eq!(models.remaining(now_ms), remaining, "at {} before {}", now_ms, cost);
        prop_assert_eq!(models.take(now_ms, cost), is_allowed, "{} at {}", cost, now_ms);
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fixed_windows_allow_exactly_their_limit_in_each_window(limit in fixed(), arrivals in arrivals(120)) {
        agrees(&[limit], &arrivals)?;
    }

    #[test]
    fn quotas_allow_exactly_their_limit_in_each_part_of_the_calendar(limit in quota(), arrivals in arrivals(120)) {
        agrees(&[limit], &arrivals)?;
    }

    #[test]
    fn a_log_allows_exactly_its_limit_in_any_period(limit in log(), arrivals in arrivals(120)) {
        agrees(&[limit], &arrivals)?;
    }

    #[test]
    fn a_sliding_window_decides_as_its_weighted_count_says(limit in sliding(), arrivals in arrivals(120)) {
        agrees(&[limit], &arrivals)?;
    }

    #[test]
    fn a_bucket_decides_as_one_that_fills_evenly(limit in bucket(), arrivals in arrivals(120)) {
        agrees(&[limit], &arrivals)?;
    }

    #[test]
    fn several_limits_allow_together_or_nothing_is_counted(limits in limits(), arrivals in arrivals(120)) {
        agrees(&limits, &arrivals)?;
    }

    #[test]
    fn a_bucket_allows_at_most_its_rate_and_its_burst_in_any_time(limit in bucket(), arrivals in arrivals(160)) {
        let mut admitted = Vec::new();
        play(&World::new(), &[limit], &arrivals, |now_ms, cost, is_allowed, _| {
            admitted.extend(is_allowed.then_some((now_ms, cost)));
            Ok(())
        })?;
        model::assert_within(&limit, 0, &admitted);
    }

    #[test]
    fn a_sliding_window_allows_at_most_twice_its_limit_in_any_period(limit in sliding(), arrivals in arrivals(160)) {
        let mut admitted = Vec::new();
        play(&World::new(), &[limit], &arrivals, |now_ms, cost, is_allowed, _| {
            admitted.extend(is_allowed.then_some((now_ms, cost)));
            Ok(())
        })?;
        prop_assert!(model::most_in_a_period(&limit, &admitted) <= 2 * limit.amount());
    }
}
