//! Checks of keys and items against a table, with the service's words. What can be said without a table is checked in
//! `tabletheory_core::validate` and `tabletheory_core::expr`.

use tabletheory_core::expr::{Path, Update};
use tabletheory_core::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use tabletheory_core::schema::KeyRole;
use tabletheory_core::size::value_bytes;
use tabletheory_core::{Item, StoreError, Value};

use crate::table::{Index, KeyPart, Table};

/// Checks that `key` is a key of the table, no more and no less, and gives the key of its row.
pub(crate) fn key(table: &Table, key: &Item) -> Result<Vec<u8>, StoreError> {
    let fits =
        |part: &KeyPart| key.get(&part.name).is_some_and(|value| value.kind() == part.kind.value_type());
    if key.len() != table.keys.len() || !table.keys.iter().all(fits) {
        return Err(StoreError::validation("The provided key element does not match the schema"));
    }
    table
        .keys
        .iter()
        .try_for_each(|part| key_value(part, key.get(&part.name).expect("was just looked at")))?;
    Ok(table.shape.row_key(key).expect("every key attribute was just looked at"))
}

/// Checks that a whole item may be put into the table, and gives the key of its row.
pub(crate) fn item(table: &Table, item: &Item) -> Result<Vec<u8>, StoreError> {
    for part in &table.keys {
        let Some(value) = item.get(&part.name) else {
            return Err(invalid(format!("Missing the key {} in the item", part.name)));
        };
        if value.kind() != part.kind.value_type() {
            return Err(invalid(format!(
                "Type mismatch for key {} expected: {} actual: {}",
                part.name,
                part.kind.name(),
                value.kind().name()
            )));
        }
        key_value(part, value)?;
    }
    tabletheory_core::validate::item(item)?;
    Ok(table.shape.row_key(item).expect("every key attribute was just looked at"))
}

fn key_value(part: &KeyPart, value: &Value) -> Result<(), StoreError> {
    if let Some(kind) = empty_kind(value) {
        return Err(StoreError::validation(format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
             empty {kind} value. Key: {}",
            part.name
        )));
    }
    match part.role {
        KeyRole::Hash if value_bytes(value) > PARTITION_KEY_BYTES_MAX => {
            Err(invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes"))
        }
        KeyRole::Range if value_bytes(value) > SORT_KEY_BYTES_MAX => {
            Err(invalid("Aggregated size of all range keys has exceeded the size limit of 1024 bytes"))
        }
        _ => Ok(()),
    }
}

fn empty_kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::S(text) if text.is_empty() => Some("string"),
        Value::B(bytes) if bytes.is_empty() => Some("binary"),
        _ => None,
    }
}

/// Checks the attributes of an item that are keys of indexes. An item without them is simply not in the index. What an
/// update leaves as it was in `old` is not checked: it may be older than the index.
pub(crate) fn index_keys(table: &Table, old: Option<&Item>, item: &Item) -> Result<(), StoreError> {
    for index in &table.indexes {
        for part in &index.keys {
            let value = item.get(&part.name);
            let kept = old.is_some_and(|old| old.get(&part.name) == value);
            if let Some(value) = value.filter(|_| !kept) {
                index_key(index, part, value)?;
            }
        }
    }
    Ok(())
}

/// Checks a value as a key of an index.
///
/// # Errors
/// If it has the wrong type, is empty or is too long.
pub(crate) fn index_key(index: &Index, part: &KeyPart, value: &Value) -> Result<(), StoreError> {
    let name = &index.spec.name;
    if value.kind() != part.kind.value_type() {
        return Err(invalid(format!(
            "Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {name}",
            part.name,
            part.kind.name(),
            value.kind().name()
        )));
    }
    if let Some(kind) = empty_kind(value) {
        return Err(StoreError::validation(format!(
            "One or more parameter values are not valid. A value specified for a secondary index key is not supported. \
             The AttributeValue for a key attribute cannot contain an empty {kind} value. IndexName: {name}, IndexKey: {}",
            part.name
        )));
    }
    let bytes = value_bytes(value);
    match part.role {
        KeyRole::Hash if bytes > PARTITION_KEY_BYTES_MAX => {
            Err(invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes"))
        }
        KeyRole::Range if bytes > SORT_KEY_BYTES_MAX => {
            Err(invalid("Aggregated size of all range keys has exceeded the size limit of 1024 bytes"))
        }
        _ => Ok(()),
    }
}

/// Checks that no path goes into a key: keys are scalars.
pub(crate) fn paths<'p>(table: &Table, paths: impl IntoIterator<Item = &'p Path>) -> Result<(), StoreError> {
    for path in paths.into_iter().filter(|path| !path.is_attribute()) {
        let index_keys = table.indexes.iter().flat_map(|index| &index.keys);
        let kind = if table.keys.iter().any(|part| part.name == path.root) {
            "Key"
        } else if index_keys.map(|part| &part.name).any(|name| *name == path.root) {
            "IndexKey"
        } else {
            continue;
        };
        return Err(StoreError::validation(format!(
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {kind}: {}",
            path.root
        )));
    }
    Ok(())
}

/// Checks that an update leaves the key of its item alone.
pub(crate) fn update(table: &Table, update: &Update) -> Result<(), StoreError> {
    paths(table, update.paths())?;
    for action in &update.actions {
        let root = &action.path().root;
        if table.keys.iter().any(|part| part.name == *root) {
            return Err(invalid(format!(
                "Cannot update attribute {root}. This attribute is part of the key"
            )));
        }
    }
    Ok(())
}

/// The service's common beginning of a complaint about values.
pub(crate) fn invalid(detail: impl std::fmt::Display) -> StoreError {
    StoreError::validation(format!("One or more parameter values were invalid: {detail}"))
}
