//! Conversations with a service behind limits.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{HeaderName, HeaderValue, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tabletheory::Db;
use tabletheory_core::{ManualClock, Seconds, Timestamp};
use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::address::ClientAddress;
use crate::headers::{HeaderStyle, ResetStyle};
use crate::identity::{Identity, Missing};
use crate::layer::RateLimitLayer;
use crate::limit::Limit;
use crate::limiter::Limiter;
use crate::policy::Policy;
use crate::rule::RateLimitRule;
use crate::secret::SecretKey;

const KEY: HeaderName = HeaderName::from_static("x-api-key");
const HIDDEN_FROM: [&str; 5] =
    ["ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

struct World {
    clock: Arc<ManualClock>,
    limiter: Limiter,
    handled: Arc<AtomicUsize>,
}

impl World {
    async fn new() -> Self {
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_700_000_000)));
        let limiter = Limiter::new(Db::memory().with_clock(clock.clone()));
        limiter.create_table().await.expect("a table in memory");
        Self { clock, limiter, handled: Arc::default() }
    }

    fn layer(&self) -> RateLimitLayer {
        RateLimitLayer::new(self.limiter.clone(), ClientAddress::socket())
    }

    /// Answers with the names of the policies that a request has passed.
    fn service(
        &self,
        layer: &RateLimitLayer,
    ) -> impl Service<
        Request<()>,
        Response = Response<Either<String, Full<Bytes>>>,
        Error = Infallible,
        Future: Send,
    > + Clone
    + Send
    + 'static {
        let handled = Arc::clone(&self.handled);
        layer.layer(service_fn(move |request: Request<()>| {
            handled.fetch_add(1, Ordering::Relaxed);
            let decisions = request.extensions().get::<RateLimitDecisions>().cloned().unwrap_or_default();
            let names: Vec<_> =
                decisions.as_slice().iter().map(|decision| decision.policy.to_string()).collect();
            std::future::ready(Ok(Response::new(names.join(" "))))
        }))
    }

    async fn call(
        &self,
        layer: &RateLimitLayer,
        request: Request<()>,
    ) -> Response<Either<String, Full<Bytes>>> {
        let Ok(response) = self.service(layer).oneshot(request).await;
        response
    }

    fn handled(&self) -> usize {
        self.handled.load(Ordering::Relaxed)
    }
}

fn policy(name: &str, limit: Limit) -> Policy {
    Policy::new(name, [limit]).expect("a policy")
}

fn by_address(name: &str, limit: Limit) -> RateLimitRule {
    RateLimitRule::new(policy(name, limit), Identity::address())
}

fn by_key(name: &str, limit: Limit, missing: Missing) -> RateLimitRule {
    RateLimitRule::new(policy(name, limit), Identity::secret_header(KEY, SecretKey::new([7; 32]), missing))
}

fn get(path: &str) -> Request<()> {
    let request = Request::get(path).extension(IpAddr::from([203, 0, 113, 7]));
    request.body(()).expect("a request")
}

fn with_key(mut request: Request<()>, key: &str) -> Request<()> {
    request.headers_mut().insert(KEY, HeaderValue::try_from(key).expect("a value"));
    request
}

fn header<'a, B>(response: &'a Response<B>, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().expect("ASCII"))
}

async fn text<B: http_body::Body<Data = Bytes>>(response: Response<B>) -> String {
    let Ok(collected) = response.into_body().collect().await else { panic!("a body in memory") };
    String::from_utf8(collected.to_bytes().to_vec()).expect("text")
}

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
    world.clock.advance(Seconds(60));
    assert_eq!(world.call(&layer, get("/")).await.status(), StatusCode::OK);
}

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
async fn headers_are_those_that_were_chosen() {
    let world = World::new().await;
    let check = async |style: HeaderStyle, expected: &[&str]| {
        let layer = world.layer().rule(by_address("ip", Limit::per_minute(100))).with_headers(style);
        let response = world.call(&layer, get("/")).await;
        let present: Vec<_> =
            HIDDEN_FROM.into_iter().filter(|name| response.headers().contains_key(*name)).collect();
        assert_eq!(present, expected, "{style:?}");
    };
    check(HeaderStyle::Ietf, &HIDDEN_FROM[..2]).await;
    check(HeaderStyle::XRateLimit(ResetStyle::EpochSeconds), &HIDDEN_FROM[2..]).await;
    check(HeaderStyle::default(), &HIDDEN_FROM).await;
    check(HeaderStyle::Hidden, &[]).await;
}

#[tokio::test]
async fn the_outermost_speaks_unless_the_request_was_refused_further_in() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(100)));
    let check = async |status: StatusCode, told: &'static str, expected: &str| {
        let service = layer.layer(service_fn(async move |_: Request<()>| {
            let mut response = Response::new(String::new());
            *response.status_mut() = status;
            if !told.is_empty() {
                response.headers_mut().append("x-ratelimit-limit", HeaderValue::from_static(told));
                response.headers_mut().append("x-ratelimit-limit", HeaderValue::from_static(told));
            }
            Ok::<_, Infallible>(response)
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

#[tokio::test]
async fn layers_add_up() {
    let world = World::new().await;
    let inner = world.layer().rule(by_address("inner", Limit::per_minute(1)));
    let outer = world.layer().rule(by_address("outer", Limit::per_minute(9)));
    let service = outer.layer(world.service(&inner));
    let Ok(first) = service.clone().oneshot(get("/")).await;
    assert_eq!(header(&first, "x-ratelimit-limit"), "9");
    assert_eq!(text(first).await, "outer inner");
    let Ok(second) = service.oneshot(get("/")).await;
    assert_eq!(second.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(header(&second, "x-ratelimit-limit"), "1", "the one that refused speaks");
}

#[tokio::test]
async fn an_error_of_the_service_passes_through() {
    let world = World::new().await;
    let layer = world.layer().rule(by_address("ip", Limit::per_minute(2)));
    let service = layer.layer(service_fn(async |_: Request<()>| Err::<Response<String>, _>("broken")));
    assert_eq!(service.oneshot(get("/")).await.map(|_| ()), Err("broken"));
}

/// A service that must be asked whether it is ready before each call, and whose clones have not been.
#[derive(Default)]
struct Picky {
    is_ready: bool,
}

impl Clone for Picky {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Service<Request<()>> for Picky {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Response<String>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<()>) -> Self::Future {
        assert!(mem::take(&mut self.is_ready), "called without having been asked");
        std::future::ready(Ok(Response::new(String::new())))
    }
}

#[tokio::test]
async fn the_service_that_was_ready_is_the_one_that_is_called() {
    let world = World::new().await;
    let mut service = world.layer().rule(by_address("ip", Limit::per_minute(9))).layer(Picky::default());
    for _ in 0..3 {
        let Ok(response) = service.ready().await.expect("always").call(get("/")).await;
        assert_eq!(response.status(), StatusCode::OK);
    }
}

#[test]
fn nothing_that_is_shown_tells_a_secret() {
    let rule = by_key("key", Limit::per_minute(1), Missing::Skip);
    assert_eq!(
        format!("{rule:?}"),
        r#"RateLimitRule { policy: "key", identity: SecretHeader("x-api-key") or Skip, conditions: [], .. }"#
    );
}
