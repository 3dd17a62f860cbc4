//! Between items as they are stored and values of models. Whatever the table keeps in another form than the model has it is
//! to be opened and closed here and nowhere else.

use tabletheory_core::Item;

use crate::model::{Model, ModelError, Schema};

/// The value of an item of the source.
pub(super) fn read<M: Model>(item: Item) -> Result<M, ModelError> {
    M::from_item(item)
}

/// The item that the target is to hold.
pub(super) fn write<M: Model>(value: &M) -> Result<Item, ModelError> {
    value.to_item()
}

/// The key of an item.
pub(super) fn key(schema: &Schema, item: &Item) -> Item {
    let names = [Some(schema.partition), schema.sort].into_iter().flatten().map(|key| key.name);
    names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect()
}
