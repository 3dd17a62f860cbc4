//! AES-256-GCM over bytes, the tag at their end. What is encrypted, and with which key, is left to the callers.

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Error};
use tabletheory_core::keys::{Nonce, SecretKey};

pub(super) const TAG_BYTES: usize = 16;

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
