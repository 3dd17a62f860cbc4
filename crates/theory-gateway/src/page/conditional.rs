//! Conditions of a request (RFC 9110, 13): whether a client has the page already, or wants it only as it was.

use facetheory::body::Encoding;
use http::HeaderMap;
use http::header::{HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};

/// What the conditions of a request come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Condition {
    /// The page is sent.
    Send,
    /// The client has it, in this encoding.
    NotModified(Encoding),
    /// The client wants it only as it was, and it is not.
    Failed,
}

/// What the conditions of a request come to. `etag` is the entity tag of the page as it is, `sent` the encoding that would be sent.
pub(super) fn judge(
    headers: &HeaderMap,
    etag: &str,
    last_modified: Option<&HeaderValue>,
    sent: Encoding,
) -> Condition {
    if headers.contains_key(IF_MATCH) {
        if named(headers, IF_MATCH, etag, sent, false).is_none() {
            return Condition::Failed;
        }
    } else if let Some(is_later) = is_later(last_modified, headers.get(IF_UNMODIFIED_SINCE))
        && is_later
    {
        return Condition::Failed;
    }
    if headers.contains_key(IF_NONE_MATCH) {
        return named(headers, IF_NONE_MATCH, etag, sent, true)
            .map_or(Condition::Send, Condition::NotModified);
    }
    match is_later(last_modified, headers.get(IF_MODIFIED_SINCE)) {
        Some(false) => Condition::NotModified(sent),
        _ => Condition::Send,
    }
}

/// The encoding of the page whose tag a list names. All encodings of a page say the same, so any will do.
fn named(
    headers: &HeaderMap,
    name: http::HeaderName,
    etag: &str,
    sent: Encoding,
    is_weak: bool,
) -> Option<Encoding> {
    let lines = headers.get_all(name).iter().map(HeaderValue::as_bytes);
    for line in lines {
        if line.trim_ascii() == b"*" {
            return Some(sent);
        }
        for (weak, tag) in entity_tags(line) {
            if let Some(encoding) = encoding_of(tag, etag)
                && (is_weak || !weak)
            {
                return Some(encoding);
            }
        }
    }
    None
}

/// The encoding of the page that a tag names, if it is one of the page's: its own tag, or that of a variant
/// ([`Body::etag_of`](facetheory::body::Body::etag_of)).
fn encoding_of(tag: &[u8], etag: &str) -> Option<Encoding> {
    let digits = etag.strip_suffix('"')?;
    let rest = tag.strip_prefix(digits.as_bytes())?.strip_suffix(b"\"")?;
    if rest.is_empty() {
        return Some(Encoding::Identity);
    }
    let token = rest.strip_prefix(b"-")?;
    [Encoding::Gzip, Encoding::Brotli].into_iter().find(|encoding| encoding.token().as_bytes() == token)
}

/// Whether a tag is a strong one of the page.
pub(super) fn is_same(tag: &HeaderValue, own: &HeaderValue) -> bool {
    tag.as_bytes().trim_ascii() == own.as_bytes()
}

/// The entity tags of a list, with their quotes, and whether they are weak. It ends where it is none any more.
fn entity_tags(list: &[u8]) -> impl Iterator<Item = (bool, &[u8])> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b','))?;
        rest = &rest[start..];
        let weak = rest.starts_with(b"W/");
        let tag = if weak { &rest[2..] } else { rest };
        if !tag.starts_with(b"\"") {
            rest = b"";
            return None;
        }
        let end = tag[1..].iter().position(|byte| *byte == b'"')? + 2;
        rest = &tag[end..];
        Some((weak, &tag[..end]))
    })
}

