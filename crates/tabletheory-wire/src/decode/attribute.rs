//! Attribute values, items and keys of a request.

use tabletheory_core::{Item, StoreError, Value, json};

use crate::shape::{List, Raw};

/// An item or a key.
pub(super) fn item(raw: Raw<'_>) -> Result<Item, StoreError> {
    serde_json::from_str(raw.get()).map_err(|error| json::refusal(&error))
}

/// An item or a key that is checked to be there by the constraints.
pub(super) fn required(raw: Option<Raw<'_>>) -> Result<Item, StoreError> {
    raw.map(item).transpose().map(Option::unwrap_or_default)
}

/// A value.
pub(super) fn value(raw: Raw<'_>) -> Result<Value, StoreError> {
    serde_json::from_str(raw.get()).map_err(|error| json::refusal(&error))
}

/// Values.
pub(super) fn values(list: &List<Raw<'_>>) -> Result<Vec<Value>, StoreError> {
    list.0.iter().map(|raw| value(raw)).collect()
}
