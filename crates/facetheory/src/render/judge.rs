//! Which answers may be kept: complete ones, for everybody, of a status worth keeping.

use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName,
    LOCATION, SET_COOKIE, TRANSFER_ENCODING, VARY,
};
use http::{Method, StatusCode};
use tabletheory_core::Seconds;

use super::Rendered;
use crate::freshness::is_negative;
use crate::policy::Policy;
use crate::record::KeptHeader;

/// What is kept with a page stays far below what an item of the table can hold.
const KEPT_BYTES_MAX: usize = 64 * 1024;

/// The headers that are kept and replayed. Others belong to one answer, or to one connection.
const KEPT: [&str; 24] = [
    "access-control-allow-origin",
    "access-control-expose-headers",
    "cache-control",
    "content-disposition",
    "content-language",
    "content-location",
    "content-security-policy",
    "content-security-policy-report-only",
    "content-type",
    "cross-origin-embedder-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "etag",
    "expires",
    "last-modified",
    "link",
    "location",
    "permissions-policy",
    "referrer-policy",
    "strict-transport-security",
    "vary",
    "x-content-type-options",
    "x-frame-options",
    "x-robots-tag",
];

/// What becomes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is kept, for so long and with these headers.
    Keep {
        /// For how long it is fresh.
        revalidate: Seconds,
        /// What is replayed.
        headers: Vec<KeptHeader>,
    },
    /// It goes to the one who asked, and is not kept.
    Pass(Refusal),
    /// It is a failure, and an older page is better.
    Failed(Refusal),
}

/// Why an answer is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// It answers another method than `GET` or `HEAD`.
    Method,
    /// Its status is not worth keeping.
    Status,
    /// The origin failed.
    OriginFailed,
    /// The body is not as long as announced.
    Incomplete,
    /// The origin forbids it: `private`, `no-store` or `no-cache`.
    Forbidden,
    /// It sets a cookie.
    SetCookie,
    /// It carries a nonce, which is worth something only once.
    Nonce,
    /// It depends on something that no key can hold.
    Vary,
    /// A redirection without a place to go to.
    NoLocation,
    /// It is compressed. What is kept is plain, and compressed for each visitor as he likes.
    Encoded,
    /// What would be kept with it, headers and tags, is too large, or not text.
    Headers,
    /// It cannot be had whole: it is too long, or has no end.
    Unkeepable,
}

impl Refusal {
    /// In a word, for rows and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Status => "status",
            Self::OriginFailed => "origin-failed",
            Self::Incomplete => "incomplete",
            Self::Forbidden => "forbidden",
            Self::SetCookie => "set-cookie",
            Self::Nonce => "nonce",
            Self::Vary => "vary",
            Self::NoLocation => "no-location",
            Self::Encoded => "encoded",
            Self::Headers => "headers",
            Self::Unkeepable => "unkeepable",
        }
    }
}

/// Judges an answer.
///
/// ```
/// use facetheory::Policy;
/// use facetheory::render::{Refusal, Rendered, Verdict, judge};
/// use http::Method;
///
/// let mut page = Rendered::html("<p>hello, Ada");
/// assert!(matches!(judge(&Method::GET, &page, &Policy::default()), Verdict::Keep { .. }));
/// page.headers.insert("cache-control", "private".parse()?);
/// assert_eq!(judge(&Method::GET, &page, &Policy::default()), Verdict::Pass(Refusal::Forbidden));
/// # Ok::<(), http::header::InvalidHeaderValue>(())
/// ```
#[must_use]
pub fn judge(method: &Method, rendered: &Rendered, policy: &Policy) -> Verdict {
    let headers = &rendered.headers;
    if rendered.status.is_server_error() {
        return Verdict::Failed(Refusal::OriginFailed);
    }
    if !is_whole(method, rendered) {
        return Verdict::Failed(Refusal::Incomplete);
    }
    let refusal = if !matches!(*method, Method::GET | Method::HEAD) {
        Some(Refusal::Method)
    } else if let Some(refusal) = for_one(headers) {
        Some(refusal)
    } else if rendered.status.is_redirection() && !headers.contains_key(LOCATION) {
        Some(Refusal::NoLocation)
    } else if is_encoded(headers) {
        Some(Refusal::Encoded)
    } else {
        None
    };
    if let Some(refusal) = refusal {
        return Verdict::Pass(refusal);
    }
    let Some(revalidate) = window(rendered, policy) else { return Verdict::Pass(Refusal::Status) };
    match kept(headers, &rendered.tags) {
        Some(headers) => Verdict::Keep { revalidate, headers },
        None => Verdict::Pass(Refusal::Headers),
    }
}

