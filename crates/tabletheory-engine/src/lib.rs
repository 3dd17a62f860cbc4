//! The embedded engine: a [`Store`](tabletheory_core::Store) with DynamoDB's behaviour on one machine. It keeps its data in
//! a folder, durably, or in memory, and needs no server.
//!
//! ```
//! use tabletheory_core::expr::KeyCondition;
//! use tabletheory_core::schema::{AttributeDefinition, BillingMode, KeyElement, KeyType};
//! use tabletheory_core::store::op::{CreateTable, PutItem, Query};
//! use tabletheory_core::{Item, StoreExt, Value};
//! use tabletheory_engine::Engine;
//!
//! # futures_executor::block_on(async {
//! let engine = Engine::memory();
//! engine
//!     .create_table(CreateTable {
//!         table: "pages".into(),
//!         attributes: vec![AttributeDefinition { name: "pk".into(), kind: KeyType::S }],
//!         keys: vec![KeyElement::hash("pk")],
//!         billing: BillingMode::PayPerRequest,
//!         ..CreateTable::default()
//!     })
//!     .await?;
//! let page = Item::from([("pk", Value::s("CACHE#1")), ("etag", Value::s("\"v1\""))]);
//! engine.put_item(PutItem { table: "pages".into(), item: page.clone(), ..PutItem::default() }).await?;
//! let key_condition = KeyCondition::partition("pk", "CACHE#1");
//! let found = engine.query(Query { table: "pages".into(), key_condition, ..Query::default() }).await?;
//! assert_eq!(found.items, Some(vec![page]));
//! # Ok::<(), tabletheory_core::StoreError>(())
//! # }).expect("the example runs");
//! ```
//!
//! Modules in dependency order: `kv` (ordered bytes on disk or in memory), `layout` and `codec` (keys and items as
//! bytes), `table`, `validate` and `definition` (what a table is, and what is refused), `catalog` (what tables there are),
//! `cache` and `ground` (where rows are), `now` (when), `staging`, `group` and `commit` (the one path of all writes), `collection`, `index`, `stream`
//! and `write` (what a write does), `view` and `page` (what a read does), `op` (the operations), `upkeep` (what time brings),
//! `engine` (all of it, as a store).

mod alarm;
mod cache;
mod capacity;
mod catalog;
mod codec;
mod collection;
mod commit;
mod definition;
mod describe;
mod engine;
mod error;
mod ground;
mod group;
mod index;
mod kv;
mod layout;
mod now;
mod op;
mod page;
mod request_token;
mod settings;
mod staging;
mod stream;
mod table;
mod unwind;
mod upkeep;
mod validate;
mod view;
mod write;

#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub mod door;

pub use engine::Engine;
pub use error::EngineError;
pub use kv::KvError;
pub use settings::{Durability, Settings};
pub use upkeep::Upkeep;

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
