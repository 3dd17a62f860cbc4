//! What was served, as an answer to one client: whole, in part, without content, or the word that it has it already.

use facetheory::body::Encoding;
use facetheory::render::{Rendered, Verdict, judge};
use facetheory::{Policy, Served, State};
use http::header::{
    AGE, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_RANGE, HeaderName, HeaderValue, RANGE,
};
use http::request::Parts;
use http::{HeaderMap, Method, Response, StatusCode};

use super::compress::{Choice, Compressing};
use super::conditional::{self, Condition};
use super::encoding::Wishes;
use super::head::{Head, OF_ONE_CONNECTION};
use super::range::{self, Part};
use super::status;
use super::vary::{self, Vary};
use crate::answer::Body;

/// The answer with a page of the cache.
pub(super) async fn kept(
    served: &Served,
    vary: &Vary,
    asked: &Parts,
    compressing: &Compressing,
) -> Response<Body> {
    let made;
    let head = match served.page.note(|page| Head::of(page, &served.body, vary)) {
        Some(head) => head,
        None => {
            made = Head::of(&served.page, &served.body, vary);
            &made
        }
    };
    let status = served.page.status();
    let (is_ok, is_head) = (status == StatusCode::OK, asked.method == Method::HEAD);
    let is_part = is_ok && !is_head && asked.headers.contains_key(RANGE);
    // Parts are counted in the bytes as they are, whatever else the client would take.
    let wishes = if head.is_compressible && !is_part { Wishes::of(&asked.headers) } else { Wishes::IDENTITY };
    let (encoding, bytes) = match compressing.choose(&served.body, wishes) {
        Choice::Ready(encoding, bytes) => (encoding, bytes),
        Choice::Wait(encoding) => Compressing::wait(&served.body, encoding).await,
    };
    if is_ok {
        match conditional::judge(&asked.headers, &head.tags, head.last_modified(), encoding) {
            Condition::Send => {}
            Condition::NotModified(encoding) => {
                let headers = head.unmodified(encoding, served.state, served.age);
                return response(StatusCode::NOT_MODIFIED, headers, Body::empty());
            }
            Condition::Failed => {
                let headers = head.unmodified(Encoding::Identity, served.state, served.age);
                return response(StatusCode::PRECONDITION_FAILED, headers, Body::empty());
            }
        }
    }
    let mut headers = head.whole(encoding, served.state, served.age);
    if is_part {
        let part = range::asked(&asked.headers, bytes.len(), head.tag(encoding), head.last_modified());
        let length = bytes.len();
        match part {
            Part::Whole => {}
            Part::Bytes(part) => {
                headers.insert(
                    CONTENT_RANGE,
                    content_range(&format!("{}-{}", part.start, part.end - 1), length),
                );
                return response(StatusCode::PARTIAL_CONTENT, headers, Body::whole(bytes.slice(part)));
            }
            Part::Beyond => {
                headers.insert(CONTENT_RANGE, content_range("*", length));
                return response(StatusCode::RANGE_NOT_SATISFIABLE, headers, Body::empty());
            }
        }
    }
    if is_head {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        return response(status, headers, Body::empty());
    }
    response(status, headers, Body::whole(bytes))
}

/// The answer that was rendered for this client and is not kept: as the application gave it.
pub(super) fn passed(served: &Served, policy: &Policy, asked: &Parts) -> Response<Body> {
    let page = &served.page;
    let mut headers = page.headers().clone();
    let rendered = Rendered::new(page.status(), headers.clone(), served.body.bytes().clone());
    let why = match judge(&Method::GET, &rendered, policy) {
        Verdict::Keep { .. } => None,
        Verdict::Pass(why) | Verdict::Failed(why) => Some(why),
    };
    vary::restore(&mut headers);
    headers.append(status::CACHE_STATUS, status::not_kept(why));
    headers.insert(status::ISR, status::state(State::Uncached));
    forwarded(served, headers, asked)
}

/// The answer to somebody who wants to see a page before it is shown: nobody keeps it.
pub(super) fn previewed(served: &Served, asked: &Parts) -> Response<Body> {
    let mut headers = served.page.headers().clone();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.remove(AGE);
    vary::restore(&mut headers);
    headers.append(status::CACHE_STATUS, status::PREVIEWED);
    headers.insert(status::ISR, status::state(State::Uncached));
    forwarded(served, headers, asked)
}

fn forwarded(served: &Served, mut headers: HeaderMap, asked: &Parts) -> Response<Body> {
    let listed: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in OF_ONE_CONNECTION.iter().chain(&listed) {
        headers.remove(name);
    }
    let (status, bytes) = (served.page.status(), served.body.bytes().clone());
    if asked.method == Method::HEAD {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        return response(status, headers, Body::empty());
    }
    response(status, headers, Body::whole(bytes))
}

fn content_range(part: &str, length: usize) -> HeaderValue {
    HeaderValue::try_from(format!("bytes {part}/{length}")).expect("digits are a header's value")
}

fn response(status: StatusCode, headers: HeaderMap, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
