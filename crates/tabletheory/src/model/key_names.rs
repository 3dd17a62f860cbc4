//! The key of an item, found in the item.

use tabletheory_core::Item;

use super::schema::Schema;

/// The names of the key attributes of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyNames {
    partition: &'static str,
    sort: Option<&'static str>,
}

impl KeyNames {
    /// Those of a model's table.
    pub(crate) fn of(schema: &Schema) -> Self {
        Self { partition: schema.partition.name, sort: schema.sort.map(|sort| sort.name) }
    }

    /// The key of an item.
    pub(crate) fn key(self, item: &Item) -> Item {
        let names = [Some(self.partition), self.sort].into_iter().flatten();
        names.filter_map(|name| item.get(name).map(|value| (name, value.clone()))).collect()
    }
}
