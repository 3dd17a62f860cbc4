//! How the service behaves among services.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::mem;
use std::task::{Context, Poll};

use super::*;

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

impl Service<Request<IdempotentBody<AnyBody>>> for Picky {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Full<Bytes>>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<IdempotentBody<AnyBody>>) -> Self::Future {
        assert!(mem::take(&mut self.is_ready), "called without having been asked");
        ready(Ok(Response::default()))
    }
}

#[tokio::test]
async fn the_service_that_was_ready_is_the_one_that_is_called() {
    let world = World::new().await;
    let mut service = world.layer().layer(Picky::default());
    for key in ["a", "b", "c"] {
        let request = request("ada", "/orders", key, "{}");
        let Ok(response) = service.ready().await.expect("always").call(request).await;
        assert_eq!(response.status(), 200);
    }
}

#[tokio::test]
async fn a_router_of_axum_takes_the_layer() {
    let world = World::new().await;
    let begun = Arc::clone(&world.begun);
    let handler = async move |body: String| {
        begun.fetch_add(1, Ordering::SeqCst);
        (http::StatusCode::CREATED, body)
    };
    let router = axum::Router::new().route("/orders", axum::routing::post(handler)).layer(world.layer());
    for is_replay in [false, true] {
        let request = post("/orders").map(|_| axum::body::Body::from("{}"));
        let Ok(response) = router.clone().oneshot(request).await;
        assert_eq!(response.status(), 201);
        assert_eq!(response.headers().contains_key("idempotent-replayed"), is_replay);
        let body = response.into_body().collect().await.expect("whole").to_bytes();
        assert_eq!(body, "{}");
    }
    assert_eq!(world.begun(), 1);
}

#[test]
fn nothing_that_is_shown_tells_a_value() {
    let scope = |_: &Parts| None;
    let layer = IdempotencyLayer::new(Idempotency::new(tabletheory::Db::memory()), scope);
    let shown = format!("{layer:?}");
    assert!(shown.contains("methods: [POST, PATCH]") && !shown.contains("Bearer"), "{shown}");
}
