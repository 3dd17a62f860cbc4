//! `Range`: one part of a page (RFC 9110, 14). Of several parts, and of what is no range, the whole is sent.

use std::ops::Range;

use http::HeaderMap;
use http::header::{HeaderValue, IF_RANGE, RANGE};

use super::conditional::is_same;

/// Which part of a page is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// These bytes.
    Bytes(Range<usize>),
    /// None that it has.
    Beyond,
}

/// Which part of a page of this length is asked for. A part is worth something only beside the rest of the same page, so a client
/// may name the page it has the rest of.
pub(super) fn asked(
    headers: &HeaderMap,
    length: usize,
    tag: &HeaderValue,
    last_modified: Option<&HeaderValue>,
) -> Part {
    let Some(range) = headers.get(RANGE).and_then(|range| range.to_str().ok()) else { return Part::Whole };
    if let Some(has) = headers.get(IF_RANGE)
        && !is_same(has, tag)
        && last_modified != Some(has)
    {
        return Part::Whole;
    }
    let Some((unit, ranges)) = range.split_once('=') else { return Part::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") || ranges.contains(',') {
        return Part::Whole;
    }
    let Some((first, last)) = ranges.trim().split_once('-') else { return Part::Whole };
    match (number(first), number(last)) {
        (Some(Some(first)), Some(last)) => {
            let end = last.map_or(length, |last| last.saturating_add(1).min(length));
            match last {
                Some(last) if last < first => Part::Whole,
                _ if first >= length => Part::Beyond,
                _ => Part::Bytes(first..end),
            }
        }
        (Some(None), Some(Some(suffix))) => match suffix.min(length) {
            0 => Part::Beyond,
            suffix => Part::Bytes(length - suffix..length),
        },
        _ => Part::Whole,
    }
}

/// A number, nothing for an empty text, or no number at all. One that is longer than any page is as long as can be.
fn number(text: &str) -> Option<Option<usize>> {
    if text.is_empty() {
        return Some(None);
    }
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| Some(text.parse().unwrap_or(usize::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[(http::HeaderName, &str)], expected: Part) {
        let map = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        let modified = HeaderValue::from_static("Mon, 16 Nov 2026 10:00:00 GMT");
        assert_eq!(
            asked(&map, 10, &HeaderValue::from_static("\"a\""), Some(&modified)),
            expected,
            "{headers:?}"
        );
    }

    #[test]
    fn one_part_is_given() {
        let part = |range: &str, expected| check(&[(RANGE, range)], Part::Bytes(expected));
        part("bytes=0-0", 0..1);
        part("bytes=2-4", 2..5);
        part("bytes=2-", 2..10);
        part("bytes=2-99999999999999999999999", 2..10);
        part("bytes=-3", 7..10);
        part("bytes=-99", 0..10);
        part("Bytes = 9-9", 9..10);
    }

    #[test]
    fn what_is_beyond_the_end_is_refused() {
        for range in ["bytes=10-", "bytes=10-11", "bytes=99999999999999999999999-", "bytes=-0"] {
            check(&[(RANGE, range)], Part::Beyond);
        }
    }

    #[test]
    fn what_is_no_single_range_gives_the_whole() {
        for range in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5-4",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=a-b",
            "bytes=+1-2",
        ] {
            check(&[(RANGE, range)], Part::Whole);
        }
        check(&[], Part::Whole);
    }

    #[test]
    fn a_part_of_another_page_is_worth_nothing() {
        let range = (RANGE, "bytes=0-0");
        check(&[range.clone(), (IF_RANGE, "\"a\"")], Part::Bytes(0..1));
        check(&[range.clone(), (IF_RANGE, "\"b\"")], Part::Whole);
        check(&[range.clone(), (IF_RANGE, "W/\"a\"")], Part::Whole);
        check(&[range.clone(), (IF_RANGE, "Mon, 16 Nov 2026 10:00:00 GMT")], Part::Bytes(0..1));
        check(&[range, (IF_RANGE, "Mon, 16 Nov 2026 10:00:01 GMT")], Part::Whole);
    }
}
