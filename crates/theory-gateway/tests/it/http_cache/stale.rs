//! What is stale is sent where that was allowed: while the application is asked beside, and while it fails.

use super::world::{Said, World, say, say_status};

async fn world_with(cache_control: &'static str) -> World {
    let world =
        World::new(move |_, _| say(&[("cache-control", cache_control), ("etag", "\"v1\"")], "old")).await;
    assert_eq!(world.get("/a").await.text(), "old");
    world.advance(15);
    world
}

#[tokio::test]
async fn many_clients_get_what_is_stale_and_one_request_fetches_what_is_new() {
    let world = world_with("max-age=10, stale-while-revalidate=10").await;
    world.now_says(say(&[("cache-control", "max-age=10")], "new"));
    let closed = world.gate.acquire().await.unwrap();
    for _ in 0..20 {
        let stale = world.get("/a").await;
        assert_eq!((stale.text(), stale.header("cache-status")), ("old", "theory; hit; ttl=-5"));
    }
    world.until_asked(2).await;
    drop(closed);
    while world.get("/a").await.text() == "old" {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.asked(), 2);
    assert_eq!(world.last()["if-none-match"], "\"v1\"");
}

#[tokio::test]
async fn after_its_window_nothing_stale_is_sent() {
    let world = world_with("max-age=10, stale-while-revalidate=4").await;
    world.now_says(say(&[("cache-control", "max-age=10")], "new"));
    assert_eq!(world.get("/a").await.text(), "new");
}

#[tokio::test]
async fn requests_beside_answers_end_with_the_cache() {
    let mut world = world_with("max-age=10, stale-while-revalidate=10").await;
    let _closed = std::sync::Arc::clone(&world.gate).acquire_owned().await.unwrap();
    world.get("/a").await;
    world.until_asked(2).await;
    let origin = world.origin_in_use();
    assert!(origin > 1, "the request beside the answer holds the origin");
    world.cache = theory_gateway::cache::HttpCache::new(1 << 20, std::sync::Arc::clone(&world.clock) as _);
    while world.origin_in_use() > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_failing_application_is_stood_in_for_where_that_was_allowed() {
    let world = world_with("max-age=10, stale-if-error=10").await;
    for status in [500, 502, 503, 504] {
        world.now_says(say_status(status, &[]));
        let stood_in = world.get("/a").await;
        assert_eq!((stood_in.status, stood_in.text()), (200, "old"));
        assert_eq!(stood_in.header("cache-status"), format!("theory; fwd=stale; fwd-status={status}"));
    }
    world.now_says(say_status(404, &[]));
    assert_eq!(world.get("/a").await.status, 404);
    let world = world_with("max-age=10, stale-if-error=4").await;
    world.now_says(say_status(503, &[]));
    assert_eq!(world.get("/a").await.status, 503);
}

#[tokio::test]
async fn an_application_that_is_silent_is_stood_in_for_unless_that_was_forbidden() {
    let silent = || Said { breaks: true, ..say(&[("content-length", "nonsense")], "") };
    let world = world_with("max-age=10").await;
    world.now_says(silent());
    assert_eq!(world.get("/a").await.text(), "old");
    for cache_control in
        ["max-age=10, must-revalidate", "max-age=10, proxy-revalidate", "s-maxage=10", "max-age=10, no-cache"]
    {
        let world = world_with(cache_control).await;
        world.now_says(silent());
        assert_eq!(world.get("/a").await.status, 502, "{cache_control}");
    }
}
