//! Who comes in, what is refused at the door, and how connections end.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use facetheory::State;
use http::header::{AUTHORIZATION, HOST};
use http::{Request, StatusCode};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Duration, timeout};

use super::world::{TOKEN, World};
use crate::admin::serve;
use crate::admin::serve::serve_patiently;

#[tokio::test]
async fn those_who_watch_do_not_hold_up_the_end() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/live", listener.local_addr().unwrap());
    let (running, stop) = watch::channel(false);
    let serving = tokio::spawn(serve(listener, Arc::clone(&world.admin), stop));
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut live = client.get(url).bearer_auth(TOKEN).send().await.unwrap();
    assert!(live.chunk().await.unwrap().is_some());
    running.send(true).unwrap();
    while live.chunk().await.unwrap().is_some() {}
    serving.await.unwrap();
}

/// A client that pipelined and read nothing held one of few places for ever.
#[tokio::test]
async fn whoever_takes_no_answer_loses_the_connection() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    let (_running, stop) = watch::channel(false);
    let patience = Duration::from_millis(200);
    tokio::spawn(serve_patiently(listener, Arc::clone(&world.admin), stop, patience));
    // It asks until nobody takes its requests any more, and then until it is told that nobody will.
    let refused = async {
        while client.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").await.is_ok() {}
    };
    timeout(Duration::from_secs(8), refused).await.expect("the connection is closed");
}

#[tokio::test]
async fn bad_requests_are_told_what_to_do_and_change_nothing() {
    let world = World::new().await;
    world.visit("/news").await;
    let long = format!("{{\"tag\":\"{}\"}}", "x".repeat(70_000));
    for (method, path, body, expected) in [
        ("GET", "/api/nothing", "", 404),
        ("GET", "/api/pages/purge", "", 405),
        ("DELETE", "/api/pages", "", 405),
        ("PUT", "/api/requests", "", 405),
        ("GET", "/api/pages?cursor=nonsense", "", 400),
        ("GET", "/api/requests?cursor=nonsense", "", 400),
        ("GET", "/api/leases?cursor=nonsense", "", 400),
        ("GET", "/api/pages?limit=0", "", 400),
        ("GET", "/api/pages?state=new", "", 400),
        ("GET", "/api/pages?perfix=/a", "", 400),
        ("GET", "/api/pages/show", "", 400),
        ("GET", "/api/pages/show?url=nonsense", "", 400),
        ("GET", "/api/pages/show?id=USER%237", "", 400),
        ("GET", "/api/pages/show?url=other.example/", "", 404),
        ("GET", "/api/pages/versions?url=shop.example/nothing", "", 404),
        ("POST", "/api/pages/purge", "", 400),
        ("POST", "/api/pages/purge", "{", 400),
        ("POST", "/api/pages/purge", "[]", 400),
        ("POST", "/api/pages/purge", "{}", 400),
        ("POST", "/api/pages/purge", r#"{"all":false}"#, 400),
        ("POST", "/api/pages/purge", r#"{"tag":""}"#, 400),
        ("POST", "/api/pages/purge", r#"{"url":"shop.example/news","all":true}"#, 400),
        ("POST", "/api/pages/purge", r#"{"ulr":"shop.example/news"}"#, 400),
        ("POST", "/api/pages/purge", r#"{"tenant":"nobody"}"#, 404),
        ("POST", "/api/pages/purge", r#"{"url":"nonsense"}"#, 400),
        ("POST", "/api/pages/purge", &long, 413),
        ("POST", "/api/pages/revalidate", r#"{"all":true,"hard":true}"#, 400),
        ("POST", "/api/pages/rollback", r#"{"url":"shop.example/news"}"#, 400),
        ("POST", "/api/limits/reset", r#"{"policy":"api","id":""}"#, 400),
        ("GET", "/api/limits/show?policy=api", "", 400),
        ("GET", "/api/overview?series=some", "", 400),
        ("GET", "/api/requests/show?id=nobody", "", 404),
    ] {
        let (status, problem) = world.ask(method, path, body).await;
        assert_eq!(status.as_u16(), expected, "{method} {path} {}: {problem}", &body[..body.len().min(80)]);
        assert!(
            problem["detail"].as_str().is_some_and(|detail| detail.len() > 10),
            "{method} {path}: {problem}"
        );
    }
    assert_eq!(world.visit("/news").await, State::Hit);
}

#[tokio::test]
async fn without_the_token_nothing_is_told_but_health_and_the_dashboard() {
    let world = World::new().await;
    let ask = async |world: &World, path: &str, token: Option<&str>, host: &str| {
        let mut request = Request::get(path).header(HOST, host);
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        world.send(request.body(String::new()).unwrap()).await
    };
    for path in ["/api/overview", "/api/live", "/api/nothing"] {
        for token in [None, Some("wrong")] {
            assert_eq!(
                ask(&world, path, token, "localhost").await.status(),
                StatusCode::UNAUTHORIZED,
                "{path}"
            );
        }
    }
    for path in ["/", "/dashboard.js", "/dashboard.css", "/healthz", "/readyz", "/metrics"] {
        let response = ask(&world, path, None, "127.0.0.1:9000").await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert!(!response.headers().contains_key("access-control-allow-origin"));
        assert_eq!(
            ask(&world, path, Some(TOKEN), "evil.example").await.status(),
            StatusCode::MISDIRECTED_REQUEST
        );
    }
    let policy = ask(&world, "/", None, "localhost").await.headers()["content-security-policy"].clone();
    assert!(policy.to_str().unwrap().starts_with("default-src 'none'; script-src 'self';"));
    assert_eq!(ask(&world, "/nothing", None, "localhost").await.status(), StatusCode::NOT_FOUND);
    world.is_down.store(true, Ordering::Relaxed);
    assert_eq!(ask(&world, "/readyz", None, "localhost").await.status(), StatusCode::SERVICE_UNAVAILABLE);

    let open = World::listening("0.0.0.0:0").await;
    assert_eq!(ask(&open, "/metrics", None, "10.0.0.7").await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(ask(&open, "/metrics", Some(TOKEN), "gateway.internal:9000").await.status(), StatusCode::OK);
}
