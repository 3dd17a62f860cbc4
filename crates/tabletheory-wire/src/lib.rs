//! The DynamoDB JSON protocol: any [`Store`](tabletheory_core::Store) behind HTTP.

mod constraint;
pub mod decode;
pub mod encode;
pub mod error;
mod shape;
