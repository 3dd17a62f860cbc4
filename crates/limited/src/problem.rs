//! Responses to requests that go no further: `application/problem+json` (RFC 9457), with the types of the IETF's draft.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};
use tabletheory_core::Timestamp;

use crate::decision::Decision;
use crate::headers::{self, HeaderStyle};
use crate::identity::Missing;

const QUOTA_EXCEEDED: &str = "https://iana.org/assignments/http-problem-types#quota-exceeded";
const REDUCED_CAPACITY: &str = "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

type Problem = Response<Full<Bytes>>;

/// Somebody has had what they may have.
pub(crate) fn denied(decisions: &[Decision], style: HeaderStyle, now: Timestamp) -> Problem {
    let told = headers::told(decisions);
    let violated: Vec<_> =
        told.iter().filter(|told| told.standing.violated).map(|told| told.name.as_str()).collect();
    let mut response = problem(
        StatusCode::TOO_MANY_REQUESTS,
        json!({
            "type": QUOTA_EXCEEDED,
            "title": "Request cannot be satisfied as assigned quota has been exceeded",
            "violated-policies": violated,
        }),
    );
    headers::write(response.headers_mut(), &told, style, now);
    response.headers_mut().insert(RETRY_AFTER, headers::retry_after(decisions));
    response
}

/// The limits cannot be asked, and nobody passes without. No counts: there are none.
pub(crate) fn unavailable(decisions: &[Decision]) -> Problem {
    let mut response = problem(
        StatusCode::SERVICE_UNAVAILABLE,
        json!({
            "type": REDUCED_CAPACITY,
            "title": "Request cannot be satisfied due to temporary server capacity constraints",
        }),
    );
    response.headers_mut().insert(RETRY_AFTER, headers::retry_after(decisions));
    response
}

/// Somebody has to say who they are, and does not.
pub(crate) fn unidentified(missing: &Missing) -> Problem {
    let Missing::Unauthorized(challenge) = missing else {
        return plain(StatusCode::BAD_REQUEST, "the request does not say who it is from");
    };
    let mut response = plain(StatusCode::UNAUTHORIZED, "the request does not say who it is from");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge.clone());
    response
}

/// The server that the layer is part of does not tell it who calls.
pub(crate) fn unknown_address() -> Problem {
    plain(
        StatusCode::INTERNAL_SERVER_ERROR,
        "the server does not know the address of its client, which it counts requests by",
    )
}

/// The limits cannot be asked, and waiting does not mend it: a table is missing, or a permission.
pub(crate) fn unasked() -> Problem {
    plain(StatusCode::INTERNAL_SERVER_ERROR, "the server cannot ask its limits")
}

/// However long somebody waits, this request will not be allowed.
pub(crate) fn too_costly() -> Problem {
    plain(StatusCode::BAD_REQUEST, "the request costs more than its limits ever allow at once")
}

fn plain(status: StatusCode, detail: &str) -> Problem {
    let title = status.canonical_reason().unwrap_or("Error");
    problem(status, json!({ "type": "about:blank", "title": title, "detail": detail }))
}

fn problem(status: StatusCode, mut members: Value) -> Problem {
    members["status"] = status.as_u16().into();
    let mut response = Response::new(Full::from(members.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    response
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http_body_util::BodyExt;

    use super::*;
    use crate::decision::{Source, Standing, Verdict};
    use crate::limit::Limit;

    fn body(problem: Problem) -> Value {
        let collected = futures_executor::block_on(problem.into_body().collect());
        serde_json::from_slice(&collected.expect("a body in memory").to_bytes()).expect("JSON")
    }

    fn decision(source: Source, limits: Vec<Standing>) -> Decision {
        let retry_after = Some(Duration::from_millis(2_500));
        Decision { policy: "ip".into(), verdict: Verdict::Denied, shadow: false, source, limits, retry_after }
    }

    #[test]
    fn a_denial_says_which_policies_and_when_to_come_again() {
        let standing = Standing {
            limit: Limit::per_minute(2),
            used: 2,
            remaining: 0,
            reset_after: Duration::from_secs(2),
            violated: true,
        };
        let decisions = [decision(Source::Store, vec![standing])];
        let response = denied(&decisions, HeaderStyle::Hidden, Timestamp::from_seconds(0));
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
        assert_eq!(response.headers()[RETRY_AFTER], "3");
        assert_eq!(response.headers().len(), 2, "counts are hidden");
        let body = body(response);
        assert_eq!((&body["type"], &body["status"]), (&json!(QUOTA_EXCEEDED), &json!(429)));
        assert_eq!(body["violated-policies"], json!(["ip"]));
    }

    /// AppTheory answers 500 here, where its own contract has 503 (G25), and Limited tells zeros (G26).
    #[test]
    fn a_failed_store_is_told_without_counts() {
        let response = unavailable(&[decision(Source::FailedClosed, Vec::new())]);
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[RETRY_AFTER], "3");
        assert_eq!(response.headers().len(), 2);
        assert_eq!(body(response)["type"], REDUCED_CAPACITY);
    }

    #[test]
    fn who_is_challenged_is_told_how_to_answer() {
        let response = unidentified(&Missing::Unauthorized(HeaderValue::from_static("Bearer")));
        assert_eq!(
            (response.status(), &response.headers()[WWW_AUTHENTICATE]),
            (StatusCode::UNAUTHORIZED, &HeaderValue::from_static("Bearer"))
        );
        assert_eq!(body(response)["title"], "Unauthorized");
        assert_eq!(unidentified(&Missing::BadRequest).status(), StatusCode::BAD_REQUEST);
    }
}
