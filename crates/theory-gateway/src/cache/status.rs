//! What this cache says about an answer in `Cache-Status` (RFC 9211): whether it had it, for how long it is fresh, or why it asked,
//! what came of that, and why the answer is not kept. Nothing about the inside.

use std::fmt::Write;

use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use tabletheory_core::Seconds;

use super::storable::Unstorable;
use super::targeted::DEVICE;

/// The field.
pub(super) const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// What is said about an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheStatus {
    /// It was there, and is fresh for so long.
    Hit(Seconds),
    /// The application was asked.
    Forwarded {
        why: Why,
        /// What it answered, if that is not what the client gets.
        status: Option<StatusCode>,
        /// Whether another request's answer was waited for.
        is_collapsed: bool,
        kept: Kept,
    },
    /// It was not there, and the client wanted nothing else.
    NotAsked,
}

/// Why the application was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The route keeps nothing of such requests.
    Bypass,
    /// Nor of such methods.
    Method,
    /// Nothing was there for this address.
    UriMiss,
    /// Nothing was there for a request like this.
    VaryMiss,
    /// What the client says forbids what was there.
    Request,
    /// What was there is not fresh.
    Stale,
    /// A part was asked for.
    Partial,
}

/// What became of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is kept, if it comes to its end.
    Yes,
    /// Nothing is said.
    Unsaid,
    /// It is not, for this reason.
    No(Unstorable),
}

impl CacheStatus {
    /// The application was asked, and the client gets its answer.
    pub(super) const fn forwarded(why: Why, kept: Kept) -> Self {
        Self::Forwarded { why, status: None, is_collapsed: false, kept }
    }

    fn text(self) -> String {
        let mut text = String::with_capacity(48);
        text.push_str(DEVICE);
        let said = match self {
            Self::Hit(left) => write!(text, "; hit; ttl={}", left.0),
            Self::NotAsked => write!(text, "; detail=only-if-cached"),
            Self::Forwarded { why, status, is_collapsed, kept } => {
                let status =
                    status.map(|status| format!("; fwd-status={}", status.as_u16())).unwrap_or_default();
                let collapsed = if is_collapsed { "; collapsed" } else { "" };
                write!(text, "; fwd={}{status}{collapsed}", why.word()).and_then(|()| match kept {
                    Kept::Yes => write!(text, "; stored"),
                    Kept::Unsaid => Ok(()),
                    Kept::No(reason) => write!(text, "; detail={}", reason.word()),
                })
            }
        };
        said.expect("a text takes what is written to it");
        text
    }

    /// Says it in this head, behind what other caches say there.
    pub(super) fn append(self, headers: &mut HeaderMap) {
        let said_before = said_before(headers);
        self.tell(headers, said_before.as_ref());
    }

    /// Says it in this head, behind what other caches said.
    pub(super) fn tell(self, headers: &mut HeaderMap, said_before: Option<&HeaderValue>) {
        let mut text = self.text();
        if let Some(before) = said_before.and_then(|before| before.to_str().ok()) {
            text = format!("{before}, {text}");
        }
        let value = HeaderValue::try_from(text).expect("what came in a header fits in one");
        headers.insert(CACHE_STATUS, value);
    }
}

/// What other caches say in this head, in one line.
pub(super) fn said_before(headers: &HeaderMap) -> Option<HeaderValue> {
    let lines: Vec<&[u8]> = headers.get_all(CACHE_STATUS).iter().map(HeaderValue::as_bytes).collect();
    if lines.is_empty() { None } else { HeaderValue::from_bytes(&lines.join(b", ".as_slice())).ok() }
}

impl Why {
    const fn word(self) -> &'static str {
        match self {
            Self::Bypass => "bypass",
            Self::Method => "method",
            Self::UriMiss => "uri-miss",
            Self::VaryMiss => "vary-miss",
            Self::Request => "request",
            Self::Stale => "stale",
            Self::Partial => "partial",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: CacheStatus, expected: &str) {
        let mut headers = HeaderMap::new();
        status.tell(&mut headers, None);
        assert_eq!(headers[CACHE_STATUS], expected);
    }

    #[test]
    fn every_case_has_its_words() {
        check(CacheStatus::Hit(Seconds(-3)), "theory; hit; ttl=-3");
        check(CacheStatus::NotAsked, "theory; detail=only-if-cached");
        check(CacheStatus::forwarded(Why::UriMiss, Kept::Yes), "theory; fwd=uri-miss; stored");
        check(CacheStatus::forwarded(Why::Method, Kept::Unsaid), "theory; fwd=method");
        let refused = Kept::No(Unstorable::SetCookie);
        check(CacheStatus::forwarded(Why::VaryMiss, refused), "theory; fwd=vary-miss; detail=set-cookie");
        let status = Some(StatusCode::NOT_MODIFIED);
        let validated =
            CacheStatus::Forwarded { why: Why::Stale, status, is_collapsed: true, kept: Kept::Yes };
        check(validated, "theory; fwd=stale; fwd-status=304; collapsed; stored");
    }

    #[test]
    fn what_others_said_stays_in_front() {
        let before = HeaderValue::from_static("inner; hit");
        let mut headers = HeaderMap::new();
        CacheStatus::Hit(Seconds(9)).tell(&mut headers, Some(&before));
        assert_eq!(headers[CACHE_STATUS], "inner; hit, theory; hit; ttl=9");
    }
}
