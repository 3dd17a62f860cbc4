//! What is exchanged with the application: a request as it gets it, and its answer as a client gets it.

use http::header::{COOKIE, HOST, HeaderMap, HeaderValue};
use http::{Response, Uri, Version, request};
use http_body::Body as _;

use crate::answer::Body;
use crate::asked::Asked;
use crate::origin::{self, Caller, OriginBody, OriginError, tell};
use crate::refusal::Refusal;

/// The request as the application gets it: what was asked, in the form that was decided by, from whom.
pub(crate) fn rewrite(head: &mut request::Parts, asked: &Asked, caller: Caller) {
    head.method.clone_from(asked.method());
    head.uri = Uri::from(asked.target().clone());
    head.headers.insert(HOST, origin::authority(asked));
    join_cookies(&mut head.headers);
    tell(&mut head.headers, asked, caller);
}

/// HTTP/2 may split cookies into several lines; HTTP/1.1 knows one (RFC 9113, 8.2.3).
fn join_cookies(headers: &mut HeaderMap) {
    let mut lines = headers.get_all(COOKIE).iter();
    let (Some(first), Some(_)) = (lines.next(), lines.next()) else { return };
    let mut joined = first.as_bytes().to_vec();
    for line in headers.get_all(COOKIE).iter().skip(1) {
        joined.extend_from_slice(b"; ");
        joined.extend_from_slice(line.as_bytes());
    }
    if let Ok(joined) = HeaderValue::from_bytes(&joined) {
        headers.insert(COOKIE, joined);
    }
}

/// The application's answer as a client gets it.
pub(crate) fn given(answer: Response<OriginBody>) -> Response<Body> {
    let (mut head, body) = answer.into_parts();
    // The connection to the client has a version of its own.
    head.version = Version::default();
    head.extensions = http::Extensions::new();
    let body = if body.is_end_stream() { Body::empty() } else { Body::stream(body) };
    Response::from_parts(head, body)
}

/// What a client gets when the application did not answer.
pub(crate) fn refuse(asked: &Asked, error: &OriginError) -> Response<Body> {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    tracing::warn!(host = asked.host(), path = asked.path(), %error, cause, "a request was not answered by its origin");
    Response::from(Refusal::from(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_that_came_in_several_lines_become_one() {
        let check = |lines: &[&'static str], expected: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(COOKIE, HeaderValue::from_static(line));
            }
            join_cookies(&mut headers);
            let joined: Vec<_> = headers.get_all(COOKIE).iter().map(|line| line.to_str().unwrap()).collect();
            assert_eq!(joined, expected);
        };
        check(&[], &[]);
        check(&["a=1; b=2"], &["a=1; b=2"]);
        check(&["a=1", "b=2", "c=3"], &["a=1; b=2; c=3"]);
    }
}
