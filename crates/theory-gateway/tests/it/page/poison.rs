//! Nothing but the key reaches the application, so nothing else can change a page.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::world::{World, answer, request};

/// Headers that applications and frameworks are known to listen to.
const HEADERS: &[&str] = &[
    "accept",
    "accept-charset",
    "accept-datetime",
    "akamai-origin-hop",
    "authorization",
    "base-url",
    "cache-control",
    "cf-connecting-ip",
    "cf-ipcountry",
    "cf-visitor",
    "client-ip",
    "cloudfront-viewer-country",
    "cluster-client-ip",
    "content-type",
    "dnt",
    "early-data",
    "expect-ct",
    "fastly-client-ip",
    "fastly-ff",
    "forwarded",
    "front-end-https",
    "from",
    "http-host",
    "if-modified-since-x",
    "incap-client-ip",
    "max-forwards",
    "next-action",
    "next-router-prefetch",
    "next-router-state-tree",
    "next-url",
    "origin",
    "pragma",
    "prefer",
    "priority",
    "proxy",
    "proxy-host",
    "purpose",
    "real-ip",
    "redirect",
    "referer",
    "request-uri",
    "rsc",
    "save-data",
    "sec-ch-ua",
    "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-gpc",
    "sec-purpose",
    "soapaction",
    "surrogate-capability",
    "traceparent",
    "tracestate",
    "true-client-ip",
    "trailer-x",
    "translate",
    "uri",
    "user",
    "user-agent",
    "via",
    "wap-profile",
    "x-action",
    "x-amz-website-redirect-location",
    "x-amzn-trace-id",
    "x-api-version",
    "x-arr-ssl",
    "x-att-deviceid",
    "x-backend",
    "x-backend-host",
    "x-bb-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-country",
    "x-csrf-token",
    "x-debug",
    "x-device-type",
    "x-envoy-external-address",
    "x-envoy-original-path",
    "x-forward-for",
    "x-forward-proto",
    "x-forwarded",
    "x-forwarded-by",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-forwarded-protocol",
    "x-forwarded-proxy",
    "x-forwarded-scheme",
    "x-forwarded-server",
    "x-forwarded-ssl",
    "x-forwarder-for",
    "x-frame-options",
    "x-gateway-host",
    "x-geo-country",
    "x-host",
    "x-host-override",
    "x-http-destinationurl",
    "x-http-host-override",
    "x-http-method",
    "x-http-method-override",
    "x-https",
    "x-internal",
    "x-invoke-path",
    "x-invoke-query",
    "x-invoke-status",
    "x-locale",
    "x-matched-path",
    "x-method-override",
    "x-middleware-invoke",
    "x-middleware-prefetch",
    "x-middleware-rewrite",
    "x-middleware-subrequest",
    "x-nextjs-cache",
    "x-nextjs-data",
    "x-nextjs-rewrite",
    "x-now-route-matches",
    "x-original-host",
    "x-original-method",
    "x-original-uri",
    "x-original-url",
    "x-originating-ip",
    "x-override-url",
    "x-pjax",
    "x-prerender",
    "x-prerender-revalidate",
    "x-proxy-url",
    "x-proxyuser-ip",
    "x-real-ip",
    "x-redirect-to",
    "x-request-id",
    "x-request-uri",
    "x-requested-with",
    "x-rewrite-url",
    "x-route",
    "x-scheme",
    "x-server-name",
    "x-site",
    "x-ssl",
    "x-subdomain",
    "x-tenant",
    "x-theory-preview",
    "x-true-ip",
    "x-turbo-frame",
    "x-url-scheme",
    "x-user",
    "x-user-id",
    "x-vercel-id",
    "x-version",
    "x-wap-profile",
    "x-xsrf-token",
    "zuul-host",
    "idempotency-key",
    "if-none-match-x",
    "te-x",
    "x-theory-anything",
];

const PARAMETERS: &[&str] = &[
    "utm_source",
    "utm_medium",
    "fbclid",
    "gclid",
    "callback",
    "jsonp",
    "cb",
    "debug",
    "test",
    "admin",
    "lang",
    "locale",
    "amp",
    "preview",
    "draft",
    "_rsc",
    "__nextDataReq",
    "nxtPslug",
    "rest_route",
    "_method",
    "redirect",
    "return_to",
    "next",
    "ref",
    "theme",
    "format",
    "v",
    "ver",
    "_",
    "page%00",
    "Page",
    "page[]",
    ";page",
    "f",
    "sid",
    "PHPSESSID",
    "token",
    "x-theory-preview",
];

