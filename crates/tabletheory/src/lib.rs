//! What applications import: typed DynamoDB on any [`Store`](tabletheory_core::Store), the embedded engine or DynamoDB
//! itself.

pub mod lease;
