//! Infrastructure from the same definitions that the runtime works with: models become tables, functions get the environment
//! and the permissions that their code needs, and alarms watch the figures that it tells.
//!
//! ```
//! use tabletheory::Model;
//! use theory_synth::{TableResource, Template, check};
//!
//! #[derive(Model)]
//! #[model(table = "users", pk = "USER#{id}", sk = "PROFILE", index(name = "by_city", pk = city))]
//! struct User {
//!     id: String,
//!     city: String,
//! }
//!
//! let mut template = Template::new("The tables of a shop.");
//! TableResource::of::<User>("Users").add_to(&mut template)?;
//! assert!(template.to_yaml()?.contains("IndexName: by_city"));
//! # Ok::<(), theory_synth::Error>(())
//! ```
//!
//! | module | what it is for |
//! |---|---|
//! | [`environment`], [`metric`] | the words that templates and functions share |
//! | [`Node`], [`Map`], [`read`], [`json`], [`yaml`], [`intrinsic`] | a template as a tree, from text and as text |
//! | [`Template`], [`Resource`] | parameters, resources and outputs; a name stands for one thing |
//! | [`TableResource`], [`FunctionResource`], [`BucketResource`], [`QueueResource`] | what templates are made of |
//! | [`Statement`], [`Kind`] | what a function may do: what its code does, and nothing else |
//! | [`alarm`] | what is watched |
//! | [`stack`] | whole templates: `theory synth` |
//! | [`check`] | whether the tables of any template are those that the runtime needs |
//!
//! The same input gives the same bytes. What AWS would refuse is an [`Error`] before there is a template.

pub mod environment;
pub mod metric;

mod error;
pub mod intrinsic;
mod name;
mod node;
mod read;
mod resource;
mod template;
mod write;

mod bucket;
mod function;
mod iam;
mod kind;
mod mapping;
mod queue;
mod table;

pub mod alarm;
pub mod check;
pub mod stack;

pub use alarm::{Alarm, Missing, Statistic};
pub use bucket::BucketResource;
pub use error::Error;
pub use function::{FunctionResource, FunctionSettings};
pub use iam::Statement;
pub use kind::Kind;
pub use name::RETENTION_DAYS;
pub use node::{Map, Node};
pub use queue::QueueResource;
pub use read::{ReadError, read};
pub use resource::Resource;
pub use table::{Billing, Capacity, Encryption, TableResource, TableSettings};
pub use template::{DIRECT_BYTES_MAX, Template};
pub use write::{json, yaml};

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
