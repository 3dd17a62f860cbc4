//! What applications import: typed DynamoDB on any [`Store`](tabletheory_core::Store), the embedded engine or DynamoDB
//! itself.

pub mod attribute;
#[doc(hidden)]
pub mod derived;
pub mod encryption;
pub mod field;
pub mod key;
pub mod model;
#[cfg(feature = "embedded")]
pub mod testing;

pub use attribute::Attribute;
pub use model::Model;
#[cfg(feature = "derive")]
pub use tabletheory_derive::{Attribute, Model};
