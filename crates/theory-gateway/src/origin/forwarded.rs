//! What the application is told about the client: `X-Forwarded-For`, `-Proto` and `-Host`, from the connection itself. What a client
//! says about itself in such headers is dropped, unless it is a proxy that the settings trust. And what the request is called.

use std::net::IpAddr;

use http::header::{FORWARDED, HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;

use super::hops;
use crate::asked::Asked;
use crate::request_id::{REQUEST_ID, RequestId};

const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Headers that applications read as the word of a proxy, besides all of `X-Forwarded-`. Some name the client; some replace the
/// path or the host that was asked for, behind the back of whoever decided by them.
const WORDS_OF_PROXIES: [&str; 13] = [
    "cf-connecting-ip",
    "client-ip",
    "fastly-client-ip",
    "front-end-https",
    "true-client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-host",
    "x-original-host",
    "x-original-url",
    "x-override-url",
    "x-real-ip",
    "x-rewrite-url",
];

/// Who is at the other end of a connection, and what their request is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Its address.
    pub address: IpAddr,
    /// Whether it is a proxy whose word about its clients is believed.
    pub is_trusted: bool,
    /// What the request is called.
    pub(crate) request: RequestId,
}

impl Caller {
    /// Who is at this address and sent these headers, where these proxies are trusted.
    #[must_use]
    pub fn at(address: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> Self {
        // A socket of version 6 shows a client of version 4 in its mapped form, and settings name it in its own.
        let address = address.to_canonical();
        let is_trusted = trusted.iter().any(|network| network.contains(&address));
        let given = if is_trusted { RequestId::given(headers) } else { None };
        Self { address, is_trusted, request: given.unwrap_or_else(RequestId::own) }
    }
}

/// Writes who asks, how, and for which host; takes out what belongs to the client's connection.
pub fn tell(headers: &mut HeaderMap, asked: &Asked, caller: &Caller) {
    // First, because `Connection: X-Forwarded-For` would otherwise take out what is written here.
    hops::strip_request(headers);
    if !caller.is_trusted {
        forget(headers);
    }
    let address = caller.address.to_string();
    let told: Vec<&str> = headers.get_all(FOR).iter().filter_map(|value| value.to_str().ok()).collect();
    let chain = if told.is_empty() { address } else { format!("{}, {address}", told.join(", ")) };
    // What came in as header values is one when it is joined, too; if not, only what we know ourselves is said.
    headers.insert(
        FOR,
        value(&chain).or_else(|| value(&caller.address.to_string())).expect("an address is a value"),
    );
    let proto = if asked.is_secure() { "https" } else { "http" };
    headers.entry(PROTO).or_insert(HeaderValue::from_static(proto));
    headers.entry(HOST).or_insert_with(|| authority(asked));
    headers.insert(REQUEST_ID, caller.request.value());
}

/// The host that was asked for, with the port if one was named.
#[must_use]
pub fn authority(asked: &Asked) -> HeaderValue {
    let authority = match asked.port() {
        Some(port) => HeaderValue::try_from(format!("{}:{port}", asked.host())),
        None => HeaderValue::from_str(asked.host()),
    };
    authority.expect("a host that was read is a value")
}

fn value(text: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(text).ok()
}

fn forget(headers: &mut HeaderMap) {
    let claimed: Vec<HeaderName> = headers.keys().filter(|name| is_word_of_proxy(name)).cloned().collect();
    for name in claimed {
        headers.remove(name);
    }
}

/// Applications behind CGI and WSGI see `_` and `-` in names as the same, so we do, too.
fn is_word_of_proxy(name: &HeaderName) -> bool {
    let is_listed = |name: &str| {
        name.starts_with("x-forwarded") || name == FORWARDED.as_str() || WORDS_OF_PROXIES.contains(&name)
    };
    let name = name.as_str();
    if name.contains('_') { is_listed(&name.replace('_', "-")) } else { is_listed(name) }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::edge::Peer;
    use crate::settings::EdgeLimits;

    fn told(caller: &str, lines: &[(&'static str, &'static str)]) -> Vec<String> {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()];
        let (head, ()) = Request::get("/").header("host", "shop.example").body(()).unwrap().into_parts();
        let peer = Peer { is_secure: true, ..Peer::plain("192.0.2.1:1".parse().unwrap()) };
        let asked = Asked::read(&head, &peer, &EdgeLimits::default()).unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        let caller = Caller::at(caller.parse().unwrap(), &headers, &trusted);
        tell(&mut headers, &asked, &caller);
        assert_eq!(headers.remove(REQUEST_ID), Some(caller.request.value()));
        let mut lines: Vec<_> =
            headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        lines.sort();
        lines
    }

    #[test]
    fn a_client_is_described_by_its_connection() {
        let truth =
            ["x-forwarded-for: 203.0.113.7", "x-forwarded-host: shop.example", "x-forwarded-proto: https"];
        assert_eq!(told("203.0.113.7", &[]), truth);
        assert_eq!(told("::ffff:203.0.113.7", &[]), truth);
    }

    #[test]
    fn what_a_client_says_about_itself_is_dropped() {
        let truth =
            ["x-forwarded-for: 203.0.113.7", "x-forwarded-host: shop.example", "x-forwarded-proto: https"];
        for lie in [
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto",
            "x-forwarded-port",
            "x-forwarded-prefix",
            "x-forwarded-server",
            "x-forwarded",
            "forwarded",
            "x-real-ip",
            "true-client-ip",
            "x-original-url",
            "x-rewrite-url",
            "x_forwarded_for",
            "x-forwarded_host",
            "x_real_ip",
        ] {
            assert_eq!(told("203.0.113.7", &[(lie, "127.0.0.1"), (lie, "::1")]), truth, "{lie}");
        }
    }

    #[test]
    fn a_trusted_proxy_is_believed_and_becomes_the_last_hop() {
        let lines = [
            ("x-forwarded-for", "198.51.100.1"),
            ("x-forwarded-for", "198.51.100.2"),
            ("x-forwarded-proto", "http"),
            ("x-forwarded-host", "outside.example"),
        ];
        let believed = [
            "x-forwarded-for: 198.51.100.1, 198.51.100.2, 10.1.2.3",
            "x-forwarded-host: outside.example",
            "x-forwarded-proto: http",
        ];
        assert_eq!(told("10.1.2.3", &lines), believed);
        assert_eq!(told("::ffff:10.1.2.3", &lines), believed);
    }

    #[test]
    fn nobody_has_it_taken_out_again() {
        let lines = [("connection", "x-forwarded-for, x-forwarded-proto")];
        assert_eq!(told("203.0.113.7", &lines), told("203.0.113.7", &[]));
    }

    #[test]
    fn other_headers_stay() {
        assert!(told("203.0.113.7", &[("x-other", "7")]).contains(&"x-other: 7".to_owned()));
    }
}
