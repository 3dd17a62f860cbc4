//! The dashboard's files. They are part of the program, so that it works offline, and nothing in them is secret: all data
//! comes from the API, which needs the token.

use http::header::{CONTENT_SECURITY_POLICY, HeaderValue};
use http::{Response, StatusCode};

use super::problem::answer;
use crate::answer::Body;

/// Nothing from elsewhere, nothing inline, no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The file at a path, if there is one.
pub(super) fn asset(path: &str) -> Option<Response<Body>> {
    let (kind, text) = match path {
        "/" => ("text/html; charset=utf-8", include_str!("dashboard/index.html")),
        "/dashboard.css" => ("text/css; charset=utf-8", include_str!("dashboard/dashboard.css")),
        "/dashboard.js" => (SCRIPT, include_str!("dashboard/dashboard.js")),
        "/api.js" => (SCRIPT, include_str!("dashboard/api.js")),
        "/dom.js" => (SCRIPT, include_str!("dashboard/dom.js")),
        "/notice.js" => (SCRIPT, include_str!("dashboard/notice.js")),
        "/pages.js" => (SCRIPT, include_str!("dashboard/pages.js")),
        "/panels.js" => (SCRIPT, include_str!("dashboard/panels.js")),
        "/plot.js" => (SCRIPT, include_str!("dashboard/plot.js")),
        "/icon.svg" => ("image/svg+xml", include_str!("dashboard/icon.svg")),
        _ => return None,
    };
    let mut response = answer(StatusCode::OK, kind, text);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Some(response)
}
