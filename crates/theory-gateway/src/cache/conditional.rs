//! Whether a client already has what is kept (RFC 9110 section 13, as far as caches judge it): `If-None-Match`, and without it
//! `If-Modified-Since`.

use http::header::{DATE, ETAG, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};

use super::freshness::date;
use super::list::members;

/// Whether the client that asks so already has the answer with this head.
pub(super) fn has_already(request: &HeaderMap, kept: &HeaderMap) -> bool {
    if request.contains_key(IF_NONE_MATCH) {
        return request.get_all(IF_NONE_MATCH).iter().any(|line| names(line.as_bytes(), kept));
    }
    let Some(since) = date(request, &IF_MODIFIED_SINCE) else { return false };
    let changed = date(kept, &LAST_MODIFIED).or_else(|| date(kept, &DATE));
    changed.is_some_and(|changed| changed <= since)
}

/// Whether one of these tags is the answer's. Here a weak tag is as good as a strong one.
fn names(line: &[u8], kept: &HeaderMap) -> bool {
    let tag = kept.get(ETAG).map(|tag| opaque(tag.as_bytes()));
    line.trim_ascii() == b"*" || members(line).any(|member| tag == Some(opaque(member)))
}

/// A tag without its mark of weakness.
pub(super) fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

/// Whether a tag promises the same bytes.
pub(super) fn is_strong(tag: &[u8]) -> bool {
    !tag.starts_with(b"W/")
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    const EARLY: &str = "Wed, 01 Jan 2020 00:00:00 GMT";
    const LATE: &str = "Wed, 01 Jan 2025 00:00:00 GMT";

    #[track_caller]
    fn check(
        request: &[(&'static str, &'static str)],
        kept: &[(&'static str, &'static str)],
        expected: bool,
    ) {
        let headers = |lines: &[(&'static str, &'static str)]| {
            let header = |(name, value): &(&'static str, &'static str)| {
                (HeaderName::from_static(name), HeaderValue::from_static(value))
            };
            lines.iter().map(header).collect::<HeaderMap>()
        };
        assert_eq!(has_already(&headers(request), &headers(kept)), expected, "{request:?} {kept:?}");
    }

    #[test]
    fn a_tag_is_compared_without_its_weakness() {
        check(&[("if-none-match", "\"a\"")], &[("etag", "\"a\"")], true);
        check(&[("if-none-match", "\"x\", W/\"a\" , \"y\"")], &[("etag", "\"a\"")], true);
        check(&[("if-none-match", "\"x\""), ("if-none-match", "\"a\"")], &[("etag", "W/\"a\"")], true);
        check(&[("if-none-match", "*")], &[], true);
        check(&[("if-none-match", "\"a,b\"")], &[("etag", "\"a,b\"")], true);
        check(&[("if-none-match", "\"b\"")], &[("etag", "\"a\"")], false);
        check(&[("if-none-match", "\"b\"")], &[], false);
        check(&[], &[("etag", "\"a\"")], false);
    }

    #[test]
    fn a_tag_counts_before_a_date() {
        check(&[("if-none-match", "\"b\""), ("if-modified-since", LATE)], &[("last-modified", EARLY)], false);
        check(
            &[("if-none-match", "\"a\""), ("if-modified-since", EARLY)],
            &[("etag", "\"a\""), ("last-modified", LATE)],
            true,
        );
    }

    #[test]
    fn a_date_is_compared_with_the_last_change() {
        check(&[("if-modified-since", EARLY)], &[("last-modified", EARLY)], true);
        check(&[("if-modified-since", LATE)], &[("last-modified", EARLY)], true);
        check(
            &[("if-modified-since", "Wednesday, 01-Jan-20 00:00:00 GMT")],
            &[("last-modified", EARLY)],
            true,
        );
        check(&[("if-modified-since", EARLY)], &[("last-modified", LATE)], false);
        check(&[("if-modified-since", LATE)], &[("date", EARLY)], true);
        check(&[("if-modified-since", "nonsense")], &[("last-modified", EARLY)], false);
    }
}
