//! Secrets of callers, as names: what identifies somebody by an API key or a token never holds that key or token.

use std::fmt::{self, Write};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// What every hash begins with, so that a key used for something else too gives other names there.
const PURPOSE: &[u8] = b"limited identity v1";

type Keyed = Hmac<Sha256>;

/// The application's key, with which secrets of callers become names.
///
/// A plain hash would not do: whoever reads the table could try likely secrets until one fits. All processes that share a table
/// need the same key, and with another key everyone begins anew.
///
/// ```
/// use limited::SecretKey;
///
/// let key = SecretKey::new([7; 32]);
/// assert!(key.name(b"sk_live_1").starts_with("key:"));
/// assert_ne!(key.name(b"sk_live_1"), SecretKey::new([8; 32]).name(b"sk_live_1"));
/// assert_eq!(format!("{key:?}"), "SecretKey { .. }");
/// ```
#[derive(Clone)]
pub struct SecretKey(Keyed);

impl SecretKey {
    /// A key with these bytes, from a source of randomness.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        let mut keyed = Keyed::new_from_slice(&bytes).expect("HMAC takes keys of any length");
        keyed.update(PURPOSE);
        Self(keyed)
    }

    /// The name of whoever has this secret: `key:` and 64 digits.
    #[must_use]
    pub fn name(&self, secret: &[u8]) -> String {
        let mut keyed = self.0.clone();
        keyed.update(secret);
        let mut name = String::with_capacity(68);
        name.push_str("key:");
        for byte in keyed.finalize().into_bytes() {
            let _ = write!(name, "{byte:02x}");
        }
        name
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_as_long_for_any_secret_and_holds_none_of_it() {
        let key = SecretKey::new([1; 32]);
        for secret in [&b""[..], b"a", b"secret", &[0xff; 10_000]] {
            let name = key.name(secret);
            assert_eq!(name.len(), 68);
            assert!(!name.contains("secret"));
            assert_eq!(name, key.name(secret), "the same secret has the same name");
        }
        assert_ne!(key.name(b"a"), key.name(b"b"));
    }
}
