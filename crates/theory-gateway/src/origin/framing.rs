//! Where an answer ends, and whether that is beyond doubt. hyper refuses most contradictions and resolves some of them; an application
//! whose answers contradict themselves is not trusted with a second request on the same connection.

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{Method, Response, StatusCode, Version};

use super::error::OriginError;

/// Where the body of an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// There is none.
    Empty,
    /// After so many bytes.
    Length(u64),
    /// With the last chunk.
    Chunk,
    /// With the connection. Nobody can tell whether that was all of it.
    Close,
}

/// Where the body ends.
///
/// # Errors
/// The head contradicts itself.
pub(super) fn end<B>(method: &Method, answer: &Response<B>) -> Result<End, OriginError> {
    let headers = answer.headers();
    let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
    let (length, second) = (lengths.next(), lengths.next());
    if second.is_some() {
        return Err(OriginError::malformed("several lengths"));
    }
    let codings: Vec<_> = headers.get_all(TRANSFER_ENCODING).iter().collect();
    if !codings.is_empty() {
        if length.is_some() {
            return Err(OriginError::malformed("a length and a transfer coding"));
        }
        let is_chunked = matches!(&codings[..], [one] if one.as_bytes().eq_ignore_ascii_case(b"chunked"));
        if !is_chunked || answer.version() != Version::HTTP_11 {
            return Err(OriginError::malformed("a transfer coding other than chunked"));
        }
    }
    let length = length.map(|value| {
        let digits = value.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<u64>().ok()).ok_or(OriginError::malformed("no length"))
    });
    let length = length.transpose()?;
    let status = answer.status();
    if method == Method::HEAD || status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED {
        return Ok(End::Empty);
    }
    Ok(match length {
        Some(0) => End::Empty,
        Some(length) => End::Length(length),
        None if !codings.is_empty() => End::Chunk,
        None => End::Close,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(method: &Method, status: u16, lines: &[(&str, &str)], expected: Option<End>) {
        let mut answer = Response::builder().status(status);
        for (name, value) in lines {
            answer = answer.header(*name, *value);
        }
        assert_eq!(end(method, &answer.body(()).unwrap()).ok(), expected, "{method} {status} {lines:?}");
    }

    #[test]
    fn an_answer_ends_where_its_head_says() {
        let get = &Method::GET;
        check(get, 200, &[("content-length", "5")], Some(End::Length(5)));
        check(get, 200, &[("content-length", "0")], Some(End::Empty));
        check(get, 200, &[("transfer-encoding", "Chunked")], Some(End::Chunk));
        check(get, 200, &[], Some(End::Close));
        check(get, 204, &[], Some(End::Empty));
        check(get, 304, &[("content-length", "5")], Some(End::Empty));
        check(&Method::HEAD, 200, &[("content-length", "5")], Some(End::Empty));
    }

    #[test]
    fn contradictions_are_refused() {
        let get = &Method::GET;
        check(get, 200, &[("content-length", "5"), ("content-length", "5")], None);
        check(get, 200, &[("content-length", "5"), ("transfer-encoding", "chunked")], None);
        check(get, 200, &[("transfer-encoding", "gzip, chunked")], None);
        check(get, 200, &[("transfer-encoding", "identity")], None);
        check(get, 200, &[("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")], None);
        check(get, 200, &[("content-length", "+5")], None);
        check(get, 200, &[("content-length", "5, 5")], None);
        check(get, 200, &[("content-length", "")], None);
        check(&Method::HEAD, 200, &[("content-length", "5"), ("transfer-encoding", "chunked")], None);
    }
}
