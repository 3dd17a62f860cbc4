//! Units that are charged before they are spent, in several processes at once: nothing is allowed that was not charged.

use std::collections::BTreeMap;

use limited::{Limit, Limiter, Policy};
use proptest::prelude::*;

use super::{bucket, fixed, model};
use crate::world::{World, check, strict};

/// Who asks, how long after the one before (in thousandths of the period), and how much.
fn asks() -> impl Strategy<Value = Vec<(usize, i64, u64)>> {
    let gap = prop_oneof![6 => Just(0_i64), 3 => 0_i64..20, 1 => 20_i64..1_500];
    proptest::collection::vec((0_usize..4, gap, prop_oneof![4 => Just(1_u64), 1 => 1_u64..6]), 100..300)
}

/// Four processes ask; what was allowed, and when.
fn admitted(limit: Limit, batch: u64, asks: &[(usize, i64, u64)]) -> (World, Vec<(i64, u64)>) {
    let world = World::new();
    let limiters: Vec<Limiter> = (0..4).map(|_| world.limiter(strict())).collect();
    let policy = Policy::new("p", [limit]).and_then(|policy| policy.leased(batch)).unwrap();
    let period_ms = i64::try_from(limit.period().as_millis()).unwrap();
    let mut admitted = Vec::new();
    for (who, gap, cost) in asks {
        world.pass_ms(period_ms * gap / 1_000);
        let cost = (*cost).min(limit.capacity());
        if check(&limiters[*who], &policy, "a", cost).is_allowed() {
            admitted.push((world.now_ms(), cost));
        }
    }
    (world, admitted)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn leases_never_allow_more_than_a_window_does(limit in fixed(), batch in 2_u64..200, asks in asks()) {
        let (_, admitted) = admitted(limit, batch, &asks);
        let period_ms = i64::try_from(limit.period().as_millis()).unwrap();
        let mut windows = BTreeMap::<i64, u64>::new();
        for (at_ms, cost) in admitted {
            *windows.entry(at_ms.div_euclid(period_ms)).or_default() += cost;
        }
        prop_assert!(windows.values().all(|count| *count <= limit.amount()), "{:?}", windows);
    }

    #[test]
    fn leases_of_a_bucket_allow_at_most_its_rate_for_a_lease_longer(
        limit in bucket(), batch in 2_u64..200, asks in asks(),
    ) {
        let (_, admitted) = admitted(limit, batch, &asks);
        model::assert_within(&limit, 250, &admitted);
    }
}

#[test]
fn what_four_processes_leased_can_all_be_spent() {
    let world = World::new();
    let limiters: Vec<Limiter> = (0..4).map(|_| world.limiter(strict())).collect();
    let policy = Policy::new("p", [Limit::per_hour(1_000).fixed_window()])
        .and_then(|policy| policy.leased(50))
        .unwrap();
    let asked =
        (0..4_000).filter(|number| check(&limiters[number % 4], &policy, "a", 1).is_allowed()).count();
    assert_eq!(asked, 1_000, "nobody keeps units that others could use, while all go on");
}
