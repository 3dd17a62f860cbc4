//! Asking whether what is kept is still right (RFC 9111 section 4.3): the conditions of the request, whether "not modified" speaks of
//! what is kept, and what is kept afterwards.

use http::header::{
    AGE, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, DATE, ETAG, HeaderMap, HeaderName,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, SET_COOKIE,
};

use super::conditional::{is_strong, opaque};
use super::status::CACHE_STATUS;

/// What describes the bytes that are kept, and stays with them, and what is of one answer only.
const LEFT_ALONE: [HeaderName; 10] = [
    AGE,
    CACHE_STATUS,
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_RANGE,
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("repr-digest"),
    ETAG,
    SET_COOKIE,
];

/// Replaces the client's conditions by those that ask about what is kept.
pub(super) fn ask(request: &mut HeaderMap, kept: &HeaderMap) {
    for (condition, validator) in [(IF_NONE_MATCH, ETAG), (IF_MODIFIED_SINCE, LAST_MODIFIED)] {
        request.remove(&condition);
        if let Some(value) = kept.get(validator) {
            request.insert(condition, value.clone());
        }
    }
}

/// Whether "not modified" with this head speaks of the answer that is kept (RFC 9111 section 4.3.4).
pub(super) fn is_about(not_modified: &HeaderMap, kept: &HeaderMap) -> bool {
    let tags = (not_modified.get(ETAG), kept.get(ETAG));
    match tags {
        (Some(told), Some(known)) if is_strong(told.as_bytes()) => told == known,
        (Some(told), Some(known)) => opaque(told.as_bytes()) == opaque(known.as_bytes()),
        (Some(told), None) if is_strong(told.as_bytes()) => false,
        // Without a tag the date speaks; without either only what was asked about can be meant.
        _ => match not_modified.get(LAST_MODIFIED) {
            Some(told) if kept.contains_key(LAST_MODIFIED) => kept.get(LAST_MODIFIED) == Some(told),
            Some(_) | None => true,
        },
    }
}

/// Whether a HEAD with this head speaks of the answer that is kept: nothing in it says otherwise (RFC 9111 section 4.3.5).
pub(super) fn agrees(head: &HeaderMap, kept: &HeaderMap) -> bool {
    [ETAG, LAST_MODIFIED, CONTENT_LENGTH]
        .iter()
        .all(|field| !head.contains_key(field) || head.get(field) == kept.get(field))
}

/// The head that is kept from now on: what the new one says, and of the old one what it does not speak of (RFC 9111 section 3.2).
pub(super) fn updated(kept: &HeaderMap, told: &HeaderMap) -> HeaderMap {
    let mut headers = kept.clone();
    let is_taken = |field: &HeaderName| !LEFT_ALONE.contains(field);
    for field in told.keys().filter(|field| is_taken(field)) {
        headers.remove(field);
        for value in told.get_all(field) {
            headers.append(field.clone(), value.clone());
        }
    }
    // How old it is and what other caches say is of the new answer alone: without a date it is from now.
    for field in [AGE, CACHE_STATUS, DATE] {
        headers.remove(&field);
        for value in told.get_all(&field) {
            headers.append(field.clone(), value.clone());
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        lines.iter().map(header).collect()
    }

    #[test]
    fn a_request_asks_about_what_is_kept_and_nothing_else() {
        let mut request =
            headers(&[("if-none-match", "\"theirs\""), ("if-modified-since", "then"), ("foo", "1")]);
        ask(&mut request, &headers(&[("etag", "W/\"ours\"")]));
        assert_eq!(request, headers(&[("if-none-match", "W/\"ours\""), ("foo", "1")]));
    }

    #[test]
    fn not_modified_speaks_of_what_has_its_validators() {
        let check =
            |told: &[_], kept: &[_], expected| assert_eq!(is_about(&headers(told), &headers(kept)), expected);
        let (a, weak_a, b) = (("etag", "\"a\""), ("etag", "W/\"a\""), ("etag", "\"b\""));
        let (early, late) = (("last-modified", "early"), ("last-modified", "late"));
        check(&[], &[a], true);
        check(&[a], &[a], true);
        check(&[weak_a], &[a], true);
        check(&[a], &[weak_a], false);
        check(&[b], &[a], false);
        check(&[a], &[early], false);
        check(&[early], &[early], true);
        check(&[late], &[early], false);
        check(&[late], &[a], true);
    }

    #[test]
    fn what_describes_the_bytes_stays_with_them() {
        let kept = headers(&[
            ("etag", "\"a\""),
            ("content-length", "5"),
            ("content-encoding", "br"),
            ("x", "1"),
            ("y", "1"),
            ("age", "9"),
            ("date", "then"),
        ]);
        let told = headers(&[
            ("etag", "\"b\""),
            ("content-length", "9"),
            ("content-encoding", "gzip"),
            ("x", "2"),
            ("x", "3"),
            ("set-cookie", "a=b"),
        ]);
        let expected = [
            ("etag", "\"a\""),
            ("content-length", "5"),
            ("content-encoding", "br"),
            ("x", "2"),
            ("x", "3"),
            ("y", "1"),
        ];
        assert_eq!(updated(&kept, &told), headers(&expected));
        assert_eq!(updated(&kept, &headers(&[("age", "3")]))["age"], "3");
    }

    #[test]
    fn a_head_agrees_unless_something_differs() {
        let kept = headers(&[("etag", "\"a\""), ("content-length", "5")]);
        assert!(agrees(&headers(&[("x", "1")]), &kept));
        assert!(agrees(&headers(&[("etag", "\"a\""), ("content-length", "5")]), &kept));
        assert!(!agrees(&headers(&[("etag", "\"b\"")]), &kept));
        assert!(!agrees(&headers(&[("last-modified", "then")]), &kept));
    }
}
