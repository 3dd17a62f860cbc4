//! What is kept answers for as long as it may, in every form in which clients ask for it.

use http::Method;

use super::world::{World, say, say_status};

const FRESH: (&str, &str) = ("cache-control", "max-age=60");

#[tokio::test]
async fn a_fresh_answer_is_asked_for_once_and_grows_older() {
    let world = World::new(|_, _| say(&[FRESH, ("x-own", "1")], "hello")).await;
    let first = world.get("/a?b").await;
    assert_eq!(first.header("cache-status"), "theory; fwd=uri-miss; stored");
    world.advance(59);
    let second = world.get("/a?b").await;
    assert_eq!((second.status, second.text(), second.header("x-own")), (200, "hello", "1"));
    assert_eq!((second.header("age"), second.header("cache-status")), ("59", "theory; hit; ttl=1"));
    assert_eq!(second.header("content-length"), "5");
    assert_eq!(world.asked(), 1);
    world.advance(1);
    assert_eq!(world.get("/a?b").await.header("cache-status"), "theory; fwd=stale; stored");
    assert_eq!(world.asked(), 2);
}

#[tokio::test]
async fn what_is_kept_answers_head_range_and_conditions() {
    let world = World::new(|_, _| say(&[FRESH, ("etag", "\"v1\"")], "0123456789")).await;
    world.get("/a").await;
    let head = world.send(Method::HEAD, "/a", &[]).await;
    assert_eq!((head.status, head.text(), head.header("content-length")), (200, "", "10"));
    let part = world.get_with("/a", &[("range", "bytes=2-4"), ("if-range", "\"v1\"")]).await;
    assert_eq!((part.status, part.text()), (206, "234"));
    assert_eq!((part.header("content-range"), part.header("content-length")), ("bytes 2-4/10", "3"));
    let whole = world.get_with("/a", &[("range", "bytes=2-4"), ("if-range", "\"v0\"")]).await;
    assert_eq!((whole.status, whole.text()), (200, "0123456789"));
    let none = world.get_with("/a", &[("range", "bytes=10-")]).await;
    assert_eq!((none.status, none.header("content-range")), (416, "bytes */10"));
    let same = world.get_with("/a", &[("if-none-match", "W/\"v1\"")]).await;
    assert_eq!((same.status, same.text(), same.header("etag")), (304, "", "\"v1\""));
    assert_eq!(same.headers.get("content-length"), None);
    assert_eq!(world.asked(), 1);
}

#[tokio::test]
async fn what_is_stale_is_asked_about_and_renewed() {
    let world =
        World::new(|_, _| say(&[FRESH, ("etag", "\"v1\""), ("x-own", "1"), ("vary", "foo")], "hello")).await;
    world.get_with("/a", &[("foo", "x")]).await;
    world.advance(60);
    world.now_says(say_status(304, &[FRESH, ("etag", "\"v1\""), ("x-own", "2")]));
    let renewed = world.get_with("/a", &[("foo", "x"), ("range", "bytes=0-1")]).await;
    assert_eq!((renewed.status, renewed.text(), renewed.header("x-own")), (206, "he", "2"));
    assert_eq!(renewed.header("cache-status"), "theory; fwd=stale; fwd-status=304; stored");
    assert_eq!(
        (&world.last()["if-none-match"], &world.last()["foo"]),
        (&"\"v1\"".parse().unwrap(), &"x".parse().unwrap())
    );
    assert!(!world.last().contains_key("range"));
    world.advance(59);
    let hit = world.get_with("/a", &[("foo", "x")]).await;
    assert!(hit.is_hit() && hit.text() == "hello" && hit.header("x-own") == "2");
    assert_eq!(world.asked(), 2);
}

