//! What a limiter promises beside its rules: policies that only watch, several identifiers, reservations, looking, resetting, shards,
//! and input that makes no sense.

mod crowd;
mod overridden;
mod refund;

use std::time::Duration;

use futures_executor::block_on;
use limited::{
    AMOUNT_MAX, Ask, Calendar, Error, Limit, Limiter, LimiterSettings, OnFailure, Policy, Source, Subject,
    Verdict,
};

use crate::world::{World, check, strict};

fn policy(name: &str, limits: &[Limit]) -> Policy {
    Policy::new(name, limits.to_vec()).unwrap()
}

pub(crate) fn used(limiter: &Limiter, policy: &Policy, identifier: &str) -> Vec<u64> {
    block_on(limiter.peek(policy, identifier)).unwrap().limits.iter().map(|standing| standing.used).collect()
}

/// One policy of each rule, and one of several.
pub(crate) fn rules(amount: u64) -> Vec<Policy> {
    let hour = Limit::per_hour(amount);
    vec![
        policy("bucket", &[hour]),
        policy("fixed", &[hour.fixed_window()]),
        policy("sliding", &[hour.sliding_window()]),
        policy("log", &[hour.sliding_log()]),
        policy("quota", &[Limit::quota(amount, Calendar::Day)]),
        policy("several", &[hour, hour.fixed_window(), hour.sliding_window(), hour.sliding_log()]),
    ]
}

#[test]
fn a_policy_that_only_watches_never_denies_and_says_what_it_would_do() {
    for policy in rules(3) {
        let world = World::new();
        let limiter = world.limiter(LimiterSettings::default());
        let policy = policy.shadow();
        let decisions: Vec<_> = (0..9).map(|_| check(&limiter, &policy, "a", 1)).collect();
        assert!(decisions.iter().all(|decision| decision.is_allowed() && decision.shadow));
        let denied = decisions.iter().filter(|decision| decision.verdict == Verdict::Denied).count();
        let counts = limiter.counts();
        assert_eq!((denied, counts.denied, counts.denied_in_shadow), (6, 6, 6), "{}", policy.name());
    }
}

#[test]
fn a_policy_that_only_watches_lets_everyone_through_without_a_store_too() {
    use tabletheory::testing::{TestStore, Trouble};
    let store = TestStore::new();
    let limiter = Limiter::new(store.db());
    block_on(limiter.create_table()).unwrap();
    let settings = LimiterSettings { on_failure: OnFailure::Closed, ..LimiterSettings::default() };
    let limiter = limiter.with_settings(settings).unwrap();
    store.trouble("UpdateItem", Trouble::NotReached);
    let decision = check(&limiter, &rules(3)[0].clone().shadow(), "a", 1);
    assert_eq!((decision.is_allowed(), decision.source), (true, Source::FailedClosed));
}

#[test]
fn a_watching_policy_that_is_spent_hides_no_enforced_one() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let (watching, enforced) =
        (policy("new", &[Limit::per_hour(1)]).shadow(), policy("old", &[Limit::per_hour(3)]));
    for order in [[&watching, &enforced], [&enforced, &watching]] {
        let identifier = format!("first {}", order[0].name());
        let asks = order.map(|policy| Ask::new(policy, identifier.as_str(), 1));
        let mut passed = 0;
        for _ in 0..8 {
            let decisions = block_on(limiter.check_all(&asks)).unwrap();
            passed += u64::from(decisions.iter().all(limited::Decision::is_allowed));
        }
        assert_eq!(passed, 3, "{identifier}");
        assert_eq!(used(&limiter, &enforced, &identifier), [3], "{identifier}");
    }
}

#[test]
fn several_identifiers_count_together_or_not_at_all() {
    for first in rules(10) {
        for second in rules(2) {
            let world = World::new();
            let limiter = world.limiter(strict());
            let asks = [Ask::new(&first, "ip:1", 2), Ask::new(&second, "user:1", 1)];
            let passed = (0..5).filter(|_| {
                let decisions = block_on(limiter.check_all(&asks)).unwrap();
                decisions.len() == 2 && decisions.iter().all(limited::Decision::is_allowed)
            });
            assert_eq!(passed.count(), 2);
            let case = format!("{} then {}", first.name(), second.name());
            assert!(
                used(&limiter, &first, "ip:1").iter().all(|used| *used == 4),
                "{case}: what was denied is given back"
            );
            assert!(used(&limiter, &second, "user:1").iter().all(|used| *used == 2), "{case}");
        }
    }
}

