//! Keys for encrypted attributes as a component: [`KeyProvider`] gives data keys and takes them back. What is encrypted
//! with them, and how, is left to the crate `tabletheory`; here stand the role and its words, so that a key service can
//! play it without the cipher.

mod error;
mod nonce;
mod provider;
mod secret;

pub use error::KeyError;
pub use nonce::{Nonce, random_nonce};
pub use provider::{DataKey, KeyContext, KeyFuture, KeyProvider};
pub use secret::SecretKey;
