//! The rows of a page as models: what lies in the table, with the names, types and units that the other stores use.
//!
//! | sk | row |
//! |---|---|
//! | `META` | [`Meta`]: what was rendered, and where its body is |
//! | `LOCK` | [`Lock`]: who renders now |
//! | `VER#<id>` | [`Version`]: what was rendered before |
//! | `REQ#<key>` | [`Request`]: one intent to regenerate |
//! | `EPOCH` | [`Epoch`]: how often the page was purged; [`Journal`]: what was purged in a whole site |
//!
//! Attributes that only this crate writes may be missing; other readers ignore them.

mod epoch;
mod header;
mod journal;
mod lock;
mod meta;
mod request;
mod version;

pub use epoch::Epoch;
pub use header::KeptHeader;
pub use journal::Journal;
pub use lock::Lock;
pub use meta::Meta;
pub use request::{Request, RequestStatus};
pub use version::Version;

#[cfg(test)]
mod tests;
