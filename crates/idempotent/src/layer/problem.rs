//! Responses to requests that are not performed: `application/problem+json` (RFC 9457), each with a `code` for programs.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use serde_json::json;

use crate::key::KeyError;

/// The longest that somebody is told to wait: the lock says when an attempt is given up, and most end long before.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(5);

const RUNNING: &str = "request_running";
const REUSED: &str = "idempotency_key_reused";

/// Which status says what.
///
/// ```
/// assert_eq!(idempotent::StatusStyle::default(), idempotent::StatusStyle::Ietf);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StatusStyle {
    /// As in the IETF's draft: 400 without a key, 409 while the request runs, 422 for another request with the same key.
    #[default]
    Ietf,
    /// As Stripe: 400 also for another request with the same key.
    Stripe,
}

/// Why a request was not performed: an extension of the response, for whoever counts.
///
/// ```
/// use http::{Request, Response};
/// use idempotent::{Idempotency, IdempotencyLayer, IdempotentBody, Scope, Unperformed};
/// use tabletheory::Db;
/// use tower::{Layer, ServiceExt, service_fn};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let requests = Idempotency::new(Db::memory());
/// requests.create_table().await?;
/// let layer = IdempotencyLayer::new(requests, |parts| {
///     Some(Scope::route(&parts.method, "/orders").without_tenant().principal("ada"))
/// });
/// let service = layer.layer(service_fn(async |_: Request<IdempotentBody<String>>| {
///     Ok::<_, std::convert::Infallible>(Response::new(String::new()))
/// }));
/// let send = |body: &str| {
///     let request = Request::post("/orders").header("idempotency-key", "k").body(body.to_owned());
///     service.clone().oneshot(request.expect("a request"))
/// };
/// assert_eq!(send("1").await?.extensions().get::<Unperformed>(), None);
/// assert!(send("2").await?.extensions().get::<Unperformed>().expect("the key is another's").is_mismatch());
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unperformed {
    code: &'static str,
}

impl Unperformed {
    /// The `code` of the problem, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.code
    }

    /// Whether the same request was under way.
    #[must_use]
    pub fn is_running(self) -> bool {
        self.code == RUNNING
    }

    /// Whether its key belongs to another request.
    #[must_use]
    pub fn is_mismatch(self) -> bool {
        self.code == REUSED
    }
}

/// Why a request is not performed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    KeyMissing,
    KeyMalformed(KeyError),
    KeyTwice,
    Unidentified(HeaderValue),
    BodyTooLong { bytes_max: u64 },
    BodyBroken,
    Running(Duration),
    Mismatch,
    Orphaned,
    Failed,
    AnswerLost { status: u16 },
    Unavailable,
    Misconfigured,
    Broken,
}

