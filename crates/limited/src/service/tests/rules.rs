//! Which rules count a request, and for whom.

use super::*;

/// A new API key for each request opened a new bucket each time (G24).
#[tokio::test]
async fn random_keys_are_bounded_by_the_address_that_sends_them() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(3))).rule(by_key(
        "key",
        Limit::per_minute(100),
        Missing::Skip,
    ));
    for attempt in 0..10 {
        let response = world.call(&layer, with_key(get("/"), &format!("guess-{attempt}"))).await;
        let expected = if attempt < 3 { StatusCode::OK } else { StatusCode::TOO_MANY_REQUESTS };
        assert_eq!(response.status(), expected, "{attempt}");
    }
    assert_eq!(world.handled(), 3);
}

#[tokio::test]
async fn what_a_later_rule_denies_is_given_back_to_the_earlier() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(3))).rule(by_key(
        "key",
        Limit::per_minute(1),
        Missing::Skip,
    ));
    world.call(&layer, with_key(get("/"), "a")).await;
    for _ in 0..5 {
        let response = world.call(&layer, with_key(get("/"), "a")).await;
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert!(header(&response, "ratelimit").starts_with(r#""key";r=0;"#), "{response:?}");
    }
    assert_eq!(world.call(&layer, get("/")).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn who_does_not_say_who_they_are_is_treated_as_the_rule_says() {
    let world = World::new().await;
    let check = async |missing: Missing, status: u16, policies: &str| {
        let layer = world.layer().rule(by_key("key", Limit::per_minute(100), missing.clone()));
        let response = world.call(&layer, get("/")).await;
        assert_eq!(response.status().as_u16(), status, "{missing:?}");
        if status == 200 {
            assert_eq!(text(response).await, policies, "{missing:?}");
        } else {
            assert_eq!(header(&response, "content-type"), "application/problem+json");
        }
    };
    check(Missing::Address, 200, "key").await;
    check(Missing::Skip, 200, "").await;
    check(Missing::BadRequest, 400, "").await;
    check(Missing::Unauthorized(HeaderValue::from_static("Bearer")), 401, "").await;
}

#[tokio::test]
async fn an_address_that_nobody_knows_is_an_error_of_the_server() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(2)));
    let response = world.call(&layer, Request::new(())).await;
    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(world.handled(), 0);
}

#[tokio::test]
async fn routes_have_limits_of_their_own_and_some_have_none() {
    let world = World::new().await;
    let layer = world
        .layer()
        .rule(by_address("all", Limit::per_minute(100)))
        .rule(by_address("login", Limit::per_minute(1)).on_path("/login"))
        .skip(|parts| parts.uri.path() == "/health");
    let check = async |path: &str, policies: &str| {
        assert_eq!(text(world.call(&layer, get(path)).await).await, policies, "{path}");
    };
    check("/login", "all login").await;
    check("/", "all").await;
    check("/health", "").await;
    assert_eq!(world.call(&layer, get("/login")).await.status(), StatusCode::TOO_MANY_REQUESTS);
    let skipped = world.call(&layer, get("/health")).await;
    assert!(skipped.headers().is_empty(), "{skipped:?}");
}

#[tokio::test]
async fn a_request_that_costs_more_than_there_can_be_is_not_told_to_wait() {
    let world = World::new().await;
    let bytes = |parts: &http::request::Parts| parts.uri.query().map_or(0, |query| query.len() as u64);
    let layer = world.layer().rule(by_address("bytes", Limit::per_minute(5)).with_cost_by(bytes));
    let remaining =
        async |path: &str| header(&world.call(&layer, get(path)).await, "x-ratelimit-remaining").to_owned();
    assert_eq!(remaining("/?abc").await, "2");
    assert_eq!(remaining("/").await, "1", "nothing is free");
    let response = world.call(&layer, get("/?abcdef")).await;
    assert_eq!(response.status(), StatusCode::BAD_REQUEST);
    assert!(!response.headers().contains_key("retry-after"));
}

#[tokio::test]
async fn identifiers_of_ten_kilobytes_have_buckets_of_their_own() {
    let world = World::new().await;
    let identity = Identity::header(HeaderName::from_static("x-user"), Missing::BadRequest);
    let layer = world.layer().rule(RateLimitRule::new(policy("user", Limit::per_minute(1)), identity));
    for last in ["a", "b"] {
        let mut request = get("/");
        let user = format!("{}{last}", "x".repeat(10_240));
        request.headers_mut().insert("x-user", HeaderValue::try_from(user).expect("a value"));
        let response = world.call(&layer, request).await;
        assert_eq!((response.status(), header(&response, "x-ratelimit-remaining")), (StatusCode::OK, "0"));
    }
}
