//! How the service behaves among services.

use super::*;

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

#[tokio::test]
async fn a_router_of_axum_takes_the_layer_and_tells_it_the_address() {
    use axum::extract::{ConnectInfo, Extension};
    use std::net::SocketAddr;

    let world = World::new().await;
    let address = ClientAddress::socket()
        .with_peer(|parts| Some(parts.extensions.get::<ConnectInfo<SocketAddr>>()?.0.ip()));
    let layer = RateLimitLayer::new(world.limiter.clone(), address);
    let handler = async |decisions: Extension<RateLimitDecisions>| decisions.as_slice()[0].policy.to_string();
    let router = axum::Router::new()
        .route("/", axum::routing::get(handler))
        .layer(layer.rule(by_address("ip", Limit::per_minute(1))));
    let request = |last: u8| {
        let peer = ConnectInfo(SocketAddr::from(([203, 0, 113, last], 4711)));
        Request::get("/").extension(peer).body(axum::body::Body::empty()).expect("a request")
    };
    let statuses = async |last: u8| {
        let Ok(response) = router.clone().oneshot(request(last)).await;
        response.status().as_u16()
    };
    assert_eq!((statuses(1).await, statuses(1).await, statuses(2).await), (200, 429, 200));
}
