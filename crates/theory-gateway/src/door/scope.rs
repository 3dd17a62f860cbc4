//! Within what the key of a repeated request is known: tenant, site, method, route, path, and who asks.

use http::request::Parts;
use idempotent::Scope;
use limited::{ClientAddress, SecretKey};

use crate::settings::{IdempotencyRule, Site};

/// Finds the scope of a request. Nobody else can repeat it: two callers with one key never meet.
pub(super) fn of(
    site: &Site,
    pattern: &str,
    rule: &IdempotencyRule,
    address: &ClientAddress,
    key: &SecretKey,
) -> impl Fn(&Parts) -> Option<Scope> + Send + Sync + 'static {
    let (tenant, place) = (site.tenant.clone(), format!("{} {pattern}", site.name));
    let (header, address, key) = (rule.principal.clone(), address.clone(), key.clone());
    move |parts| {
        let mut said = header.iter().flat_map(|name| parts.headers.get_all(name));
        let principal = match (said.next(), said.next()) {
            (Some(value), None) if !value.is_empty() => key.name(value.as_bytes()),
            // Of two, the application may believe the one that is not counted here.
            (Some(_), Some(_)) => return None,
            _ => address.identifier(parts)?,
        };
        let route = format!("{place} {}", parts.uri.path());
        let scope = Scope::route(&parts.method, route);
        let scope = match &tenant {
            Some(tenant) => scope.tenant(tenant.as_str()),
            None => scope.without_tenant(),
        };
        Some(scope.principal(principal))
    }
}
