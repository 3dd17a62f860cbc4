//! Where data keys come from: [`KeyProvider`], and what it is asked and answers with.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::error::KeyError;
use super::nonce::{Nonce, random_nonce};
use super::secret::SecretKey;

/// Which attribute a key is for.
///
/// Providers may use it to choose a key, to log or to count. They must not bind a data key to the model's name: a renamed
/// model would lose its values, and the other toolkits do not.
///
/// ```
/// use tabletheory_core::keys::KeyContext;
///
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// assert_eq!(context.attribute, "diagnosis");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyContext<'a> {
    /// The model's name. No envelope depends on it.
    pub model: &'a str,
    /// The attribute's name in the table.
    pub attribute: &'a str,
}

/// A key to encrypt one value with, and the same key as the provider will take it back.
///
/// ```
/// use tabletheory_core::keys::{DataKey, SecretKey};
///
/// let key = DataKey { plaintext: SecretKey::new([7; 32]), encrypted: vec![1, 2, 3] };
/// assert_eq!(format!("{key:?}"), "DataKey { plaintext: SecretKey(..), encrypted: 3 bytes }");
/// ```
pub struct DataKey {
    /// The key. It never leaves the process.
    pub plaintext: SecretKey,
    /// The key, encrypted by the provider. It is stored beside the value.
    pub encrypted: Vec<u8>,
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataKey")
            .field("plaintext", &self.plaintext)
            .field("encrypted", &format_args!("{} bytes", self.encrypted.len()))
            .finish()
    }
}

/// The answer to come of a [`KeyProvider`].
///
/// ```
/// use tabletheory_core::keys::{KeyFuture, SecretKey};
///
/// let key: KeyFuture<'_, SecretKey> = Box::pin(async { SecretKey::try_from(vec![7; 32]) });
/// assert_eq!(futures_executor::block_on(key).unwrap().expose(), &[7; 32]);
/// ```
pub type KeyFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, KeyError>> + Send + 'a>>;

/// Gives data keys and takes them back: a key service, or master keys of one's own.
///
/// On AWS `generate` is KMS's GenerateDataKey of an AES_256 key and `decrypt` its Decrypt, both with the KeyId and without
/// an encryption context, which the other toolkits do not send.
///
/// ```
/// use tabletheory_core::keys::{DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, SecretKey};
///
/// /// A service that is down.
/// #[derive(Debug)]
/// struct Down;
///
/// impl KeyProvider for Down {
///     fn generate<'a>(&'a self, _: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
///         Box::pin(async { Err(KeyError::Unavailable { reason: "no answer".to_owned() }) })
///     }
///
///     fn decrypt<'a>(&'a self, _: &'a [u8], _: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
///         Box::pin(async { Err(KeyError::Unavailable { reason: "no answer".to_owned() }) })
///     }
/// }
///
/// let keys: Box<dyn KeyProvider> = Box::new(Down);
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// let error = futures_executor::block_on(keys.generate(context)).unwrap_err();
/// assert_eq!(error.to_string(), "the keys are unavailable: no answer");
/// assert_ne!(keys.nonce(context), keys.nonce(context));
/// ```
pub trait KeyProvider: fmt::Debug + Send + Sync {
    /// A data key to encrypt a value of this attribute with.
    ///
    /// # Errors
    ///
    /// As [`KeyError`] says.
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey>;

    /// The data key that [`generate`](Self::generate) encrypted, here or in another process.
    ///
    /// # Errors
    ///
    /// As [`KeyError`] says. A provider that cannot tell a changed key from a true one may answer with any key; the value
    /// is refused then.
    fn decrypt<'a>(&'a self, encrypted: &'a [u8], context: KeyContext<'a>) -> KeyFuture<'a, SecretKey>;

    /// The nonce to encrypt the next value of this attribute with: random, unless repeatable envelopes are the purpose,
    /// as they are in tests alone.
    fn nonce(&self, _: KeyContext<'_>) -> Nonce {
        random_nonce()
    }
}

#[deny(clippy::missing_trait_methods)]
impl<P: KeyProvider + ?Sized> KeyProvider for Arc<P> {
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        (**self).generate(context)
    }

    fn decrypt<'a>(&'a self, encrypted: &'a [u8], context: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        (**self).decrypt(encrypted, context)
    }

    fn nonce(&self, context: KeyContext<'_>) -> Nonce {
        (**self).nonce(context)
    }
}
