//! An answer that is kept: complete, its rules read once, its head ready to be sent.

use bytes::Bytes;
use http::StatusCode;
use http::header::{AGE, CONTENT_LENGTH, DATE, ETAG, HeaderMap, HeaderValue, LAST_MODIFIED};
use tabletheory_core::Timestamp;

use super::freshness::{Freshness, date};
use super::status::{CACHE_STATUS, said_before};
use super::targeted::Rules;
use super::vary::{Selection, Vary};

/// What an entry takes besides its texts, generously.
const ENTRY_BYTES: usize = 768;
/// What a header takes besides its texts.
const HEADER_BYTES: usize = 96;

/// An answer that is kept.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) status: StatusCode,
    /// What is sent, with a place for `Age` and `Cache-Status`.
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    /// Which requests it answers.
    pub(super) selection: Selection,
    pub(super) rules: Rules,
    pub(super) freshness: Freshness,
    /// What caches before this one said in `Cache-Status`, which stays in front of what this one says.
    pub(super) said_before: Option<HeaderValue>,
    /// When it was asked for: of two answers the one that was asked for later is newer.
    pub(super) sent: Timestamp,
}

/// When an answer was asked for and when it came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    pub(super) sent: Timestamp,
    pub(super) received: Timestamp,
}

impl Stored {
    /// The answer with this head and body to this request.
    pub(super) fn new(
        request: &HeaderMap,
        status: StatusCode,
        mut headers: HeaderMap,
        rules: Rules,
        body: Bytes,
        moments: Moments,
    ) -> Self {
        let freshness = Freshness::of(status, &headers, &rules, moments.sent, moments.received);
        let selection = match Vary::of(&headers) {
            Vary::On(fields) => Selection::of(&fields, request),
            // It is not kept, and sent once.
            Vary::Everything => Selection::default(),
        };
        let listed = rules.directives.no_cache.fields().iter().chain(rules.directives.private.fields());
        listed.for_each(|field| {
            headers.remove(field);
        });
        if date(&headers, &DATE).is_none() {
            headers.insert(DATE, http_date(moments.received));
        }
        if !has_no_body(status) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        let said_before = said_before(&headers);
        // Replacing a value moves nothing; a header that came later could make the whole map grow.
        headers.insert(AGE, HeaderValue::from_static("0"));
        headers.insert(CACHE_STATUS, HeaderValue::from_static("theory"));
        let Moments { sent, .. } = moments;
        Self { status, headers, body, selection, rules, freshness, said_before, sent }
    }

    /// Whether it can be asked whether it is still right.
    pub(super) fn has_validator(&self) -> bool {
        has_validator(&self.headers)
    }

    /// The same, stale from now on.
    pub(super) fn ended_at(&self, now: Timestamp) -> Self {
        Self { freshness: self.freshness.ended_at(now), ..self.clone() }
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let header = |(name, value): (&http::HeaderName, &HeaderValue)| {
            name.as_str().len() + value.len() + HEADER_BYTES
        };
        let headers: usize = self.headers.iter().map(header).sum();
        ENTRY_BYTES + headers + self.body.len() + self.selection.bytes()
    }
}

/// Whether an answer can be asked about later.
pub(super) fn has_validator(headers: &HeaderMap) -> bool {
    headers.contains_key(ETAG) || headers.contains_key(LAST_MODIFIED)
}

/// Whether answers of this status never have a body.
pub(super) fn has_no_body(status: StatusCode) -> bool {
    status.is_informational() || matches!(status.as_u16(), 204 | 304)
}

/// A moment as HTTP writes it.
pub(super) fn http_date(moment: Timestamp) -> HeaderValue {
    let seconds = u64::try_from(moment.seconds()).unwrap_or(0);
    let text = httpdate::fmt_http_date(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds));
    HeaderValue::from_str(&text).expect("a date is made of letters, digits and spaces")
}
