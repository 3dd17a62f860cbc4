//! A request that is to happen once: whose it is, by which key it is known, and what it asks for.

use std::fmt;

use crate::fingerprint::Fingerprint;
use crate::key::IdempotencyKey;
use crate::scope::Scope;

/// A longer body is not written down, even if it is asked for.
pub(crate) const REQUEST_BYTES_MAX: usize = 64 * 1024;

/// A request that is to happen once.
///
/// ```
/// use idempotent::{Fingerprint, IdempotencyKey, Intent, Scope};
///
/// let scope = Scope::route("POST", "/orders").tenant("acme").principal("ada");
/// let intent = Intent::of_bytes(scope, IdempotencyKey::parse("8e03978e")?, br#"{"item":7}"#);
/// assert_eq!(intent.fingerprint(), &Fingerprint::of_bytes(intent.scope(), br#"{"item":7}"#));
/// # Ok::<(), idempotent::KeyError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Intent {
    scope: Scope,
    key: IdempotencyKey,
    fingerprint: Fingerprint,
    body: Option<String>,
}

impl Intent {
    /// A request with this fingerprint.
    #[must_use]
    pub fn new(scope: Scope, key: IdempotencyKey, fingerprint: Fingerprint) -> Self {
        Self { scope, key, fingerprint, body: None }
    }

    /// A request with this body, whose bytes make the fingerprint.
    #[must_use]
    pub fn of_bytes(scope: Scope, key: IdempotencyKey, body: &[u8]) -> Self {
        let fingerprint = Fingerprint::of_bytes(&scope, body);
        Self::new(scope, key, fingerprint).with_body(body)
    }

    /// The same with its body beside it, which is written down only if [`Settings`](crate::Settings) ask for that, if it is
    /// text, and if it has not more than 64 KB.
    #[must_use]
    pub fn with_body(mut self, body: &[u8]) -> Self {
        let text = (body.len() <= REQUEST_BYTES_MAX).then(|| std::str::from_utf8(body).ok()).flatten();
        self.body = text.map(str::to_owned);
        self
    }

    /// Whose it is, and what for.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The key that the client gave.
    #[must_use]
    pub fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// What it asks for, as a hash.
    #[must_use]
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    pub(crate) fn body(&self) -> Option<&str> {
        self.body.as_deref()
    }
}

/// Without key and body.
impl fmt::Debug for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intent").field("scope", &self.scope).finish_non_exhaustive()
    }
}
