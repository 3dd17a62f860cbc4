//! Which methods are passed on.

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
        _ if matches!(method.as_str(), "TRACK" | "PURGE" | "BAN" | "REFRESH") => Err(FORBIDDEN),
        // Names are case-sensitive: what `get` means to an application is not known.
        _ => Err(UNKNOWN),
    }
}