#[test]
fn what_is_wrong_with_the_last_of_several_is_seen_before_the_first_is_counted() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let ample = policy("ip", &[Limit::per_hour(10)]);
    for (identifier, cost) in [("", 1), ("b", 0), ("b", 11), ("b", u64::MAX)] {
        let asks = [Ask::new(&ample, "a", 1), Ask::new(&ample, identifier, cost)];
        assert!(block_on(limiter.check_all(&asks)).is_err());
    }
    assert_eq!((used(&limiter, &ample, "a"), limiter.counts().store_calls), (vec![0], 0));
    assert!(block_on(limiter.check_all(&[])).unwrap().is_empty());
}

#[test]
fn looking_counts_nothing() {
    for policy in rules(3) {
        let world = World::new();
        let limiter = world.limiter(strict());
        for _ in 0..10 {
            let seen = block_on(limiter.peek(&policy, "a")).unwrap();
            assert_eq!(
                (seen.verdict, seen.limits[0].used, seen.limits[0].remaining),
                (Verdict::Allowed, 0, 3)
            );
        }
        for _ in 0..3 {
            assert!(check(&limiter, &policy, "a", 1).is_allowed());
        }
        for _ in 0..10 {
            let seen = block_on(limiter.peek(&policy, "a")).unwrap();
            assert_eq!((seen.verdict, seen.limits[0].remaining), (Verdict::Denied, 0), "{}", policy.name());
        }
        assert_eq!(limiter.counts().store_calls, 3, "only decisions are counted as such");
    }
}

#[test]
fn a_reset_forgets_one_identifier_and_no_other_and_is_seen_at_once_where_it_was_done() {
    for policy in rules(3) {
        let world = World::new();
        let limiter = world.limiter(LimiterSettings::default());
        for identifier in ["a", "b"] {
            while check(&limiter, &policy, identifier, 1).is_allowed() {}
        }
        block_on(limiter.reset(&policy, "a")).unwrap();
        assert!(check(&limiter, &policy, "a", 3).is_allowed(), "{}", policy.name());
        assert!(!check(&limiter, &policy, "b", 1).is_allowed(), "{}", policy.name());
        block_on(limiter.reset(&policy, "nobody")).unwrap();
    }
}

#[test]
fn a_reset_elsewhere_is_seen_when_the_denial_is_no_longer_believed() {
    let world = World::new();
    let (here, there) =
        (world.limiter(LimiterSettings::default()), world.limiter(LimiterSettings::default()));
    let policy = policy("api", &[Limit::per_hour(2)]);
    while check(&here, &policy, "a", 1).is_allowed() {}
    block_on(there.reset(&policy, "a")).unwrap();
    assert_eq!(check(&here, &policy, "a", 1).source, Source::DenyCache);
    world.pass_ms(1_000);
    assert!(check(&here, &policy, "a", 1).is_allowed());
}

#[test]
fn shards_together_allow_no_more_than_the_limit_and_are_seen_and_forgotten_as_one() {
    for limit in [
        Limit::per_hour(4_003),
        Limit::per_hour(4_003).fixed_window(),
        Limit::per_hour(4_003).sliding_window(),
    ] {
        let world = World::new();
        let limiter = world.limiter(LimiterSettings::default());
        let policy = policy("huge", &[limit]).sharded(4).unwrap();
        let allowed: u64 =
            (0..600).map(|_| 10 * u64::from(check(&limiter, &policy, "a", 10).is_allowed())).sum();
        let seen = block_on(limiter.peek(&policy, "a")).unwrap();
        let case = limit.text();
        assert!((3_500..=4_003).contains(&allowed), "{case}: {allowed} were allowed");
        assert_eq!((seen.limits[0].used, seen.limits[0].limit), (allowed, limit), "{case}");
        assert_eq!(seen.limits[0].remaining, 4_003 - allowed, "{case}");
        block_on(limiter.reset(&policy, "a")).unwrap();
        assert_eq!(used(&limiter, &policy, "a"), [0], "{case}");
        assert!(check(&limiter, &policy, "a", 1_000).is_allowed(), "{case}");
        assert!(
            block_on(limiter.check(&policy, "a", 1_001)).is_err(),
            "{case}: more than a shard ever holds"
        );
    }
}

