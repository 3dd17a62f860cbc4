//! Data keys that are used more than once, for those whose keys come from a service that is slow or paid by the call. It is a
//! trade, so it is bounded three ways: how often, how long, how many. What is kept is left to `kept`.

mod bounds;
mod kept;
mod shelf;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tabletheory_core::Clock;
use tabletheory_core::keys::{DataKey, KeyContext, KeyFuture, KeyProvider, Nonce, SecretKey};
use tabletheory_core::sys::SystemClock;

use kept::Kept;

pub use bounds::Reuse;

/// Keeps the data keys of another provider for a while: values of an attribute that are written one after the other share
/// a data key, and what was decrypted once is not decrypted again. The envelopes stay those of version 1, and whoever opens
/// them notices nothing.
///
/// What it costs: values that share a data key fall together if that key is found, and plain keys are in memory for longer.
/// They are wiped when they are given up. That happens at the next call after their time, because nothing runs here by
/// itself; and with the last of the clones, which share what they keep.
///
/// A failure is never kept, and a key whose time is over is never used because the provider is away.
///
/// ```
/// use tabletheory::encryption::{Envelope, KeyContext, Reuse, ReusedKeys, testing::DeterministicKeys};
/// use tabletheory_core::Value;
///
/// # futures_executor::block_on(async {
/// let keys = ReusedKeys::new(DeterministicKeys::new("seed"), Reuse::default());
/// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
/// let Value::M(one) = Envelope::seal(&Value::s("influenza"), context, &keys).await? else { unreachable!() };
/// let Value::M(two) = Envelope::seal(&Value::s("influenza"), context, &keys).await? else { unreachable!() };
/// assert_eq!(one.get("edk"), two.get("edk"), "the data key is the same");
/// assert_ne!(one.get("ct"), two.get("ct"), "and the values cannot be told equal");
/// # Ok::<(), tabletheory::encryption::EncryptionError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct ReusedKeys<P> {
    provider: P,
    reuse: Reuse,
    clock: Arc<dyn Clock>,
    kept: Arc<Mutex<Kept>>,
}

impl<P: KeyProvider> ReusedKeys<P> {
    /// The provider's keys, kept within these bounds.
    ///
    /// ```
    /// # use tabletheory::encryption::{LocalKeys, Reuse, ReusedKeys, SecretKey};
    /// let keys = ReusedKeys::new(LocalKeys::new(1, SecretKey::generate()), Reuse::default());
    /// assert!(format!("{keys:?}").starts_with("ReusedKeys { provider: LocalKeys { ids: [1] }"));
    /// ```
    #[must_use]
    pub fn new(provider: P, reuse: Reuse) -> Self {
        Self { provider, reuse, clock: Arc::new(SystemClock), kept: Arc::default() }
    }

    /// Tells the age of keys by another clock than the machine's.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::encryption::{KeyContext, KeyProvider, LocalKeys, Reuse, ReusedKeys, SecretKey};
    /// use tabletheory_core::{ManualClock, Seconds, Timestamp};
    ///
    /// # futures_executor::block_on(async {
    /// let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(100)));
    /// let keys = ReusedKeys::new(LocalKeys::new(1, SecretKey::generate()), Reuse::default()).with_clock(clock.clone());
    /// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
    /// let first = keys.generate(context).await?.encrypted;
    /// assert_eq!(keys.generate(context).await?.encrypted, first);
    /// clock.advance(Seconds(300));
    /// assert_ne!(keys.generate(context).await?.encrypted, first);
    /// # Ok::<(), tabletheory::encryption::KeyError>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Gives up and wipes every kept key now, as before a process is frozen.
    ///
    /// ```
    /// # use tabletheory::encryption::{KeyContext, KeyProvider, LocalKeys, Reuse, ReusedKeys, SecretKey};
    /// # futures_executor::block_on(async {
    /// let keys = ReusedKeys::new(LocalKeys::new(1, SecretKey::generate()), Reuse::default());
    /// let context = KeyContext { model: "Patient", attribute: "diagnosis" };
    /// let first = keys.generate(context).await?.encrypted;
    /// keys.forget();
    /// assert_ne!(keys.generate(context).await?.encrypted, first);
    /// # Ok::<(), tabletheory::encryption::KeyError>(())
    /// # }).unwrap();
    /// ```
    pub fn forget(&self) {
        *self.kept() = Kept::default();
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // What is kept is whole after every step, also after one that panicked.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[deny(clippy::missing_trait_methods)]
impl<P: KeyProvider> KeyProvider for ReusedKeys<P> {
    fn generate<'a>(&'a self, context: KeyContext<'a>) -> KeyFuture<'a, DataKey> {
        Box::pin(async move {
            // The age counts from the question: the answer may have been on its way for long.
            let asked = self.clock.now();
            if let Some(key) = self.kept().encrypting(context, asked, &self.reuse) {
                return Ok(key);
            }
            let key = self.provider.generate(context).await?;
            self.kept().keep_encrypting(context, &key, asked, &self.reuse);
            Ok(key)
        })
    }

    fn decrypt<'a>(&'a self, encrypted: &'a [u8], context: KeyContext<'a>) -> KeyFuture<'a, SecretKey> {
        Box::pin(async move {
            let asked = self.clock.now();
            if let Some(key) = self.kept().decrypting(context, encrypted, asked, &self.reuse) {
                return Ok(key);
            }
            let key = self.provider.decrypt(encrypted, context).await?;
            self.kept().keep_decrypting(context, encrypted, &key, asked, &self.reuse);
            Ok(key)
        })
    }

    fn nonce(&self, context: KeyContext<'_>) -> Nonce {
        self.provider.nonce(context)
    }
}

impl<P: fmt::Debug> fmt::Debug for ReusedKeys<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReusedKeys")
            .field("provider", &self.provider)
            .field("reuse", &self.reuse)
            .finish_non_exhaustive()
    }
}
