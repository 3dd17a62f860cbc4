//! Why an attribute could not be encrypted or decrypted. The texts name models and attributes, never a value or a key.

use tabletheory_core::keys::KeyError;

/// Why a value was not encrypted, or an envelope not opened. Nothing of the value is given then.
///
/// ```
/// use tabletheory::encryption::{EncryptionError, Envelope, KeyContext, testing::DeterministicKeys};
/// use tabletheory_core::Value;
///
/// let keys = DeterministicKeys::new("seed");
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// let refused = futures_executor::block_on(Envelope::open(&Value::s("in the clear"), context, &keys)).unwrap_err();
/// assert!(matches!(refused, EncryptionError::NotAnEnvelope { .. }));
/// assert_eq!(refused.to_string(), "attribute `diagnosis` is not an encrypted envelope: it is not a map");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncryptionError {
    /// The value to encrypt has more than 32 levels, which no attribute may have.
    #[error("attribute `{attribute}` is nested in more than 32 levels and was not encrypted")]
    NestedTooDeep {
        /// The attribute.
        attribute: String,
    },
    /// What is stored has not the form of an envelope; it may be a value that was never encrypted.
    #[error("attribute `{attribute}` is not an encrypted envelope: {reason}")]
    NotAnEnvelope {
        /// The attribute.
        attribute: String,
        /// What is wrong with the form.
        reason: &'static str,
    },
    /// The envelope is of a version that this toolkit does not know: a newer one may have written it.
    #[error("attribute `{attribute}` is an encrypted envelope of an unknown version")]
    UnknownVersion {
        /// The attribute.
        attribute: String,
    },
    /// The provider gave no key.
    #[error("no data key for attribute `{attribute}` of `{model}`")]
    Key {
        /// The model.
        model: String,
        /// The attribute.
        attribute: String,
        /// What the provider says.
        source: KeyError,
    },
    /// The envelope does not belong to this attribute and this key: it was changed, moved, or made with another key.
    #[error("attribute `{attribute}` is not authentic: it was changed, moved, or encrypted with another key")]
    NotAuthentic {
        /// The attribute.
        attribute: String,
    },
    /// The envelope is authentic, but what is in it is not an attribute value in the toolkits' form.
    #[error("attribute `{attribute}` was decrypted but is not an attribute value")]
    NotAValue {
        /// The attribute.
        attribute: String,
    },
    /// The model has encrypted attributes, and nobody gave keys: nothing of it is read or written.
    #[error("attribute `{attribute}` of `{model}` is encrypted, and no key provider is configured")]
    NotConfigured {
        /// The model.
        model: String,
        /// The first of its encrypted attributes.
        attribute: String,
    },
    /// An update would do something to an encrypted attribute that only works on values the table can read.
    #[error(
        "attribute `{attribute}` of `{model}` is encrypted: an update can only set it as a whole or remove it"
    )]
    NotReplaced {
        /// The model.
        model: String,
        /// The attribute.
        attribute: String,
    },
}
