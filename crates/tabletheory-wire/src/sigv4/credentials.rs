//! Who may sign requests: an access key and the secret that only its holder and this endpoint know.

use std::fmt;

/// An access key and its secret.
///
/// ```
/// use tabletheory_wire::sigv4::Credentials;
///
/// let credentials = Credentials::new("AKIDEXAMPLE", "hush");
/// assert!(!format!("{credentials:?}").contains("hush"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The name of the key, sent with every request. A key with a slash in it cannot be sent.
    pub access_key_id: String,
    /// The secret, never sent and never printed.
    pub secret_access_key: String,
}

impl Credentials {
    /// An access key and its secret.
    #[must_use]
    pub fn new(access_key_id: impl Into<String>, secret_access_key: impl Into<String>) -> Self {
        Self { access_key_id: access_key_id.into(), secret_access_key: secret_access_key.into() }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("access_key_id", &self.access_key_id).finish_non_exhaustive()
    }
}
