//! AES-256-GCM over bytes, the tag at their end. What is encrypted, and with which key, is left to the callers.

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Error};
use tabletheory_core::entropy::Entropy;
use tabletheory_core::sys::SystemEntropy;

use super::secret::SecretKey;

pub(super) const NONCE_BYTES: usize = 12;
pub(super) const TAG_BYTES: usize = 16;

/// What makes two encryptions with one key differ. Two values under the same key and nonce give each other away.
///
/// ```
/// use tabletheory::encryption::Nonce;
///
/// assert_eq!(size_of::<Nonce>(), 12);
/// ```
pub type Nonce = [u8; NONCE_BYTES];

pub(super) fn random_nonce() -> Nonce {
    let bits = SystemEntropy.bits().to_le_bytes();
    *bits.first_chunk().expect("16 bytes begin with 12")
}

/// Replaces the plaintext by the ciphertext and its tag. A vector without room for the tag moves, and what it held
/// stays where it was.
pub(super) fn encrypt(key: &SecretKey, nonce: &Nonce, associated: &[u8], text: &mut Vec<u8>) {
    Aes256Gcm::new(key.expose().into())
        .encrypt_in_place(nonce.into(), associated, text)
        .expect("an attribute is shorter than the 64 GB that AES-GCM takes");
}

/// Replaces the ciphertext and its tag by the plaintext.
///
/// # Errors
///
/// If anything differs from what was encrypted: the key, the nonce, the associated bytes, the ciphertext or its tag.
pub(super) fn decrypt(
    key: &SecretKey,
    nonce: &Nonce,
    associated: &[u8],
    text: &mut Vec<u8>,
) -> Result<(), Error> {
    Aes256Gcm::new(key.expose().into()).decrypt_in_place(nonce.into(), associated, text)
}