fn is_encoded(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Whether nothing in an answer is meant for one visitor alone, so that those who wait for the same may have it.
pub(crate) fn is_for_all(rendered: &Rendered) -> bool {
    for_one(&rendered.headers).is_none()
}

/// Why an answer is for one visitor alone.
fn for_one(headers: &HeaderMap) -> Option<Refusal> {
    if headers.contains_key(SET_COOKIE) {
        Some(Refusal::SetCookie)
    } else if has_word(headers, CACHE_CONTROL, &["private", "no-store", "no-cache"]) {
        Some(Refusal::Forbidden)
    } else if has_word(headers, VARY, &["*"]) {
        Some(Refusal::Vary)
    } else {
        has_nonce(headers).then_some(Refusal::Nonce)
    }
}

/// For how long an answer of this status is fresh; `None` if it is not worth keeping.
fn window(rendered: &Rendered, policy: &Policy) -> Option<Seconds> {
    let status = rendered.status;
    if is_negative(status.as_u16()) {
        return Some(policy.negative).filter(|window| *window > Seconds(0));
    }
    let is_kept =
        matches!(status, StatusCode::OK | StatusCode::MOVED_PERMANENTLY | StatusCode::PERMANENT_REDIRECT);
    // The table must keep a page for longer than it is fresh.
    let longest = Seconds(policy.retention.0.saturating_sub(1).max(0));
    is_kept.then(|| rendered.revalidate.map_or(policy.revalidate, |wish| wish.clamp(Seconds(0), longest)))
}

/// A body that was cut off is a failure: kept, it would be served to everybody.
fn is_whole(method: &Method, rendered: &Rendered) -> bool {
    if *method == Method::HEAD || rendered.headers.contains_key(TRANSFER_ENCODING) {
        return true;
    }
    let mut announced = rendered.headers.get_all(CONTENT_LENGTH).iter();
    announced
        .all(|length| length.to_str().is_ok_and(|length| length.trim().parse() == Ok(rendered.body.len())))
}

fn has_word(headers: &HeaderMap, name: HeaderName, words: &[&str]) -> bool {
    headers.get_all(name).iter().any(|value| {
        // What cannot be read might forbid it.
        let Ok(text) = value.to_str() else { return true };
        text.split(',').any(|directive| {
            let word = directive.split('=').next().unwrap_or_default().trim();
            words.iter().any(|known| known.eq_ignore_ascii_case(word))
        })
    })
}

fn has_nonce(headers: &HeaderMap) -> bool {
    let policies = headers.get_all(CONTENT_SECURITY_POLICY).iter();
    policies
        .chain(headers.get_all("content-security-policy-report-only"))
        .any(|policy| policy.as_bytes().windows(7).any(|word| word.eq_ignore_ascii_case(b"'nonce-")))
}

/// The headers to replay; `None` if they are too large or not text.
fn kept(headers: &HeaderMap, tags: &[String]) -> Option<Vec<KeptHeader>> {
    let mut kept = Vec::new();
    let mut bytes = tags.iter().map(String::len).sum::<usize>();
    for name in KEPT {
        for value in headers.get_all(name) {
            let value = value.to_str().ok()?;
            bytes += name.len() + value.len();
            kept.push(KeptHeader { name: name.to_owned(), value: value.to_owned() });
        }
    }
    (bytes <= KEPT_BYTES_MAX).then_some(kept)
}

#[cfg(test)]
mod tests;
