//! Answers that the adapter gives itself: problems (RFC 9457), as the gateway gives them.

use bytes::Bytes;
use futures_util::FutureExt;
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Collected};
use theory_gateway::answer::Body;
use theory_gateway::refusal::Refusal;

pub(crate) const OUT_OF_TIME: Refusal = Refusal::new(
    StatusCode::SERVICE_UNAVAILABLE,
    "there was not enough time to answer; ask again in a moment",
)
.retry_after(1);
pub(crate) const BROKEN: Refusal =
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the request could not be answered");
pub(crate) const TOO_LONG: Refusal =
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the answer is longer than a function may give");

/// The refusal as an answer.
pub(crate) fn whole(refusal: Refusal) -> Response<Bytes> {
    let (parts, body) = Response::<Body>::from(refusal).into_parts();
    let read = body.collect().now_or_never().expect("what a refusal says is there");
    Response::from_parts(parts, read.map(Collected::to_bytes).unwrap_or_default())
}
