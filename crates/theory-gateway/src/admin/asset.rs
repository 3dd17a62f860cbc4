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

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 9] = [
        ("/", include_str!("dashboard/index.html")),
        ("/dashboard.css", include_str!("dashboard/dashboard.css")),
        ("/dashboard.js", include_str!("dashboard/dashboard.js")),
        ("/api.js", include_str!("dashboard/api.js")),
        ("/dom.js", include_str!("dashboard/dom.js")),
        ("/notice.js", include_str!("dashboard/notice.js")),
        ("/pages.js", include_str!("dashboard/pages.js")),
        ("/panels.js", include_str!("dashboard/panels.js")),
        ("/plot.js", include_str!("dashboard/plot.js")),
    ];

    #[test]
    fn data_never_becomes_markup() {
        for (path, text) in FILES {
            for way in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "srcdoc",
            ] {
                assert!(!text.contains(way), "{path} uses {way}");
            }
        }
    }

    #[test]
    fn nothing_comes_from_elsewhere_and_all_that_is_named_is_there() {
        for (path, text) in FILES {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains("http://") && !text.contains("https://"), "{path} names another place");
            assert!(asset(path).is_some(), "{path}");
            for quote in text.split("from \"./").skip(1) {
                let name = quote.split('"').next().unwrap();
                assert!(asset(&format!("/{name}")).is_some(), "{path} names {name}");
            }
        }
        for (named, _) in FILES[0].1.match_indices("=\"/") {
            let path = FILES[0].1[named + 2..].split('"').next().unwrap();
            assert!(path == "/blog" || asset(path).is_some(), "{path}");
        }
        assert!(asset("/../settings.rs").is_none());
    }

    #[test]
    fn every_element_that_scripts_name_is_there() {
        for (path, text) in &FILES[2..] {
            for call in text.split("$(\"").skip(1) {
                let id = call.split('"').next().unwrap();
                assert!(FILES[0].1.contains(&format!("id=\"{id}\"")), "{path} names {id}");
            }
        }
    }
}
