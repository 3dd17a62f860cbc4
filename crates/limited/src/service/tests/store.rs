//! What reaches the store, and what happens without it.

use super::*;

#[tokio::test]
async fn a_store_that_does_not_answer_is_told_as_it_is() {
    let world = World::new().await;
    let check = async |on_failure: OnFailure, status: u16, told: usize, retry_after: &str| {
        let settings = LimiterSettings { on_failure, ..LimiterSettings::default() };
        let limiter = world.limiter.with_settings(settings).expect("settings that make sense");
        let layer = RateLimitLayer::new(limiter, ClientAddress::socket());
        world.store.trouble("UpdateItem", Trouble::NotReached);
        let layer = layer.rule(by_address("ip", Limit::per_minute(9)));
        let response = world.call(&layer, get("/")).await;
        assert_eq!(response.status().as_u16(), status, "{on_failure:?}");
        assert_eq!(header(&response, "retry-after"), retry_after, "{on_failure:?}");
        assert_eq!(
            TOLD.iter().filter(|name| response.headers().contains_key(**name)).count(),
            told,
            "{on_failure:?}"
        );
    };
    check(OnFailure::Open, 200, 0, "").await;
    check(OnFailure::Closed, 503, 0, "1").await;
    check(OnFailure::Local { nodes: 1 }, 200, TOLD.len(), "").await;
}

/// Upstream, a table of the wrong shape meant no limits at all, in silence (G18).
#[tokio::test]
async fn a_store_that_cannot_be_asked_is_an_error_of_the_server() {
    let limiter = Limiter::new(TestStore::new().db());
    let world = World { limiter, ..World::new().await };
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(9)));
    let response = world.call(&layer, get("/")).await;
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!response.headers().contains_key("retry-after"), "waiting does not mend it");
    assert_eq!(world.handled(), 0);
}

/// Upstream, raw credentials stood in the table as partition keys (G24).
#[tokio::test]
async fn a_secret_never_reaches_the_store() {
    let world = World::new().await;
    let layer = world.layer().rule(by_key("key", Limit::per_minute(2), Missing::BadRequest));
    let response = world.call(&layer, with_key(get("/"), "sk_live_hunter2")).await;
    assert_eq!(response.status(), StatusCode::OK);
    let calls = format!("{:?}", world.store.calls());
    assert!(calls.contains("key#key:") && !calls.contains("hunter2"), "{calls}");
}

#[tokio::test]
async fn a_rule_costs_one_call_of_the_store() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(9))).rule(by_key(
        "key",
        Limit::per_minute(9),
        Missing::Skip,
    ));
    world.call(&layer, with_key(get("/"), "a")).await;
    assert_eq!(world.store.calls().len(), 2);
    world.call(&layer, get("/")).await;
    assert_eq!(world.store.calls().len(), 3);
}
