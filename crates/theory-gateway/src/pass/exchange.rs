//! What is exchanged with the application: a request as it gets it, and its answer as a client gets it.

use http::header::{COOKIE, HOST, HeaderMap, HeaderName, HeaderValue};
use http::{Response, Uri, Version, request};
use http_body::Body as _;

use crate::answer::Body;
use crate::asked::Asked;
use crate::origin::{self, Caller, OriginBody, OriginError, tell};
use crate::refusal::Refusal;

/// What names of our own headers and cookies begin with.
const OWN: &[u8] = b"x-theory-";

/// The request as the application gets it: what was asked, in the form that was decided by, from whom.
pub(crate) fn rewrite(head: &mut request::Parts, asked: &Asked, caller: &Caller) {
    head.method.clone_from(asked.method());
    head.uri = Uri::from(asked.target().clone());
    head.headers.insert(HOST, origin::authority(asked));
    join_cookies(&mut head.headers);
    forget_own(&mut head.headers);
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

/// Takes out what only the gateway says to applications, and what only it is to be told: nobody can pass for a preview, and its
/// secret goes no further.
fn forget_own(headers: &mut HeaderMap) {
    let is_own = |name: &[u8]| {
        // Applications that know headers as variables cannot tell `_` from `-`.
        let plain = name.iter().map(|byte| if *byte == b'_' { b'-' } else { byte.to_ascii_lowercase() });
        plain.take(OWN.len()).eq(OWN.iter().copied())
    };
    let own: Vec<HeaderName> =
        headers.keys().filter(|name| is_own(name.as_str().as_bytes())).cloned().collect();
    for name in own {
        headers.remove(name);
    }
    let Some(line) = headers.get(COOKIE) else { return };
    let cookies = || line.as_bytes().split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    if !cookies().any(is_own) {
        return;
    }
    let left = cookies().filter(|cookie| !is_own(cookie)).collect::<Vec<_>>().join(&b"; "[..]);
    match HeaderValue::from_bytes(&left) {
        Ok(left) if !left.is_empty() => drop(headers.insert(COOKIE, left)),
        _ => drop(headers.remove(COOKIE)),
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
    fn nobody_passes_for_the_gateway_and_its_secrets_go_no_further() {
        let mut headers = HeaderMap::new();
        for name in ["x-theory-preview", "x_theory_preview", "X-Theory_Anything", "x-theorem"] {
            headers.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_static("1"));
        }
        let line = "a=1; x-theory-preview=secret; b=x-theory-preview;X_Theory_Preview=secret";
        headers.insert(COOKIE, HeaderValue::from_static(line));
        forget_own(&mut headers);
        assert_eq!((headers.len(), &headers["x-theorem"]), (2, &HeaderValue::from_static("1")));
        assert_eq!(headers[COOKIE], "a=1; b=x-theory-preview");
        headers.insert(COOKIE, HeaderValue::from_static("x-theory-preview=secret"));
        forget_own(&mut headers);
        assert!(!headers.contains_key(COOKIE), "nothing is left of it");
    }

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
