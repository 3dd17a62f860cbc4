//! The operations, in files named as in `tabletheory_core::store::op`. Reads take a view and answer; writes are checked
//! against a view and become work for the writer.

pub(crate) mod batch;
pub(crate) mod item;
pub(crate) mod read;
pub(crate) mod statement;
pub(crate) mod stream;
pub(crate) mod table;
pub(crate) mod transact;
