//! The operations, in files named as in `tabletheory_core::store::op`. Reads take a view and answer; writes are checked
//! against a view and become work for the writer.

pub mod batch;
pub mod item;
pub mod read;
pub mod statement;
pub mod stream;
pub mod table;
pub mod transact;
