//! What callers are told.

use super::*;

#[tokio::test]
async fn who_passes_is_told_how_they_stand_and_the_handler_too() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(2)));
    let response = world.call(&layer, get("/")).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(header(&response, "ratelimit-policy"), r#""ip";q=2;w=60"#);
    assert!(header(&response, "ratelimit").starts_with(r#""ip";r=1;t="#), "{response:?}");
    assert_eq!(header(&response, "x-ratelimit-limit"), "2");
    assert_eq!(header(&response, "x-ratelimit-remaining"), "1");
    assert!(!response.headers().contains_key("retry-after"));
    assert_eq!(text(response).await, "ip");
}

/// AppTheory's middleware says neither when to come again nor what the limit is (G25).
#[tokio::test]
async fn who_is_denied_is_told_why_and_until_when_and_the_handler_does_not_run() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(1)));
    world.call(&layer, get("/")).await;
    let response = world.call(&layer, get("/")).await;
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&response, "content-type"), "application/problem+json");
    assert_eq!(header(&response, "retry-after"), "60");
    assert_eq!(header(&response, "x-ratelimit-remaining"), "0");
    assert_eq!(header(&response, "ratelimit"), r#""ip";r=0;t=60"#);
    let problem: Value = serde_json::from_str(&text(response).await).expect("JSON");
    assert_eq!(problem["violated-policies"], json!(["ip"]));
    assert_eq!(world.handled(), 1);
    world.store.advance(Seconds(60));
    assert_eq!(world.call(&layer, get("/")).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn what_only_watches_stops_nobody_and_is_not_told() {
    let world = World::new().await;
    let watching = policy("watch", Limit::per_minute(1)).shadow();
    let layer = world
        .layer()
        .rule(RateLimitRule::new(watching, Identity::address()))
        .rule(by_address("ip", Limit::per_minute(3)));
    for remaining in ["2", "1", "0"] {
        let response = world.call(&layer, get("/")).await;
        assert_eq!(header(&response, "x-ratelimit-remaining"), remaining);
        assert!(!header(&response, "ratelimit").contains("watch"));
        assert_eq!(text(response).await, "watch ip", "handlers know");
    }
    assert_eq!(world.call(&layer, get("/")).await.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn what_only_watches_does_not_stop_who_costs_too_much() {
    let world = World::new().await;
    let watching = policy("watch", Limit::per_minute(5)).shadow();
    let layer = world.layer().rule(RateLimitRule::new(watching, Identity::address()).with_cost(1_000));
    assert_eq!(world.call(&layer, get("/")).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn headers_are_those_that_were_chosen() {
    let world = World::new().await;
    let check = async |style: HeaderStyle, expected: &[&str]| {
        let layer = world.layer().rule(by_address("ip", Limit::per_minute(100))).with_headers(style);
        let response = world.call(&layer, get("/")).await;
        let present: Vec<_> =
            TOLD.into_iter().filter(|name| response.headers().contains_key(*name)).collect();
        assert_eq!(present, expected, "{style:?}");
    };
    check(HeaderStyle::Ietf, &TOLD[..2]).await;
    check(HeaderStyle::XRateLimit(ResetStyle::EpochSeconds), &TOLD[2..]).await;
    check(HeaderStyle::default(), &TOLD).await;
    check(HeaderStyle::Hidden, &[]).await;
}

#[tokio::test]
async fn the_outermost_speaks_unless_the_request_was_refused_further_in() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(100)));
    let check = async |status: StatusCode, told: &'static str, expected: &str| {
        let service = layer.layer(service_fn(move |_: Request<()>| {
            let mut response = Response::new(String::new());
            *response.status_mut() = status;
            if !told.is_empty() {
                response.headers_mut().append("x-ratelimit-limit", HeaderValue::from_static(told));
                response.headers_mut().append("x-ratelimit-limit", HeaderValue::from_static(told));
            }
            std::future::ready(Ok::<_, Infallible>(response))
        }));
        let Ok(response) = service.oneshot(get("/")).await;
        assert_eq!(header(&response, "x-ratelimit-limit"), expected, "{status}");
    };
    check(StatusCode::OK, "7", "100").await;
    check(StatusCode::NOT_FOUND, "7", "100").await;
    check(StatusCode::TOO_MANY_REQUESTS, "7", "7").await;
    check(StatusCode::SERVICE_UNAVAILABLE, "7", "7").await;
    check(StatusCode::TOO_MANY_REQUESTS, "", "100").await;
}
