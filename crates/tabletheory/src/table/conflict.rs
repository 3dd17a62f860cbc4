//! Two models that cannot share a table, and why.

use std::fmt;

use tabletheory_core::ValueType;
use tabletheory_core::schema::KeyElement;

use super::words::key_text;

/// Why two models cannot share a table.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{Clash, Table, TableError};
/// use tabletheory::testing::TestStore;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Order {
///     #[model(pk)]
///     number: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let both = Table::<User>::new(Arc::new(TestStore::new())).and::<Order>();
/// let Err(TableError::Conflict(conflict)) = both.ensure().await else { panic!("their keys differ") };
/// assert_eq!((conflict.first.as_str(), conflict.second.as_str()), ("User", "Order"));
/// assert!(matches!(conflict.clash, Clash::Keys { .. }));
/// assert_eq!(
///     conflict.to_string(),
///     "User and Order cannot share a table: its key would be (id) for the one and (number) for the other",
/// );
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {second} cannot share a table: {clash}")]
pub struct Conflict {
    /// A model.
    pub first: String,
    /// Another model.
    pub second: String,
    /// What they disagree about.
    pub clash: Clash,
}

/// What two models disagree about.
///
/// ```
/// use tabletheory::table::Clash;
///
/// let clash = Clash::TimeToLive { first: "ends".into(), second: "expires".into() };
/// assert_eq!(clash.to_string(), "items would expire by `ends` for the one and by `expires` for the other");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Clash {
    /// They name different tables.
    Table {
        /// The first model's.
        first: String,
        /// The second model's.
        second: String,
    },
    /// The keys of the table differ.
    Keys {
        /// The first model's.
        first: Vec<KeyElement>,
        /// The second model's.
        second: Vec<KeyElement>,
    },
    /// An attribute that is part of a key has two types.
    AttributeType {
        /// The attribute.
        attribute: String,
        /// Its type in the first model.
        first: ValueType,
        /// Its type in the second model.
        second: ValueType,
    },
    /// An index is global for the one and local for the other.
    IndexScope {
        /// The index.
        index: String,
    },
    /// An index has different keys.
    IndexKeys {
        /// The index.
        index: String,
        /// The first model's.
        first: Vec<KeyElement>,
        /// The second model's.
        second: Vec<KeyElement>,
    },
    /// A table has one attribute by which items expire, and they name two.
    TimeToLive {
        /// The first model's.
        first: String,
        /// The second model's.
        second: String,
    },
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table { first, second } => {
                write!(f, "the one lies in `{first}` and the other in `{second}`")
            }
            Self::Keys { first, second } => {
                let (first, second) = (key_text(first), key_text(second));
                write!(f, "its key would be {first} for the one and {second} for the other")
            }
            Self::AttributeType { attribute, first, second } => {
                let (first, second) = (first.name(), second.name());
                write!(
                    f,
                    "the key attribute `{attribute}` would be {first} for the one and {second} for the other"
                )
            }
            Self::IndexScope { index } => {
                write!(f, "the index `{index}` would be global for the one and local for the other")
            }
            Self::IndexKeys { index, first, second } => {
                let (first, second) = (key_text(first), key_text(second));
                write!(
                    f,
                    "the key of the index `{index}` would be {first} for the one and {second} for the other"
                )
            }
            Self::TimeToLive { first, second } => {
                write!(f, "items would expire by `{first}` for the one and by `{second}` for the other")
            }
        }
    }
}
