//! What applications import: typed DynamoDB on any [`Store`](tabletheory_core::Store), the embedded engine or DynamoDB
//! itself.

pub mod attribute;
pub mod cursor;
pub mod encryption;
pub mod lease;
#[cfg(feature = "embedded")]
pub mod testing;
