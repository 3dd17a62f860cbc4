//! Whom a request is counted for, and what happens to one that does not say.

use std::fmt::{self, Write};
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

use crate::address::ClientAddress;
use crate::secret::SecretKey;

/// Whom a request is counted for.
///
/// Only the address is known before somebody has checked who a caller is. A header that nobody has checked yet is what the
/// caller likes it to be: each new value begins a new count, and a limit by it alone limits nobody who knows that. So let a
/// rule by address stand in front of rules by header, or put the layer behind what checks them.
///
/// ```
/// use http::HeaderName;
/// use limited::{Identity, Missing, SecretKey};
///
/// let by_address = Identity::address();
/// let by_key = Identity::secret_header(HeaderName::from_static("x-api-key"), SecretKey::new([7; 32]), Missing::Address);
/// let by_tenant = Identity::from_fn(Missing::Skip, |parts| parts.extensions.get::<String>().cloned());
/// assert!(format!("{by_key:?}").starts_with(r#"SecretHeader("x-api-key")"#), "{by_key:?}");
/// # let _ = (by_address, by_tenant);
/// ```
#[derive(Clone)]
pub struct Identity {
    kind: Kind,
    missing: Missing,
}

/// What happens to a request that does not say who it is from. Nothing is counted for one that is refused.
///
/// ```
/// use http::{HeaderName, HeaderValue};
/// use limited::{Identity, Missing};
///
/// let missing = Missing::Unauthorized(HeaderValue::from_static("Bearer"));
/// assert_eq!(missing, missing.clone());
/// # let _ = Identity::header(HeaderName::from_static("x-user"), missing);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// It is counted for its address.
    Address,
    /// It is not counted by this rule.
    Skip,
    /// It is refused with status 400.
    BadRequest,
    /// It is refused with status 401 and this challenge as its `WWW-Authenticate`.
    Unauthorized(HeaderValue),
}

#[derive(Clone)]
enum Kind {
    Address,
    Header(HeaderName),
    SecretHeader(HeaderName, SecretKey),
    Closure(Arc<Find>),
}

type Find = dyn Fn(&Parts) -> Option<String> + Send + Sync;

/// Whom a rule counts a request for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    Caller(String),
    Nobody,
    /// It has to say who it is from, and does not.
    Refused(Missing),
    /// It is to be counted for its address, and nobody knows that.
    Unknown,
}

impl Identity {
    /// The address, as the layer's [`ClientAddress`] finds it. A request whose address nobody knows is answered with status 500:
    /// the server does not give the layer what it needs, and no client can help that.
    #[must_use]
    pub fn address() -> Self {
        Self { kind: Kind::Address, missing: Missing::Address }
    }

    /// The value of a header, as `name:value`. A header that is empty says nothing; one that stands there twice is refused with
    /// status 400, whatever is said of missing ones.
    #[must_use]
    pub fn header(name: HeaderName, missing: Missing) -> Self {
        Self { kind: Kind::Header(name), missing }
    }

    /// The value of a header that is a secret, as `key:` and its hash. Of `Authorization` the scheme counts in any case of
    /// letters, so that `bearer` and `Bearer` with one token are one caller.
    #[must_use]
    pub fn secret_header(name: HeaderName, key: SecretKey, missing: Missing) -> Self {
        Self { kind: Kind::SecretHeader(name, key), missing }
    }

    /// Whomever this finds. An empty name is none. The name stands in the table: turn secrets into names with
    /// [`SecretKey::name`].
    #[must_use]
    pub fn from_fn(
        missing: Missing,
        find: impl Fn(&Parts) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { kind: Kind::Closure(Arc::new(find)), missing }
    }

    pub(crate) fn find(&self, parts: &Parts, address: &ClientAddress) -> Whom {
        let found = match &self.kind {
            Kind::Address => None,
            // Of two, another part of the application may believe the one that is not counted here.
            Kind::Header(name) | Kind::SecretHeader(name, _) if stands_twice(parts, name) => {
                return Whom::Refused(Missing::BadRequest);
            }
            Kind::Header(name) => value(parts, name).map(|value| plain(name, value)),
            Kind::SecretHeader(name, key) => value(parts, name).map(|value| key.name(&secret(name, value))),
            Kind::Closure(find) => find(parts).filter(|name| !name.is_empty()),
        };
        match (found, &self.missing) {
            (Some(caller), _) => Whom::Caller(caller),
            (None, Missing::Address) => address.identifier(parts).map_or(Whom::Unknown, Whom::Caller),
            (None, Missing::Skip) => Whom::Nobody,
            (None, refused) => Whom::Refused(refused.clone()),
        }
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Address => return f.write_str("Address"),
            Kind::Header(name) => write!(f, "Header({:?})", name.as_str())?,
            Kind::SecretHeader(name, _) => write!(f, "SecretHeader({:?})", name.as_str())?,
            Kind::Closure(_) => f.write_str("Closure")?,
        }
        write!(f, " or {:?}", self.missing)
    }
}

fn stands_twice(parts: &Parts, name: &HeaderName) -> bool {
    parts.headers.get_all(name).iter().nth(1).is_some()
}

fn value<'a>(parts: &'a Parts, name: &HeaderName) -> Option<&'a [u8]> {
    parts.headers.get(name).map(|value| value.as_bytes().trim_ascii()).filter(|value| !value.is_empty())
}

/// What is no text is hashed. Names of headers have neither `:` nor `=`, so a hash is never taken for a text.
fn plain(name: &HeaderName, value: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(value) {
        return format!("{name}:{text}");
    }
    let mut hashed = format!("{name}=");
    for byte in Sha256::digest(value) {
        let _ = write!(hashed, "{byte:02x}");
    }
    hashed
}

/// The secret in a header. Without this, each way to write `Bearer` would be a new caller with one and the same token.
fn secret(name: &HeaderName, value: &[u8]) -> Vec<u8> {
    let space = value.iter().position(u8::is_ascii_whitespace);
    match space {
        Some(space) if name == AUTHORIZATION => {
            let mut normal = value[..space].to_ascii_lowercase();
            normal.push(b' ');
            normal.extend_from_slice(value[space..].trim_ascii());
            normal
        }
        _ => value.to_vec(),
    }
}

#[cfg(test)]
mod tests;
