//! Whom a request is counted for, and the keys of their rows.

use std::borrow::Cow;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::error::Error;

/// Longer identifiers stand in keys as their hash.
const PLAIN_BYTES_MAX: usize = 256;
/// What an identifier that stands in a key as its hash begins with there.
const HASHED: &str = "sha256:";

/// Whom a request is counted for. An identifier alone is enough: `"ip:203.0.113.7".into()`. The rest is written beside the
/// counts, for overrides by tenant and for tables with indexes.
///
/// ```
/// use limited::Subject;
///
/// let subject = Subject::new("user:7").tenant("acme");
/// assert_eq!((subject.identifier, subject.tenant), ("user:7", Some("acme")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// Who it is. Nothing secret: it stands in the table as it is.
    pub identifier: &'a str,
    /// Their tenant.
    pub tenant: Option<&'a str>,
    /// Their user.
    pub user: Option<&'a str>,
    /// Their address.
    pub address: Option<&'a str>,
}

impl<'a> Subject<'a> {
    /// Somebody of whom only this is known.
    #[must_use]
    pub const fn new(identifier: &'a str) -> Self {
        Self { identifier, tenant: None, user: None, address: None }
    }

    /// With their tenant.
    #[must_use]
    pub const fn tenant(mut self, tenant: &'a str) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// With their user.
    #[must_use]
    pub const fn user(mut self, user: &'a str) -> Self {
        self.user = Some(user);
        self
    }

    /// With their address.
    #[must_use]
    pub const fn address(mut self, address: &'a str) -> Self {
        self.address = Some(address);
        self
    }
}

impl<'a> From<&'a str> for Subject<'a> {
    fn from(identifier: &'a str) -> Self {
        Self::new(identifier)
    }
}

impl<'a> From<&'a String> for Subject<'a> {
    fn from(identifier: &'a String) -> Self {
        Self::new(identifier)
    }
}

/// Without the values: they say who somebody is.
impl std::fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("identifier_bytes", &self.identifier.len()).finish_non_exhaustive()
    }
}

/// The partition key of what is counted for an identifier under a name: `name#identifier`. A name has no `#`, so no two pairs
/// share a key; and what is long, or cannot be shown, is hashed, so it fits and reads.
pub(crate) fn partition(name: &str, shard: Option<u32>, identifier: &str) -> Result<String, Error> {
    if identifier.is_empty() {
        return Err(Error::NoIdentifier);
    }
    let mut key = String::with_capacity(name.len() + identifier.len() + 8);
    key.push_str(name);
    if let Some(shard) = shard {
        let _ = write!(key, "~{shard}");
    }
    key.push('#');
    key.push_str(&bounded(identifier));
    Ok(key)
}

/// A name as it stands in a row: as it is, or its hash if it is long or cannot be shown.
pub(crate) fn bounded(name: &str) -> Cow<'_, str> {
    if is_plain(name) {
        return Cow::Borrowed(name);
    }
    let mut hashed = HASHED.to_owned();
    for byte in Sha256::digest(name.as_bytes()) {
        let _ = write!(hashed, "{byte:02x}");
    }
    Cow::Owned(hashed)
}

/// Whether an identifier stands in a key as it is. One that looks like a hash does not, or it could be taken for another.
fn is_plain(identifier: &str) -> bool {
    identifier.len() <= PLAIN_BYTES_MAX
        && !identifier.starts_with(HASHED)
        && (identifier.bytes().all(|byte| (b' '..=b'~').contains(&byte))
            || !identifier.chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_identifier_has_a_key_of_its_own() {
        let key = |identifier: &str| partition("api", None, identifier).expect("not empty");
        assert_eq!(key("ip:203.0.113.7"), "api#ip:203.0.113.7");
        assert_eq!(partition("api", Some(3), "a").expect("not empty"), "api~3#a");
        let long = "x".repeat(10_000);
        assert!(key(&long).len() < 100 && key(&long) != key(&long[1..]));
        let hash = key(&long)["api#".len()..].to_owned();
        assert_ne!(key(&hash), key(&long), "an identifier cannot pretend to be the hash of another");
        assert_ne!(key("a\nb"), key("ab"));
        assert!(key("a\u{7f}").starts_with("api#sha256:"));
        assert!(matches!(partition("api", None, ""), Err(Error::NoIdentifier)));
    }
}
