//! Transactions: writes of different models that happen together or not at all, and reads as of one moment.

mod get;
mod keys;
mod operation;
mod ready;
mod save_all;
mod write;

pub use get::TransactGet;
pub use keys::TransactKeys;
pub use operation::TransactOperation;
pub use save_all::{SaveAll, SaveOutcome};
pub use write::Transact;
