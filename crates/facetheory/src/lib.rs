//! Page regeneration on any store and any object store.

pub mod error;
pub mod freshness;
pub mod key;
pub mod meta;
pub mod policy;
pub mod record;
pub mod render;
pub mod tenant;

pub use error::Error;
pub use key::{KeyScheme, PageKey, Partition};
pub use policy::{Mode, Policy};
pub use tenant::Tenant;
