//! What applications import: typed DynamoDB on any [`Store`](tabletheory_core::Store), the embedded engine or DynamoDB
//! itself. It is growing; so far it has the parts that stand by themselves:
//!
//! | module | what it is for |
//! |---|---|
//! | [`attribute`] | Rust values as attribute values and back, also what the other toolkits wrote |
//! | [`model`], [`key`] | structs as items of a table, with `#[derive(Model)]`; keys that follow templates |
//! | [`field`] | what a model's attributes can be asked and how they can change, checked by the compiler |
//! | [`query`] | which keys a query visits, on the table or an index, checked by the compiler |
//! | [`cursor`] | where a page ended, as a text that can be handed out, signed if need be |
//! | [`encryption`] | attributes that the table keeps encrypted |
//! | [`lease`] | one holder at a time, for a term |
//! | [`deadline`] | calls that end before the function that makes them is killed |
//! | [`stream`] | what changed in a table, in order, from a store or with a Lambda event |
//! | [`table`] | tables made, compared with their models, extended and copied |
//! | [`testing`] | a store in memory with a clock to move and trouble on demand |
//!
//! ```
//! use tabletheory::Model;
//! use tabletheory::testing::TestStore;
//! use tabletheory_core::StoreExt;
//! use tabletheory_core::store::op::{GetItem, PutItem};
//!
//! #[derive(Model, Debug, PartialEq)]
//! #[model(table = "app", pk = "TENANT#{tenant}#PAGE#{path}", sk = "META")]
//! struct Page {
//!     tenant: String,
//!     path: String,
//!     hits: u64,
//! }
//!
//! # futures_executor::block_on(async {
//! let store = TestStore::new();
//! store.create_table(Page::SCHEMA.create_table("app")).await?;
//! let page = Page { tenant: "acme".into(), path: "news".into(), hits: 3 };
//! let unpopular = Page::HITS.lt(10).into_condition()?;
//! store.put_item(PutItem { table: "app".into(), item: page.to_item()?, ..PutItem::default() }).await?;
//! let again = PutItem {
//!     table: "app".into(), item: page.to_item()?, condition: Some(unpopular), ..PutItem::default()
//! };
//! store.put_item(again).await?;
//!
//! let key = Page::key("acme", "news").into_item()?;
//! let found = store.get_item(GetItem { table: "app".into(), key, ..GetItem::default() }).await?;
//! assert_eq!(found.item.map(Page::from_item).transpose()?, Some(page));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).expect("the example runs");
//! ```
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
pub mod key;
pub mod lease;
pub mod meter;
pub mod model;
mod pause;
pub mod query;
pub mod stream;
pub mod table;
#[cfg(feature = "embedded")]
pub mod testing;
mod token;

pub use attribute::Attribute;
pub use db::Db;
pub use error::Error;
pub use model::Model;
#[cfg(feature = "aws")]
pub use tabletheory_aws as aws;
#[cfg(feature = "derive")]
pub use tabletheory_derive::{Attribute, Entities, Model, Projection};
