//! Each rule through the AWS SDK, at our endpoint and at DynamoDB Local, which does not tell the row with a refusal: it is read then.

use std::sync::Arc;

use limited::{Ask, Calendar, Limit, Limiter, LimiterSettings, OnFailure, Policy, Source};
use tabletheory_core::store::contract::DynamoDbLocal;
use tabletheory_core::sys::SystemClock;
use tabletheory_core::{Clock as _, ManualClock};

use crate::cache;
use crate::server::Server;

fn policies() -> Vec<Policy> {
    let hour = Limit::per_hour(5);
    let policy = |name: &str, limits: &[Limit]| Policy::new(name, limits.to_vec()).expect("a policy");
    vec![
        policy("bucket", &[hour]),
        policy("fixed", &[hour.fixed_window()]),
        policy("sliding", &[hour.sliding_window()]),
        policy("log", &[hour.sliding_log()]),
        policy("quota", &[Limit::quota(5, Calendar::Year)]),
        policy("several", &[hour, hour.fixed_window(), hour.sliding_window(), hour.sliding_log()]),
    ]
}

/// Asks each rule until it denies, and looks, gives back and forgets. A denial takes so many calls.
async fn decide(endpoint: &str, calls_of_a_denial: u64) {
    // The clock stands still, so that no window ends in the middle.
    let clock = ManualClock::at(SystemClock.now());
    let db = cache::connect(endpoint).await.with_clock(Arc::new(clock));
    Limiter::new(db.clone()).create_table().await.expect("the table is made");
    for policy in policies() {
        let settings = LimiterSettings {
            on_failure: OnFailure::Closed,
            deny_cache: std::time::Duration::ZERO,
            timeout: std::time::Duration::from_secs(30),
            ..LimiterSettings::default()
        };
        let limiter = Limiter::new(db.clone()).with_settings(settings).expect("settings");
        let name = policy.name();
        for number in 1..=5 {
            let decision = limiter.check(&policy, "a", 1).await.expect("a decision");
            assert!(decision.is_allowed() && decision.source == Source::Store, "{name}");
            assert!(decision.limits.iter().all(|standing| standing.used == number), "{name}: {decision:?}");
        }
        assert_eq!(limiter.counts().store_calls, 5, "{name}");
        let denied = limiter.check(&policy, "a", 1).await.expect("a decision");
        assert!(!denied.is_allowed() && denied.source == Source::Store, "{name}");
        assert!(
            denied.limits.iter().all(|standing| standing.used == 5 && standing.violated),
            "{name}: {denied:?}"
        );
        assert!(denied.retry_after.is_some(), "{name}");
        assert_eq!(limiter.counts().store_calls, 5 + calls_of_a_denial, "{name}");
        give_back(&limiter, &policy).await;
        limiter.reset(&policy, "a").await.expect("a reset");
        assert!(limiter.check(&policy, "a", 5).await.expect("a decision").is_allowed(), "{name}");
    }
}

async fn give_back(limiter: &Limiter, policy: &Policy) {
    let spent = Policy::new("spent", [Limit::per_hour(1)]).expect("a policy");
    let name = policy.name();
    let reserved = limiter.reserve(policy, "b", 4).await.expect("a reservation");
    reserved.settle(1).await.expect("settled");
    let asks = [Ask::new(policy, "b", 2), Ask::new(&spent, name, 1)];
    for is_allowed in [true, false] {
        let decisions = limiter.check_all(&asks).await.expect("decisions");
        assert_eq!(decisions.iter().all(limited::Decision::is_allowed), is_allowed, "{name}");
    }
    let seen = limiter.peek(policy, "b").await.expect("a look");
    assert!(seen.limits.iter().all(|standing| standing.used == 3), "{name}: {seen:?}");
}

#[tokio::test]
async fn each_rule_decides_at_our_endpoint_with_one_call_for_a_denial() {
    let server = Server::dynamodb(&["--memory"]);
    decide(&server.address, 1).await;
}

#[tokio::test]
async fn each_rule_decides_at_dynamodb_local_which_is_asked_again_what_it_refused() {
    let Some(folder) = DynamoDbLocal::folder("the limits against it") else {
        eprintln!("SKIPPED: THEORY_SKIP_DYNAMODB_LOCAL=1, so the limiter does not meet DynamoDB Local");
        return;
    };
    let local = DynamoDbLocal::start(&folder);
    decide(&format!("http://127.0.0.1:{}", local.port()), 2).await;
}
