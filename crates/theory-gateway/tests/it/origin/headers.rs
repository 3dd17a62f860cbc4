//! What an origin gets to see of a request, and a client of an answer.

use std::sync::Arc;

use http::{Request, Uri};
use parking_lot::Mutex;
use theory_gateway::origin::{Origin, OriginError};

use super::front::Front;
use super::raw::Raw;
use super::{get, settings};

/// An origin that remembers the heads it saw.
async fn remembering(answer: &'static str) -> (Raw, Arc<Mutex<Vec<String>>>) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&heads);
    let raw = Raw::start(move |mut line| {
        let shared = Arc::clone(&shared);
        async move {
            while let Some(head) = line.head().await {
                shared.lock().push(head.to_ascii_lowercase());
                line.say(answer).await;
            }
        }
    })
    .await;
    (raw, heads)
}

const EMPTY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

#[tokio::test]
async fn what_belongs_to_a_connection_goes_no_further_in_either_direction() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: keep-alive, x-hop\r\nkeep-alive: timeout=5\r\n\
        x-hop: 1\r\nproxy-authenticate: Basic\r\ntrailer: x\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nx-app: yes\r\n\r\nok";
    let (raw, heads) = remembering(answer).await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let front = Front::start(&origin, false).await;
    let said = front
        .says(
            "GET /a?b=c HTTP/1.1\r\nhost: shop.example\r\nconnection: close, x-mine\r\nx-mine: 1\r\nte: trailers\r\n\
             upgrade: websocket\r\nproxy-authorization: Basic x\r\nexpect: 100-continue\r\ncookie: a=1\r\nx-kept: yes\r\n\r\n",
        )
        .await;

    let head = heads.lock().pop().unwrap();
    assert!(head.starts_with("get /a?b=c http/1.1\r\n"), "{head}");
    for kept in ["host: shop.example\r\n", "cookie: a=1\r\n", "x-kept: yes\r\n", "via: 1.1 theory\r\n"] {
        assert!(head.contains(kept), "{kept} in {head}");
    }
    for gone in
        ["x-mine", "te:", "upgrade", "proxy-", "expect", "connection", "transfer-encoding", "content-length"]
    {
        assert!(!head.contains(gone), "{gone} in {head}");
    }

    let said = said.to_ascii_lowercase();
    assert!(said.starts_with("http/1.1 200 ok\r\n") && said.ends_with("\r\n\r\nok"), "{said}");
    for kept in [
        "set-cookie: a=1\r\n",
        "set-cookie: b=2\r\n",
        "x-app: yes\r\n",
        "cache-status: theory; fwd=bypass\r\n",
    ] {
        assert!(said.contains(kept), "{kept} in {said}");
    }
    for gone in ["x-hop", "keep-alive", "proxy-", "trailer", "via"] {
        assert!(!said.contains(gone), "{gone} in {said}");
    }
}

#[tokio::test]
async fn an_origin_is_told_who_asks_by_the_connection_and_not_by_the_client() {
    let (raw, heads) = remembering(EMPTY).await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let front = Front::start(&origin, false).await;
    let _ = front
        .says(
            "GET / HTTP/1.1\r\nhost: shop.example\r\nx-forwarded-for: 6.6.6.6\r\nforwarded: for=6.6.6.6\r\nx_real_ip: 6.6.6.6\r\n\
             x-forwarded-host: evil.example\r\nx-forwarded-proto: https\r\nx-original-url: /evil\r\nconnection: close, x-forwarded-for\r\n\r\n",
        )
        .await;
    let head = heads.lock().pop().unwrap();
    for said in [
        "x-forwarded-for: 127.0.0.1\r\n",
        "x-forwarded-host: shop.example\r\n",
        "x-forwarded-proto: http\r\n",
    ] {
        assert!(head.contains(said), "{said} in {head}");
    }
    assert!(!head.contains("6.6.6.6") && !head.contains("evil"), "{head}");
}

#[tokio::test]
async fn the_host_is_the_settings_or_the_requests_or_the_origins_own() {
    let (raw, heads) = remembering(EMPTY).await;
    let own = settings(raw.address);
    let mut other = own.clone();
    other.host = Some("app.internal".to_owned());
    let named = || Request::get("/").header("host", "shop.example").body(()).unwrap();
    let (own, other) = (Origin::new(&own).unwrap(), Origin::new(&other).unwrap());
    own.fetch(get("/")).await.unwrap();
    own.fetch(named()).await.unwrap();
    other.fetch(named()).await.unwrap();
    let hosts = [raw.address.to_string(), "shop.example".to_owned(), "app.internal".to_owned()];
    for (head, host) in heads.lock().iter().zip(&hosts) {
        assert!(head.contains(&format!("host: {host}\r\n")), "{head}");
        assert_eq!(head.matches("host:").count(), 1);
    }
}

#[tokio::test]
async fn nothing_of_a_request_chooses_where_it_goes() {
    let (raw, heads) = remembering(EMPTY).await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    origin.fetch(get("http://169.254.169.254/latest?a=b")).await.unwrap();
    let head = heads.lock().pop().unwrap();
    assert!(head.starts_with("get /latest?a=b http/1.1\r\n"), "{head}");
    assert!(!head.contains("169.254"), "{head}");
}

#[tokio::test]
async fn head_and_answers_without_a_body_keep_what_they_say_about_one() {
    let raw = Raw::start(|mut line| async move {
        while let Some(head) = line.head().await {
            let status = if head.contains("/304") { "304 Not Modified" } else { "200 OK" };
            line.say(&format!("HTTP/1.1 {status}\r\netag: \"1\"\r\ncontent-length: 900\r\n\r\n")).await;
        }
    })
    .await;
    let origin = Origin::new(&settings(raw.address)).unwrap();
    let front = Front::start(&origin, false).await;
    let said = front.says("HEAD / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(said.starts_with("HTTP/1.1 200 ") && said.ends_with("\r\n\r\n"), "{said}");
    assert!(said.contains("content-length: 900\r\n"), "{said}");
    let said = front.says("GET /304 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(said.starts_with("HTTP/1.1 304 ") && said.ends_with("\r\n\r\n"), "{said}");
    assert!(said.contains("etag: \"1\"\r\n"), "{said}");
    assert_eq!(raw.connections(), 1);
}

#[tokio::test]
async fn settings_that_name_no_application_are_refused() {
    for uri in ["ftp://app", "/app", "app", "http://app/base", "http://app?x=1"] {
        let mut settings = settings("127.0.0.1:1".parse().unwrap());
        settings.uri = Uri::try_from(uri).unwrap();
        assert!(matches!(Origin::new(&settings), Err(OriginError::Settings { .. })), "{uri}");
    }
}
