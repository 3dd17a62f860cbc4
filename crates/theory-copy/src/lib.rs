//! Tables moved from one store to another, item by item: resumable after a crash, verified at the end; and DynamoDB's exports to S3, read
//! and written.
//!
//! | module | what it is for |
//! |---|---|
//! | [`side`], [`pair`], [`plan`] | two stores, their tables, and what a copy between them will do, before it does anything |
//! | [`copy`], [`journal`] | the copy, table by table; the file from which it goes on after a crash |
//! | [`verify`] | whether two tables hold the same items, and which differ |
//! | [`export`] | DynamoDB's exports to S3: written, and read as a store that can only be scanned |
//! | [`fill`] | attributes that items lack |
//! | [`pace`] | a store that writes no faster than it is told |
//!
//! A copy is `plan`, then `copy`: the plan refuses what cannot go well before anything is changed. Nothing here spawns a task, and
//! nothing reads settings.

pub mod copy;
pub mod error;
pub mod export;
pub mod fill;
pub mod journal;
pub mod pace;
pub mod pair;
mod patience;
pub mod plan;
mod scan;
pub mod side;
pub mod verify;

pub use copy::{Event, Outcome, Report, TableCopy};
pub use error::Error;
pub use journal::Journal;
pub use pair::Pair;
pub use plan::Plan;
pub use side::Side;

/// The crate whose object stores this one takes, in the version that fits.
pub use object_store;

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
