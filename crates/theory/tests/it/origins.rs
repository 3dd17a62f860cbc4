//! Real applications behind `theory serve`: the news site of `tests/apps`, on Express and on Django. Both are asked the same.

mod app;
mod gateway;

use serde_json::json;

use app::App;
use gateway::{Answer, Gateway};

/// A test for each application.
macro_rules! on_both {
    ($($claim:ident)*) => {$(
        mod $claim {
            #[tokio::test]
            async fn on_express() {
                super::$claim(super::App::Express).await;
            }

            #[tokio::test]
            async fn on_django() {
                super::$claim(super::App::Django).await;
            }
        }
    )*};
}

on_both! {
    pages_are_rendered_once_and_revalidated_by_tag
    what_visitors_bring_makes_no_other_page
    what_is_no_page_goes_through
    pages_outlive_their_application
}

/// How often the application has rendered, as it counts itself.
async fn renders(gateway: &Gateway) -> u64 {
    let answer = gateway.get("/renders").await;
    let counts: serde_json::Value = serde_json::from_str(&answer.body).expect("it counts in JSON");
    counts["renders"].as_u64().expect("a number")
}

fn check(answer: &Answer, status: u16, text: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert!(answer.body.contains(text), "{text:?} in {answer:?}");
}

async fn pages_are_rendered_once_and_revalidated_by_tag(app: App) {
    let Some(app) = app.start() else { return };
    let gateway = Gateway::start(&app);
    for slug in ["rain", "sun"] {
        let first = gateway.get(&format!("/news/{slug}")).await;
        check(&first, 200, "It ");
        assert!(first.header("content-type").starts_with("text/html"), "{first:?}");
        let second = gateway.get(&format!("/news/{slug}")).await;
        assert_eq!(second.body, first.body);
        assert!(second.header("cache-status").contains("hit"), "{second:?}");
        let tag = second.header("etag");
        let again = gateway.send("GET", &format!("/news/{slug}"), &[("if-none-match", tag)], "").await;
        assert_eq!((again.status, again.body.as_str()), (304, ""));
    }
    assert_eq!(renders(&gateway).await, 2);

    assert_eq!(gateway.send("PUT", "/articles/rain", &[], "It pours.").await.status, 204);
    check(&gateway.get("/news/rain").await, 200, "It rains.");
    assert_eq!(renders(&gateway).await, 2, "nobody said that it changed");

    gateway.operate("/api/pages/revalidate", &json!({ "tag": "article-rain" })).await;
    gateway.until("/news/rain", "It pours.").await;
    assert_eq!(renders(&gateway).await, 3);
    check(&gateway.get("/news/sun").await, 200, "It shines.");
    assert_eq!(renders(&gateway).await, 3, "the other page has another tag");

    gateway.operate("/api/pages/purge", &json!({ "tag": "news", "hard": true })).await;
    check(&gateway.get("/news/sun").await, 200, "It shines.");
    check(&gateway.get("/news/rain").await, 200, "It pours.");
    assert_eq!(renders(&gateway).await, 5, "both pages have the tag of the header");
}

async fn what_visitors_bring_makes_no_other_page(app: App) {
    let Some(app) = app.start() else { return };
    let gateway = Gateway::start(&app);
    let plain = gateway.get("/news/rain").await;
    check(&plain, 200, "page 1, no cookie");
    for (path, header) in [
        ("/news/rain?utm_source=mail&fbclid=1", ("x-none", "")),
        ("/news/rain?page=2&page=3&other=1", ("cookie", "session=secret")),
        ("//news/rain", ("x-forwarded-host", "evil.example")),
        ("/news/r%61in", ("x-original-url", "/account")),
    ] {
        let answer = gateway.send("GET", path, &[header], "").await;
        assert_eq!(answer.body, plain.body, "{path} {header:?}");
    }
    assert_eq!(renders(&gateway).await, 1);
    check(&gateway.get("/news/none").await, 404, "No such article");
    check(&gateway.get("/news/none").await, 404, "No such article");
    assert_eq!(renders(&gateway).await, 2, "what is not there is kept for a while, too");
}

async fn what_is_no_page_goes_through(app: App) {
    let Some(app) = app.start() else { return };
    let gateway = Gateway::start(&app);
    let mine = gateway.send("GET", "/account", &[("cookie", "session=mine")], "").await;
    check(&mine, 200, "for session=mine");
    assert_eq!(mine.header("set-cookie"), "session=secret; Path=/");
    check(&gateway.get("/account").await, 200, "for nobody");
    let large = "ü".repeat(4 << 20);
    // Not asserted to be equal, because nobody would read eight megabytes of difference.
    assert!(gateway.send("POST", "/echo", &[], &large).await.body == large, "it comes back as it went");
    let events = gateway.get("/events").await;
    assert_eq!(events.body, "data: 1\n\ndata: 2\n\ndata: 3\n\n");
    assert!(events.header("content-type").starts_with("text/event-stream"), "{events:?}");
    assert!(events.header("cache-status").contains("fwd=bypass"), "{events:?}");
}

async fn pages_outlive_their_application(app: App) {
    let Some(app) = app.start() else { return };
    let gateway = Gateway::start(&app);
    let page = gateway.get("/news/rain").await;
    check(&page, 200, "It rains.");
    drop(app);
    assert_eq!(gateway.get("/account").await.status, 502);
    gateway.operate("/api/pages/revalidate", &json!({ "tag": "news" })).await;
    for _ in 0..5 {
        let stale = gateway.get("/news/rain").await;
        assert_eq!((stale.status, &stale.body), (200, &page.body));
    }
}
