//! The application behind a site.

use http::Uri;
use http::uri::PathAndQuery;
use theory_gateway::settings::{Host, Site};

use super::finding::Finding;
use super::server;

/// Asks the application for a page.
pub(super) async fn examine(site: &Site) -> Finding {
    let name = format!("origin {}", site.name);
    let path = site.origin.health_path.as_deref().unwrap_or("/");
    let uri = address(&site.origin.uri, path);
    let host = site.origin.host.clone().or_else(|| {
        site.hosts.iter().find_map(|host| match host {
            Host::Exact(host) => Some(host.clone()),
            Host::Below(_) | Host::Any => None,
        })
    });
    let asked = match &uri {
        Some(uri) => server::ask(uri, host.as_deref()).await,
        None => Err("the address cannot be asked for".to_owned()),
    };
    let origin = &site.origin.uri;
    match asked {
        Ok(answered) if answered.status.is_server_error() => Finding::warn(
            name,
            format!("{origin} answers {} to GET {path} in {} ms", answered.status, answered.took_ms),
            "pages that fail are not kept; the application's log tells why",
        ),
        Ok(answered) => Finding::ok(
            name,
            format!("{origin} answers {} to GET {path} in {} ms", answered.status, answered.took_ms),
        ),
        Err(reason) => Finding::fail(
            name,
            format!("{origin} does not answer: {reason}"),
            "start the application, or correct `origin`; until then only pages that are kept are served",
        ),
    }
}

/// The application's address with another path.
pub(super) fn address(origin: &Uri, path: &str) -> Option<Uri> {
    let mut parts = origin.clone().into_parts();
    parts.path_and_query = Some(path.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}
