//! The number that is used once.

use crate::entropy::Entropy;
use crate::sys::SystemEntropy;

/// What makes two encryptions with one key differ. Two values under the same key and nonce give each other away.
///
/// ```
/// use tabletheory_core::keys::Nonce;
///
/// assert_eq!(size_of::<Nonce>(), 12);
/// ```
pub type Nonce = [u8; 12];

/// A nonce from the machine's random numbers. One key may have four billion of them before a repetition is to be feared.
///
/// ```
/// use tabletheory_core::keys::random_nonce;
///
/// assert_ne!(random_nonce(), random_nonce());
/// ```
#[must_use]
pub fn random_nonce() -> Nonce {
    let bits = SystemEntropy.bits().to_le_bytes();
    *bits.first_chunk().expect("16 bytes begin with 12")
}
