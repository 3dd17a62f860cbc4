//! A [`Store`](tabletheory_core::Store) over DynamoDB itself, and a [`KeyProvider`](tabletheory_core::keys::KeyProvider) over
//! KMS, through the AWS SDK.
//!
//! ```no_run
//! use tabletheory_aws::{Config, DynamoDb};
//! use tabletheory_core::store::op::{GetItem, PutItem};
//! use tabletheory_core::{Item, StoreExt, Value};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = DynamoDb::connect(Config::from_env()?).await?;
//!
//! let page = Item::from([("pk", Value::s("CACHE#1")), ("sk", Value::s("META"))]);
//! store.put_item(PutItem { table: "pages".to_owned(), item: page.clone(), ..PutItem::default() }).await?;
//!
//! let found = store.get_item(GetItem { table: "pages".to_owned(), key: page.clone(), ..GetItem::default() }).await?;
//! assert_eq!(found.item, Some(page));
//! # Ok(())
//! # }
//! ```
//!
//! Whatever uses a store can use the embedded engine instead: this line is the one that changes. Which failure means
//! what, and what is sent again, stands at [`DynamoDb`]. Encrypted attributes get their keys from [`Kms`].
//!
//! Modules in dependency order: `duration`, `config`, `connection`; `integer`, `value`, `expression`, `capacity`, `schema`, `describe`; `effect`,
//! `attempt`, `error`, `call`, `order`; `op`; `summary`; `dynamodb`; `kms`.

mod attempt;
mod call;
mod capacity;
mod config;
mod connection;
mod describe;
mod duration;
mod dynamodb;
mod effect;
mod error;
mod expression;
mod integer;
mod kms;
mod op;
mod order;
mod schema;
mod summary;
mod value;

pub use config::{
    Config, ConfigError, Credentials, DEBUG, RETRY_BASE_DELAY, RETRY_MAX_ATTEMPTS, Retry, Timeouts,
};
pub use dynamodb::DynamoDb;
pub use kms::{KMS_KEY_ARN, Kms, KmsConfig};

/// The front page's example, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
