//! Key material: 32 bytes that are wiped when dropped and never shown.

use std::fmt;

use zeroize::{Zeroize, Zeroizing};

use super::error::KeyError;
use crate::entropy::Entropy;
use crate::sys::SystemEntropy;

const ENTROPY_BYTES: usize = size_of::<u128>();

/// A key of AES-256. Its memory is overwritten when it is dropped, and its `Debug` does not show it.
///
/// ```
/// use tabletheory_core::keys::SecretKey;
///
/// let key = SecretKey::new([7; 32]);
/// assert_eq!(key.expose(), &[7; 32]);
/// assert_eq!(format!("{key:?}"), "SecretKey(..)");
/// ```
pub struct SecretKey {
    // In a box, because moving an array leaves a copy behind that nobody would wipe.
    bytes: Box<Zeroizing<[u8; SecretKey::BYTES]>>,
}

impl SecretKey {
    /// How long a key is.
    ///
    /// ```
    /// # use tabletheory_core::keys::SecretKey;
    /// assert_eq!(SecretKey::BYTES, SecretKey::generate().expose().len());
    /// ```
    pub const BYTES: usize = 32;

    /// The key with these bytes. The caller's own copy is the caller's to wipe.
    ///
    /// ```
    /// # use tabletheory_core::keys::SecretKey;
    /// assert_eq!(SecretKey::new([1; 32]).expose()[0], 1);
    /// ```
    #[must_use]
    pub fn new(bytes: [u8; Self::BYTES]) -> Self {
        Self { bytes: Box::new(Zeroizing::new(bytes)) }
    }

    /// A key that nobody has seen, from the machine's random numbers. They cannot be seeded: a key that can be repeated
    /// is none.
    ///
    /// ```
    /// # use tabletheory_core::keys::SecretKey;
    /// assert_ne!(SecretKey::generate().expose(), SecretKey::generate().expose());
    /// ```
    #[must_use]
    pub fn generate() -> Self {
        let mut key = Self::new([0; Self::BYTES]);
        for part in key.bytes.chunks_exact_mut(ENTROPY_BYTES) {
            part.copy_from_slice(&SystemEntropy.bits().to_le_bytes());
        }
        key
    }

    /// The bytes, for the cipher or for another keeper of keys.
    ///
    /// ```
    /// # use tabletheory_core::keys::SecretKey;
    /// assert_eq!(SecretKey::new([9; 32]).expose().len(), 32);
    /// ```
    #[must_use]
    pub fn expose(&self) -> &[u8; Self::BYTES] {
        &self.bytes
    }
}

/// Takes the bytes of a key as a file or a service gives them, and wipes them.
///
/// ```
/// use tabletheory_core::keys::{KeyError, SecretKey};
///
/// assert_eq!(SecretKey::try_from(vec![7; 32])?.expose(), &[7; 32]);
/// assert_eq!(SecretKey::try_from(vec![7; 16]).unwrap_err(), KeyError::WrongLength { bytes: 16 });
/// # Ok::<(), KeyError>(())
/// ```
impl TryFrom<Vec<u8>> for SecretKey {
    type Error = KeyError;

    fn try_from(mut bytes: Vec<u8>) -> Result<Self, KeyError> {
        let mut key = Self::new([0; Self::BYTES]);
        let length = bytes.len();
        if length == Self::BYTES {
            key.bytes.copy_from_slice(&bytes);
        }
        bytes.zeroize();
        if length == Self::BYTES { Ok(key) } else { Err(KeyError::WrongLength { bytes: length }) }
    }
}

/// A copy that is wiped by itself, made in its own place.
///
/// ```
/// use tabletheory_core::keys::SecretKey;
///
/// let key = SecretKey::generate();
/// assert_eq!(key.clone().expose(), key.expose());
/// ```
impl Clone for SecretKey {
    fn clone(&self) -> Self {
        let mut copy = Self::new([0; Self::BYTES]);
        copy.bytes.copy_from_slice(self.expose());
        copy
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}
