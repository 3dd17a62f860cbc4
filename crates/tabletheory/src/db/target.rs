//! What an update or a delete is aimed at: a key, or a value that was read and whose version must still be the same.

use tabletheory_core::Item;

use super::guard::Guard;
use crate::key::Key;
use crate::model::{Model, ModelError};

/// What an update or a delete can be aimed at: a [`Key`] or a reference to a model.
#[diagnostic::on_unimplemented(
    message = "`{Self}` says neither where the item is nor what was read",
    note = "use the key (`Page::key(...)`) or a reference to the value (`&page`)"
)]
pub trait Target {
    /// The model of the item.
    type Model: Model;
    /// [`ByKey`] or [`ByValue`].
    type By;

    #[doc(hidden)]
    fn into_aim(self) -> Aim;
}

/// Aimed at a key.
#[derive(Debug, Clone, Copy)]
pub enum ByKey {}

/// Aimed at a value that was read.
#[derive(Debug, Clone, Copy)]
pub enum ByValue {}

/// The key, and what was read there.
#[doc(hidden)]
#[derive(Debug)]
pub struct Aim {
    pub(super) key: Result<Item, ModelError>,
    pub(super) value: Result<Option<Item>, ModelError>,
}

impl Aim {
    /// The version that was read must still be there.
    pub(super) fn guard<M: Model>(&self) -> Option<Guard> {
        let value = self.value.as_ref().ok()?.as_ref()?;
        Guard::of(&M::SCHEMA, value)
    }
}

impl<M: Model> Target for Key<M> {
    type Model = M;
    type By = ByKey;

    fn into_aim(self) -> Aim {
        Aim { key: self.into_item(), value: Ok(None) }
    }
}

impl<M: Model> Target for &M {
    type Model = M;
    type By = ByValue;

    fn into_aim(self) -> Aim {
        Aim { key: self.key_of().into_item(), value: self.to_item().map(Some) }
    }
}
