//! Key material: 32 bytes that are wiped when dropped and never shown.

use std::fmt;

use tabletheory_core::entropy::Entropy;
use tabletheory_core::sys::SystemEntropy;
use zeroize::{Zeroize, Zeroizing};

use super::error::KeyError;

pub(super) const KEY_BYTES: usize = 32;
const ENTROPY_BYTES: usize = size_of::<u128>();

/// A key of AES-256. Its memory is overwritten when it is dropped, and its `Debug` does not show it.
///
/// ```
/// use tabletheory::encryption::SecretKey;
///
/// let key = SecretKey::new([7; 32]);
/// assert_eq!(key.expose(), &[7; 32]);
/// assert_eq!(format!("{key:?}"), "SecretKey(..)");
/// ```
pub struct SecretKey {
    // In a box, because moving an array leaves a copy behind that nobody would wipe.
    bytes: Box<Zeroizing<[u8; KEY_BYTES]>>,
}

impl SecretKey {
    /// The key with these bytes. The caller's own copy is the caller's to wipe.
    ///
    /// ```
    /// # use tabletheory::encryption::SecretKey;
    /// assert_eq!(SecretKey::new([1; 32]).expose()[0], 1);
    /// ```
    #[must_use]
    pub fn new(bytes: [u8; KEY_BYTES]) -> Self {
        Self { bytes: Box::new(Zeroizing::new(bytes)) }
    }

    /// A key that nobody has seen, from the machine's random numbers. They cannot be seeded: a key that can be repeated
    /// is none.
    ///
    /// ```
    /// # use tabletheory::encryption::SecretKey;
    /// assert_ne!(SecretKey::generate().expose(), SecretKey::generate().expose());
    /// ```
    #[must_use]
    pub fn generate() -> Self {
        let mut key = Self::new([0; KEY_BYTES]);
        for part in key.bytes.chunks_exact_mut(ENTROPY_BYTES) {
            part.copy_from_slice(&SystemEntropy.bits().to_le_bytes());
        }
        key
    }

    /// The bytes, for the cipher or for another keeper of keys.
    ///
    /// ```
    /// # use tabletheory::encryption::SecretKey;
    /// assert_eq!(SecretKey::new([9; 32]).expose().len(), 32);
    /// ```
    #[must_use]
    pub fn expose(&self) -> &[u8; KEY_BYTES] {
        &self.bytes
    }
}

/// Takes the bytes of a key as a file or a service gives them, and wipes them.
///
/// ```
/// use tabletheory::encryption::{KeyError, SecretKey};
///
/// assert_eq!(SecretKey::try_from(vec![7; 32])?.expose(), &[7; 32]);
/// assert_eq!(SecretKey::try_from(vec![7; 16]).unwrap_err(), KeyError::WrongLength { bytes: 16 });
/// # Ok::<(), KeyError>(())
/// ```
impl TryFrom<Vec<u8>> for SecretKey {
    type Error = KeyError;

    fn try_from(mut bytes: Vec<u8>) -> Result<Self, KeyError> {
        let mut key = Self::new([0; KEY_BYTES]);
        let length = bytes.len();
        if length == KEY_BYTES {
            key.bytes.copy_from_slice(&bytes);
        }
        bytes.zeroize();
        if length == KEY_BYTES { Ok(key) } else { Err(KeyError::WrongLength { bytes: length }) }
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(..)")
    }
}
