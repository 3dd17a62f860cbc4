//! The encrypted attributes of both models: opened when an item was read, closed before it is written. A key service that is
//! out of reach is waited for.

use tabletheory_core::Item;

use super::error::CopyFault;
use crate::encryption::{EncryptionError, KeyError, Sealer};
use crate::model::Model;
use crate::table::handle::Table;
use crate::table::site::Site;

/// Opens items of the source, and closes those of the target.
pub(super) struct Seals<'t> {
    from: Sealer<'t>,
    to: Sealer<'t>,
    site: &'t Site,
}

impl<'t> Seals<'t> {
    /// Fails before anything is read if a model has encrypted attributes and there are no keys.
    pub(super) fn new<A: Model, B: Model>(from: &'t Table<A>, to: &'t Table<B>) -> Result<Self, CopyFault> {
        let source = Sealer::new(A::NAME, A::SCHEMA.encrypted, from.keys())?;
        let target = Sealer::new(B::NAME, B::SCHEMA.encrypted, to.keys())?;
        Ok(Self { from: source, to: target, site: to.site() })
    }

    /// The item as its model reads it, or why it is none of the model's: an attribute that should be encrypted is not. Any other
    /// reason not to open it is a fault.
    pub(super) async fn open(&self, mut item: Item) -> Result<Result<Item, EncryptionError>, CopyFault> {
        let mut pauses = self.site.pauses(self.site.patience.table);
        loop {
            match self.from.open_item(&mut item).await {
                Ok(()) => return Ok(Ok(item)),
                Err(error @ EncryptionError::NotAnEnvelope { .. }) => return Ok(Err(error)),
                Err(error) if passes(&error) && pauses.wait().await => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(super) async fn close(&self, mut item: Item) -> Result<Item, CopyFault> {
        let mut pauses = self.site.pauses(self.site.patience.table);
        loop {
            match self.to.seal_item(&mut item).await {
                Ok(()) => return Ok(item),
                Err(error) if passes(&error) && pauses.wait().await => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Whether the same may succeed later.
fn passes(error: &EncryptionError) -> bool {
    matches!(error, EncryptionError::Key { source: KeyError::Unavailable { .. }, .. })
}
