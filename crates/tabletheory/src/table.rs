//! Tables as models need them: made, compared, extended and copied, on any [`Store`](tabletheory_core::Store).
//!
//! | what | does |
//! |---|---|
//! | [`Table::ensure`] | makes the table if it is missing, waits for it, switches time to live and the stream on |
//! | [`Table::verify`] | tells how the table differs from what its models need: a [`Drift`] |
//! | [`Table::migrate`] | adds what is missing, one [`Step`] after the other, and never takes anything away |
//! | [`copy`] | reads one table, transforms each item and writes it into another, resumable at every batch |
//! | [`copy_items`] | the same with items as they are, every attribute of them |
//!
//! Several models may share a table: [`Table::and`] joins what they need, and definitions that contradict each other are a
//! [`Conflict`] that names both models. How a table is paid for, its class, its tags and whether it is protected are
//! used when it is made and never compared afterwards: those are the operator's to change.
//!
//! ```
//! use std::sync::Arc;
//!
//! use tabletheory::Model;
//! use tabletheory::table::{Ensured, Table};
//! use tabletheory::testing::TestStore;
//!
//! #[derive(Model)]
//! #[model(table = "app", pk = "USER#{id}", sk = "PROFILE", index(name = "by_city", pk = city))]
//! struct User {
//!     id: String,
//!     city: String,
//! }
//!
//! #[derive(Model)]
//! #[model(table = "app", pk = "USER#{user}", sk = "SESSION#{id}")]
//! struct Session {
//!     user: String,
//!     id: String,
//!     #[model(ttl)]
//!     ends: u64,
//! }
//!
//! # futures_executor::block_on(async {
//! let table = Table::<User>::new(Arc::new(TestStore::new())).and::<Session>();
//! assert_eq!(table.ensure().await?, Ensured::Created);
//! assert_eq!(table.ensure().await?, Ensured::Existed);
//! assert!(table.verify().await?.is_empty());
//! # Ok::<(), tabletheory::table::TableError>(()) }).unwrap();
//! ```

mod choices;
mod conflict;
mod copy;
mod difference;
mod drift;
mod error;
mod handle;
mod layout;
mod lifecycle;
mod member;
mod migrate;
mod options;
mod plan;
mod site;
mod words;

pub use conflict::{Clash, Conflict};
pub use copy::{
    Checkpoint, CopyError, CopyFault, CopyProgress, Copying, CopyingItems, Position, Transformed,
    Untransformed, copy, copy_items,
};
pub use difference::{Difference, Standing};
pub use drift::Drift;
pub use error::TableError;
pub use handle::Table;
pub use layout::Layout;
pub use lifecycle::Ensured;
pub use migrate::{Migration, MigrationProgress};
pub use options::{Billing, Patience, TableOptions};
pub use plan::{Plan, Step};
