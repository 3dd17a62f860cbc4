//! Why a copy stopped, and from where it can go on.

use tabletheory_core::StoreError;

use super::checkpoint::Checkpoint;
use crate::encryption::EncryptionError;
use crate::model::ModelError;

/// A copy that stopped.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{CopyFault, Table, Transformed, copy};
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::StoreExt;
/// use tabletheory_core::store::op::PutItem;
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(TestStore::new());
/// let (old, new) = (Table::<User>::new(Arc::clone(&store) as _), Table::<User>::new(Arc::clone(&store) as _));
/// let new = new.named("users-2");
/// old.ensure().await?;
/// new.ensure().await?;
/// let item = User { id: "a".into() }.to_item()?;
/// store.put_item(PutItem { table: "users".into(), item, ..PutItem::default() }).await?;
///
/// let stopped = copy(old.clone(), new.clone()).transform(|_| Transformed::Refuse("not today".into())).await.unwrap_err();
/// assert!(matches!(stopped.fault, CopyFault::Refused { .. }));
/// assert!(stopped.to_string().ends_with("stopped: the transformation refused an item: not today"));
///
/// let done = copy(old, new).transform(Transformed::Put).resume(stopped.checkpoint).await?;
/// assert_eq!(done.written, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the copy of `{from}` into `{to}` stopped: {fault}")]
pub struct CopyError {
    /// The source.
    pub from: String,
    /// The target.
    pub to: String,
    /// Why it stopped.
    #[source]
    pub fault: CopyFault,
    /// From where it can go on.
    pub checkpoint: Checkpoint,
}

/// Why a copy stopped.
///
/// ```
/// use tabletheory::table::CopyFault;
///
/// assert_eq!(CopyFault::Stopped.to_string(), "it was told to");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CopyFault {
    /// The source is the target: what was written would be read again.
    #[error("source and target are the same table")]
    SameTable,
    /// The checkpoint belongs to a copy between other tables, or was made by a later version.
    #[error("the checkpoint belongs to another copy")]
    OtherCheckpoint,
    /// An item of the source is not of the model.
    #[error("an item with the key attributes {} is not of the model: {source}", keys.join(", "))]
    Unreadable {
        /// The names of the key attributes that the item has.
        keys: Vec<String>,
        /// What is wrong with it.
        source: ModelError,
    },
    /// A transformed value cannot be stored.
    #[error("{0}")]
    Unwritable(#[from] ModelError),
    /// Encrypted attributes could not be opened or closed, or there are no keys for them.
    #[error("{0}")]
    Encryption(#[from] EncryptionError),
    /// The transformation refused an item.
    #[error("the transformation refused an item: {reason}")]
    Refused {
        /// Its reason.
        reason: String,
    },
    /// The callback that was given the checkpoint said so.
    #[error("it was told to")]
    Stopped,
    /// The store left writes undone for as long as there was patience.
    #[error("the store left {left} writes undone again and again")]
    Unprocessed {
        /// How many of the batch.
        left: usize,
    },
    /// The store refused, or could not be reached for as long as there was patience.
    #[error("{operation} failed: {source}")]
    Store {
        /// What was asked of the store.
        operation: &'static str,
        /// What the store said.
        source: StoreError,
    },
}
