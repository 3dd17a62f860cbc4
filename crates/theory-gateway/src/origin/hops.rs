//! Headers that belong to one connection and not to the message (RFC 9110, 7.6.1). They end here, in both directions.

use crate::request_id::REQUEST_ID;
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, HOST, HeaderMap, HeaderName,
    HeaderValue, SET_COOKIE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VARY,
};

/// How a page was served. An application that says so too would be counted as a page of ours.
const ISR: HeaderName = HeaderName::from_static("x-facetheory-isr");

/// Those that are of one connection by definition.
const OF_CONNECTION: [HeaderName; 11] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("proxy-authenticate"),
    HeaderName::from_static("proxy-authentication-info"),
    HeaderName::from_static("proxy-authorization"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    // Settings of a connection that would become HTTP/2 in the clear.
    HeaderName::from_static("http2-settings"),
];

/// Those that are never of one connection, whatever `Connection` says. Whoever could take them out of a message would change what
/// it means: whose it is, how long it is, who may keep it.
const OF_MESSAGE: [HeaderName; 7] =
    [AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, COOKIE, HOST, SET_COOKIE, VARY];

/// Takes out what belongs to the connection that a message came on.
pub(super) fn strip(headers: &mut HeaderMap) {
    let listed: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::try_from(name.trim()).ok())
        .filter(|name| !OF_MESSAGE.contains(name))
        .collect();
    for name in listed.iter().chain(&OF_CONNECTION) {
        headers.remove(name);
    }
}

/// Asks for another protocol on this connection.
pub(super) fn ask_for(headers: &mut HeaderMap, protocol: &HeaderValue) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol.clone());
}

/// Whether an answer agrees to this protocol and no other.
pub(super) fn agrees_to(headers: &HeaderMap, protocol: &HeaderValue) -> bool {
    let mut protocols = headers.get_all(UPGRADE).iter();
    let agreed =
        protocols.next().is_some_and(|agreed| agreed.as_bytes().eq_ignore_ascii_case(protocol.as_bytes()));
    agreed && protocols.next().is_none()
}

/// What an answer must not carry on besides: what only the gateway itself says.
pub(super) fn strip_answer(headers: &mut HeaderMap) {
    strip(headers);
    headers.remove(ISR);
    // What is kept must not carry the name of somebody's request to others; each answer is given its own.
    headers.remove(REQUEST_ID);
}

/// What a request must not carry on besides: the gateway itself answered `Expect`, when it read the body.
pub(super) fn strip_request(headers: &mut HeaderMap) {
    strip(headers);
    headers.remove(EXPECT);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[(&'static str, &'static str)], left: &[&str]) {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        strip_request(&mut headers);
        let mut names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, left);
    }

    #[test]
    fn what_belongs_to_a_connection_ends_with_it() {
        let lines = [
            ("connection", "keep-alive, X-Hop"),
            ("connection", "x-other , not a name"),
            ("x-hop", "1"),
            ("x-other", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("trailer", "x"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("http2-settings", "AAMAAABk"),
            ("proxy-authorization", "Basic x"),
            ("proxy-connection", "keep-alive"),
            ("expect", "100-continue"),
            ("accept", "*/*"),
        ];
        check(&lines, &["accept"]);
    }

    #[test]
    fn nobody_takes_out_what_says_whose_a_message_is_and_who_may_keep_it() {
        let lines = [
            ("connection", "cache-control, set-cookie, vary, authorization, cookie, host, content-length"),
            ("cache-control", "private"),
            ("set-cookie", "a=b"),
            ("vary", "cookie"),
            ("authorization", "Bearer x"),
            ("cookie", "a=b"),
            ("host", "example.com"),
            ("content-length", "0"),
        ];
        let left =
            ["authorization", "cache-control", "content-length", "cookie", "host", "set-cookie", "vary"];
        check(&lines, &left);
    }
}