impl Refusal {
    pub(crate) fn response(&self, style: StatusStyle) -> Response<Bytes> {
        let status = self.status(style);
        let members = json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or("Error"),
            "status": status.as_u16(),
            "code": self.code(),
            "detail": self.detail(),
        });
        let mut response = Response::new(Bytes::from(members.to_string()));
        *response.status_mut() = status;
        response.extensions_mut().insert(Unperformed { code: self.code() });
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match self {
            Self::Running(wait) => {
                let wait = (*wait).clamp(Duration::from_secs(1), RETRY_AFTER_MAX);
                headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs()));
            }
            Self::Unavailable => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            Self::Unidentified(challenge) => {
                headers.insert(WWW_AUTHENTICATE, challenge.clone());
            }
            _ => {}
        }
        response
    }

    /// What was done and cannot be shown is an error of the server: a client that took it for its own would try with another key,
    /// and the request would be done twice.
    fn status(&self, style: StatusStyle) -> StatusCode {
        match self {
            Self::KeyMissing | Self::KeyMalformed(_) | Self::KeyTwice | Self::BodyBroken => {
                StatusCode::BAD_REQUEST
            }
            Self::Unidentified(_) => StatusCode::UNAUTHORIZED,
            Self::BodyTooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Running(_) | Self::Orphaned => StatusCode::CONFLICT,
            Self::Mismatch => match style {
                StatusStyle::Ietf => StatusCode::UNPROCESSABLE_ENTITY,
                StatusStyle::Stripe => StatusCode::BAD_REQUEST,
            },
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed | Self::AnswerLost { .. } | Self::Misconfigured | Self::Broken => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::KeyMissing => "idempotency_key_missing",
            Self::KeyMalformed(_) | Self::KeyTwice => "idempotency_key_malformed",
            Self::Unidentified(_) => "caller_unknown",
            Self::BodyTooLong { .. } => "body_too_long",
            Self::BodyBroken => "body_broken",
            Self::Running(_) => RUNNING,
            Self::Mismatch => REUSED,
            Self::Orphaned => "outcome_unknown",
            Self::Failed => "request_failed",
            Self::AnswerLost { .. } => "answer_lost",
            Self::Unavailable => "idempotency_unavailable",
            Self::Misconfigured | Self::Broken => "internal_error",
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::KeyMissing => "this request needs an Idempotency-Key".into(),
            Self::KeyMalformed(error) => error.to_string(),
            Self::KeyTwice => "there is more than one Idempotency-Key".into(),
            Self::Unidentified(_) => "it is not known whose request this is".into(),
            Self::BodyTooLong { bytes_max } => format!("the body has more than {bytes_max} bytes"),
            Self::BodyBroken => "the body ended too early".into(),
            Self::Running(_) => "a request with this Idempotency-Key is running".into(),
            Self::Mismatch => "this Idempotency-Key was used for another request".into(),
            Self::Orphaned => {
                "a request with this Idempotency-Key was begun, and nobody knows what became of it; it is not begun again"
                    .into()
            }
            Self::Failed => "the request with this Idempotency-Key has failed for good".into(),
            Self::AnswerLost { status } => {
                format!("the request was answered with status {status} before, and that answer cannot be repeated")
            }
            Self::Unavailable => "it cannot be found out whether this request was done before".into(),
            Self::Misconfigured => "the server cannot keep track of its requests".into(),
            Self::Broken => "the request was begun and not brought to its end".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(refusal: &Refusal, status: u16, retry_after: Option<&str>) -> serde_json::Value {
        let response = refusal.response(StatusStyle::Ietf);
        assert_eq!(response.status().as_u16(), status);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
        let told = response.headers().get(RETRY_AFTER).map(|value| value.to_str().expect("digits"));
        assert_eq!(told, retry_after);
        serde_json::from_slice(response.body()).expect("JSON")
    }

    #[test]
    fn each_refusal_says_what_to_do() {
        assert_eq!(check(&Refusal::KeyMissing, 400, None)["code"], "idempotency_key_missing");
        assert_eq!(check(&Refusal::Mismatch, 422, None)["code"], "idempotency_key_reused");
        assert_eq!(check(&Refusal::Unavailable, 503, Some("1"))["status"], 503);
        assert_eq!(check(&Refusal::AnswerLost { status: 201 }, 500, None)["title"], "Internal Server Error");
        check(&Refusal::BodyTooLong { bytes_max: 7 }, 413, None);
        check(&Refusal::Orphaned, 409, None);
        assert_eq!(Refusal::Mismatch.response(StatusStyle::Stripe).status(), 400);
        assert_eq!(Refusal::Running(Duration::ZERO).response(StatusStyle::Stripe).status(), 409);
    }

    #[test]
    fn who_waits_is_told_one_second_to_five() {
        for (wait_ms, told) in [(0, "1"), (1_000, "1"), (3_000, "3"), (60_000, "5")] {
            check(&Refusal::Running(Duration::from_millis(wait_ms)), 409, Some(told));
        }
    }

    #[test]
    fn who_is_challenged_is_told_how_to_answer() {
        let response = Refusal::Unidentified(HeaderValue::from_static("Bearer")).response(StatusStyle::Ietf);
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers()[WWW_AUTHENTICATE], "Bearer");
    }
}
