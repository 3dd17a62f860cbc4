//! What is wrong with a batch or a transaction before it is sent.

use tabletheory_core::limits::{CLIENT_REQUEST_TOKEN_LENGTH_MAX, TRANSACT_ITEMS_MAX};

/// Why a batch or a transaction was not sent. Places count from 0, in the order in which the operations were given.
///
/// ```
/// use tabletheory::error::BulkFault;
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// let error = db.batch_write().put(&User { id: "1".into() }).delete(User::key("1")).await.unwrap_err();
/// assert!(matches!(error, Error::Bulk(BulkFault::SameItem { first: 0, second: 1, .. })));
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BulkFault {
    /// The transaction has no operations.
    #[error("a transaction without operations")]
    Empty,
    /// The transaction has more operations than DynamoDB takes.
    #[error("a transaction of {given} operations; at most {TRANSACT_ITEMS_MAX} are possible")]
    TooMany {
        /// How many it has.
        given: usize,
    },
    /// Two operations are about the same item, which DynamoDB refuses.
    #[error("the operations {first} and {second} are about the same {model} in the table `{table}`")]
    SameItem {
        /// The model of the second.
        model: &'static str,
        /// The table.
        table: String,
        /// The place of the first.
        first: usize,
        /// The place of the second.
        second: usize,
    },
    /// The token is empty or too long.
    #[error("a token of {length} bytes; it has 1 to {CLIENT_REQUEST_TOKEN_LENGTH_MAX}")]
    Token {
        /// Its length in bytes.
        length: usize,
    },
}
