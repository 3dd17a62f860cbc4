//! What a denied caller is told: the moment from which the same request is allowed if nobody else came, and no earlier one.

use limited::{Limit, Policy};
use proptest::prelude::*;

use super::{Arrival, Gap, arrivals, limits};
use crate::world::{World, check, strict, whole_ms};

fn honest(limits: &[Limit], arrivals: &[Arrival]) -> Result<(), TestCaseError> {
    let world = World::new();
    let limiter = world.limiter(strict());
    let policy = Policy::new("p", limits.to_vec()).unwrap();
    let most = limits.iter().map(Limit::capacity).min().unwrap();
    for arrival in arrivals {
        if let Gap::Millis(millis) | Gap::AsTold(millis) = arrival.gap {
            world.pass_ms(millis.max(0));
        }
        let cost = (most * arrival.sixteenths / 16).max(1);
        let decision = check(&limiter, &policy, "a", cost);
        let Some(span) = decision.retry_after else { continue };
        let told_ms = whole_ms(span);
        prop_assert!(told_ms >= 1, "a denied request is never told to come at once");
        world.pass_ms(told_ms - 1);
        prop_assert!(
            !check(&limiter, &policy, "a", cost).is_allowed(),
            "{} ms were told, one less is too early",
            told_ms
        );
        world.pass_ms(1);
        prop_assert!(
            check(&limiter, &policy, "a", cost).is_allowed(),
            "{} ms were told, and are not enough",
            told_ms
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn who_comes_when_told_is_allowed_and_one_millisecond_earlier_denied(limits in limits(), arrivals in arrivals(60)) {
        honest(&limits, &arrivals)?;
    }
}
