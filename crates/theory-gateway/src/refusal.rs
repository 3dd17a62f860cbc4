//! Why a request is answered by the gateway itself, and with what: a status, and a problem (RFC 9457) that tells clients what
//! they can do and nothing about the inside.

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};

use crate::answer::Body;

/// Why a request is answered by the gateway itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status.
    pub status: StatusCode,
    /// What a client can do about it, in a sentence.
    pub detail: &'static str,
    /// Whether the connection ends with the answer, because what follows on it cannot be trusted.
    pub is_last: bool,
    /// After how many seconds asking again may help.
    pub retry_after: Option<u64>,
}

impl Refusal {
    /// A refusal after which the connection may go on.
    #[must_use]
    pub const fn new(status: StatusCode, detail: &'static str) -> Self {
        Self { status, detail, is_last: false, retry_after: None }
    }

    /// A refusal with which the connection ends.
    #[must_use]
    pub const fn last(status: StatusCode, detail: &'static str) -> Self {
        Self { status, detail, is_last: true, retry_after: None }
    }

    /// With the hint that asking again after so many seconds may help.
    #[must_use]
    pub const fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }
}

impl From<Refusal> for Response<Body> {
    fn from(refusal: Refusal) -> Self {
        let Refusal { status, detail, is_last, retry_after } = refusal;
        let title = status.canonical_reason().unwrap_or("refused");
        let problem = serde_json::json!({ "title": title, "status": status.as_u16(), "detail": detail });
        let mut response = Self::new(Body::whole(Bytes::from(problem.to_string())));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"));
        }
        if is_last {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(seconds) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