#[tokio::test]
async fn not_modified_that_speaks_of_something_else_is_not_believed() {
    let world = World::new(|_, _| say(&[FRESH, ("etag", "\"v1\"")], "old")).await;
    world.get("/a").await;
    world.advance(60);
    *world.script() = std::sync::Arc::new(|head, _| match head.headers.contains_key("if-none-match") {
        true => say_status(304, &[FRESH, ("etag", "\"v2\"")]),
        false => say(&[FRESH, ("etag", "\"v2\"")], "new"),
    });
    let answer = world.get("/a").await;
    assert_eq!((answer.status, answer.text(), world.asked()), (200, "new", 3));
    assert_eq!(world.get("/a").await.text(), "new");
    assert_eq!(world.asked(), 3);
}

#[tokio::test]
async fn a_head_renews_what_it_agrees_with_and_ends_what_it_does_not() {
    let world = World::new(|_, _| say(&[FRESH, ("etag", "\"v1\"")], "hello")).await;
    world.get("/a").await;
    world.advance(60);
    assert_eq!(world.send(Method::HEAD, "/a", &[]).await.status, 200);
    assert!(world.get("/a").await.is_hit());
    world.advance(60);
    world.now_says(say(&[FRESH, ("etag", "\"v2\"")], "hello"));
    world.send(Method::HEAD, "/a", &[]).await;
    assert_eq!(world.get("/a").await.header("cache-status"), "theory; fwd=uri-miss; stored");
}

#[tokio::test]
async fn variants_are_kept_apart_and_only_a_few_of_them() {
    let world = World::new(|head, _| {
        let body = if head.headers["foo"] == "1" { "one" } else { "other" };
        say(&[FRESH, ("vary", "Foo")], body)
    })
    .await;
    assert_eq!(world.get_with("/a", &[("foo", "1")]).await.text(), "one");
    let other = world.get_with("/a", &[("foo", "2")]).await;
    assert_eq!((other.text(), other.header("cache-status")), ("other", "theory; fwd=vary-miss; stored"));
    assert!(world.get_with("/a", &[("foo", "1")]).await.is_hit());
    for number in 3..=20 {
        world.get_with("/a", &[("foo", &number.to_string())]).await;
    }
    assert!(world.get_with("/a", &[("foo", "20")]).await.is_hit());
    assert!(!world.get_with("/a", &[("foo", "1")]).await.is_hit());
    assert_eq!(world.cache.addresses(), 1);
}

#[tokio::test]
async fn what_is_said_to_this_cache_counts_before_what_is_said_to_all() {
    let world = World::new(|_, _| {
        say(&[("cache-control", "no-store"), ("cdn-cache-control", "max-age=60")], "hello")
    })
    .await;
    world.get("/a").await;
    assert_eq!(world.last()["surrogate-capability"], "theory=\"Surrogate/1.0\"");
    let hit = world.get("/a").await;
    assert!(hit.is_hit());
    assert_eq!(hit.header("cache-control"), "no-store");
}

#[tokio::test]
async fn a_client_decides_how_old_is_too_old_where_it_is_obeyed() {
    let mut world = World::new(|_, _| say(&[FRESH], "hello")).await;
    world.route.obeys_clients = true;
    let only = world.get_with("/a", &[("cache-control", "only-if-cached")]).await;
    assert_eq!((only.status, only.header("cache-status")), (504, "theory; detail=only-if-cached"));
    world.get("/a").await;
    assert!(world.get_with("/a", &[("cache-control", "only-if-cached")]).await.is_hit());
    let anew = world.get_with("/a", &[("cache-control", "no-cache")]).await;
    assert_eq!(anew.header("cache-status"), "theory; fwd=request; stored");
    world.advance(61);
    assert!(world.get_with("/a", &[("cache-control", "max-stale=5")]).await.is_hit());
    assert_eq!(world.asked(), 2);
}

#[tokio::test]
async fn what_is_kept_stays_within_its_bytes() {
    let world = World::new(|_, _| say(&[FRESH], "0123456789012345678901234567890123456789")).await;
    for number in 0..2000 {
        world.get(&format!("/{number}")).await;
    }
    assert!(world.cache.bytes() <= 1 << 20, "{}", world.cache.bytes());
    assert!(world.cache.addresses() > 100);
}
