//! Requests that are refused, and those that only look alike.

use super::*;

#[tokio::test]
async fn the_same_key_for_another_request_is_refused_while_it_runs_and_after() {
    let world = World::new().await;
    let layer = world.layer();
    let others = async || {
        for other in [request("ada", "/gate", "k", "{ }"), request("ada", "/gate?x", "k", "{}")] {
            let seen = world.call(&layer, other).await;
            assert_eq!((seen.status, seen.code().as_str()), (422, "idempotency_key_reused"));
        }
    };
    let meanwhile = async {
        world.until_begun(1).await;
        others().await;
        world.open();
    };
    let (first, ()) = tokio::join!(world.call(&layer, post("/gate")), meanwhile);
    assert_eq!(first.status, 201);
    others().await;
    let stripe = layer.clone().with_statuses(StatusStyle::Stripe);
    assert_eq!(world.call(&stripe, request("ada", "/gate", "k", "{ }")).await.status, 400);
    assert_eq!(world.begun(), 1);
}

#[tokio::test]
async fn a_key_in_quotes_is_the_same_key() {
    let world = World::new().await;
    world.call(&world.layer(), request("ada", "/orders", "k", "{}")).await;
    assert!(world.call(&world.layer(), request("ada", "/orders", "\"k\"", "{}")).await.is_replay());
    assert!(!world.call(&world.layer(), request("ada", "/orders", "K", "{}")).await.is_replay());
}

/// Elsewhere, everybody without a name shared one scope, and saw the answers of others.
#[tokio::test]
async fn two_principals_with_one_key_get_answers_of_their_own() {
    let world = World::new().await;
    for user in ["ada", "bob"] {
        let seen = world.call(&world.layer(), request(user, "/orders", "k", "{}")).await;
        assert!(!seen.is_replay());
    }
    let again = world.call(&world.layer(), request("bob", "/orders", "k", "{}")).await;
    assert_eq!((again.body.as_str(), again.is_replay()), ("run 2 of {}", true));
}

#[tokio::test]
async fn whose_request_it_is_has_to_be_known() {
    let world = World::new().await;
    let mut unknown = post("/orders");
    unknown.headers_mut().remove("x-user");
    let seen = world.call(&world.layer(), unknown).await;
    assert_eq!((seen.status, seen.header("www-authenticate")), (401, "Bearer"));
    assert_eq!(world.begun(), 0);
}

#[tokio::test]
async fn without_a_key_each_request_is_performed_unless_one_is_required() {
    let world = World::new().await;
    let without_key = || {
        let mut request = post("/orders");
        request.headers_mut().remove("idempotency-key");
        request
    };
    for run in 1..=2 {
        let seen = world.call(&world.layer(), without_key()).await;
        assert_eq!((seen.status, world.begun()), (201, run));
    }
    let seen = world.call(&world.layer().require_key(), without_key()).await;
    assert_eq!((seen.status, seen.code().as_str()), (400, "idempotency_key_missing"));
    let mut twice = post("/orders");
    twice.headers_mut().append("idempotency-key", HeaderValue::from_static("l"));
    assert_eq!(world.call(&world.layer(), twice).await.code(), "idempotency_key_malformed");
    let long: &str = &"k".repeat(10_240);
    let seen = world.call(&world.layer(), request("ada", "/orders", long, "{}")).await;
    assert_eq!((seen.status, seen.code().as_str()), (400, "idempotency_key_malformed"));
    assert_eq!(world.begun(), 2);
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_whether_or_not_it_says_so() {
    let world = World::new().await;
    let layer = world.layer().with_body_bytes_max(10);
    let streamed = |pieces: usize| {
        let frames: Vec<_> = (0..pieces).map(|_| Ok(Frame::data(Bytes::from_static(b"12345")))).collect();
        let body = StreamBody::new(futures_util::stream::iter(frames)).boxed_unsync();
        post("/orders").map(|_| body)
    };
    let mut declared = post("/orders");
    declared.headers_mut().insert("content-length", HeaderValue::from_static("11"));
    for too_long in [request("ada", "/orders", "k", "12345678901"), streamed(3), declared] {
        let seen = world.call(&layer, too_long).await;
        assert_eq!((seen.status, seen.code().as_str()), (413, "body_too_long"));
    }
    assert_eq!(world.begun(), 0);
    assert_eq!(world.call(&layer, streamed(2)).await.body, "run 1 of 1234512345");
}

#[tokio::test]
async fn a_body_that_breaks_off_claims_nothing() {
    let world = World::new().await;
    let frames = [Ok(Frame::data(Bytes::from_static(b"{"))), Err(Broken)];
    let body = StreamBody::new(futures_util::stream::iter(frames)).boxed_unsync();
    let seen = world.call(&world.layer(), post("/orders").map(|_| body)).await;
    assert_eq!((seen.status, seen.code().as_str()), (400, "body_broken"));
    assert_eq!(world.call(&world.layer(), post("/orders")).await.status, 201);
}

#[tokio::test]
async fn other_methods_pass_untouched_unless_they_are_named() {
    let world = World::new().await;
    let put = || {
        let mut request = post("/orders");
        *request.method_mut() = Method::PUT;
        request
    };
    for run in 1..=2 {
        assert_eq!(world.call(&world.layer(), put()).await.body, format!("run {run} of {{}}"));
    }
    let layer = world.layer().with_methods([Method::PUT]);
    world.call(&layer, put()).await;
    assert!(world.call(&layer, put()).await.is_replay());
    assert_eq!(world.begun(), 3);
}

/// A scope may say nothing of methods.
#[tokio::test]
async fn the_same_key_with_another_method_is_refused() {
    let world = World::new().await;
    let layer = IdempotencyLayer::new(world.machine.clone(), |_| {
        Some(Scope::route("any", "/orders").without_tenant().principal("ada"))
    });
    world.call(&layer, post("/orders")).await;
    let mut patch = post("/orders");
    *patch.method_mut() = Method::PATCH;
    let seen = world.call(&layer, patch).await;
    assert_eq!((seen.status, seen.code().as_str(), world.begun()), (422, "idempotency_key_reused", 1));
}
