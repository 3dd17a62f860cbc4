//! Events as the services send them, and as nobody should.

use serde_json::{Value, json};

use super::*;

fn request(event: Value) -> (Form, Result<Request<Bytes>, Refusal>) {
    read(serde_json::from_value(event).expect("an event"))
}

fn http_api(changes: Value) -> Value {
    let mut event = json!({
        "version": "2.0", "rawPath": "/news", "rawQueryString": "b=2&a=1&b=1",
        "cookies": ["theme=dark", "id=7"], "headers": { "host": "news.example", "x-many": "1, 2" },
        "requestContext": {
            "domainName": "id.lambda-url.example", "stage": "$default",
            "http": { "method": "POST", "path": "/news", "sourceIp": "203.0.113.7" },
        },
        "body": "aGVsbG8=", "isBase64Encoded": true,
    });
    merge(&mut event, changes);
    event
}

fn rest_api(changes: Value) -> Value {
    let mut event = json!({
        "httpMethod": "GET", "path": "/news", "resource": "/{proxy+}",
        "headers": { "Host": "news.example", "x-many": "2" },
        "multiValueHeaders": { "x-many": ["1", "2"] },
        "multiValueQueryStringParameters": { "b": ["2 &", "1"], "a": ["ä"] },
        "queryStringParameters": { "b": "1" },
        "requestContext": {
            "stage": "prod", "httpMethod": "GET", "requestTimeEpoch": 1, "identity": { "sourceIp": "2001:db8::1" },
        },
        "body": null, "isBase64Encoded": false,
    });
    merge(&mut event, changes);
    event
}

fn load_balancer(changes: Value) -> Value {
    let mut event = json!({
        "httpMethod": "GET", "path": "/news", "queryStringParameters": { "a": "x%20y" },
        "headers": { "host": "news.example", "x-forwarded-for": "198.51.100.1" },
        "requestContext": { "elb": { "targetGroupArn": "arn" } }, "body": "", "isBase64Encoded": false,
    });
    merge(&mut event, changes);
    event
}

fn merge(event: &mut Value, changes: Value) {
    match (event, changes) {
        (Value::Object(event), Value::Object(changes)) => {
            for (name, change) in changes {
                merge(event.entry(name).or_insert(Value::Null), change);
            }
        }
        (event, change) => *event = change,
    }
}

fn address(request: &Request<Bytes>) -> Option<String> {
    request.extensions().get::<SocketAddr>().map(|peer| peer.ip().to_string())
}

#[test]
fn an_http_api_or_a_function_url_gives_a_request() {
    let (form, request) = request(http_api(json!({})));
    let request = request.unwrap();
    assert_eq!((form, request.method().as_str()), (Form::Http, "POST"));
    assert_eq!(request.uri(), "/news?b=2&a=1&b=1");
    assert_eq!(request.headers()["cookie"], "theme=dark; id=7");
    assert_eq!(request.headers()["host"], "news.example");
    assert_eq!(request.body(), "hello");
    assert_eq!(address(&request).as_deref(), Some("203.0.113.7"));
    assert!(matches!(request.extensions().get(), Some(RequestContext::ApiGatewayV2(_))));
}

#[test]
fn a_rest_api_gives_a_request_with_all_values_of_a_header_and_one_text_of_its_query() {
    let (form, request) = request(rest_api(json!({})));
    let request = request.unwrap();
    assert_eq!((form, request.method().as_str()), (Form::Rest, "GET"));
    assert_eq!(request.uri(), "/news?a=%C3%A4&b=2%20%26&b=1");
    let many: Vec<_> = request.headers().get_all("x-many").iter().collect();
    assert_eq!(many, ["1", "2"]);
    assert_eq!(request.headers()["host"], "news.example");
    assert_eq!(address(&request).as_deref(), Some("2001:db8::1"));
}

#[test]
fn a_load_balancer_gives_a_request_whose_address_only_a_header_names() {
    let (form, request) = request(load_balancer(json!({})));
    let request = request.unwrap();
    assert_eq!((form, request.uri().to_string().as_str()), (Form::LoadBalancer, "/news?a=x%20y"));
    assert_eq!(address(&request), None);
    assert_eq!(request.headers()["x-forwarded-for"], "198.51.100.1");
}

#[test]
fn the_address_is_never_taken_from_a_header() {
    let forged = json!({ "headers": { "x-forwarded-for": "1.1.1.1", "x-real-ip": "1.1.1.1", "forwarded": "for=1.1.1.1" } });
    for event in [http_api(forged.clone()), rest_api(forged.clone()), load_balancer(forged)] {
        assert_ne!(address(&request(event).1.unwrap()).as_deref(), Some("1.1.1.1"));
    }
}

#[test]
fn the_name_of_a_stage_is_no_part_of_the_path() {
    for (path, stage, expected) in [
        ("/news", "$default", "/news"),
        ("/prod/news", "prod", "/news"),
        ("/prod", "prod", "/"),
        ("/production", "prod", "/production"),
        ("/news", "prod", "/news"),
        ("/", "prod", "/"),
    ] {
        let event =
            http_api(json!({ "rawPath": path, "rawQueryString": "", "requestContext": { "stage": stage } }));
        assert_eq!(request(event).1.unwrap().uri(), expected, "{path} {stage}");
    }
}

#[test]
fn hostile_paths_hosts_and_bodies_are_refused_or_harmless_and_never_a_panic() {
    let path = |text: &str| request(http_api(json!({ "rawPath": text, "rawQueryString": "" }))).1;
    assert_eq!(path("").unwrap().uri(), "/");
    assert_eq!(path("news").unwrap().uri(), "/news");
    assert_eq!(path("/a b?c#d").unwrap().uri(), "/a%20b%3Fc%23d");
    assert_eq!(path("/ä\u{0}\r\n").unwrap().uri(), "/%C3%A4%00%0D%0A");
    assert_eq!(path("//evil.example/x").unwrap().uri().path(), "//evil.example/x");
    assert_eq!(path("/%zz/../..").unwrap().uri(), "/%zz/../..", "what is no path is the router's to refuse");
    let query = |text: &str| request(http_api(json!({ "rawQueryString": text }))).1;
    assert_eq!(query("a b\r\n").unwrap_err(), NO_TARGET);
    for host in ["a b", "[::1", "x:99999999", "ä", ""] {
        let event = load_balancer(json!({ "headers": { "host": host } }));
        assert!(request(event).1.is_ok(), "{host}: whoever reads the host refuses it");
    }
    let body =
        |text: &str| request(http_api(json!({ "body": text }))).1.map(|request| request.body().clone());
    assert_eq!(body("%%%").unwrap_err(), NO_BODY);
    assert_eq!(body("AAECAw==").unwrap(), vec![0, 1, 2, 3], "any bytes");
    let nowhere = http_api(json!({ "requestContext": { "http": { "sourceIp": "no address" } } }));
    assert_eq!(address(&request(nowhere).1.unwrap()), None);
}
