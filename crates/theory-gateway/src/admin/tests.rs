//! What operators see and do, asked of the API as dashboard and command line ask it.

mod door;
mod http_cache;
mod world;

use std::sync::atomic::Ordering;
use std::time::Duration;

use http::header::{AUTHORIZATION, HOST};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use idempotent::{Claim, IdempotencyKey, Intent, Scope};
use serde_json::{Value, json};
use tabletheory::testing::Trouble;
use tabletheory_core::Seconds;
use tokio::time::{sleep, timeout};

use facetheory::State;
use world::{TOKEN, World, key};

const HOSTILE: &str = "/<script>alert(1)</script>\"'&";

#[tokio::test]
async fn pages_are_listed_with_state_and_age_and_filtered() {
    let world = World::new().await;
    for path in ["/", "/news", HOSTILE] {
        world.visit(path).await;
    }
    world.store.clock().advance(Seconds(10));
    let list = world.get("/api/pages").await;
    let pages = list["pages"].as_array().unwrap();
    assert_eq!((pages.len(), &list["cursor"]), (3, &Value::Null));
    let news = pages.iter().find(|page| page["url"] == "shop.example/news").unwrap();
    let told =
        ["state", "age_s", "fresh_for_s", "fresh_left_s", "status", "bytes", "tags"].map(|name| &news[name]);
    assert_eq!(json!(told), json!(["fresh", 10, 60, 50, 200, 5, ["news"]]));
    assert!(
        pages.iter().any(|page| page["url"] == format!("shop.example{HOSTILE}")),
        "told as it is: {pages:?}"
    );

    for (query, expected) in [
        ("prefix=/news", 1),
        ("prefix=shop.example/", 3),
        ("prefix=other", 0),
        ("state=fresh&tag=news", 3),
        ("state=stale", 0),
        ("tag=nothing", 0),
        ("tenant=acme", 0),
        ("limit=2", 2),
    ] {
        let list = world.get(&format!("/api/pages?{query}")).await;
        assert_eq!(list["pages"].as_array().unwrap().len(), expected, "{query}");
    }
    world.store.clock().advance(Seconds(100));
    assert_eq!(world.get("/api/pages?state=stale").await["pages"].as_array().unwrap().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_purge_comes_to_its_end_when_its_caller_has_gone() {
    let world = World::new().await;
    assert_eq!((world.visit("/news").await, world.visit("/news").await), (State::Miss, State::Hit));
    world.store.trouble("TransactWriteItems", Trouble::Slow(Duration::from_secs(5)));
    let purge = world.ask("POST", "/api/pages/purge", r#"{"url":"shop.example/news"}"#);
    assert!(timeout(Duration::from_secs(1), purge).await.is_err(), "it waits for the store");
    sleep(Duration::from_secs(10)).await;
    assert_eq!(world.visit("/news").await, State::Miss);
}

#[tokio::test]
async fn a_list_goes_on_where_its_cursor_says() {
    let world = World::new().await;
    for number in 0..7 {
        world.visit(&format!("/{number}")).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let list = world.get(&format!("/api/pages?limit=3{cursor}")).await;
        seen.extend(list["pages"].as_array().unwrap().iter().map(|page| page["id"].to_string()));
        match list["cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 7);
}

#[tokio::test]
async fn revalidating_an_address_renders_it_now() {
    let world = World::new().await;
    world.visit("/news").await;
    let id = world.get("/api/pages").await["pages"][0]["id"].as_str().unwrap().to_owned();
    for body in [json!({ "url": "http://shop.example/news" }), json!({ "id": id })] {
        let done = world.post("/api/pages/revalidate", &body.to_string()).await;
        assert_eq!((&done["outcome"], &done["url"]), (&json!("published"), &json!("shop.example/news")));
    }
    let versions = world.get(&format!("/api/pages/versions?id={}", id.replace('#', "%23"))).await;
    assert_eq!(versions["versions"].as_array().unwrap().len(), 3);
    world.is_down.store(true, Ordering::Relaxed);
    let done = world.post("/api/pages/revalidate", r#"{"url":"shop.example/news"}"#).await;
    assert_eq!(done["outcome"], "failed");
}

#[tokio::test]
async fn a_group_is_marked_stale_or_purged() {
    let world = World::new().await;
    world.visit("/news").await;
    let done = world.post("/api/pages/revalidate", r#"{"tag":"news"}"#).await;
    assert_eq!((&done["outcome"], &done["tenants"]), (&json!("marked-stale"), &json!([null, "acme"])));
    assert_eq!(world.get("/api/pages").await["pages"][0]["state"], "stale");
    assert_eq!(world.visit("/news").await, State::Stale);
    assert_eq!(world.visit("/news").await, State::Hit);

    let done = world.post("/api/pages/purge", r#"{"all":true}"#).await;
    assert_eq!((&done["outcome"], &done["hard"]), (&json!("purged"), &json!(true)));
    assert_eq!(world.get("/api/pages").await["pages"][0]["state"], "gone");
    assert_eq!(world.visit("/news").await, State::Miss);
    let done = world.post("/api/pages/purge", r#"{"tenant":"acme"}"#).await;
    assert_eq!(done["tenants"], json!(["acme"]));
    assert_eq!(world.visit("/news").await, State::Hit, "it is another tenant's");
}

#[tokio::test]
async fn one_page_is_purged_softly_or_hard() {
    let world = World::new().await;
    world.visit("/news").await;
    let done = world.post("/api/pages/purge", r#"{"url":"shop.example/news","hard":false}"#).await;
    assert_eq!((&done["outcome"], &done["hard"]), (&json!("purged"), &json!(false)));
    assert_eq!(world.visit("/news").await, State::Stale);
    let id = done["id"].as_str().unwrap();
    let done = world.post("/api/pages/purge", &json!({ "id": id }).to_string()).await;
    assert_eq!(done["outcome"], "purged");
    assert_eq!(world.visit("/news").await, State::Miss);
    let done = world.post("/api/pages/purge", r#"{"url":"shop.example/nothing"}"#).await;
    assert_eq!(done["outcome"], "no-page");
    let done = world.post("/api/pages/purge", r#"{"url":"shop.example/varied"}"#).await;
    assert_eq!(done["outcome"], "purged-with-variants");
}

#[tokio::test]
async fn an_older_version_is_shown_again() {
    let world = World::new().await;
    world.visit("/news").await;
    world.store.clock().advance(Seconds(5));
    world.post("/api/pages/revalidate", r#"{"url":"shop.example/news"}"#).await;
    let query = "/api/pages/versions?url=shop.example/news";
    let list = world.get(query).await;
    let first = list["versions"][1]["id"].clone();
    assert_eq!(
        json!([list["versions"][0]["is_shown"], list["versions"][1]["is_shown"]]),
        json!([true, false])
    );
    let body = json!({ "url": "shop.example/news", "version": first, "hold_s": 600 }).to_string();
    let done = world.post("/api/pages/rollback", &body).await;
    assert_eq!((&done["outcome"], &done["hold_s"]), (&json!("shown"), &json!(600)));
    assert_eq!(world.get(query).await["versions"][1]["is_shown"], true);
    world.store.clock().advance(Seconds(300));
    assert_eq!(world.visit("/news").await, State::Hit);

    let (status, problem) =
        world.ask("POST", "/api/pages/rollback", r#"{"url":"shop.example/news","version":"no#such"}"#).await;
    assert_eq!(status, StatusCode::NOT_FOUND, "{problem}");
    let body = json!({ "url": "shop.example/news", "version": first, "hold_s": -1 }).to_string();
    assert_eq!(world.ask("POST", "/api/pages/rollback", &body).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn one_page_is_shown_with_its_rows_and_no_token() {
    let world = World::new().await;
    world.visit("/news").await;
    world.post("/api/pages/purge", r#"{"url":"shop.example/news","hard":false}"#).await;
    let page = world.get("/api/pages/show?url=http://shop.example/news").await;
    assert_eq!((&page["page"]["state"], page["versions"].as_array().unwrap().len()), (&json!("stale"), 1));
    assert!(page["events"].as_array().unwrap().iter().any(|event| event["kind"] == "purged"), "{page}");
    let text = page.to_string();
    assert!(!text.contains("lease_token") && !text.contains("publisher_token"), "{text}");
    let (status, _) = world.ask("GET", "/api/pages/show?url=shop.example/nothing", "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn pages_are_warmed_with_a_line_for_each() {
    let world = World::new().await;
    world.visit("/1").await;
    let lines = async |body: &str| {
        let request = Request::post("/api/pages/warm").header(HOST, "localhost");
        let request = request.header(AUTHORIZATION, format!("Bearer {TOKEN}")).body(body.to_owned()).unwrap();
        let bytes = world.send(request).await.into_body().collect().await.unwrap().to_bytes();
        let mut lines: Vec<Value> =
            String::from_utf8_lossy(&bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.sort_by_key(|line| line["url"].to_string());
        lines
    };
    let told = lines(r#"{"urls":["shop.example/1","shop.example/2","nonsense"]}"#).await;
    let outcomes: Vec<&Value> = told.iter().map(|line| &line["outcome"]).collect();
    assert_eq!(json!(outcomes), json!(["failed", "hit", "miss"]));
    assert!(told.iter().all(|line| line["total"] == 3));
    assert_eq!(lines(r#"{"sitemap":"/sitemap.xml"}"#).await.len(), 2);
    for wrong in [r#"{"sitemap":"/"}"#, r#"{"urls":[]}"#, "{}"] {
        assert_eq!(world.ask("POST", "/api/pages/warm", wrong).await.0, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test]
async fn leases_are_listed_while_they_are_held_or_put_off() {
    let world = World::new().await;
    assert_eq!(world.get("/api/leases").await["leases"], json!([]));
    let partition = world.isr.meta().partition(&key("/held")).unwrap();
    let _lease = world.isr.meta().try_acquire(&partition, Seconds(30)).await.unwrap();
    let leases = world.get("/api/leases").await;
    assert_eq!(
        (&leases["leases"][0]["is_held"], &leases["leases"][0]["expires_in_s"]),
        (&json!(true), &json!(30))
    );
    assert!(!leases.to_string().contains("token"), "{leases}");
}

#[tokio::test]
async fn requests_are_listed_and_forgotten() {
    let world = World::new().await;
    let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
    let intent = Intent::of_bytes(scope, IdempotencyKey::parse("k").unwrap(), b"{}");
    let Claim::Granted(attempt) = world.requests.claim(&intent).await.unwrap() else {
        panic!("nobody is here")
    };
    let list = world.get("/api/requests").await;
    let id = list["requests"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        (&list["requests"][0]["status"], &list["requests"][0]["route"]),
        (&json!("running"), &json!("POST /orders"))
    );
    let path = format!("/api/requests?id={}", id.replace('#', "%23"));
    let (status, problem) = world.ask("DELETE", &path, "").await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    let _ = attempt.complete(&idempotent::Response::new(201, "{}").unwrap()).await.unwrap();
    assert_eq!(world.get(&path.replace("requests?", "requests/show?")).await["code"], 201);
    assert_eq!(world.ask("DELETE", &path, "").await.1["outcome"], "forgotten");
    assert_eq!(world.ask("DELETE", &path, "").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn limits_are_shown_and_reset() {
    let world = World::new().await;
    for _ in 0..7 {
        let decision = world.limiter.check(&world.policy, "ip:203.0.113.7", 1).await.unwrap();
        world.telemetry.asked("api", "ip:203.0.113.7", &decision);
    }
    let top = world.get("/api/limits/top?limit=5").await;
    let told = ["policy", "id", "asked", "denied"].map(|name| &top["consumers"][0][name]);
    assert_eq!(json!(told), json!(["api", "ip:203.0.113.7", 7, 2]));
    let show = "/api/limits/show?policy=api&id=ip:203.0.113.7";
    assert_eq!(world.get(show).await["is_allowed"], false);
    world.post("/api/limits/reset", r#"{"policy":"api","id":"ip:203.0.113.7"}"#).await;
    assert_eq!(world.get(show).await["is_allowed"], true);
    let (status, problem) = world.ask("GET", "/api/limits/show?policy=none&id=x", "").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert!(problem["detail"].as_str().unwrap().contains("there are api"), "{problem}");
}

#[tokio::test]
async fn the_overview_tells_everything_at_once() {
    let world = World::new().await;
    world.visit("/news").await;
    let meter = world.telemetry.meter("shop", "/{*path}");
    for _ in 0..20 {
        meter.answered(
            StatusCode::OK,
            crate::telemetry::Outcome::Hit,
            100,
            std::time::Duration::from_millis(1),
        );
        world.store.clock().advance(Seconds(1));
        world.telemetry.tick();
    }
    let overview = world.get("/api/overview").await;
    assert_eq!((&overview["version"], &overview["uptime_s"]), (&json!("1.2.3"), &json!(20)));
    assert_eq!((&overview["totals"]["requests"], &overview["hit_ratio"]), (&json!(20), &json!(1.0)));
    assert_eq!(overview["now"]["requests_per_s"], json!(1.0));
    assert_eq!(overview["series"]["short"][0]["served"].as_array().unwrap().len(), 11);
    assert_eq!(
        overview["store"]["tables"][1]["items"],
        Value::Null,
        "a table that is missing breaks nothing"
    );
    assert_eq!(overview["sites"][0]["routes"][0]["requests"], 20);
    assert_eq!(
        world.get("/api/overview?series=none").await["series"],
        json!({ "short": null, "long": null })
    );
}

#[tokio::test]
async fn what_operators_do_is_among_the_events_and_heard_live() {
    let world = World::new().await;
    let request =
        Request::get("/api/live").header(HOST, "localhost").header(AUTHORIZATION, format!("Bearer {TOKEN}"));
    let mut live = world.send(request.body(String::new()).unwrap()).await.into_body();
    world.post("/api/pages/purge", r#"{"all":true}"#).await;
    let first = live.frame().await.unwrap().unwrap().into_data().unwrap();
    let text = String::from_utf8_lossy(&first).into_owned();
    assert!(text.contains("event: happening\ndata: ") && text.contains("event: pulse\ndata: "), "{text}");
    let events = world.get("/api/events").await;
    assert_eq!(
        (&events["events"][0]["kind"], &events["events"][0]["page"]),
        (&json!("purge"), &json!("all pages of no tenant, acme"))
    );
}

#[tokio::test]
async fn metrics_name_routes_and_nothing_that_a_client_sent() {
    let world = World::new().await;
    world.visit(HOSTILE).await;
    let meter = world.telemetry.meter("shop", "/{*path}");
    meter.answered(StatusCode::OK, crate::telemetry::Outcome::Miss, 100, std::time::Duration::from_millis(3));
    let request = Request::get("/metrics").header(HOST, "localhost").body(String::new()).unwrap();
    let bytes = world.send(request).await.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    for line in [
        "theory_requests_total{site=\"shop\",route=\"/{*path}\",status=\"2xx\",outcome=\"miss\"} 1\n",
        "theory_request_seconds_bucket{site=\"shop\",route=\"/{*path}\",le=\"0.004096\"} 1\n",
        "theory_request_seconds_count{site=\"shop\",route=\"/{*path}\"} 1\n",
        "theory_renders_total{result=\"rendered\"} 1\n",
        "theory_store_errors_total{store=\"pages\"} 0\n",
        "theory_limit_decisions_total{source=\"store\",verdict=\"allowed\"} 0\n",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
    assert!(!text.contains("script"), "{text}");
}
