//! DynamoDB's exports to S3: a folder of compressed files with a line for each item, and manifests that say which files there are. Exports
//! are written in the same form, and are read as a store that can only be scanned.

mod error;
pub mod line;
mod lines;
mod manifest;
mod many;
mod place;
mod source;
mod write;

pub use error::ExportError;
pub use many::Exports;
pub use place::{Found, Place};
pub use source::ExportStore;
pub use write::{Exported, export};
