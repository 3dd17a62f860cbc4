//! What is wrong with a request of an operator, and what to do about it (RFC 9457).

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::backstage::Unresolved;
use crate::answer::Body;

/// Why an operator's request was not done. Nothing was changed, unless it says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    detail: String,
    retry_after: Option<u64>,
    allow: Option<&'static str>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), retry_after: None, allow: None }
    }

    /// The request makes no sense.
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// There is no such thing.
    pub(super) fn missing(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    pub(super) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    pub(super) fn wrong_method(allow: &'static str) -> Self {
        let detail = format!("this address is asked with {allow}");
        Self { allow: Some(allow), ..Self::new(StatusCode::METHOD_NOT_ALLOWED, detail) }
    }
}

impl From<Unresolved> for Problem {
    fn from(unresolved: Unresolved) -> Self {
        match unresolved {
            Unresolved::NotAnAddress | Unresolved::WhichSite { .. } => Self::bad(unresolved.to_string()),
            Unresolved::NoSite { .. } | Unresolved::NotAPage { .. } => Self::missing(unresolved.to_string()),
        }
    }
}

impl From<facetheory::Error> for Problem {
    fn from(error: facetheory::Error) -> Self {
        use facetheory::Error;
        match &error {
            Error::Table(tabletheory::Error::Cursor(_)) => Self::cursor(),
            Error::Revalidate { .. } | Error::Window { .. } | Error::Tenant { .. } => {
                Self::bad(error.to_string())
            }
            _ => Self::store(&error),
        }
    }
}

impl From<idempotent::Error> for Problem {
    fn from(error: idempotent::Error) -> Self {
        match &error {
            idempotent::Error::Table(tabletheory::Error::Cursor(_)) => Self::cursor(),
            _ => Self::store(&error),
        }
    }
}

impl From<limited::Error> for Problem {
    fn from(error: limited::Error) -> Self {
        match &error {
            limited::Error::NoIdentifier => {
                Self::bad("`id` is empty; it is whom the policy counts, as the list shows it")
            }
            _ => Self::store(&error),
        }
    }
}

impl Problem {
    fn cursor() -> Self {
        Self::bad("the cursor is none of this list; begin again without one")
    }

    fn store(error: &dyn std::error::Error) -> Self {
        tracing::warn!(%error, "the store did not do what an operator asked for");
        let detail = format!(
            "the store did not do it: {error}; what was begun may be done, and asking again does no harm"
        );
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail).retry_after(1)
    }
}

impl From<Problem> for Response<Body> {
    fn from(problem: Problem) -> Self {
        let Problem { status, detail, retry_after, allow } = problem;
        let title = status.canonical_reason().unwrap_or("refused");
        let body = json!({ "title": title, "status": status.as_u16(), "detail": detail });
        let mut response = answer(status, "application/problem+json", body.to_string());
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"theory\""));
        }
        if let Some(seconds) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(allow) = allow {
            headers.insert(ALLOW, HeaderValue::from_static(allow));
        }
        response
    }
}

/// An answer that nobody keeps.
pub(super) fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Body::whole(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What an operator asked for.
pub(super) fn told(value: &Value) -> Response<Body> {
    answer(StatusCode::OK, "application/json", value.to_string())
}
