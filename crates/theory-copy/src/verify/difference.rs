//! An item that differs.

use tabletheory_core::Item;

/// So many items that differ are named at most.
pub const NAMED_MAX: usize = 20;

/// An item that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemDifference {
    /// The second table has none with this key.
    Missing(Item),
    /// The first table has none with this key.
    Extra(Item),
    /// The items with this key are not the same.
    Different(Item),
}
