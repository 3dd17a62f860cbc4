//! Attributes that the table keeps encrypted: the envelope of version 1, byte for byte that of the other TableTheory
//! toolkits, so that a table can be shared with them.
//!
//! A value becomes `M{ v, edk, nonce, ct }`: compact JSON under AES-256-GCM with a data key of its own (`ct`, `nonce`),
//! beside that data key as the [`KeyProvider`] encrypted it (`edk`). Which attributes are encrypted, the models say with
//! `#[model(encrypted)]`; a [`Sealer`] seals and opens them.
//!
//! What the format promises: nobody without the provider reads a value, changes it, or passes it off as another
//! attribute. What it does not: the attribute's name is all that a value is bound to, so whoever may write to the table
//! can move an envelope to the same attribute of another item, or put an older one back. Keys are wiped from memory when
//! they are dropped; the values themselves are ordinary values.
//!
//! ```
//! use tabletheory::encryption::{Envelope, KeyContext, LocalKeys, SecretKey};
//! use tabletheory_core::Value;
//!
//! # futures_executor::block_on(async {
//! let keys = LocalKeys::new(1, SecretKey::generate());
//! let context = KeyContext { model: "Patient", attribute: "diagnosis" };
//! let stored = Envelope::seal(&Value::s("influenza"), context, &keys).await?;
//! assert!(matches!(stored, Value::M(_)));
//! assert_eq!(Envelope::open(&stored, context, &keys).await?, Value::s("influenza"));
//!
//! let elsewhere = KeyContext { model: "Patient", attribute: "name" };
//! assert!(Envelope::open(&stored, elsewhere, &keys).await.is_err());
//! # Ok::<(), tabletheory::encryption::EncryptionError>(())
//! # }).unwrap();
//! ```

mod cipher;
mod envelope;
mod error;
mod local;
mod payload;
mod reuse;
mod sealer;
pub mod testing;
#[cfg(test)]
mod tests;

pub use envelope::Envelope;
pub use error::EncryptionError;
pub use local::LocalKeys;
pub use reuse::{Reuse, ReusedKeys};
pub use sealer::Sealer;
pub use tabletheory_core::keys::{DataKey, KeyContext, KeyError, KeyFuture, KeyProvider, Nonce, SecretKey};