/// Whether the page was changed after a date. Nobody knows if one of the dates is missing or none.
fn is_later(last_modified: Option<&HeaderValue>, date: Option<&HeaderValue>) -> Option<bool> {
    let (last_modified, date) = (last_modified?, date?);
    if last_modified == date {
        return Some(false);
    }
    let time = |value: &HeaderValue| httpdate::parse_http_date(value.to_str().ok()?).ok();
    Some(time(last_modified)? > time(date)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODIFIED: &str = "Mon, 16 Nov 2026 10:00:00 GMT";
    const BEFORE: &str = "Mon, 16 Nov 2026 09:59:59 GMT";
    const AFTER: &str = "Mon, 16 Nov 2026 10:00:01 GMT";

    #[track_caller]
    fn check(headers: &[(http::HeaderName, &str)], expected: Condition) {
        let map = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
        let modified = HeaderValue::from_static(MODIFIED);
        assert_eq!(judge(&map, "\"a\"", Some(&modified), Encoding::Brotli), expected, "{headers:?}");
    }

    #[test]
    fn who_has_the_page_in_any_encoding_need_not_get_it_again() {
        let has = |list: &str, encoding| check(&[(IF_NONE_MATCH, list)], Condition::NotModified(encoding));
        has("\"a\"", Encoding::Identity);
        has("W/\"a\"", Encoding::Identity);
        has("\"x\", \"a-gzip\"", Encoding::Gzip);
        has("\"with, comma\" ,,W/\"a-br\"", Encoding::Brotli);
        has(" * ", Encoding::Brotli);
        check(
            &[(IF_NONE_MATCH, "\"x\""), (IF_NONE_MATCH, "\"a\"")],
            Condition::NotModified(Encoding::Identity),
        );
    }

    #[test]
    fn what_is_no_list_of_tags_names_nothing() {
        for list in
            ["a", "\"b\"", "\"a", "", "w/\"a\"", "\"b\" x \"a\"", "W/a", "\"a-\"", "\"a-zstd\"", "\"agzip\""]
        {
            check(&[(IF_NONE_MATCH, list)], Condition::Send);
        }
    }

    #[tokio::test]
    async fn every_variant_of_a_body_is_known_by_its_tag() {
        let bodies = facetheory::Bodies::memory();
        let key = facetheory::body::BodyKey::new("p", "t");
        bodies.put(&key, "page".into()).await.unwrap();
        let body = bodies.get(key.as_str(), None).await.unwrap().expect("it was put");
        for encoding in [Encoding::Identity, Encoding::Gzip, Encoding::Brotli] {
            assert_eq!(encoding_of(body.etag_of(encoding).as_bytes(), body.etag()), Some(encoding));
        }
    }

    #[test]
    fn a_date_counts_only_without_tags() {
        check(&[(IF_MODIFIED_SINCE, MODIFIED)], Condition::NotModified(Encoding::Brotli));
        check(&[(IF_MODIFIED_SINCE, AFTER)], Condition::NotModified(Encoding::Brotli));
        check(&[(IF_MODIFIED_SINCE, BEFORE)], Condition::Send);
        check(&[(IF_MODIFIED_SINCE, "yesterday")], Condition::Send);
        check(&[(IF_MODIFIED_SINCE, AFTER), (IF_NONE_MATCH, "\"b\"")], Condition::Send);
    }

    #[test]
    fn who_wants_it_as_it_was_hears_that_it_is_not() {
        check(&[(IF_MATCH, "\"a\"")], Condition::Send);
        check(&[(IF_MATCH, "W/\"a\"")], Condition::Failed);
        check(&[(IF_MATCH, "\"b\"")], Condition::Failed);
        check(&[(IF_MATCH, "*")], Condition::Send);
        check(&[(IF_UNMODIFIED_SINCE, BEFORE)], Condition::Failed);
        check(&[(IF_UNMODIFIED_SINCE, AFTER)], Condition::Send);
        check(&[(IF_UNMODIFIED_SINCE, "never")], Condition::Send);
        check(&[(IF_MATCH, "\"a\""), (IF_NONE_MATCH, "\"a\"")], Condition::NotModified(Encoding::Identity));
    }
}
