//! What routes of the kind `http-cache` keep: told with everything else, and forgotten through the same doors as pages.

use http::{Request, header};
use http_body_util::BodyExt;
use serde_json::json;

use super::world::{TOKEN, World};

#[tokio::test]
async fn an_address_of_an_http_cache_is_purged_and_revalidated_like_a_page() {
    let world = World::new().await;
    for (path, body, hard, outcome) in [
        ("/api/pages/purge", r#"{"url":"shop.example/assets/a"}"#, true, "purged"),
        ("/api/pages/purge", r#"{"url":"shop.example/assets/a","hard":false}"#, false, "marked-stale"),
        ("/api/pages/revalidate", r#"{"url":"shop.example/assets/a"}"#, false, "marked-stale"),
    ] {
        let expected = json!({
            "what": "http-cache", "url": "shop.example/assets/a", "hard": hard, "outcome": outcome, "answers": 2,
            "reach": "this process",
        });
        assert_eq!(world.post(path, body).await, expected, "{path} {body}");
    }
    let done = world.post("/api/pages/purge", r#"{"url":"shop.example/assets/nothing"}"#).await;
    assert_eq!((&done["outcome"], &done["answers"]), (&json!("nothing-kept"), &json!(0)));
    assert_eq!(world.telemetry.kinds()["purge"], 3);
}

#[tokio::test]
async fn a_group_is_forgotten_by_the_http_cache_too() {
    let world = World::new().await;
    for (body, answers) in [
        (r#"{"all":true}"#, 20),
        (r#"{"tenant":"acme"}"#, 10),
        (r#"{"tag":"a"}"#, 2),
        (r#"{"tag":"a","tenant":"acme"}"#, 1),
    ] {
        let done = world.post("/api/pages/purge", body).await;
        assert_eq!(done["http_cache"], json!({ "answers": answers, "reach": "this process" }), "{body}");
    }
}

#[tokio::test]
async fn how_much_it_keeps_is_told_to_people_and_to_prometheus() {
    let world = World::new().await;
    let overview = world.get("/api/overview?series=none").await;
    assert_eq!(overview["http_cache"], json!({ "bytes": 700, "bytes_max": 1000, "addresses": 3 }));
    let request = Request::get("/metrics")
        .header(header::HOST, "127.0.0.1:9000")
        .header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
    let answer = world.send(request.body(String::new()).unwrap()).await;
    let metrics = answer.into_body().collect().await.unwrap().to_bytes();
    let metrics = String::from_utf8_lossy(&metrics);
    for line in [
        "theory_http_cache_bytes 700\n",
        "theory_http_cache_max_bytes 1000\n",
        "theory_http_cache_addresses 3\n",
    ] {
        assert!(metrics.contains(line), "{line} is missing in {metrics}");
    }
}
