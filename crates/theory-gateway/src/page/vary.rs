//! `Vary`: which fields of a request an answer may depend on, and what clients are told about it.

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue, VARY};

use crate::settings::PageRoute;

/// What clients are told that pages of a route depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vary {
    /// For pages that are compressed.
    pub(super) with_encoding: HeaderValue,
    /// For others, if there is anything.
    pub(super) plain: Option<HeaderValue>,
}

impl Vary {
    /// What the pages of this route depend on: what is in their key, and what leads past the cache.
    pub(super) fn of(route: &PageRoute) -> Self {
        let mut names: Vec<&str> = route.key.headers.iter().map(HeaderName::as_str).collect();
        names.extend(route.bypass.iter().map(HeaderName::as_str));
        if !route.key.cookies.is_empty() {
            names.push("cookie");
        }
        names.retain(|name| *name != "accept-encoding");
        names.sort_unstable();
        names.dedup();
        let value = |names: &[&str]| HeaderValue::try_from(names.join(", ")).ok();
        let plain = value(&names).filter(|_| !names.is_empty());
        names.insert(0, "accept-encoding");
        let with_encoding = value(&names).unwrap_or(HeaderValue::from_static("accept-encoding"));
        Self { with_encoding, plain }
    }
}

/// Whether an answer depends only on what is in the key of its page, leads past the cache, or is the gateway's own work.
pub(super) fn is_covered(route: &PageRoute, headers: &HeaderMap) -> bool {
    headers.get_all(VARY).iter().all(|line| {
        // What cannot be read might be anything.
        line.to_str().is_ok_and(|line| {
            line.split(',').map(str::trim).filter(|name| !name.is_empty()).all(|name| covers(route, name))
        })
    })
}

/// Marks an answer that depends on more than the key: for caches that is the same as depending on anything.
pub(super) fn mark(headers: &mut HeaderMap) {
    headers.append(VARY, HeaderValue::from_static("*"));
}

/// Takes the mark away from an answer that is not kept: clients may rely on what the application said.
pub(super) fn restore(headers: &mut HeaderMap) {
    let mut lines: Vec<HeaderValue> = headers.get_all(VARY).iter().cloned().collect();
    if lines.len() > 1 && lines.last().is_some_and(|last| last == "*") {
        lines.pop();
        headers.remove(VARY);
        for line in lines {
            headers.append(VARY, line);
        }
    }
}

fn covers(route: &PageRoute, name: &str) -> bool {
    let is = |header: &HeaderName| header.as_str().eq_ignore_ascii_case(name);
    name.eq_ignore_ascii_case("accept-encoding")
        || name.eq_ignore_ascii_case("cookie") && !route.key.cookies.is_empty()
        || route.key.headers.iter().any(is)
        || route.bypass.iter().any(is)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::settings::{Chosen, KeyRule};

    fn route(headers: &[&'static str], cookies: &[&str], bypass: &[&'static str]) -> PageRoute {
        let names = |names: &[&'static str]| names.iter().map(|name| HeaderName::from_static(name)).collect();
        PageRoute {
            policy: Arc::default(),
            key: KeyRule {
                query: Chosen::AllBut(Vec::new()),
                headers: names(headers),
                cookies: cookies.iter().map(|name| (*name).to_owned()).collect(),
            },
            bypass: names(bypass),
            tags: Vec::new(),
            tag_header: None,
            follow_origin: false,
        }
    }

    #[track_caller]
    fn check(route: &PageRoute, vary: &[&'static str], expected: bool) {
        let lines = vary.iter().map(|line| (VARY, HeaderValue::from_static(line)));
        assert_eq!(is_covered(route, &lines.collect()), expected, "{vary:?}");
    }

    #[test]
    fn an_answer_may_depend_on_what_is_in_the_key() {
        let route = route(&["accept-language", "rsc"], &[], &["authorization"]);
        check(&route, &[], true);
        check(&route, &["Accept-Encoding"], true);
        check(&route, &["Accept-Language, RSC", "accept-encoding"], true);
        check(&route, &["Authorization"], true);
        check(&route, &["Accept-Language, User-Agent"], false);
        check(&route, &["Cookie"], false);
        check(&route, &["*"], false);
        check(&route, &["accept-language, *"], false);
        check(&route, &["a b"], false);
    }

    #[test]
    fn cookies_that_are_in_the_key_cover_all_that_was_sent() {
        check(&route(&[], &["theme"], &[]), &["Cookie"], true);
    }

    #[test]
    fn what_was_marked_is_restored() {
        for lines in [&["origin"][..], &["*"], &["a, b", "*"], &["a", "b"]] {
            let map: HeaderMap = lines.iter().map(|line| (VARY, HeaderValue::from_static(line))).collect();
            let mut marked = map.clone();
            mark(&mut marked);
            assert_ne!(marked, map);
            restore(&mut marked);
            assert_eq!(marked, map);
        }
    }

    #[test]
    fn clients_are_told_everything_that_matters_once() {
        let vary = Vary::of(&route(&["rsc", "accept-encoding"], &["a", "b"], &["x-draft", "rsc"]));
        assert_eq!(vary.plain.unwrap(), "cookie, rsc, x-draft");
        assert_eq!(vary.with_encoding, "accept-encoding, cookie, rsc, x-draft");
        assert!(Vary::of(&route(&[], &[], &[])).plain.is_none());
    }
}
