//! Which methods are passed on: those of HTTP that are no tunnel, and extensions whose name is in capitals (`PROPFIND`, `M-SEARCH`).
//! What they mean is the application's affair; here they may change something and are never repeated.

use http::{Method, StatusCode};

use crate::refusal::Refusal;

/// Tunnels, echoes, and what would be an order to a cache: never through this door, whatever lies behind it.
const FORBIDDEN: Refusal = Refusal::last(StatusCode::METHOD_NOT_ALLOWED, "this method is not available here");
const UNKNOWN: Refusal = Refusal::last(StatusCode::NOT_IMPLEMENTED, "this method is not known here");

/// Whether a method is passed on.
pub(super) fn check(method: &Method) -> Result<(), Refusal> {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS => Ok(()),
        Method::CONNECT | Method::TRACE => Err(FORBIDDEN),
        _ if matches!(method.as_str(), "TRACK" | "PURGE" | "BAN" | "REFRESH" | "PRI") => Err(FORBIDDEN),
        _ if is_extension(method.as_str()) => Ok(()),
        // Names are case-sensitive: what `get` means to an application is not known.
        _ => Err(UNKNOWN),
    }
}

/// Whether this is a name as extensions have them: capitals, and hyphens between them.
fn is_extension(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase());
    (3..=24).contains(&name.len()) && name.split('-').all(is_word)
}
