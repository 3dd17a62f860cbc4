//! Why there is no key. The texts say which key and what happened, never what the key is.

/// Why a [`KeyProvider`](super::KeyProvider) gave no key.
///
/// Reasons are written by providers and end up in logs: they say which key and what happened, never key material.
///
/// ```
/// use tabletheory_core::keys::KeyError;
///
/// let error = KeyError::Refused { reason: "no master key has the id 7".to_owned() };
/// assert_eq!(error.to_string(), "the key was refused: no master key has the id 7");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The provider answered, and the answer is no: an unknown key, a missing permission, an encrypted data key that was
    /// changed. Asking again does not help.
    #[error("the key was refused: {reason}")]
    Refused {
        /// What the provider says.
        reason: String,
    },
    /// The provider did not answer, or asked to slow down. The same call may succeed later.
    #[error("the keys are unavailable: {reason}")]
    Unavailable {
        /// What happened.
        reason: String,
    },
    /// The caller's own deadline came before the answer.
    #[error("the deadline came before the key")]
    DeadlineExceeded,
    /// The key has another length than AES-256 needs.
    #[error("a key has {bytes} bytes and must have 32")]
    WrongLength {
        /// How long it is.
        bytes: usize,
    },
}

impl KeyError {
    /// Whether the same call may succeed if it is made again later. After a deadline there is no later.
    ///
    /// ```
    /// use tabletheory_core::keys::KeyError;
    ///
    /// assert!(KeyError::Unavailable { reason: "asked to slow down".to_owned() }.is_retryable());
    /// assert!(!KeyError::Refused { reason: "the key is disabled".to_owned() }.is_retryable());
    /// ```
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }
}
