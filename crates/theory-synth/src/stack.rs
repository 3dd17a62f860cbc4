//! Whole templates, ready to deploy: each is settings on the one side and a template on the other.

mod archive;
mod cache_table;
mod further;
mod idempotent;
mod limited;
mod one_table;
mod site;
mod sweep;
mod tables;
mod tenancy;

pub use archive::{StreamSource, TtlArchive};
pub use cache_table::CacheTable;
pub use idempotent::IdempotentFunction;
pub use limited::RateLimitedFunction;
pub use site::{Access, IsrSite, RegenerationQueue};
pub use tables::Tables;
