//! The key of a page: site, path, and what the route's rule lets through of query, headers and cookies. The application is asked
//! from the key alone, so what is not in it cannot change a page.

use facetheory::PageKey;
use http::header::{self, HeaderName};
use http::{HeaderMap, StatusCode};

use super::site::SiteAtWork;
use super::{cookies, query};
use crate::refusal::Refusal;
use crate::settings::KeyRule;

/// A key has not more parts of one kind, so that one request cannot cost as much as a thousand.
const PARTS_MAX: usize = 100;

/// Values of headers and cookies in a key are not longer together.
const VALUE_BYTES_MAX: usize = 4096;

/// The part of a key that says that a client made up the host, and that the site's name stands in its place.
const ANY_HOST: &str = "any-host";

/// The part of a key that says that the page is a preview. Such a page is never kept.
const PREVIEW: &str = "preview";

/// Whether a header may make another page. Those that belong to one connection or one request cannot, nor those that the gateway
/// decides: the encoding is its own work, and who somebody is has no place in pages for everybody.
pub(crate) fn may_be_keyed(name: &HeaderName) -> bool {
    const NEVER: [HeaderName; 26] = [
        header::ACCEPT_ENCODING,
        header::ACCEPT_RANGES,
        header::AUTHORIZATION,
        header::CACHE_CONTROL,
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::COOKIE,
        header::EXPECT,
        header::FORWARDED,
        header::HOST,
        header::IF_MATCH,
        header::IF_MODIFIED_SINCE,
        header::IF_NONE_MATCH,
        header::IF_RANGE,
        header::IF_UNMODIFIED_SINCE,
        header::MAX_FORWARDS,
        header::PRAGMA,
        header::PROXY_AUTHORIZATION,
        header::RANGE,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        header::VIA,
        HeaderName::from_static("keep-alive"),
        HeaderName::from_static("proxy-connection"),
    ];
    let text = name.as_str();
    !NEVER.contains(name) && !text.starts_with("x-forwarded-") && !text.starts_with("x-theory-")
}

/// The key of the page at this host, path and query, for a request with these headers.
///
/// # Errors
/// If so much of the request would make another page that it is no page for many.
pub(super) fn of(
    site: &SiteAtWork,
    rule: &KeyRule,
    host: &str,
    path: &str,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Result<PageKey, Refusal> {
    let mut key = PageKey::path(path);
    key = if site.is_own(host) { key.host(host) } else { key.host(site.name()).variant(ANY_HOST, "") };
    if let Some(tenant) = site.tenant() {
        key = key.tenant(tenant.clone());
    }
    for (place, (name, value)) in query::chosen(&rule.query, query).enumerate() {
        if place >= PARTS_MAX {
            return Err(Refusal::new(StatusCode::URI_TOO_LONG, "the query has too many parameters"));
        }
        key = key.query(name, value);
    }
    let mut budget = Budget { parts: PARTS_MAX, bytes: VALUE_BYTES_MAX };
    for name in rule.headers.iter().filter(|name| may_be_keyed(name)) {
        for value in headers.get_all(name) {
            budget.take(value.len())?;
            key = key.header(name, value);
        }
    }
    if !rule.cookies.is_empty() {
        for (name, value) in cookies::chosen(&rule.cookies, headers) {
            budget.take(value.len())?;
            key = key.cookie(name, value);
        }
    }
    Ok(key)
}

/// The key of the same page as a preview.
pub(super) fn preview(key: PageKey) -> PageKey {
    key.variant(PREVIEW, "")
}

/// Whether the key is of a preview.
pub(super) fn is_preview(key: &PageKey) -> bool {
    key.page_variants().any(|(name, _)| name == PREVIEW.as_bytes())
}

/// The host of the key, unless it is a site's name in place of one.
pub(super) fn host(key: &PageKey) -> Option<&[u8]> {
    let is_made_up = key.page_variants().any(|(name, _)| name == ANY_HOST.as_bytes());
    key.page_host().filter(|_| !is_made_up)
}

/// What headers and cookies may still take.
struct Budget {
    parts: usize,
    bytes: usize,
}

impl Budget {
    fn take(&mut self, bytes: usize) -> Result<(), Refusal> {
        match (self.parts.checked_sub(1), self.bytes.checked_sub(bytes)) {
            (Some(parts), Some(left)) => {
                *self = Self { parts, bytes: left };
                Ok(())
            }
            _ => Err(Refusal::new(
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "the headers and cookies that this page depends on are too long",
            )),
        }
    }
}

#[cfg(test)]
mod tests;
