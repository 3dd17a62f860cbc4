//! Batches: many items that have nothing to do with each other, in as few requests as possible.

mod get;
mod reads;
mod work;
mod write;
mod writes;

pub use get::{BatchGet, Got};
pub use write::{BatchWrite, WriteOutcome};
