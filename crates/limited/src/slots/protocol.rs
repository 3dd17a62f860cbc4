//! The protocol: one conditional write for each step, settled when its answer was lost. Nothing here remembers a slot.

use std::sync::Arc;

use tabletheory_core::store::op::{UpdateItem, WriteOutput};
use tabletheory_core::{Clock, Entropy, Item, Store, StoreError, StoreExt};

use super::row::Rows;

/// What every holder of slots of one table shares.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) store: Arc<dyn Store>,
    pub(super) rows: Rows,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

/// What came of a conditional write.
#[derive(Debug)]
pub(super) enum Settled {
    /// It is done.
    Done(WriteOutput),
    /// The condition was false of this row.
    Refused(Item),
}

impl Shared {
    /// Sends a write, and once more if its answer was lost: it recognises itself by its token. An old endpoint does not say what
    /// it found; then the row is read.
    pub(super) async fn settle(&self, partition: &str, write: UpdateItem) -> Result<Settled, StoreError> {
        let answer = match self.store.update_item(write.clone()).await {
            Err(lost) if lost.is_ambiguous() => match self.store.update_item(write).await {
                Err(StoreError::ConditionalCheckFailed { item }) => {
                    Err(StoreError::ConditionalCheckFailed { item })
                }
                again => again.map_err(|_| lost),
            },
            answer => answer,
        };
        match answer {
            Ok(output) => Ok(Settled::Done(output)),
            Err(StoreError::ConditionalCheckFailed { item: Some(row) }) => Ok(Settled::Refused(*row)),
            Err(StoreError::ConditionalCheckFailed { item: None }) => {
                let found = self.store.get_item(self.rows.read(partition)).await?;
                Ok(Settled::Refused(found.item.unwrap_or_default()))
            }
            Err(error) => Err(error),
        }
    }
}
