//! Page regeneration on any store and any object store.

pub mod error;
pub mod key;
pub mod meta;
pub mod record;
pub mod tenant;

#[cfg(test)]
mod model;

pub use error::Error;
pub use key::{KeyScheme, PageKey, Partition};
pub use tenant::Tenant;
