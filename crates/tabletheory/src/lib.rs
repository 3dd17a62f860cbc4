//! What applications import: typed DynamoDB on any [`Store`](tabletheory_core::Store), the embedded engine or DynamoDB
//! itself.
//!
//! ```
//! use tabletheory::{Db, Error, Model};
//!
//! #[derive(Model, Debug, Clone, PartialEq)]
//! #[model(table = "app", pk = "TENANT#{tenant}#PAGE#{path}", sk = "META")]
//! struct Page {
//!     tenant: String,
//!     path: String,
//!     hits: u64,
//! }
//!
//! # futures_executor::block_on(async {
//! let db = Db::memory();
//! db.create_table::<Page>().await?;
//! let page = Page { tenant: "acme".into(), path: "news".into(), hits: 3 };
//! db.create(&page).await?;
//!
//! let read = db.update(Page::key("acme", "news")).change(Page::HITS.add(1)).when(Page::HITS.lt(10)).await?;
//! assert_eq!(read.hits, 4);
//! match db.create(&page).await {
//!     Err(Error::ConditionFailed { current: Some(current), .. }) => assert_eq!(*current, read),
//!     other => panic!("there is such a page already: {other:?}"),
//! }
//! # Ok::<(), Error>(()) }).unwrap();
//! ```
//!
//! | module | what it is for |
//! |---|---|
//! | [`db`], [`error`] | [`Db`]: items, queries, scans, pages, batches, transactions; why one was not done |
//! | [`model`], [`key`] | structs as items of a table, with `#[derive(Model)]`; keys that follow templates |
//! | [`attribute`] | Rust values as attribute values and back, also what the other toolkits wrote |
//! | [`field`] | what a model's attributes can be asked and how they can change, checked by the compiler |
//! | [`query`] | which keys a query visits, on the table or an index, checked by the compiler |
//! | [`cursor`] | where a page ended, as a text that can be handed out, signed if need be |
//! | [`table`] | tables made, compared with their models, extended and copied |
//! | [`encryption`] | attributes that the table keeps encrypted |
//! | [`lease`], [`tenure`] | one holder at a time, for a term; how long a term lasts on two clocks |
//! | [`stream`] | what changed in a table, in order, from a store or with a Lambda event |
//! | [`deadline`] | calls that end before the function that makes them is killed |
//! | [`explain`], [`meter`] | what a call will do and cost, and what calls have cost |
//! | [`testing`] | a store in memory with a clock to move and trouble on demand |
//!
//! The types of the crates below stand here too, so that an application needs no other dependency: [`core`](tabletheory_core)
//! has values, times, requests and errors, `engine` the embedded engine, `aws` DynamoDB itself.
//!
//! The feature `derive` brings the macros, `embedded` the engine and [`testing`]; both are on by default. Without `embedded`
//! the crate needs a store from elsewhere and compiles no engine. `dms` brings documents about models (`dms::Document`), and a
//! YAML parser with them. `aws` brings DynamoDB itself and keys from KMS, and with them the AWS SDK.

pub mod attribute;
pub mod cursor;
pub mod db;
pub mod deadline;
#[doc(hidden)]
pub mod derived;
#[cfg(feature = "dms")]
pub mod dms;
pub mod encryption;
pub mod error;
pub mod explain;
pub mod field;
mod flight;
pub mod key;
pub mod lease;
pub mod meter;
pub mod model;
mod pause;
pub mod query;
mod renamed;
pub mod stream;
pub mod table;
pub mod tenure;
#[cfg(feature = "embedded")]
pub mod testing;
mod token;

pub use attribute::Attribute;
pub use db::Db;
pub use error::Error;
pub use model::Model;
#[cfg(feature = "aws")]
pub use tabletheory_aws as aws;
pub use tabletheory_core as core;
#[cfg(feature = "derive")]
pub use tabletheory_derive::{Attribute, Entities, Model, Projection};
#[cfg(feature = "embedded")]
pub use tabletheory_engine as engine;

/// The example of the project's README, so that it stays true.
#[cfg(all(doctest, feature = "derive", feature = "embedded"))]
#[doc = include_str!("../../../README.md")]
struct ProjectReadme;

/// The front page's example, so that it stays true.
#[cfg(all(doctest, feature = "derive", feature = "embedded"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide to tests, so that it stays true.
#[cfg(all(doctest, feature = "derive", feature = "embedded"))]
#[doc = include_str!("../../../docs/guides/dynamodb-for-tests.md")]
struct GuideToTests;

/// The example of the macros' front page, which cannot have it itself: they do not know this crate.
#[cfg(all(doctest, feature = "derive", feature = "embedded"))]
#[doc = include_str!("../../tabletheory-derive/README.md")]
struct ReadmeOfDerive;
