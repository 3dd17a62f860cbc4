//! The key of an item.

use tabletheory_core::Item;

use crate::model::Schema;

/// The key attributes of an item.
pub(super) fn item_key(schema: &Schema, item: &Item) -> Item {
    let names = [Some(schema.partition), schema.sort].into_iter().flatten().map(|key| key.name);
    names.filter_map(|name| Some((name, item.get(name)?.clone()))).collect()
}
