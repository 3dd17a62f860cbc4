//! The DynamoDB JSON protocol: any [`Store`](tabletheory_core::Store) behind HTTP.

pub mod sigv4;
