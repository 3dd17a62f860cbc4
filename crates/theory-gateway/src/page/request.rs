//! What the application is asked, made from the key and from nothing else: equal keys give equal requests, byte for byte.

use facetheory::PageKey;
use facetheory::render::RenderError;
use http::header::{ACCEPT, ACCEPT_ENCODING, COOKIE, HOST, HeaderName, HeaderValue, USER_AGENT};
use http::{HeaderMap, Method, Request, Uri};

use super::key;
use super::site::SiteAtWork;

const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// It tells the application that a page is a preview. Clients cannot send it: it is not in keys.
const PREVIEW: HeaderName = HeaderName::from_static("x-theory-preview");

/// The request for the page of this key.
///
/// # Errors
/// If the key holds what no request can.
pub(super) fn of(site: &SiteAtWork, page: &PageKey) -> Result<Request<()>, RenderError> {
    let mut request = Request::new(());
    *request.method_mut() = Method::GET;
    *request.uri_mut() = uri(page)?;
    headers(site, page, request.headers_mut())?;
    Ok(request)
}

fn uri(page: &PageKey) -> Result<Uri, RenderError> {
    let mut target = page.page_path().unwrap_or(b"/").to_vec();
    for (place, (name, value)) in page.page_query().enumerate() {
        target.push(if place == 0 { b'?' } else { b'&' });
        target.extend_from_slice(name);
        if !value.is_empty() {
            target.push(b'=');
            target.extend_from_slice(value);
        }
    }
    Uri::try_from(target).map_err(|_| RenderError::new("the key's path and query are none of a request"))
}

fn headers(site: &SiteAtWork, page: &PageKey, headers: &mut HeaderMap) -> Result<(), RenderError> {
    headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
    // What is kept is plain, and compressed for each visitor as he likes.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.insert(USER_AGENT, HeaderValue::from_static("theory-gateway"));
    if let Some(host) = key::host(page) {
        let host = value(host)?;
        headers.insert(FORWARDED_HOST, host.clone());
        headers.insert(HOST, host);
    }
    headers.insert(FORWARDED_PROTO, HeaderValue::from_static(site.scheme()));
    if key::is_preview(page) {
        headers.insert(PREVIEW, HeaderValue::from_static("1"));
    }
    let mut last: &[u8] = b"";
    for (name, text) in page.page_headers() {
        let header = HeaderName::from_bytes(name)
            .map_err(|_| RenderError::new("the key's header has a name that is none"))?;
        // The first of a name replaces what every request has; the others stand beside it.
        if name == last {
            headers.append(header, value(text)?);
        } else {
            headers.insert(header, value(text)?);
        }
        last = name;
    }
    if let Some(cookies) = cookies(page) {
        headers.insert(COOKIE, value(&cookies)?);
    }
    Ok(())
}

fn cookies(page: &PageKey) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    for (name, value) in page.page_cookies() {
        if !line.is_empty() {
            line.extend_from_slice(b"; ");
        }
        line.extend_from_slice(name);
        line.push(b'=');
        line.extend_from_slice(value);
    }
    (!line.is_empty()).then_some(line)
}

fn value(bytes: &[u8]) -> Result<HeaderValue, RenderError> {
    HeaderValue::from_bytes(bytes).map_err(|_| RenderError::new("the key holds what no header can"))
}