const COOKIES: &[&str] = &[
    "session",
    "sessionid",
    "PHPSESSID",
    "JSESSIONID",
    "connect.sid",
    "_ga",
    "_gid",
    "lang",
    "locale",
    "currency",
    "country",
    "csrftoken",
    "__Host-session",
    "__Secure-x",
    "__prerender_bypass",
    "__next_preview_data",
    "ab",
    "variant",
    "Theme",
    "theme2",
    "user",
    "auth",
    "debug",
];

/// An application that repeats everything it is told, so that whatever reaches it is seen.
fn echo(head: &str) -> String {
    answer(200, "", head)
}

#[tokio::test]
async fn headers_cookies_and_parameters_that_are_not_in_the_key_change_nothing() {
    let world = World::new(echo).await;
    let plain = world.get("/blog/plain?page=1").await;
    let template = plain.text().replace("/blog/plain", "/blog/{}");
    let canary = "evil-canary.test";
    let mut number = 0;
    let mut check = async |target: &str, headers: &[(&str, &str)]| {
        // To a page that is there, and to one that is not: the first must not change, the second must not be poisoned.
        let hit = world.send("GET", &format!("/blog/plain?page=1&{target}"), headers).await;
        assert_eq!((hit.status, hit.text(), hit.state()), (200, plain.text(), "hit"), "{target} {headers:?}");
        number += 1;
        let cold = world.send("GET", &format!("/blog/{number}?{target}&page=1"), headers).await;
        assert_eq!(cold.text(), template.replace("{}", &number.to_string()), "{target} {headers:?}");
        assert!(!format!("{cold:?}").contains("canary"), "{cold:?}");
    };
    for name in HEADERS {
        check("", &[(name, canary)]).await;
    }
    for name in PARAMETERS {
        check(&format!("{name}={canary}"), &[]).await;
    }
    for name in COOKIES {
        check("", &[("cookie", &format!("{name}={canary}"))]).await;
    }
    assert_eq!(world.application.heads().len(), 1 + HEADERS.len() + PARAMETERS.len() + COOKIES.len());
}

/// A request: the target's query, and headers.
type Asked = (String, Vec<(String, String)>);

fn requests() -> impl Strategy<Value = Asked> {
    let value = "[a-c%20=+]{0,3}";
    let parameter = (prop_oneof!["page", "f_[ab]", "utm_[ab]", "p%61ge", "x"], value)
        .prop_map(|(name, value)| format!("{name}={value}"));
    let bare = prop_oneof![Just("page".to_owned()), Just("x".to_owned()), Just(String::new())];
    let query = prop::collection::vec(prop_oneof![3 => parameter, 1 => bare], 0..5);
    let cookie =
        (prop_oneof!["theme", "session"], "[ab]{0,2}").prop_map(|(name, value)| format!("{name}={value}"));
    let header = prop_oneof![
        ("accept-language", prop_oneof!["de", "en"]),
        ("cookie", prop::collection::vec(cookie, 0..4).prop_map(|cookies| cookies.join("; "))),
        ("x-[ab]", "[ab]{1,2}"),
        ("user-agent", "[ab]{1,2}"),
        ("accept-encoding", prop_oneof!["gzip", "br"]),
    ];
    (query.prop_map(|parts| parts.join("&")), prop::collection::vec(header, 0..4))
}

#[test]
fn equal_keys_give_requests_to_the_application_that_are_equal_byte_for_byte() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let world = runtime.block_on(World::new(echo));
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let by_key = Arc::new(parking_lot::Mutex::new(std::collections::HashMap::new()));
    let cases = (requests(), requests());
    let met = Arc::clone(&by_key);
    runner
        .run(&cases, |(one, other)| {
            for (query, headers) in [one, other] {
                let headers: Vec<_> =
                    headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                let (head, asked) = request("example.com", "GET", &format!("/blog/one?{query}"), &headers);
                let visit = world.place.visit(&asked, &head.headers).unwrap();
                // A preview asks the application each time.
                let preview =
                    runtime.block_on(world.pages.isr().preview(&visit, world.place.renderer())).unwrap();
                let told = preview.body.bytes().clone();
                let first = met.lock().entry(visit.key().clone()).or_insert_with(|| told.clone()).clone();
                prop_assert_eq!(&first, &told);
            }
            Ok(())
        })
        .unwrap();
    let by_key = by_key.lock();
    let mut told: Vec<_> = by_key.values().collect();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), by_key.len(), "and other keys give other requests");
    assert!(told.len() > 50 && told.len() < 600, "{} keys say little", told.len());
}
