//! Limits of somebody's own: they are what is kept, not only what is told.

use futures_executor::block_on;
use limited::{Ask, Error, Limit, Limiter, LimiterSettings, Policy, Subject, Whose};

use crate::world::{World, strict};

fn policy() -> Policy {
    Policy::new("api", [Limit::per_hour(3)]).unwrap().with_overrides()
}

fn drain(limiter: &Limiter, subject: Subject<'_>) -> u64 {
    let one = |_: &u64| block_on(limiter.check(&policy(), subject, 1)).unwrap().is_allowed();
    (0..50).filter(one).count() as u64
}

/// G20, §6.9: limits of an identifier's own were advertised, and the policy's were enforced.
#[test]
fn limits_of_ones_own_are_kept_and_told() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let (ada, bob, eve) = (
        Subject::new("user:ada").tenant("acme"),
        Subject::new("user:bob").tenant("acme"),
        Subject::new("user:eve"),
    );
    let tenants = Limit::per_hour(8).fixed_window();
    block_on(limiter.overrides().set(&policy(), Whose::Tenant("acme"), &[tenants])).unwrap();
    block_on(limiter.overrides().set(
        &policy(),
        Whose::Identifier("user:ada"),
        &[Limit::per_hour(12), tenants],
    ))
    .unwrap();
    let told = |subject| {
        block_on(limiter.peek(&policy(), subject))
            .unwrap()
            .limits
            .iter()
            .map(|standing| standing.limit.amount())
            .collect::<Vec<_>>()
    };
    assert_eq!((told(ada), told(bob), told(eve)), (vec![12, 8], vec![8], vec![3]));
    assert_eq!((drain(&limiter, ada), drain(&limiter, bob), drain(&limiter, eve)), (8, 8, 3));
}

#[test]
fn who_may_have_more_at_once_may_ask_for_it_also_among_several() {
    let world = World::new();
    let limiter = world.limiter(LimiterSettings::default());
    let other = Policy::new("other", [Limit::per_hour(100)]).unwrap();
    block_on(limiter.overrides().set(&policy(), Whose::Identifier("user:ada"), &[Limit::per_hour(50)]))
        .unwrap();
    block_on(limiter.overrides().set(&policy(), Whose::Identifier("user:bob"), &[Limit::per_hour(1)]))
        .unwrap();
    assert!(block_on(limiter.check(&policy(), "user:ada", 20)).unwrap().is_allowed());
    let asks = |who| [Ask::new(&other, "a", 20), Ask::new(policy_of_all(), who, 20)];
    assert!(
        block_on(limiter.check_all(&asks("user:ada"))).unwrap().iter().all(limited::Decision::is_allowed)
    );
    // Also when a denial is remembered: who asks for more than there ever is is not told to wait for it.
    while block_on(limiter.check(&policy(), "user:bob", 1)).unwrap().is_allowed() {}
    for who in ["user:bob", "user:eve"] {
        let refused = block_on(limiter.check_all(&asks(who)));
        assert!(matches!(refused, Err(Error::CostAboveLimit { .. })), "{refused:?}");
    }
    let seen = block_on(limiter.peek(&other, "a")).unwrap();
    assert_eq!(seen.limits[0].used, 20, "what was refused is given back");
}

fn policy_of_all() -> &'static Policy {
    static POLICY: std::sync::LazyLock<Policy> = std::sync::LazyLock::new(policy);
    &POLICY
}

#[test]
fn limits_of_ones_own_cost_one_call_a_minute_beside_the_decisions() {
    let world = World::new();
    let limiter = world.limiter(strict());
    let _ = world.meter.take();
    for _ in 0..100 {
        let _ = block_on(limiter.check(&policy(), Subject::new("user:ada").tenant("acme"), 1)).unwrap();
        world.pass_ms(500);
    }
    assert_eq!((limiter.counts().store_calls, world.meter.take().calls), (100, 101));
}
