//! An intent to regenerate a page: what its repetitions are recognised by, and what they must agree in.

use std::fmt;

use sha2::{Digest as _, Sha256};
use tabletheory_core::limits::SORT_KEY_BYTES_MAX;

use crate::error::Error;
use crate::key::{PageKey, hash_field, hex};

/// The first bytes that are hashed: another way to hash would have another name.
const DOMAIN: &[u8] = b"facetheory/intent/1";
const RAW_BYTES_MAX: usize = SORT_KEY_BYTES_MAX - "REQ#".len();

/// An intent to regenerate a page. The same one, repeated, does the work once; one with the same key and other inputs is
/// refused.
///
/// Keys are hashed, each kind apart, so that no text of a user is ever part of the table's keys.
///
/// ```
/// use facetheory::meta::Intent;
///
/// let intent = Intent::from_request_id("r-1").with_inputs(&[b"/news", b"policy 2"]);
/// assert_eq!(intent.key().len(), 64);
/// assert_ne!(intent.key(), Intent::from_message_id("r-1").key());
/// assert_ne!(intent.request_hash(), Intent::from_request_id("r-1").with_inputs(&[b"/newsp", b"olicy 2"]).request_hash());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Intent {
    key: String,
    request_hash: String,
}

impl Intent {
    /// The intent of an HTTP request with this `x-request-id`. Any bytes of any length.
    #[must_use]
    pub fn from_request_id(id: impl AsRef<[u8]>) -> Self {
        Self::hashed("request", &[id.as_ref()])
    }

    /// The intent of a message in a queue. Any bytes of any length.
    #[must_use]
    pub fn from_message_id(id: impl AsRef<[u8]>) -> Self {
        Self::hashed("message", &[id.as_ref()])
    }

    /// The intent to have a page once for each deployment and version of the policy.
    #[must_use]
    pub fn from_deployment(
        key: &PageKey,
        deploy_id: impl AsRef<[u8]>,
        policy_version: impl AsRef<[u8]>,
    ) -> Self {
        Self::hashed("deployment", &[key.digest().as_bytes(), deploy_id.as_ref(), policy_version.as_ref()])
    }

    /// The intent that another store knows by this text, for tables shared with it.
    ///
    /// # Errors
    /// If the text is empty, has a `#`, or is longer than a sort key can be.
    pub fn raw(key: impl Into<String>) -> Result<Self, Error> {
        let key = key.into();
        if key.is_empty() || key.contains('#') || key.len() > RAW_BYTES_MAX {
            return Err(Error::IdempotencyKey { length: key.len(), length_max: RAW_BYTES_MAX });
        }
        Ok(Self { key, request_hash: digest("inputs", &[]) })
    }

    /// With the inputs that a repetition must have too.
    #[must_use]
    pub fn with_inputs(mut self, inputs: &[&[u8]]) -> Self {
        self.request_hash = digest("inputs", inputs);
        self
    }

    /// With a hash that another store has made of the inputs.
    #[must_use]
    pub fn with_request_hash(mut self, hash: impl Into<String>) -> Self {
        self.request_hash = hash.into();
        self
    }

    /// The idempotency key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The hash of the inputs that matter.
    #[must_use]
    pub fn request_hash(&self) -> &str {
        &self.request_hash
    }

    fn hashed(kind: &str, fields: &[&[u8]]) -> Self {
        Self { key: digest(kind, fields), request_hash: digest("inputs", &[]) }
    }
}

/// Without the key: a raw one is a text of somebody.
impl fmt::Debug for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intent").finish_non_exhaustive()
    }
}

fn digest(kind: &str, fields: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash_field(&mut hash, kind.as_bytes());
    for field in fields {
        hash_field(&mut hash, field);
    }
    hex(&hash.finalize())
}
