//! The address under which answers are kept: whose site it is, scheme, host, path and query. Nothing else of a request is in it, and
//! no part can be mistaken for another.

use std::sync::Arc;

use http::header::{HeaderMap, HeaderName};

use crate::asked::Asked;

/// Stands between the parts: none of them can contain it.
const BETWEEN: u8 = b'\n';

/// What the application is told about the scheme and the host: the connection's, or what a trusted proxy says. An answer may be made
/// of them.
const TOLD: [HeaderName; 2] =
    [HeaderName::from_static("x-forwarded-proto"), HeaderName::from_static("x-forwarded-host")];

/// The address of what is asked for. `headers` are those that the application gets.
pub(super) fn of(scope: &str, asked: &Asked, headers: &HeaderMap) -> Arc<str> {
    beside(scope, asked, headers, asked.target().as_str())
}

/// The address of another path and query on the same host.
pub(super) fn beside(scope: &str, asked: &Asked, headers: &HeaderMap, path_and_query: &str) -> Arc<str> {
    let told = TOLD.each_ref().map(|field| headers.get(field).map_or(&[][..], |value| value.as_bytes()));
    let parts = [scope.as_bytes(), told[0], told[1], asked.host().as_bytes(), path_and_query.as_bytes()];
    let mut key = Vec::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
    for part in parts {
        key.extend_from_slice(part);
        key.push(BETWEEN);
    }
    String::from_utf8_lossy(&key).into()
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http::header::HeaderValue;

    use super::*;
    use crate::edge::Peer;
    use crate::settings::EdgeLimits;

    fn key(scope: &str, host: &str, path: &str, query: Option<&str>, proto: &'static str) -> Arc<str> {
        let query = query.map_or(String::new(), |query| format!("?{query}"));
        let (head, ()) = Request::get(format!("http://{host}{path}{query}")).body(()).unwrap().into_parts();
        let asked =
            Asked::read(&head, &Peer::plain(([127, 0, 0, 1], 1).into()), &EdgeLimits::default()).unwrap();
        of(scope, &asked, &HeaderMap::from_iter([(TOLD[0].clone(), HeaderValue::from_static(proto))]))
    }

    #[test]
    fn whatever_differs_makes_another_address() {
        let keys = [
            key("a", "h", "/p", None, "http"),
            key("b", "h", "/p", None, "http"),
            key("a", "g", "/p", None, "http"),
            key("a", "h", "/q", None, "http"),
            key("a", "h", "/p", Some(""), "http"),
            key("a", "h", "/p", Some("q"), "http"),
            key("a", "h", "/p", None, "https"),
            key("ah", "x", "/p", None, "http"),
        ];
        let different: std::collections::HashSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
        assert_eq!(key("a", "h", "/p", None, "http"), keys[0]);
    }
}