#[test]
fn absurd_costs_and_identifiers_are_errors_or_buckets_of_their_own() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let all = rules(5);
    for policy in &all {
        assert!(matches!(block_on(limiter.check(policy, "a", 0)), Err(Error::NoCost)));
        for cost in [6, u64::MAX, u64::MAX / 2, i64::MAX as u64, i64::MAX as u64 + 1] {
            assert!(
                matches!(block_on(limiter.check(policy, "a", cost)), Err(Error::CostAboveLimit { .. })),
                "{cost}"
            );
        }
        assert!(matches!(block_on(limiter.check(policy, "", 1)), Err(Error::NoIdentifier)));
        assert!(matches!(block_on(limiter.peek(policy, "")), Err(Error::NoIdentifier)));
        assert!(matches!(block_on(limiter.reset(policy, "")), Err(Error::NoIdentifier)));
        let long = "x".repeat(10_240);
        let odd = [
            long.as_str(),
            &long[1..],
            "\0",
            "\n",
            "\u{7f}",
            "\u{feff}",
            "a#b",
            "a#",
            "#",
            "~1",
            "🦀",
            " ",
            "a\r\nb: c",
        ];
        for identifier in odd {
            assert!(check(&limiter, policy, identifier, 5).is_allowed(), "{identifier:?} is nobody else");
            assert!(!check(&limiter, policy, identifier, 1).is_allowed(), "{identifier:?} has a limit");
        }
    }
    let user = "u".repeat(10_240);
    let subject = Subject::new("a").tenant("").user(&user).address("\0");
    assert!(block_on(limiter.check(&all[0], subject, 1)).unwrap().is_allowed());
}

#[test]
fn absurd_limits_are_refused_and_the_largest_work() {
    let refused = [
        Limit::per_second(0),
        Limit::per_second(0).fixed_window(),
        Limit::per_second(1).burst(0),
        Limit::per_second(u64::MAX),
        Limit::per_second(1).burst(u64::MAX),
        Limit::per(u64::MAX, Duration::MAX),
        Limit::per(1, Duration::ZERO),
        Limit::per(1, Duration::MAX),
        Limit::per(1, Duration::from_nanos(1)).sliding_window(),
        Limit::per(5, Duration::from_micros(15_900)).fixed_window(),
        Limit::per_second(101).sliding_log(),
        Limit::quota(0, Calendar::Year),
        Limit::quota(u64::MAX, Calendar::Year),
    ];
    for limit in refused {
        assert!(Policy::new("p", [limit]).is_err(), "{}", limit.text());
        let _ = (limit.to_string(), limit.capacity(), limit.period());
    }
    let world = World::new();
    let limiter = world.limiter(strict());
    let hour = Duration::from_secs(3_600);
    let largest = [
        Limit::per(3_600_000_000, hour).burst(3_600_000_000),
        Limit::per(AMOUNT_MAX, hour).fixed_window(),
        Limit::per(AMOUNT_MAX, limited::PERIOD_MAX).sliding_window(),
        Limit::per(AMOUNT_MAX, Duration::from_millis(10)).sliding_window(),
        Limit::quota(AMOUNT_MAX, Calendar::Year),
    ];
    for (number, limit) in largest.into_iter().enumerate() {
        let policy = policy(&format!("p{number}"), &[limit]);
        let capacity = limit.capacity();
        assert!(check(&limiter, &policy, "a", capacity - 1).is_allowed(), "{}", limit.text());
        assert!(check(&limiter, &policy, "a", 1).is_allowed(), "{}", limit.text());
        assert!(!check(&limiter, &policy, "a", capacity).is_allowed(), "{}", limit.text());
    }
}

#[test]
fn neither_decisions_nor_errors_tell_who_was_asked_for() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let policy = policy("api", &[Limit::per_hour(1)]);
    let subject = Subject::new("sk_live_secret").tenant("secret-tenant");
    let decision = block_on(limiter.check(&policy, subject, 1)).unwrap();
    let refused = block_on(limiter.check(&policy, subject, 2)).unwrap_err();
    for shown in [format!("{decision:?}"), format!("{refused:?} {refused}"), format!("{subject:?}")] {
        assert!(!shown.contains("secret"), "{shown}");
    }
}

#[test]
fn a_policy_that_watches_refuses_no_cost() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let policy = Policy::new("watch", [Limit::per_second(5)]).unwrap().shadow();
    let decision = check(&limiter, &policy, "a", 1_000);
    assert!(decision.is_allowed() && decision.limits[0].remaining == 0);
}
