//! A provider for those without a key service: data keys are encrypted with master keys that the application holds.
//!
//! An encrypted data key is 65 bytes: the format `1`, the master key's id in four bytes, the largest first, a nonce of 12
//! bytes, and the data key under AES-256-GCM with its tag.

use std::fmt;

use tabletheory_core::keys::{
    DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, Nonce, SecretKey, random_nonce,
};

use super::cipher::{self, TAG_BYTES};

const FORMAT: u8 = 1;
const ID_BYTES: usize = size_of::<u32>();
const WRAPPED_BYTES: usize = SecretKey::BYTES + TAG_BYTES;
const ENCRYPTED_BYTES: usize = 1 + ID_BYTES + size_of::<Nonce>() + WRAPPED_BYTES;

/// Data keys under master keys of one's own. The first master key encrypts, all of them decrypt.
///
/// To rotate, put a new master key under a new id in front and keep the old ones until every item has been written again.
/// A master key encrypts one data key for each value written; rotate it before four billion of them, because their
/// nonces are random.
///
/// ```
/// use tabletheory::encryption::{Envelope, KeyContext, LocalKeys, SecretKey};
/// use tabletheory_core::Value;
///
/// # futures_executor::block_on(async {
/// let master = |byte| SecretKey::new([byte; 32]);
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// let stored = Envelope::seal(&Value::s("influenza"), context, &LocalKeys::new(1, master(1))).await?;
///
/// let rotated = LocalKeys::new(2, master(2)).with_older(1, master(1));
/// assert_eq!(Envelope::open(&stored, context, &rotated).await?, Value::s("influenza"));
/// assert_eq!(format!("{rotated:?}"), "LocalKeys { ids: [2, 1] }");
///
/// let forgotten = LocalKeys::new(2, master(2));
/// assert!(Envelope::open(&stored, context, &forgotten).await.is_err());
/// # Ok::<(), tabletheory::encryption::EncryptionError>(())
/// # }).unwrap();
/// ```
pub struct LocalKeys {
    newest: MasterKey,
    older: Vec<MasterKey>,
}

struct MasterKey {
    id: u32,
    key: SecretKey,
}

impl LocalKeys {
    /// A provider with one master key. Its id is stored with every value, so that the key is found again.
    ///
    /// ```
    /// # use tabletheory::encryption::{LocalKeys, SecretKey};
    /// let keys = LocalKeys::new(7, SecretKey::generate());
    /// assert_eq!(format!("{keys:?}"), "LocalKeys { ids: [7] }");
    /// ```
    #[must_use]
    pub fn new(id: u32, master: SecretKey) -> Self {
        Self { newest: MasterKey { id, key: master }, older: Vec::new() }
    }

    /// Also decrypts what an older master key encrypted. Where two have the same id, both are tried.
    ///
    /// ```
    /// # use tabletheory::encryption::{LocalKeys, SecretKey};
    /// let keys = LocalKeys::new(8, SecretKey::generate()).with_older(7, SecretKey::generate());
    /// assert_eq!(format!("{keys:?}"), "LocalKeys { ids: [8, 7] }");
    /// ```
    #[must_use]
    pub fn with_older(mut self, id: u32, master: SecretKey) -> Self {
        self.older.push(MasterKey { id, key: master });
        self
    }

    fn masters(&self) -> impl Iterator<Item = &MasterKey> {
        std::iter::once(&self.newest).chain(&self.older)
    }

    fn unwrap_key(&self, encrypted: &[u8]) -> Result<SecretKey, KeyError> {
        let refused = |reason: &str| KeyError::Refused { reason: reason.to_owned() };
        let encrypted: &[u8; ENCRYPTED_BYTES] =
            encrypted.as_array().ok_or_else(|| refused("the encrypted data key is not of this provider"))?;
        let (format, rest) = encrypted.split_at(1);
        if format != [FORMAT] {
            return Err(refused("the encrypted data key is of an unknown format"));
        }
        let (id, rest) = rest.split_first_chunk().expect("the length was checked");
        let (nonce, wrapped) = rest.split_first_chunk().expect("the length was checked");
        let id = u32::from_be_bytes(*id);
        let mut known = self.masters().filter(|master| master.id == id).peekable();
        if known.peek().is_none() {
            return Err(KeyError::Refused { reason: format!("no master key has the id {id}") });
        }
        known.find_map(|master| master.open(nonce, wrapped)).ok_or_else(|| KeyError::Refused {
            reason: format!("master key {id} did not encrypt the data key"),
        })
    }
}

impl MasterKey {
    fn wrap(&self, key: &SecretKey) -> Vec<u8> {
        let nonce = random_nonce();
        // With room for the tag from the start: a vector that grows leaves a copy of the key behind.
        let mut wrapped = Vec::with_capacity(WRAPPED_BYTES);
        wrapped.extend_from_slice(key.expose());
        cipher::encrypt(&self.key, &nonce, &self.associated(), &mut wrapped);
        [&[FORMAT][..], &self.id.to_be_bytes(), &nonce, &wrapped].concat()
    }

    fn open(&self, nonce: &Nonce, wrapped: &[u8]) -> Option<SecretKey> {
        let mut key = wrapped.to_vec();
        cipher::decrypt(&self.key, nonce, &self.associated(), &mut key).ok()?;
        SecretKey::try_from(key).ok()
    }

    fn associated(&self) -> Vec<u8> {
        format!("tabletheory:local-key:v{FORMAT}|id={}", self.id).into_bytes()
    }
}

impl KeyProvider for LocalKeys {
    fn generate<'a>(&'a self, _: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        let plaintext = SecretKey::generate();
        let encrypted = self.newest.wrap(&plaintext);
        Box::pin(std::future::ready(Ok(DataKey { plaintext, encrypted })))
    }

    fn decrypt<'a>(&'a self, encrypted: &'a [u8], _: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(std::future::ready(self.unwrap_key(encrypted)))
    }
}

impl fmt::Debug for LocalKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<u32> = self.masters().map(|master| master.id).collect();
        f.debug_struct("LocalKeys").field("ids", &ids).finish()
    }
}
