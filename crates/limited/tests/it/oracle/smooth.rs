//! The sliding window under smooth traffic, even and by chance: how far its weighted count is from the true one. Traffic that begins
//! from nothing in the middle of a window is a burst, and the window after it is uneven for that: what is said holds from the fourth
//! window on. What holds from the first is that no period has twice the limit.

use limited::{Limit, Policy};
use proptest::prelude::*;
use tabletheory_core::{Entropy as _, SeededEntropy};

use super::model::most_in_a_period;
use crate::world::{BEGINNING_MS, World, check, strict};

const LIMIT: u64 = 1_000;
const PERIOD_MS: i64 = 60_000;
const PERIODS: i64 = 6;
const SETTLED_MS: i64 = BEGINNING_MS + 3 * PERIOD_MS;

/// When requests arrive, at so many thousandths of the limit's rate: evenly, or by chance (Poisson).
#[expect(clippy::cast_possible_truncation, reason = "a few minutes in milliseconds fit into any number")]
fn moments(seed: u64, thousandths: u64, by_chance: bool) -> Vec<i64> {
    let dice = SeededEntropy::new(seed);
    let mean_ms = PERIOD_MS as f64 * 1_000.0 / (LIMIT * thousandths) as f64;
    let uniform = || ((dice.bits() >> 75) as f64 + 1.0) / (1_u64 << 53) as f64;
    let mut at_ms = uniform() * PERIOD_MS as f64;
    let mut moments = Vec::new();
    while at_ms < (PERIOD_MS * PERIODS) as f64 {
        moments.push(BEGINNING_MS + at_ms as i64);
        at_ms += if by_chance { -uniform().ln() * mean_ms } else { mean_ms };
    }
    moments
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn smooth_traffic_is_admitted_to_110_of_100_at_most_and_never_denied_below_90(
        seed: u64, thousandths in 500_u64..3_000, by_chance: bool,
    ) {
        let world = World::new();
        let limiter = world.limiter(strict());
        let limit = Limit::per_minute(LIMIT).sliding_window();
        let policy = Policy::new("p", [limit]).unwrap();
        let (mut admitted, mut denied) = (Vec::<(i64, u64)>::new(), 0_u64);
        for now_ms in moments(seed, thousandths, by_chance) {
            world.set_ms(now_ms);
            let is_allowed = check(&limiter, &policy, "a", 1).is_allowed();
            let is_settled = now_ms >= SETTLED_MS;
            if !is_allowed && is_settled {
                denied += 1;
                let truly = admitted.iter().rev().take_while(|(at, _)| *at > now_ms - PERIOD_MS).count() as u64;
                prop_assert!(truly * 10 >= LIMIT * 9, "denied with {} in the last period", truly);
            }
            admitted.extend(is_allowed.then_some((now_ms, 1)));
        }
        let from_the_first = most_in_a_period(&limit, &admitted);
        admitted.retain(|(at, _)| *at >= SETTLED_MS);
        let most = most_in_a_period(&limit, &admitted);
        println!("{thousandths} ‰, by chance {by_chance}: {from_the_first} in a period at first, then {most}; {denied} denied");
        prop_assert!(most * 10 <= LIMIT * 11, "{} in one period", most);
    }
}
