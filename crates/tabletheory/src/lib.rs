//! What applications import: typed DynamoDB on any [`Store`](tabletheory_core::Store), the embedded engine or DynamoDB
//! itself. It is growing; so far it has the parts that stand by themselves:
//!
//! | module | what it is for |
//! |---|---|
//! | [`attribute`] | Rust values as attribute values and back, also what the other toolkits wrote |
//! | [`cursor`] | where a page ended, as a text that can be handed out, signed if need be |
//! | [`encryption`] | attributes that the table keeps encrypted |
//! | [`lease`] | one holder at a time, for a term |
//! | [`testing`] | a store in memory with a clock to move and trouble on demand |
//!
//! ```
//! use tabletheory::attribute::Attribute;
//! use tabletheory::cursor::Cursor;
//! use tabletheory_core::Item;
//!
//! let last_key = Item::from([("pk", "USER#1".to_owned().to_value()?)]);
//! let cursor = Cursor { last_key, index: None, sort: None };
//! assert_eq!(Cursor::decode(&cursor.encode())?, Some(cursor));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The feature `embedded`, on by default, brings the engine and [`testing`]. Without it the crate needs a store from
//! elsewhere and compiles no engine.

pub mod attribute;
pub mod cursor;
pub mod encryption;
pub mod lease;
#[cfg(feature = "embedded")]
pub mod testing;
