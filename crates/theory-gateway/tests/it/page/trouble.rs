//! What visitors get when the application fails, is slow, or is gone, and when visitors go themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use facetheory::Policy;
use tabletheory::Model;
use tabletheory_core::store::op::PutItem;
use tabletheory_core::{Item, Seconds, StoreExt, Value};

use super::world::{World, answer, request, route};

#[tokio::test]
async fn a_page_stays_when_the_application_fails() {
    let is_well = Arc::new(AtomicBool::new(true));
    let told = Arc::clone(&is_well);
    let mut route = route();
    route.policy = Arc::new(Policy { stale_max: Seconds(0), ..Policy::fresh_for(Seconds(60)) });
    let world = World::with(route, move |_| match told.load(Ordering::SeqCst) {
        true => answer(200, "", "well"),
        false => answer(500, "", "secret stack trace"),
    })
    .await;
    world.get("/blog/one").await;
    is_well.store(false, Ordering::SeqCst);
    world.clock.advance(Seconds(100));
    let stale = world.get("/blog/one").await;
    assert_eq!((stale.status, stale.text(), stale.state()), (200, "well", "stale-error"));
    assert_eq!(stale.header("cache-status"), "theory; fwd=stale; ttl=-40; detail=stale-if-error");
}

#[tokio::test]
async fn an_application_that_is_broken_or_gone_is_answered_for_without_a_word_about_it() {
    let world = World::new(|_| "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".into()).await;
    world.gate.close();
    let seen = world.get("/blog/one").await;
    assert_eq!((seen.status, seen.header("content-type")), (502, "application/problem+json"));
    assert!(!seen.text().contains("127.0.0.1"), "{}", seen.text());
    // Nobody tries again at once, and visitors learn when.
    let again = world.get("/blog/one").await;
    assert_eq!((again.status, again.header("retry-after")), (503, "1"));
    assert_eq!(again.header("cache-control"), "no-store");
}

#[tokio::test]
async fn an_application_that_takes_too_long_is_given_up() {
    let mut route = route();
    route.policy = Arc::new(Policy { render_max: Duration::from_millis(50), ..Policy::default() });
    let world = World::with(route, |_| answer(200, "", "late")).await;
    world.gate.forget_permits(1000);
    assert_eq!(world.get("/blog/one").await.status, 504);
}

#[tokio::test]
async fn a_visitor_who_goes_does_not_take_the_render_along() {
    let world = World::new(|_| answer(200, "", "slow")).await;
    world.gate.forget_permits(1000);
    let (pages, place) = (Arc::clone(&world.pages), Arc::clone(&world.place));
    let visitor = tokio::spawn(async move {
        let (head, asked) = request("example.com", "GET", "/blog/one", &[]);
        pages.answer(&place, &asked, &head, false).await
    });
    while world.application.heads().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    visitor.abort();
    assert!(visitor.await.unwrap_err().is_cancelled());
    assert_eq!(world.pages.running(), 1);
    world.gate.add_permits(1000);
    world.pages.settled().await;
    assert_eq!(world.get("/blog/one").await.state(), "hit");
    assert_eq!(world.application.heads().len(), 1);
}

#[tokio::test]
async fn a_missing_page_is_kept_for_a_moment_only() {
    let world = World::new(|_| answer(404, "", "nothing here")).await;
    assert_eq!(world.get("/blog/one").await.status, 404);
    let hit = world.send("GET", "/blog/one", &[("if-none-match", "*"), ("range", "bytes=0-1")]).await;
    assert_eq!(
        (hit.status, hit.text(), hit.state()),
        (404, "nothing here", "hit"),
        "conditions are for pages"
    );
    world.clock.advance(Seconds(11));
    world.get("/blog/one").await;
    assert_eq!(world.application.heads().len(), 2);
}

/// What a row of the table says is checked again when it is read: whoever can write rows cannot split answers with them.
#[tokio::test]
async fn a_hostile_row_cannot_break_an_answer() {
    let world = World::new(|_| answer(200, "", "fine")).await;
    world.get("/blog/one").await;
    let (head, asked) = request("example.com", "GET", "/blog/one", &[]);
    let visit = world.place.visit(&asked, &head.headers).unwrap();
    let meta = world.pages.isr().meta();
    let partition = meta.partition(visit.key()).unwrap();
    let kept = meta.get(&partition).await.unwrap().meta.expect("it is kept");
    let hostile = [
        ("x-split", "1\r\nset-cookie: a=1"),
        ("bad name", "1"),
        ("set-cookie", "a=1"),
        ("content-length", "1"),
        ("transfer-encoding", "chunked"),
        ("connection", "upgrade"),
        ("content-encoding", "gzip"),
        ("date", "never"),
        ("vary", "*"),
        ("cache-control", "\u{7f}"),
        ("etag", "no tag"),
        ("link", "</style.css>; rel=preload"),
    ];
    let mut row = kept.to_item().unwrap();
    let header = |(name, value): (&str, &str)| {
        Value::M(Item::from([("name", Value::s(name)), ("value", Value::s(value))]))
    };
    row.insert("headers", Value::L(hostile.map(header).into()));
    let put = PutItem { table: "facetheory-cache".into(), item: row, ..PutItem::default() };
    meta.db().store().put_item(put).await.unwrap();
    world.clock.advance(Seconds(10));
    world.pages.isr().invalidate_partition(&elsewhere(), facetheory::Purge::Stale).await.unwrap();
    let seen = world.get("/blog/one").await;
    assert_eq!((seen.status, seen.text(), seen.state()), (200, "fine", "hit"));
    assert_eq!(seen.header("link"), "</style.css>; rel=preload");
    assert_eq!(seen.header("cache-control"), "public, max-age=0, must-revalidate");
    assert_eq!(seen.header("etag").len(), 34);
    for absent in [
        "x-split",
        "set-cookie",
        "content-length",
        "transfer-encoding",
        "connection",
        "content-encoding",
        "date",
    ] {
        assert_eq!(seen.header(absent), "", "{absent}");
    }
}

/// A page that nobody has: purging it makes this process forget what it has read, and changes nothing else.
fn elsewhere() -> facetheory::Partition {
    facetheory::Partition::of_row("CACHE#elsewhere").expect("a page's")
}
