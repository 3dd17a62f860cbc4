//! Which heads are read as what, and which are refused.

use super::*;
use http::{Request, StatusCode};

fn peer(server_name: Option<&str>) -> Peer {
    let address = "192.0.2.1:4711".parse().unwrap();
    Peer { address, is_secure: server_name.is_some(), server_name: server_name.map(Into::into) }
}

fn read(request: http::request::Builder, peer: &Peer) -> Result<Asked, StatusCode> {
    let (parts, ()) = request.body(()).unwrap().into_parts();
    let limits = EdgeLimits { uri_bytes_max: 64, ..EdgeLimits::default() };
    Asked::read(&parts, peer, &limits).map_err(|refusal| refusal.status)
}

fn get(target: &str) -> http::request::Builder {
    Request::get(target)
}

#[test]
fn an_ordinary_request_is_read() {
    let asked = read(get("/a/b?c=d&e=%zz").header("host", "Example.com:8080"), &peer(None)).unwrap();
    assert_eq!(asked.method(), Method::GET);
    assert_eq!(asked.host(), "example.com");
    assert_eq!(asked.port(), Some(8080));
    assert_eq!(asked.path(), "/a/b");
    assert_eq!(asked.query(), Some("c=d&e=%zz"));
    assert_eq!(asked.target(), "/a/b?c=d&e=%zz");
    assert!(!asked.is_secure());
}

#[test]
fn exactly_one_host_is_needed() {
    let plain = peer(None);
    let status = |request| read(request, &plain).map(|asked| asked.host().to_owned());
    assert_eq!(status(get("/")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("/").header("host", "")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("/").header("host", "a").header("host", "a")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("/").header("host", "a, b")), Err(StatusCode::BAD_REQUEST));
    // A target that names a host needs the header too, and the same one.
    assert_eq!(status(get("http://a/")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("http://a/").header("host", "b")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("http://a:1/").header("host", "a:2")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("http://u@a/").header("host", "a")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("ftp://a/").header("host", "a")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("http://A:1/").header("host", "a:1")), Ok("a".to_owned()));
    // HTTP/2 has it in the target.
    let version = http::Version::HTTP_2;
    assert_eq!(status(get("https://a/").version(version)), Ok("a".to_owned()));
    assert_eq!(status(get("https://a/").version(version).header("host", "b")), Err(StatusCode::BAD_REQUEST));
    assert_eq!(status(get("/").version(version).header("host", "b")), Ok("b".to_owned()));
}

#[test]
fn headers_that_claim_another_host_or_path_are_not_read() {
    let request = get("/a")
        .header("host", "real.example")
        .header("x-forwarded-host", "evil.example")
        .header("forwarded", "host=evil.example")
        .header("x-original-url", "/admin")
        .header("x-rewrite-url", "/admin")
        .header("x-http-method-override", "DELETE");
    let asked = read(request, &peer(None)).unwrap();
    assert_eq!((asked.host(), asked.path(), asked.method()), ("real.example", "/a", &Method::GET));
}

#[test]
fn a_connection_serves_the_host_it_was_opened_for() {
    let peer = peer(Some("a.example"));
    assert!(read(get("/").header("host", "A.example:8443"), &peer).unwrap().is_secure());
    let other = read(get("/").header("host", "b.example"), &peer);
    assert_eq!(other, Err(StatusCode::MISDIRECTED_REQUEST));
}

#[test]
fn methods_that_mean_one_thing_pass() {
    let status = |method: &str| {
        let request = Request::builder().method(method).uri("/").header("host", "a");
        read(request, &peer(None)).map_or_else(|status| status.as_u16(), |_| 200)
    };
    for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "M-SEARCH"] {
        assert_eq!(status(method), 200, "{method}");
    }
    for method in ["CONNECT", "TRACE", "TRACK", "PURGE", "BAN", "REFRESH", "PRI"] {
        assert_eq!(status(method), 405, "{method}");
    }
    for method in ["get", "Get", "G", "GET-", "-GET", "GET2", "G!T"] {
        assert_eq!(status(method), 501, "{method}");
    }
}

#[test]
fn a_long_target_and_an_asterisk_are_refused() {
    let status = |request: http::request::Builder| read(request.header("host", "a"), &peer(None)).err();
    assert_eq!(status(get(&format!("/{}", "a".repeat(63)))), None);
    assert_eq!(status(get(&format!("/{}?", "a".repeat(63)))), Some(StatusCode::URI_TOO_LONG));
    // It is asked for as `%5E` each time, which is as long as it may be, or longer.
    assert_eq!(status(get(&format!("/{}", "^".repeat(21)))), None);
    assert_eq!(status(get(&format!("/{}", "^".repeat(22)))), Some(StatusCode::URI_TOO_LONG));
    assert_eq!(status(get("*")), Some(StatusCode::BAD_REQUEST));
    assert_eq!(status(Request::options("*")), None);
}

#[test]
fn an_absolute_target_without_a_path_asks_for_the_root() {
    let target = |uri: &str| {
        let asked = read(get(uri).header("host", "a"), &peer(None)).unwrap();
        asked.target().to_string()
    };
    assert_eq!(target("http://a"), "/");
    assert_eq!(target("http://a?b"), "/?b");
}

#[test]
fn a_head_says_whether_a_body_follows() {
    let announced = |name: &str, value: &str| {
        let (parts, ()) = get("/").header(name, value).body(()).unwrap().into_parts();
        has_body(&parts)
    };
    assert!(announced("content-length", "1"));
    assert!(announced("transfer-encoding", "chunked"));
    assert!(!announced("content-length", "0"));
    assert!(!announced("accept", "*/*"));
}
