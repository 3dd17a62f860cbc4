//! What a request that changes something makes obsolete (RFC 9111 section 4.4): its own address, and those on the same host that the
//! answer names.

use http::header::{CONTENT_LOCATION, HeaderMap, HeaderName, LOCATION};
use http::{Method, StatusCode, Uri};

/// Whether answers that are kept for its address are obsolete after this method was answered so.
pub(super) fn is_obsolete_after(method: &Method, status: StatusCode) -> bool {
    !method.is_safe() && (status.is_success() || status.is_redirection())
}

/// The paths and queries that the answer names on the same host. `path` is what was asked for.
pub(super) fn named<'a>(
    answer: &'a HeaderMap,
    host: &'a str,
    path: &'a str,
) -> impl Iterator<Item = String> + 'a {
    const NAMING: [HeaderName; 2] = [LOCATION, CONTENT_LOCATION];
    NAMING.into_iter().filter_map(move |field| {
        let line = answer.get(field)?.to_str().ok()?;
        let line = line.split('#').next()?;
        if is_relative(line) {
            return Some(resolved(path, line));
        }
        // Two slashes begin a host; what reads addresses would take them for a path.
        let uri: Uri =
            if line.starts_with("//") { format!("http:{line}").parse() } else { line.parse() }.ok()?;
        // One host says nothing about another's addresses.
        let is_same = uri.authority().is_none_or(|authority| authority.host().eq_ignore_ascii_case(host));
        is_same.then(|| uri.path_and_query().map(ToString::to_string)).flatten()
    })
}

/// Whether an address is meant from where one stands.
fn is_relative(line: &str) -> bool {
    !line.is_empty()
        && !line.starts_with('/')
        && !line.split(['/', '?']).next().is_some_and(|start| start.contains(':'))
}

/// What `line` means, standing at `path`: it replaces the last segment.
fn resolved(path: &str, line: &str) -> String {
    let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
    let mut segments: Vec<&str> = folder.trim_end_matches('/').split('/').collect();
    let (line, query) = line.split_once('?').map_or((line, None), |(line, query)| (line, Some(query)));
    for segment in line.split('/') {
        match segment {
            "." => {}
            ".." if segments.len() > 1 => {
                segments.pop();
            }
            ".." => {}
            segment => segments.push(segment),
        }
    }
    let path = segments.join("/");
    query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(line: &'static str, expected: Option<&str>) {
        let answer = HeaderMap::from_iter([(LOCATION, HeaderValue::from_static(line))]);
        let found = named(&answer, "a.example", "/x/y").next();
        assert_eq!(found.as_deref(), expected, "{line}");
    }

    #[test]
    fn addresses_on_the_same_host_are_named() {
        check("/z?q=1", Some("/z?q=1"));
        check("/z#part", Some("/z"));
        check("z", Some("/x/z"));
        check("../z?q", Some("/z?q"));
        check("../../../z", Some("/z"));
        check("http://A.example/z", Some("/z"));
        check("https://a.example:8443/z", Some("/z"));
        check("//a.example/z", Some("/z"));
    }

    #[test]
    fn addresses_elsewhere_are_not() {
        check("http://b.example/z", None);
        check("//b.example/z", None);
        check("mailto:z@a.example", None);
        check("", None);
    }

    #[test]
    fn only_a_change_that_came_about_makes_obsolete() {
        for method in ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            assert!(is_obsolete_after(&method, StatusCode::NO_CONTENT));
            assert!(is_obsolete_after(&method, StatusCode::SEE_OTHER));
            assert!(!is_obsolete_after(&method, StatusCode::INTERNAL_SERVER_ERROR));
        }
        for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::TRACE] {
            assert!(!is_obsolete_after(&method, StatusCode::OK));
        }
    }
}
