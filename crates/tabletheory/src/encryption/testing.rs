//! Keys for tests: repeatable, and therefore no secret to anyone who knows the seed. **Not for production.**

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use tabletheory_core::keys::{DataKey, KeyContext, KeyFuture, KeyProvider, Nonce, SecretKey};

/// The deterministic provider of the toolkits' test kits: the same seed and the same calls in the same order give the
/// same envelopes, in every language. **Not for production**: keys and nonces repeat with each start.
///
/// ```
/// use tabletheory::encryption::{Envelope, KeyContext, testing::DeterministicKeys};
/// use tabletheory_core::Value;
///
/// # futures_executor::block_on(async {
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// let here = Envelope::seal(&Value::s("influenza"), context, &DeterministicKeys::new("seed")).await?;
/// let there = Envelope::seal(&Value::s("influenza"), context, &DeterministicKeys::new("seed")).await?;
/// assert_eq!(here, there);
/// # Ok::<(), tabletheory::encryption::EncryptionError>(())
/// # }).unwrap();
/// ```
pub struct DeterministicKeys {
    master: SecretKey,
    /// How many encrypted keys and nonces were given out. Both count, as they do in the other toolkits.
    given: AtomicU64,
}

impl DeterministicKeys {
    /// The keys that belong to the seed.
    ///
    /// ```
    /// # use tabletheory::encryption::testing::DeterministicKeys;
    /// assert_eq!(format!("{:?}", DeterministicKeys::new("seed")), "DeterministicKeys { given: 0 }");
    /// ```
    #[must_use]
    pub fn new(seed: &str) -> Self {
        Self { master: SecretKey::new(Sha256::digest(seed).into()), given: AtomicU64::new(0) }
    }

    fn next(&self, purpose: &str, context: KeyContext<'_>) -> [u8; 32] {
        let KeyContext { model, attribute } = context;
        let count = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        self.mac(format!("{purpose}|{model}|{attribute}|{count}").as_bytes())
    }

    fn mac(&self, text: &[u8]) -> [u8; 32] {
        let mac =
            Hmac::<Sha256>::new_from_slice(self.master.expose()).expect("HMAC takes a key of any length");
        mac.chain_update(text).finalize().into_bytes().into()
    }
}

impl KeyProvider for DeterministicKeys {
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        let encrypted = self.next("edk", context);
        let plaintext = SecretKey::new(self.mac(&encrypted));
        Box::pin(std::future::ready(Ok(DataKey { plaintext, encrypted: encrypted.to_vec() })))
    }

    fn decrypt<'a>(&'a self, encrypted: &'a [u8], _: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(std::future::ready(Ok(SecretKey::new(self.mac(encrypted)))))
    }

    fn nonce(&self, context: KeyContext<'_>) -> Nonce {
        let bytes = self.next("nonce", context);
        *bytes.first_chunk().expect("32 bytes begin with 12")
    }
}

impl fmt::Debug for DeterministicKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeterministicKeys").field("given", &self.given).finish()
    }
}
