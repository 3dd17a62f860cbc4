//! The answer to a request, and which of its headers are kept.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::record::KeptHeader;

/// An answer: what the first caller gets, and what every other gets again.
///
/// ```
/// use idempotent::Response;
///
/// let answer = Response::new(201, "{\"id\":7}")?.with_header("location", "/orders/7");
/// assert_eq!(answer.status, 201);
/// assert_eq!(answer.headers["location"], "/orders/7");
/// assert_eq!(format!("{answer:?}"), "Response { status: 201, headers: 1, body: 8 }");
/// # Ok::<(), http::status::InvalidStatusCode>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers. Of these, what [`KeptHeaders`] names is kept.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

impl Response {
    /// An answer without headers.
    ///
    /// # Errors
    /// If there is no such status.
    pub fn new(status: u16, body: impl Into<Bytes>) -> Result<Self, http::status::InvalidStatusCode> {
        let status = StatusCode::from_u16(status)?;
        Ok(Self { status, headers: HeaderMap::new(), body: body.into() })
    }

    /// The same with one more header.
    ///
    /// # Panics
    /// If the value cannot stand in a header; it is written in the program.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }
}

/// As a handler sends it.
impl From<Response> for http::Response<Bytes> {
    fn from(response: Response) -> Self {
        let Response { status, headers, body } = response;
        let mut sent = Self::new(body);
        (*sent.status_mut(), *sent.headers_mut()) = (status, headers);
        sent
    }
}

/// How many headers and bytes there are, and not what they say.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status.as_u16())
            .field("headers", &self.headers.len())
            .field("body", &self.body.len())
            .finish()
    }
}

/// Which headers of an answer are kept and replayed: those that say what the body is. `Set-Cookie` never is, because the
/// cookie of one session would be given to whoever repeats the request.
///
/// ```
/// use idempotent::KeptHeaders;
///
/// let kept = KeptHeaders::default().and("x-order-id");
/// assert!(kept.contains("content-type") && kept.contains("x-order-id"));
/// assert!(!kept.contains("date") && !kept.and("set-cookie").contains("set-cookie"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptHeaders(Vec<HeaderName>);

impl Default for KeptHeaders {
    fn default() -> Self {
        use http::header::{
            CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION,
            CONTENT_TYPE, ETAG, EXPIRES, LAST_MODIFIED, LINK, LOCATION, VARY,
        };
        Self(vec![
            CACHE_CONTROL,
            CONTENT_DISPOSITION,
            CONTENT_ENCODING,
            CONTENT_LANGUAGE,
            CONTENT_LOCATION,
            CONTENT_TYPE,
            ETAG,
            EXPIRES,
            LAST_MODIFIED,
            LINK,
            LOCATION,
            VARY,
        ])
    }
}

impl KeptHeaders {
    /// None at all.
    #[must_use]
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// These and one more. A text that is no name of a header names none.
    #[must_use]
    pub fn and(mut self, name: &str) -> Self {
        if let Ok(name) = HeaderName::try_from(name)
            && name != http::header::SET_COOKIE
            && !self.0.contains(&name)
        {
            self.0.push(name);
        }
        self
    }

    /// Whether this header is kept.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|kept| kept.as_str().eq_ignore_ascii_case(name))
    }

    /// The headers that are kept. A value that is not UTF-8 has no place in a row and is left out.
    pub(crate) fn of(&self, headers: &HeaderMap) -> Vec<KeptHeader> {
        let kept = headers.iter().filter(|(name, _)| self.0.contains(name));
        kept.filter_map(|(name, value)| {
            let value = std::str::from_utf8(value.as_bytes()).ok()?;
            Some(KeptHeader { name: name.as_str().to_owned(), value: value.to_owned() })
        })
        .collect()
    }
}

/// Headers as they are replayed. What cannot be a header is left out, and so is a cookie that somebody wrote into the row.
pub(crate) fn replayed(kept: &[KeptHeader]) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(kept.len());
    for KeptHeader { name, value } in kept {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
            && name != http::header::SET_COOKIE
        {
            headers.append(name, value);
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_of_the_list_are_kept_and_all_of_one_name_in_order() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("link", "</a>"),
            ("set-cookie", "session=1"),
            ("content-type", "text/plain"),
            ("link", "</b>"),
            ("authorization", "secret"),
        ] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.append("etag", HeaderValue::from_bytes(&[0xff]).unwrap());
        let kept = KeptHeaders::default().of(&headers);
        let names: Vec<_> = kept.iter().map(|header| (&*header.name, &*header.value)).collect();
        assert_eq!(names, [("link", "</a>"), ("link", "</b>"), ("content-type", "text/plain")]);
        let again = replayed(&kept);
        assert_eq!(again.get_all("link").iter().collect::<Vec<_>>(), ["</a>", "</b>"]);
        assert_eq!(KeptHeaders::none().of(&headers), []);
    }

    #[test]
    fn a_row_cannot_bring_a_cookie_or_a_broken_header() {
        let header = |name: &str, value: &str| KeptHeader { name: name.into(), value: value.into() };
        let rows =
            [header("set-cookie", "a=1"), header("x y", "1"), header("etag", "a\r\nb: c"), header("", "")];
        assert!(replayed(&rows).is_empty());
    }
}
