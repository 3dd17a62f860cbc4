//! An answer from what is kept: whole, a part, "not modified", or the head alone, with its age. Bodies are shared, never copied.

use http::header::{
    ACCEPT_RANGES, AGE, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_RANGE, DATE, ETAG, EXPIRES,
    HeaderMap, HeaderName, HeaderValue, VARY,
};
use http::{Method, Response, StatusCode};
use tabletheory_core::Timestamp;

use crate::answer::Body;

use super::conditional::has_already;
use super::range::{Part, wanted};
use super::status::{CACHE_STATUS, CacheStatus};
use super::stored::Stored;

/// What "not modified" says besides that (RFC 9110 section 15.4.5).
const SAID_BY_NOT_MODIFIED: [HeaderName; 8] =
    [AGE, CACHE_CONTROL, CACHE_STATUS, CONTENT_LOCATION, DATE, ETAG, EXPIRES, VARY];

/// The answer to a request with this method and these headers.
pub(super) fn from_stored(
    stored: &Stored,
    method: &Method,
    request: &HeaderMap,
    now: Timestamp,
    status: CacheStatus,
) -> Response<Body> {
    let mut response = if stored.status == StatusCode::OK && has_already(request, &stored.headers) {
        not_modified(stored)
    } else if method == Method::HEAD {
        with_head(stored, Body::empty())
    } else {
        match part(stored, request) {
            Part::Whole => with_head(stored, Body::whole(stored.body.clone())),
            Part::Bytes(range) => partial(stored, range),
            Part::Unsatisfiable => unsatisfiable(stored),
        }
    };
    let headers = response.headers_mut();
    headers.insert(AGE, HeaderValue::from(stored.freshness.age_at(now).0));
    status.tell(headers, stored.said_before.as_ref());
    response
}

/// Parts are given of what was found, not of what says that nothing was.
fn part(stored: &Stored, request: &HeaderMap) -> Part {
    if stored.status == StatusCode::OK {
        wanted(request, &stored.headers, stored.body.len())
    } else {
        Part::Whole
    }
}

fn with_head(stored: &Stored, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = stored.status;
    *response.headers_mut() = stored.headers.clone();
    response
}

fn not_modified(stored: &Stored) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    for field in &SAID_BY_NOT_MODIFIED {
        for value in stored.headers.get_all(field) {
            response.headers_mut().append(field.clone(), value.clone());
        }
    }
    response
}

fn partial(stored: &Stored, range: std::ops::Range<usize>) -> Response<Body> {
    let told = format!("bytes {}-{}/{}", range.start, range.end - 1, stored.body.len());
    let mut response = with_head(stored, Body::whole(stored.body.slice(range.clone())));
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    let headers = response.headers_mut();
    headers.insert(CONTENT_LENGTH, HeaderValue::from(range.len()));
    headers.insert(CONTENT_RANGE, HeaderValue::from_str(&told).expect("it is made of letters and digits"));
    response
}

fn unsatisfiable(stored: &Stored) -> Response<Body> {
    let told = format!("bytes */{}", stored.body.len());
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
    let headers = response.headers_mut();
    headers.insert(CONTENT_RANGE, HeaderValue::from_str(&told).expect("it is made of letters and digits"));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    response
}
