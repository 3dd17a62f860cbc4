//! The DynamoDB JSON protocol: any [`Store`](tabletheory_core::Store) behind HTTP.

pub mod encode;
pub mod error;
