//! Bodies: where rendered pages lie. A body is put once under a key of its own, durable before the put returns; it is read
//! back by the pointer that META names, and what is gone or differs from what META promised is a miss, never wrong bytes.
//!
//! ```
//! use bytes::Bytes;
//! use facetheory::body::{Bodies, BodyKey};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), facetheory::body::BodyError> {
//! let bodies = Bodies::memory();
//! let key = BodyKey::new("CACHE#1", "attempt 1");
//! let stored = bodies.put(&key, Bytes::from("<h1>News</h1>")).await?;
//!
//! let body = bodies.get(key.as_str(), Some(&stored)).await?.expect("it was put");
//! assert_eq!(body.bytes(), "<h1>News</h1>");
//! assert!(bodies.get("../../etc/passwd", None).await?.is_none());
//! # Ok(())
//! # }
//! ```
//!
//! Modules in dependency order: `digest`, `key`, `pointer`; `settings`, `encoding`, `content`, `hot`; `error`, `blocking`, `found`, `listed`, `resident`,
//! `walk`, `folder`, `objects`, `s3`, `medium`; `usage`, `sweep`, `bodies`.

mod blocking;
mod bodies;
mod content;
mod digest;
mod encoding;
mod error;
mod folder;
mod found;
mod hot;
mod key;
mod listed;
mod medium;
mod objects;
mod pointer;
mod resident;
#[cfg(feature = "s3")]
mod s3;
mod settings;
mod sweep;
mod usage;
mod walk;

pub use bodies::Bodies;
pub use content::Body;
pub use digest::{Digest, NotADigest, Stored};
pub use encoding::{Encoding, compressible};
pub use error::{BodyError, BodyOperation};
pub use key::BodyKey;
#[cfg(feature = "s3")]
pub use s3::{S3Credentials, S3Settings};
pub use settings::{BodySettings, Compression};
pub use sweep::BodySweep;
pub use usage::BodyUsage;
