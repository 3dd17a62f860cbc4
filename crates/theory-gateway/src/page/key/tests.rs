//! Two requests have one key exactly when everything that may make another page is the same.

use std::sync::Arc;

use http::header::{ACCEPT_ENCODING, ACCEPT_LANGUAGE, COOKIE};
use http::{HeaderName, Request, Uri};

use super::super::site::{Fetching, Upstream};
use super::*;
use crate::settings::{Chosen, Host, OriginSettings, Site};

#[test]
fn languages_may_make_another_page_and_encodings_may_not() {
    assert!(may_be_keyed(&ACCEPT_LANGUAGE) && !may_be_keyed(&ACCEPT_ENCODING));
}

struct Nobody;

impl Upstream for Nobody {
    fn fetch(&self, _request: Request<()>) -> Fetching<'_> {
        panic!("nothing is fetched here")
    }
}

fn site(name: &str, hosts: &[Host]) -> SiteAtWork {
    let site = Site {
        name: name.into(),
        hosts: hosts.to_vec(),
        tenant: None,
        origin: OriginSettings::new(Uri::from_static("http://127.0.0.1:1")),
        routes: Vec::new(),
    };
    SiteAtWork::new(&site, Arc::new(Nobody))
}

fn rule() -> KeyRule {
    KeyRule {
        query: Chosen::These(vec!["page".into(), "sort".into()]),
        headers: vec![ACCEPT_LANGUAGE, header::ACCEPT_ENCODING, HeaderName::from_static("x-forwarded-host")],
        cookies: vec!["theme".into()],
    }
}

fn key(host: &str, query: &str, headers: &[(HeaderName, &str)]) -> PageKey {
    let site =
        site("shop", &[Host::Exact("example.com".into()), Host::Below(".example.org".into()), Host::Any]);
    let headers = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
    of(&site, &rule(), host, "/list", Some(query), &headers).expect("a key")
}

#[test]
fn what_is_not_listed_makes_no_other_page() {
    let plain = key("example.com", "page=2", &[]);
    assert_eq!(plain, key("example.com", "utm_source=x&page=2&callback=evil", &[]));
    assert_eq!(
        plain,
        key("example.com", "page=2", &[(header::USER_AGENT, "x"), (header::ACCEPT_ENCODING, "br")])
    );
    assert_eq!(plain, key("example.com", "page=2", &[(COOKIE, "session=1; other=2")]));
    assert_eq!(
        plain,
        key("example.com", "page=2", &[(HeaderName::from_static("x-forwarded-host"), "evil.test")])
    );
}

#[test]
fn what_is_listed_makes_another_page() {
    let plain = key("example.com", "page=2", &[]);
    for other in [
        key("a.example.org", "page=2", &[]),
        key("example.com", "page=3", &[]),
        key("example.com", "page=2&page=2", &[]),
        key("example.com", "page=2", &[(ACCEPT_LANGUAGE, "de")]),
        key("example.com", "page=2", &[(COOKIE, "theme=dark")]),
    ] {
        assert_ne!(plain, other);
    }
    assert_eq!(key("example.com", "sort=a&page=2", &[]), key("example.com", "page=2&sort=a", &[]));
    assert_ne!(key("example.com", "page=1&page=2", &[]), key("example.com", "page=2&page=1", &[]));
}

#[test]
fn hosts_that_clients_make_up_share_one_set_of_pages() {
    let made_up = key("evil.test", "", &[]);
    assert_eq!(made_up, key("other.test", "", &[]));
    assert_eq!(host(&made_up), None);
    assert_eq!(host(&key("example.com", "", &[])), Some(&b"example.com"[..]));
    assert_eq!(made_up, key("example.org", "", &[]), "what is below a host is not the host itself");
    // A site that is called like a host of another does not get its pages.
    let [named, own] = [site("example.com", &[Host::Any]), site("x", &[Host::Exact("example.com".into())])];
    let of = |site| of(site, &rule(), "example.com", "/", None, &HeaderMap::new()).expect("a key");
    assert_ne!(of(&named), of(&own));
}

#[test]
fn a_key_that_is_too_long_is_refused() {
    let site = site("shop", &[Host::Any]);
    let try_key = |query: &str, headers: &HeaderMap| of(&site, &rule(), "a", "/", Some(query), headers);
    assert!(try_key(&"page=1&".repeat(PARTS_MAX), &HeaderMap::new()).is_ok());
    let refusal = try_key(&"page=1&".repeat(PARTS_MAX + 1), &HeaderMap::new()).unwrap_err();
    assert_eq!(refusal.status, StatusCode::URI_TOO_LONG);
    assert!(try_key(&"other=1&".repeat(PARTS_MAX + 1), &HeaderMap::new()).is_ok(), "they do not count");
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT_LANGUAGE, "x".repeat(VALUE_BYTES_MAX).parse().unwrap());
    assert!(try_key("", &headers).is_ok());
    headers.append(COOKIE, "theme=x".parse().unwrap());
    assert_eq!(try_key("", &headers).unwrap_err().status, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
}
