//! What is kept, for how long, and what becomes of it when its time is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use facetheory::meta::Group;
use facetheory::{Mode, Policy, Purge};
use tabletheory_core::Seconds;

use super::world::{World, answer, request, route};

/// An application that counts its answers.
fn counting(headers: &'static str) -> impl Fn(&str) -> String + Send + Sync + 'static {
    let count = AtomicUsize::new(0);
    move |_| answer(200, headers, &format!("answer {}", count.fetch_add(1, Ordering::SeqCst) + 1))
}

#[tokio::test]
async fn a_page_is_rendered_once_and_then_comes_from_the_cache() {
    let world = World::new(counting("")).await;
    let first = world.get("/blog/one").await;
    assert_eq!((first.status, first.text(), first.state()), (200, "answer 1", "miss"));
    assert_eq!(first.header("cache-status"), "theory; fwd=miss; stored");
    world.clock.advance(Seconds(20));
    let second = world.get("/blog/one").await;
    assert_eq!((second.text(), second.state(), second.header("age")), ("answer 1", "hit", "20"));
    assert_eq!(second.header("cache-status"), "theory; hit; ttl=40");
    assert_eq!(second.header("cache-control"), "public, max-age=0, must-revalidate");
    assert_eq!(second.header("vary"), "accept-encoding, accept-language, cookie, x-draft");
    assert_eq!(second.header("content-type"), "text/html");
    assert_eq!(world.application.heads().len(), 1);
}

#[tokio::test]
async fn a_stale_page_is_served_while_it_is_rendered_again() {
    let world = World::new(counting("")).await;
    world.get("/blog/one").await;
    world.clock.advance(Seconds(61));
    let stale = world.get("/blog/one").await;
    assert_eq!((stale.text(), stale.state()), ("answer 1", "stale"));
    assert_eq!(stale.header("cache-status"), "theory; hit; ttl=-1; detail=stale");
    world.pages.settled().await;
    let fresh = world.get("/blog/one").await;
    assert_eq!((fresh.text(), fresh.state(), fresh.header("age")), ("answer 2", "hit", "0"));
}

#[tokio::test]
async fn a_page_that_blocks_is_waited_for() {
    let policy = Policy { mode: Mode::Blocking, stale_max: Seconds(0), ..Policy::fresh_for(Seconds(60)) };
    let mut route = route();
    route.policy = Arc::new(policy);
    let world = World::with(route, counting("")).await;
    world.get("/blog/one").await;
    world.clock.advance(Seconds(61));
    assert_eq!(world.get("/blog/one").await.text(), "answer 2");
}

#[tokio::test]
async fn a_hundred_visitors_of_a_cold_page_cost_one_render() {
    let world = World::new(counting("")).await;
    let visits = (0..100).map(|_| world.get("/blog/one"));
    let seen = futures_util::future::join_all(visits).await;
    assert!(seen.iter().all(|seen| seen.text() == "answer 1"));
    assert_eq!(seen.iter().filter(|seen| seen.state() == "miss").count(), 1);
    assert_eq!(world.application.heads().len(), 1);
}

#[tokio::test]
async fn the_application_may_say_how_long_a_page_is_fresh() {
    for (headers, fresh_for) in [
        ("cache-control: s-maxage=300\r\n", 300),
        ("cdn-cache-control: max-age=5\r\ncache-control: s-maxage=300\r\n", 5),
        ("cache-control: max-age=300\r\n", 60),
        ("age: 10\r\n", 50),
    ] {
        let world = World::new(counting(headers)).await;
        world.get("/blog/one").await;
        let hit = world.get("/blog/one").await;
        assert_eq!(hit.header("cache-status"), format!("theory; hit; ttl={fresh_for}"), "{headers}");
    }
}

#[tokio::test]
async fn what_is_for_one_visitor_or_depends_on_more_than_the_key_is_not_kept() {
    for (headers, why) in [
        ("set-cookie: session=1\r\n", "set-cookie"),
        ("cache-control: private\r\n", "forbidden"),
        ("cache-control: no-store\r\n", "forbidden"),
        ("cdn-cache-control: no-store\r\n", "forbidden"),
        ("vary: user-agent\r\n", "vary"),
        ("vary: accept-language, origin\r\n", "vary"),
        ("vary: *\r\n", "vary"),
        ("content-security-policy: script-src 'nonce-1'\r\n", "nonce"),
        ("content-encoding: gzip\r\n", "encoded"),
    ] {
        let world = World::new(counting(headers)).await;
        for number in 1..=2 {
            let seen = world.get("/blog/one").await;
            assert_eq!(seen.text(), format!("answer {number}"), "{headers}");
            assert_eq!(seen.state(), "uncached", "{headers}");
            assert_eq!(seen.header("cache-status"), format!("theory; fwd=miss; detail={why}"));
            let vary = headers.strip_prefix("vary: ").map_or("", str::trim_end);
            assert_eq!(seen.header("vary"), vary, "clients hear what the application said");
        }
    }
    let world = World::new(counting("vary: Accept-Language, Cookie, X-Draft, Accept-Encoding\r\n")).await;
    world.get("/blog/one").await;
    assert_eq!(world.get("/blog/one").await.state(), "hit", "these are in the key, or lead past the cache");
}

#[tokio::test]
async fn pages_are_purged_by_the_tags_of_their_route_and_of_the_application() {
    let world = World::new(counting("cache-tag: a, b  c\r\n")).await;
    let mut renders = 0;
    for tag in ["posts", "post:one", "a", "b", "c"] {
        let seen = world.get("/blog/one").await;
        renders += 1;
        assert_eq!(seen.text(), format!("answer {renders}"), "{tag}");
        assert_eq!(seen.header("cache-tag"), "", "what it is purged by is nobody's business");
        world.pages.isr().invalidate_group(None, Group::Tag(tag), Purge::Gone).await.unwrap();
        world.clock.advance(Seconds(1));
    }
    world.get("/blog/one").await;
    world.pages.isr().invalidate_group(None, Group::Tag("post:two"), Purge::Gone).await.unwrap();
    assert_eq!(world.get("/blog/one").await.text(), format!("answer {}", renders + 1));
}

#[tokio::test]
async fn a_page_is_listed_by_its_address_and_without_secrets() {
    let world = World::new(counting("")).await;
    world.send("GET", "/blog/one?page=2&utm_source=x", &[("cookie", "theme=s3cret")]).await;
    let listed = world.pages.isr().meta().pages(10, None).await.unwrap().pages;
    assert_eq!(listed[0].page.as_deref(), Some("example.com/blog/one?page=2"));
}

#[tokio::test]
async fn nothing_of_a_preview_is_kept() {
    let world = World::new(counting("")).await;
    world.get("/blog/one").await;
    let secret = super::world::PREVIEW_SECRET;
    let cookie = format!("a=1; x-theory-preview={secret}");
    for (number, header) in [(2, ("x-theory-preview", secret)), (3, ("cookie", cookie.as_str()))] {
        let seen = world.send("GET", "/blog/one", &[header]).await;
        assert_eq!(seen.text(), format!("answer {number}"));
        assert_eq!(seen.header("cache-control"), "private, no-store");
        assert_eq!(seen.header("cache-status"), "theory; fwd=bypass; detail=preview");
        let head = world.application.heads().pop().unwrap();
        assert!(head.contains("x-theory-preview: 1\r\n") && !head.contains(secret), "{head}");
    }
    for wrong in ["", "s3cr3t", "s3cr3t-of-previews2"] {
        assert_eq!(world.send("GET", "/blog/one", &[("x-theory-preview", wrong)]).await.text(), "answer 1");
    }
    assert!(!world.application.heads()[0].contains("preview"));
}

#[tokio::test]
async fn hosts_that_clients_make_up_share_one_page_and_do_not_reach_the_application() {
    let world = World::new(counting("")).await;
    assert_eq!(world.send_to("evil.test", "GET", "/blog/one", &[]).await.text(), "answer 1");
    assert_eq!(world.send_to("other.test", "GET", "/blog/one", &[]).await.text(), "answer 1");
    assert_eq!(world.get("/blog/one").await.text(), "answer 2");
    let heads = world.application.heads();
    assert!(!heads.concat().contains(".test"));
    assert!(heads[0].contains(&format!("host: {}\r\n", world.application.address)), "{}", heads[0]);
    assert!(
        heads[1].contains("host: example.com\r\n") && heads[1].contains("x-forwarded-host: example.com\r\n")
    );
}

#[tokio::test]
async fn a_request_with_a_body_is_refused_and_ends_its_connection() {
    let world = World::new(counting("")).await;
    for headers in [&[("content-length", "1")][..], &[("transfer-encoding", "chunked")]] {
        let seen = world.send("GET", "/blog/one", headers).await;
        assert_eq!((seen.status, seen.header("connection")), (400, "close"));
    }
    let (head, asked) = request("example.com", "GET", "/blog/one", &[]);
    assert_eq!(world.pages.answer(&world.place, &asked, &head, true).await.unwrap().status(), 400);
    assert_eq!(world.send("GET", "/blog/one", &[("content-length", "0")]).await.status, 200);
    assert_eq!(world.application.heads().len(), 1);
}
