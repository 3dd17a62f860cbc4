//! A part of what is kept (RFC 9110 section 14): one range of bytes, if the client's copy is of the same.

use std::ops::Range;

use http::header::{ETAG, HeaderMap, IF_RANGE, LAST_MODIFIED, RANGE};

use super::conditional::is_strong;

/// What part of an answer is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// These bytes.
    Bytes(Range<usize>),
    /// One that is not there.
    Unsatisfiable,
}

/// What part of an answer with this head and so many bytes is wanted. Several ranges, and what cannot be read, are the whole.
pub(super) fn wanted(request: &HeaderMap, kept: &HeaderMap, bytes: usize) -> Part {
    let Some(range) = request.get(RANGE) else { return Part::Whole };
    if !is_of_same(request, kept) {
        return Part::Whole;
    }
    let range = range.to_str().ok().and_then(|range| range.trim().strip_prefix("bytes="));
    let Some((first, last)) = range.and_then(|range| range.split_once('-')) else { return Part::Whole };
    match (number(first), number(last)) {
        (Some(Some(first)), Some(last)) if last.is_none_or(|last| first <= last) => {
            let end = last.map_or(bytes, |last| last.saturating_add(1).min(bytes));
            if first < bytes { Part::Bytes(first..end) } else { Part::Unsatisfiable }
        }
        (Some(None), Some(Some(length))) if length == 0 || bytes == 0 => Part::Unsatisfiable,
        (Some(None), Some(Some(length))) => Part::Bytes(bytes.saturating_sub(length)..bytes),
        _ => Part::Whole,
    }
}

/// A number, nothing, or neither.
#[expect(clippy::option_option, reason = "an absent number and an unreadable one mean different things")]
fn number(text: &str) -> Option<Option<usize>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(None);
    }
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    // What does not fit lies behind the end of everything.
    is_number.then(|| Some(text.parse().unwrap_or(usize::MAX)))
}

/// Whether the copy of which a part is missing is a copy of this: the same bytes, not merely the same meaning.
fn is_of_same(request: &HeaderMap, kept: &HeaderMap) -> bool {
    let Some(condition) = request.get(IF_RANGE) else { return true };
    let is_tag = condition.as_bytes().ends_with(b"\"");
    let validator = if is_tag { kept.get(ETAG) } else { kept.get(LAST_MODIFIED) };
    validator == Some(condition) && is_strong(condition.as_bytes())
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        lines.iter().map(header).collect()
    }

    #[track_caller]
    fn check(range: &str, expected: Part) {
        assert_eq!(wanted(&headers(&[("range", range)]), &HeaderMap::new(), 10), expected, "{range}");
    }

    #[test]
    fn one_range_is_a_part() {
        check("bytes=0-1", Part::Bytes(0..2));
        check("bytes=3-", Part::Bytes(3..10));
        check("bytes=-4", Part::Bytes(6..10));
        check("bytes=-40", Part::Bytes(0..10));
        check("bytes=8-99999999999999999999999", Part::Bytes(8..10));
        check("bytes=10-", Part::Unsatisfiable);
        check("bytes=-0", Part::Unsatisfiable);
    }

    #[test]
    fn what_is_no_range_is_the_whole() {
        for range in ["bytes=0-1,3-4", "lines=0-1", "bytes=2-1", "bytes=-", "bytes=a-b", "bytes", ""] {
            check(range, Part::Whole);
        }
    }

    #[test]
    fn a_part_is_only_given_to_who_has_the_same() {
        let then = "Wed, 01 Jan 2020 00:00:00 GMT";
        let kept = headers(&[("etag", "\"a\""), ("last-modified", then)]);
        let wanted =
            |condition| wanted(&headers(&[("range", "bytes=0-0"), ("if-range", condition)]), &kept, 10);
        assert_eq!(wanted("\"a\""), Part::Bytes(0..1));
        assert_eq!(wanted(then), Part::Bytes(0..1));
        assert_eq!(wanted("\"b\""), Part::Whole);
        assert_eq!(wanted("W/\"a\""), Part::Whole);
        assert_eq!(wanted("Wed, 01 Jan 2021 00:00:00 GMT"), Part::Whole);
    }

    proptest! {
        #[test]
        fn a_part_lies_inside(range in "(bytes=)?[0-9]{0,22}-[0-9]{0,22}", bytes in 0_usize..100) {
            if let Part::Bytes(part) = wanted(&headers(&[("range", &range)]), &HeaderMap::new(), bytes) {
                prop_assert!(part.start < part.end && part.end <= bytes);
            }
        }
    }
}
