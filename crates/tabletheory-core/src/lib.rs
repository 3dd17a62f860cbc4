//! DynamoDB as Rust types: values and items, the expression language, the operations, and the [`Store`] trait at which
//! everything that keeps data and everything that uses it meet.
//!
//! Modules in dependency order: [`limits`], [`clock`] and [`entropy`] (with the machine's own in [`sys`]), [`keyed_hash`], [`keys`],
//! [`number`], [`value`] with [`item`] and [`size`], [`error`], [`validate`], [`json`], [`schema`], [`expr`], [`legacy`],
//! [`store`], [`partiql`].

pub mod clock;
pub mod entropy;
pub mod error;
pub mod expr;
pub mod item;
pub mod json;
pub mod keyed_hash;
pub mod keys;
pub mod legacy;
pub mod limits;
pub mod number;
pub mod partiql;
pub mod schema;
pub mod size;
pub mod store;
pub mod sys;
pub mod validate;
pub mod value;

pub use clock::{Clock, ManualClock, Seconds, Timestamp};
pub use entropy::{Entropy, SeededEntropy, jittered};
pub use error::StoreError;
pub use item::Item;
pub use number::Number;
pub use store::Store;
pub use store::ext::StoreExt;
pub use store::request::{Operation, Request, Response};
pub use value::{Value, ValueType};

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
