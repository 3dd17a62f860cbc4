//! The DynamoDB JSON protocol: any [`Store`](tabletheory_core::Store) behind HTTP.

mod constraint;
pub mod decode;
pub mod encode;
mod endpoint;
pub mod error;
pub mod server;
mod shape;
pub mod sigv4;
mod target;

pub use endpoint::{Answer, Endpoint};
