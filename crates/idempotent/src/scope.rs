//! Within what a key is known: whose it is, and what it is for. Two principals with one key never meet.

use std::fmt;

use crate::digest::{Parts, sha256_hex};
use crate::key::IdempotencyKey;

/// The first bytes that are hashed for the key of a row.
const DOMAIN: &[u8] = b"idempotent/key/1";
/// A name in a row is not longer; of a longer one the row has the hash.
const NAME_BYTES_MAX: usize = 128;

/// Within what a key is known. Nothing of it may be left out by accident: the tenant and the principal are given, or it is
/// said that there are none.
///
/// ```
/// use idempotent::Scope;
///
/// let ada = Scope::route("POST", "/orders").tenant("acme").principal("ada");
/// let bob = Scope::route("POST", "/orders").tenant("acme").principal("bob");
/// assert_ne!(ada, bob);
/// assert_ne!(ada, Scope::route("POST", "/orders").tenant("acme").anonymous());
/// assert_eq!(Scope::function("charge").function_name(), "charge");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Scope {
    purpose: Purpose,
    tenant: Option<String>,
    principal: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Purpose {
    Route { method: String, route: String },
    Function(String),
}

/// A scope that must still be told its tenant.
///
/// ```
/// let scope = idempotent::Scope::route("POST", "/orders").without_tenant().principal("ada");
/// assert_eq!(scope.function_name(), "POST /orders");
/// ```
#[derive(Debug, Clone)]
#[must_use = "a scope without tenant and principal is none yet"]
pub struct RouteScope {
    purpose: Purpose,
}

/// A scope that must still be told its principal.
///
/// ```
/// let scope = idempotent::Scope::route("POST", "/orders").tenant("acme").anonymous();
/// assert_eq!(scope.tenant_name(), Some("acme"));
/// ```
#[derive(Clone)]
#[must_use = "a scope without a principal is none yet"]
pub struct TenantScope {
    purpose: Purpose,
    tenant: Option<String>,
}

impl Scope {
    /// Requests of this method to this route. The route is the pattern or the path, as long as it is always the same one.
    pub fn route(method: impl AsRef<str>, route: impl Into<String>) -> RouteScope {
        RouteScope { purpose: Purpose::Route { method: method.as_ref().to_owned(), route: route.into() } }
    }

    /// Calls of a function: of a queue's consumer, or of [`Idempotency::process`](crate::Idempotency::process).
    #[must_use]
    pub fn function(name: impl Into<String>) -> Self {
        Self { purpose: Purpose::Function(name.into()), tenant: None, principal: None }
    }

    /// The same for this tenant.
    #[must_use]
    pub fn with_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// What the row calls the function: its name, or method and route.
    #[must_use]
    pub fn function_name(&self) -> String {
        match &self.purpose {
            Purpose::Route { method, route } => format!("{method} {route}"),
            Purpose::Function(name) => name.clone(),
        }
    }

    /// The tenant, if there is one.
    #[must_use]
    pub fn tenant_name(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// The key of the row: 64 digits, whatever the parts are.
    pub(crate) fn row_key(&self, key: &IdempotencyKey) -> String {
        self.hashed(Parts::new(DOMAIN)).part(6, Some(key.as_str().as_bytes())).hex()
    }

    /// Adds what the scope is made of to a hash.
    pub(crate) fn hashed(&self, parts: Parts) -> Parts {
        let bytes = |text: &Option<String>| text.clone().map(String::into_bytes);
        let parts = parts.part(1, bytes(&self.tenant).as_deref()).part(2, bytes(&self.principal).as_deref());
        match &self.purpose {
            Purpose::Route { method, route } => {
                parts.part(3, Some(method.as_bytes())).part(4, Some(route.as_bytes()))
            }
            Purpose::Function(name) => parts.part(5, Some(name.as_bytes())),
        }
    }

    /// `FunctionName` of the row. DynamoDB takes no empty key of an index, and the row is to stay small.
    pub(crate) fn function_attribute(&self) -> Option<String> {
        name_attribute(&self.function_name())
    }

    /// `TenantID` of the row.
    pub(crate) fn tenant_attribute(&self) -> Option<String> {
        self.tenant.as_deref().and_then(name_attribute)
    }
}

fn name_attribute(name: &str) -> Option<String> {
    match name.len() {
        0 => None,
        bytes if bytes > NAME_BYTES_MAX => Some(format!("sha256:{}", sha256_hex(name.as_bytes()))),
        _ => Some(name.to_owned()),
    }
}

impl RouteScope {
    /// For this tenant.
    pub fn tenant(self, tenant: impl Into<String>) -> TenantScope {
        TenantScope { purpose: self.purpose, tenant: Some(tenant.into()) }
    }

