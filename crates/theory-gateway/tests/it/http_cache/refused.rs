//! What is never kept, and never shown to others.

use http::Method;

use super::world::{Said, World, say, say_status};

const FRESH: (&str, &str) = ("cache-control", "max-age=60");

/// Asks twice; says what this cache says about the first answer, and whether the second came from it.
async fn twice(world: &World, headers: &[(&str, &str)]) -> (String, bool) {
    let first = world.get_with("/a", headers).await;
    let second = world.get_with("/a", &[]).await;
    (first.header("cache-status").to_owned(), second.is_hit())
}

#[tokio::test]
async fn what_is_for_one_client_is_not_kept() {
    for (headers, why) in [
        (vec![("cache-control", "private, max-age=60")], "private"),
        (vec![("cache-control", "no-store, max-age=60")], "no-store"),
        (vec![FRESH, ("set-cookie", "id=1")], "set-cookie"),
        (vec![FRESH, ("vary", "*")], "vary"),
        (vec![], "no-freshness"),
    ] {
        let world = World::new(move |_, _| say(&headers, "hello")).await;
        let expected = format!("theory; fwd=uri-miss; detail={why}");
        assert_eq!(twice(&world, &[]).await, (expected, false));
    }
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    let bearer = [("authorization", "Bearer x")];
    assert_eq!(
        twice(&world, &bearer).await,
        ("theory; fwd=uri-miss; detail=authorization".to_owned(), false)
    );
}

#[tokio::test]
async fn parts_of_an_answer_are_not_kept() {
    let world = World::new(|_, _| say_status(206, &[FRESH, ("content-range", "bytes 0-0/2")])).await;
    let range = [("range", "bytes=0-0")];
    assert_eq!(twice(&world, &range).await, ("theory; fwd=partial; detail=status".to_owned(), false));
}

#[tokio::test]
async fn a_body_that_breaks_off_is_not_kept_and_breaks_off_for_the_client() {
    let world = World::new(|_, _| Said { breaks: true, ..say(&[FRESH], "part") }).await;
    assert!(world.get("/a").await.body.is_err());
    world.now_says(say(&[FRESH], "whole"));
    assert_eq!(world.get("/a").await.text(), "whole");
}

#[tokio::test]
async fn a_body_whose_end_cannot_be_seen_is_not_kept() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let world = World::at(listener.local_addr().unwrap()).await;
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_exact(&mut [0; 4]).await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncache-control: max-age=60\r\n\r\nhello").await.unwrap();
        }
    });
    assert_eq!(twice(&world, &[]).await, ("theory; fwd=uri-miss; detail=no-end".to_owned(), false));
}

#[tokio::test]
async fn what_is_too_large_passes_whole_and_is_not_kept() {
    let mut world = World::new(|_, _| say(&[FRESH], "12345")).await;
    world.route.body_bytes_max = 4;
    assert_eq!(twice(&world, &[]).await, ("theory; fwd=uri-miss; detail=too-large".to_owned(), false));
    assert_eq!(world.get("/a").await.text(), "12345");
    world.route.body_bytes_max = 5;
    assert!(twice(&world, &[]).await.1);
}

#[tokio::test]
async fn an_answer_of_unknown_length_that_grows_too_large_is_not_kept() {
    let mut world = World::new(|_, _| Said { is_chunked: true, ..say(&[FRESH], "12345") }).await;
    world.route.body_bytes_max = 4;
    // It begins as one that would be kept.
    assert_eq!(twice(&world, &[]).await, ("theory; fwd=uri-miss; stored".to_owned(), false));
    assert_eq!(world.get("/a").await.text(), "12345");
    world.route.body_bytes_max = 5;
    assert!(twice(&world, &[]).await.1);
}

#[tokio::test]
async fn scopes_hosts_ports_and_paths_share_nothing() {
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    world.get("/a").await;
    for (scope, host, path) in [
        ("other", "site.example", "/a"),
        ("site", "other.example", "/a"),
        ("site", "site.example:8080", "/a"),
        ("site", "site.example", "/A"),
        ("site", "site.example", "/a?"),
    ] {
        let got = world.send_in(scope, Method::GET, path, &[("host", host)], "").await;
        assert!(!got.is_hit(), "{scope} {host} {path}");
    }
    assert!(world.send_in("site", Method::GET, "/a", &[("host", "SITE.example")], "").await.is_hit());
}

#[tokio::test]
async fn what_a_client_says_about_hosts_reaches_neither_the_application_nor_others() {
    let world = World::new(|head, _| {
        let told = head.headers.get("x-forwarded-host").map_or("", |host| host.to_str().unwrap());
        say(&[FRESH, ("x-link", told)], "hello")
    })
    .await;
    let lies = [
        ("x-forwarded-host", "evil.example"),
        ("x-original-url", "/evil"),
        ("forwarded", "host=evil.example"),
    ];
    assert_eq!(world.get_with("/a", &lies).await.header("x-link"), "site.example");
    assert!(!world.last().contains_key("x-original-url") && !world.last().contains_key("forwarded"));
    assert!(world.get("/a").await.is_hit());
}

#[tokio::test]
async fn a_get_with_a_body_is_refused() {
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    assert_eq!(world.send_in("site", Method::GET, "/a", &[], "body").await.status, 400);
    assert_eq!(world.asked(), 0);
}

#[tokio::test]
async fn conditions_that_only_the_application_can_judge_go_to_it() {
    let world = World::new(|_, _| say(&[FRESH], "hello")).await;
    world.get("/a").await;
    let judged = world.get_with("/a", &[("if-match", "\"x\"")]).await;
    assert_eq!(judged.header("cache-status"), "theory; fwd=bypass; stored");
    assert_eq!(world.last()["if-match"], "\"x\"");
}

#[tokio::test]
async fn an_answer_that_may_no_longer_be_kept_ends_the_one_that_was() {
    let world = World::new(|_, _| say(&[FRESH, ("etag", "\"v1\"")], "old")).await;
    world.get("/a").await;
    world.advance(60);
    world.now_says(say_status(304, &[("etag", "\"v1\""), ("cache-control", "no-store")]));
    let last = world.get("/a").await;
    assert_eq!((last.status, last.text()), (200, "old"));
    assert_eq!(world.cache.addresses(), 0);
}
