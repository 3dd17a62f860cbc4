//! Stores that are gone, events that are none.

use serde_json::json;
use theory_lambda::testing::{Call, Outcome};
use theory_synth::metric;

use crate::world::{TIME, World, told, until_stale};

#[tokio::test]
async fn without_its_tables_the_site_serves_what_it_has_and_says_so() {
    let world = World::new().await;
    let function = world.launch_warm().await;
    world.get("/news/one").await;
    until_stale().await;
    world.tables.stop();
    let stale = world.get("/news/one").await;
    assert_eq!((stale.status, stale.text()), (200, "<h1>News</h1>\n<p>first</p>\n"), "{stale:?}");
    assert!(["stale", "stale-error"].contains(&stale.header("x-facetheory-isr")), "{stale:?}");
    let none = world.get("/news/two").await;
    assert_eq!(none.status, 503, "{none:?}");
    assert_ne!(none.header("retry-after"), "");
    assert!(told(&function, metric::LIMIT_FAIL_OPEN).await >= 1, "the limiter let them pass");
    assert!(told(&function, metric::ISR_STALE_AFTER_ERROR).await >= 1);
    world.tables.resume().await.unwrap();
    world.write("two", "back", 0).await;
    let mut back = world.get("/news/two").await;
    for _ in 0..60 {
        if back.status == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        back = world.get("/news/two").await;
    }
    assert_eq!((back.status, back.text()), (200, "<h1>News</h1>\n<p>back</p>\n"), "{back:?}");
}

#[tokio::test]
async fn without_its_bucket_the_site_renders_for_each_visitor() {
    let mut world = World::new().await;
    // Nobody listens there.
    world.set("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9");
    let function = world.launch();
    for _ in 0..2 {
        let page = world.get("/news/one").await;
        assert_eq!((page.status, page.text()), (200, "<h1>News</h1>\n<p>first</p>\n"), "{page:?}");
        assert_eq!(page.header("x-facetheory-isr"), "uncached");
    }
    assert_eq!(told(&function, metric::ISR_MISS).await, 2);
}

#[tokio::test]
async fn hostile_events_are_refused_and_the_next_is_answered() {
    let world = World::new().await;
    let _function = world.launch();
    for event in [
        "null",
        "7",
        "[]",
        "{}",
        "\"x\"",
        r#"{"Records": "x"}"#,
        r#"{"Records": [{"eventSource": "aws:s3"}]}"#,
    ] {
        let outcome = world.lambda.invoke_text(event, TIME).await;
        assert!(matches!(outcome, Outcome::Failed { .. }), "{event}: {outcome:?}");
    }
    let outcome = world.lambda.invoke_text("{ this is no JSON", TIME).await;
    assert!(matches!(outcome, Outcome::Failed { .. }), "{outcome:?}");
    let no_stream = json!({ "Records": [{
        "eventSource": "aws:dynamodb", "eventID": "1", "eventName": "REMOVE",
        "dynamodb": { "Keys": { "id": { "S": "a" } }, "SequenceNumber": "1", "StreamViewType": "KEYS_ONLY" },
    }] });
    let outcome = world.lambda.invoke(no_stream, TIME).await;
    assert!(
        matches!(&outcome, Outcome::Failed { kind, .. } if kind == "Function.Misconfigured"),
        "{outcome:?}"
    );
    for path in ["/news/../secret", "/news/%00", "/news/a%2fb", "/news/\\x"] {
        assert_eq!(world.get(path).await.status, 400, "{path}");
    }
    for host in ["", "a b", "[::1"] {
        let answer = world.send(Call::get("/news/one").host(host)).await.http();
        assert_eq!(answer.status, 400, "{host:?}");
    }
    assert_eq!(world.get("/news/one").await.status, 200);
}