    /// There are no tenants.
    pub fn without_tenant(self) -> TenantScope {
        TenantScope { purpose: self.purpose, tenant: None }
    }
}

impl TenantScope {
    /// For this principal: whoever is logged in, by an identifier that nobody can choose freely.
    #[must_use]
    pub fn principal(self, principal: impl Into<String>) -> Scope {
        Scope { purpose: self.purpose, tenant: self.tenant, principal: Some(principal.into()) }
    }

    /// For everybody. Whoever knows another's key and request sees the answer to it.
    #[must_use]
    pub fn anonymous(self) -> Scope {
        Scope { purpose: self.purpose, tenant: self.tenant, principal: None }
    }
}

/// Without tenant and principal.
impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

impl fmt::Debug for TenantScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TenantScope").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

/// How scope and key become the key of a row.
///
/// ```
/// assert_eq!(idempotent::KeyScheme::default(), idempotent::KeyScheme::Scoped);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyScheme {
    /// The SHA-256 of the scope and the key: length-prefixed, typed, and begun with the version of this rule.
    #[default]
    Scoped,
    /// The key as it is, for tables shared with services that know no scope. Two principals with one key meet in one row;
    /// that their fingerprints differ is all that keeps them apart.
    Raw,
}

impl KeyScheme {
    pub(crate) fn row_key(self, scope: &Scope, key: &IdempotencyKey) -> String {
        match self {
            Self::Scoped => scope.row_key(key),
            Self::Raw => key.as_str().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> IdempotencyKey {
        IdempotencyKey::parse(text).unwrap()
    }

    #[test]
    fn f25_no_two_scopes_have_one_row() {
        let post = || Scope::route("POST", "/orders");
        let scopes = [
            post().tenant("acme").principal("ada"),
            post().tenant("acme").principal("bob"),
            post().tenant("other").principal("ada"),
            post().tenant("acme").anonymous(),
            post().tenant("acme").principal(""),
            post().without_tenant().principal("ada"),
            post().tenant("").principal("ada"),
            post().tenant("acmeada").principal(""),
            post().tenant("").principal("acmeada"),
            Scope::route("PATCH", "/orders").tenant("acme").principal("ada"),
            Scope::route("POST", "/orders/1").tenant("acme").principal("ada"),
            Scope::route("POST/", "orders").tenant("acme").principal("ada"),
            Scope::function("POST /orders").with_tenant("acme"),
            Scope::function("POST /orders"),
        ];
        for (at, one) in scopes.iter().enumerate() {
            for other in &scopes[at + 1..] {
                assert_ne!(one.row_key(&key("k")), other.row_key(&key("k")), "{one:?} {other:?}");
            }
            assert_ne!(one.row_key(&key("k")), one.row_key(&key("l")));
            assert_eq!(one.row_key(&key("k")).len(), 64);
        }
    }

    #[test]
    fn the_row_key_of_a_scope_stays_what_it_is() {
        let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
        let known = "ce30004233db9593f7f876e43ad5323a61a9e5c9766653d90945589a11b46340";
        assert_eq!(KeyScheme::Scoped.row_key(&scope, &key("k")), known);
        assert_eq!(KeyScheme::Raw.row_key(&scope, &key("k")), "k");
    }

    #[test]
    fn names_of_any_length_leave_the_row_small() {
        let long = "x".repeat(10_000);
        let scope = Scope::function(long.clone()).with_tenant(long);
        assert_eq!(scope.function_attribute().map(|name| name.len()), Some(71));
        assert_eq!(scope.tenant_attribute(), scope.function_attribute());
        assert_eq!(Scope::function("").with_tenant("").tenant_attribute(), None);
        assert_eq!(Scope::function("").function_attribute(), None);
    }
}
