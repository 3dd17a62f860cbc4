//! Directives of `Cache-Control` and `CDN-Cache-Control`: what the application says to shared caches, and what to browsers.

use http::HeaderMap;
use http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use tabletheory_core::Seconds;

pub(super) const CDN_CACHE_CONTROL: HeaderName = HeaderName::from_static("cdn-cache-control");

/// Browsers ask each time, and mostly hear that nothing changed: a page that was purged here must not live on there.
const ASK_EACH_TIME: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");

/// What only shared caches obey. This one has obeyed; others in front of it could not be purged from here.
const FOR_SHARED_CACHES: [&str; 4] =
    ["s-maxage", "stale-while-revalidate", "stale-if-error", "proxy-revalidate"];

/// For how long the application lets shared caches keep an answer, if it says so. A word to this kind of cache alone counts more
/// than one to all (RFC 9213).
pub(super) fn shared_for(headers: &HeaderMap) -> Option<Seconds> {
    let targeted = || {
        seconds(headers, &CDN_CACHE_CONTROL, "s-maxage")
            .or_else(|| seconds(headers, &CDN_CACHE_CONTROL, "max-age"))
    };
    targeted().or_else(|| seconds(headers, &CACHE_CONTROL, "s-maxage"))
}

/// Whether the application forbids this kind of cache to keep an answer. What cannot be read might forbid it.
pub(super) fn is_forbidden(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(&CDN_CACHE_CONTROL).iter();
    lines.any(|line| {
        line.to_str().map_or(true, |line| {
            let forbids = |name: &str| {
                ["no-store", "private", "no-cache"].iter().any(|word| word.eq_ignore_ascii_case(name))
            };
            all(line).any(|(name, _)| forbids(name))
        })
    })
}

/// What browsers are told: what the application said to them, or else to ask each time.
pub(super) fn for_browsers(headers: &HeaderMap) -> HeaderValue {
    let mut told = String::new();
    let mut has_age = false;
    for line in headers.get_all(CACHE_CONTROL) {
        let Ok(line) = line.to_str() else { return ASK_EACH_TIME };
        for directive in line.split(',').map(str::trim).filter(|directive| !directive.is_empty()) {
            let name = directive.split('=').next().unwrap_or_default().trim_end();
            if FOR_SHARED_CACHES.iter().any(|shared| shared.eq_ignore_ascii_case(name)) {
                continue;
            }
            has_age |= name.eq_ignore_ascii_case("max-age");
            if !told.is_empty() {
                told.push_str(", ");
            }
            told.push_str(directive);
        }
    }
    match HeaderValue::try_from(told) {
        Ok(told) if has_age => told,
        _ => ASK_EACH_TIME,
    }
}

fn seconds(headers: &HeaderMap, header: &HeaderName, directive: &str) -> Option<Seconds> {
    let lines = headers.get_all(header).iter().filter_map(|line| line.to_str().ok());
    let mut found = lines.flat_map(all).filter(|(name, _)| directive.eq_ignore_ascii_case(name));
    let (_, value) = found.next()?;
    let digits = value?.trim_matches('"');
    // What is longer than any number is as long as can be (RFC 9111, 1.2.2).
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Seconds(digits.parse().unwrap_or(i64::from(i32::MAX)).min(i64::from(i32::MAX))))
}

fn all(line: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    line.split(',').map(|directive| match directive.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (directive.trim(), None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let line = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        lines.iter().map(line).collect()
    }

    #[track_caller]
    fn check_shared(lines: &[(&'static str, &'static str)], expected: Option<i64>) {
        assert_eq!(shared_for(&headers(lines)), expected.map(Seconds), "{lines:?}");
    }

    #[test]
    fn a_word_to_shared_caches_is_heard() {
        check_shared(&[("cache-control", "public, S-MaxAge=60")], Some(60));
        check_shared(&[("cache-control", "max-age=60")], None);
        check_shared(&[("cache-control", "s-maxage=\"7\"")], Some(7));
        check_shared(&[("cache-control", "s-maxage=-1")], None);
        check_shared(&[("cache-control", "s-maxage=")], None);
        check_shared(&[("cache-control", "s-maxage=1.5")], None);
        check_shared(&[("cache-control", "s-maxage=99999999999999999999")], Some(i64::from(i32::MAX)));
        check_shared(&[("cdn-cache-control", "max-age=5"), ("cache-control", "s-maxage=60")], Some(5));
        check_shared(&[("cdn-cache-control", "max-age=5, s-maxage=6")], Some(6));
        check_shared(&[], None);
    }

    #[test]
    fn a_ban_for_this_kind_of_cache_is_heard() {
        assert!(is_forbidden(&headers(&[("cdn-cache-control", "max-age=5, No-Store")])));
        assert!(is_forbidden(&headers(&[("cdn-cache-control", "private")])));
        assert!(!is_forbidden(&headers(&[("cdn-cache-control", "max-age=5")])));
        assert!(!is_forbidden(&headers(&[("cache-control", "no-store")])), "others look at that");
    }

    #[track_caller]
    fn check_browsers(line: &'static str, expected: &str) {
        assert_eq!(for_browsers(&headers(&[("cache-control", line)])), expected, "{line}");
    }

    #[test]
    fn browsers_ask_each_time_unless_the_application_says_otherwise() {
        const ASK: &str = "public, max-age=0, must-revalidate";
        check_browsers("s-maxage=60, stale-while-revalidate=300", ASK);
        check_browsers("public", ASK);
        check_browsers("", ASK);
        check_browsers("public, max-age=60, s-maxage=600", "public, max-age=60");
        check_browsers("max-age=31536000,immutable", "max-age=31536000, immutable");
        assert_eq!(for_browsers(&HeaderMap::new()), ASK);
    }
}
