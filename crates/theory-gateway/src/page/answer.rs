//! What was served, as an answer to one client: whole, in part, without content, or the word that it has it already.

use std::sync::Arc;

use bytes::Bytes;
use facetheory::body::Encoding;
use facetheory::render::{Rendered, Verdict, judge};
use facetheory::{Policy, Served, State};
use http::header::{AGE, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_RANGE, HeaderName, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, Method, Response, StatusCode};

use super::compress::{Choice, Compressing};
use super::conditional::{self, Condition};
use super::encoding::Wishes;
use super::head::{self, Head, Heads, OF_ONE_CONNECTION};
use super::range::{self, Part};
use super::status;
use super::vary::{self, Vary};
use crate::answer::Body;
use crate::asked::{Asked, Matter};

/// The answer to one client with a page of the cache.
pub(super) struct Reply<'a> {
    asked: &'a Asked,
    request: &'a Parts,
    served: &'a Served,
    head: Arc<Head>,
}

impl<'a> Reply<'a> {
    /// An answer with this page.
    pub(super) fn to(
        (asked, request): (&'a Asked, &'a Parts),
        served: &'a Served,
        heads: &Heads,
        vary: &Vary,
    ) -> Self {
        Self { asked, request, served, head: heads.of(&served.page, &served.body, vary) }
    }

    /// What the client gets of it.
    pub(super) fn choose(&self, compressing: &Compressing) -> Choice {
        // Parts are counted in the bytes as they are, whatever else the client would take.
        let may_differ =
            self.asked.brings(Matter::AcceptEncoding) && self.head.is_compressible && !self.is_part();
        let wishes = if may_differ { Wishes::of(&self.request.headers) } else { Wishes::IDENTITY };
        compressing.choose(&self.served.body, wishes)
    }

    /// The answer with these bytes.
    pub(super) fn with(self, encoding: Encoding, bytes: Bytes) -> Response<Body> {
        let is_part = self.is_part();
        let Self { asked, request, served, head } = self;
        let (status, body) = (served.page.status(), &served.body);
        if status == StatusCode::OK && asked.brings(Matter::Condition) {
            let (sent, encoding) =
                match conditional::judge(&request.headers, body.etag(), head.last_modified(), encoding) {
                    Condition::Send => (None, encoding),
                    Condition::NotModified(encoding) => (Some(StatusCode::NOT_MODIFIED), encoding),
                    Condition::Failed => (Some(StatusCode::PRECONDITION_FAILED), Encoding::Identity),
                };
            if let Some(status) = sent {
                let headers = head.unmodified(body, encoding, served.state, served.age);
                return response(status, headers, Body::empty());
            }
        }
        let last_modified = if is_part { head.last_modified().cloned() } else { None };
        let mut headers = head.whole(body, encoding, served.state, served.age);
        if is_part {
            let length = bytes.len();
            let tag = head::tag(body, encoding);
            match range::asked(&request.headers, length, &tag, last_modified.as_ref()) {
                Part::Whole => {}
                Part::Bytes(part) => {
                    let range = content_range(&format!("{}-{}", part.start, part.end - 1), length);
                    headers.insert(CONTENT_RANGE, range);
                    return response(StatusCode::PARTIAL_CONTENT, headers, Body::whole(bytes.slice(part)));
                }
                Part::Beyond => {
                    headers.insert(CONTENT_RANGE, content_range("*", length));
                    return response(StatusCode::RANGE_NOT_SATISFIABLE, headers, Body::empty());
                }
            }
        }
        if request.method == Method::HEAD {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
            return response(status, headers, Body::empty());
        }
        response(status, headers, Body::whole(bytes))
    }

    /// Whether the client asks for a part of it.
    fn is_part(&self) -> bool {
        let may_be = self.served.page.status() == StatusCode::OK && self.request.method != Method::HEAD;
        may_be && self.asked.brings(Matter::Range)
    }
}

/// The answer that was rendered for this client and is not kept: as the application gave it.
pub(super) fn passed(served: &Served, policy: &Policy, asked: &Parts) -> Response<Body> {
    let page = &served.page;
    let mut headers = page.headers();
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
    let mut headers = served.page.headers();
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
