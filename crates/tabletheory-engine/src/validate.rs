//! Checks of keys and items against a table, with the service's words. What can be said without a table is checked in
//! `tabletheory_core::validate` and `tabletheory_core::expr`.

use tabletheory_core::expr::{Action, Condition, Path, ProjectionExpression, SetOperand, SetValue, Update};
use tabletheory_core::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use tabletheory_core::schema::KeyRole;
use tabletheory_core::size::value_bytes;
use tabletheory_core::{Item, StoreError, Value};

use crate::kv::Bytes;
use crate::table::{Index, KeyPart, Table};

/// Why a table refuses an item or a key.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The request can be seen to be wrong, as with an empty key: of a transaction, all is refused.
    Request(StoreError),
    /// The item does not fit the table: this becomes a reason for a transaction's cancellation.
    Item(StoreError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::Request(error)
    }
}

impl From<Refusal> for StoreError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Request(error) | Refusal::Item(error) => error,
        }
    }
}

/// Checks that `key` is a key of the table, no more and no less, and gives the key of its row.
pub(crate) fn key(table: &Table, key: &Item) -> Result<Bytes, Refusal> {
    let found = key_parts(table, key);
    not_empty(table, &found)?;
    let fits = |(part, value): (&KeyPart, Option<&Value>)| {
        value.is_some_and(|value| value.kind() == part.kind.value_type())
    };
    if key.len() != table.keys.len() || !table.keys.iter().zip(found).all(fits) {
        let error = StoreError::validation("The provided key element does not match the schema");
        return Err(Refusal::Item(error));
    }
    for (part, value) in table.keys.iter().zip(found) {
        key_size(part, value.expect("was just looked at"))?;
    }
    Ok(table.shape.row_key_of(found.into_iter()).expect("every key attribute was just looked at"))
}

/// Checks that a whole item may be put into the table, and gives the key of its row.
pub(crate) fn item(table: &Table, item: &Item) -> Result<Bytes, Refusal> {
    let found = key_parts(table, item);
    not_empty(table, &found)?;
    for (part, value) in table.keys.iter().zip(found) {
        let Some(value) = value else {
            return Err(Refusal::Item(invalid(format!("Missing the key {} in the item", part.name))));
        };
        if value.kind() != part.kind.value_type() {
            return Err(Refusal::Item(invalid(format!(
                "Type mismatch for key {} expected: {} actual: {}",
                part.name,
                part.kind.name(),
                value.kind().name()
            ))));
        }
        key_size(part, value)?;
    }
    tabletheory_core::validate::item(item)?;
    Ok(table.shape.row_key_of(found.into_iter()).expect("every key attribute was just looked at"))
}

/// What an item has as the key of the table: the partition key, then the sort key if the table has one.
type Found<'i> = [Option<&'i Value>; 2];

/// Looks for each attribute of the table's key once.
fn key_parts<'i>(table: &Table, item: &'i Item) -> Found<'i> {
    let mut found = [None; 2];
    for (value, part) in found.iter_mut().zip(&table.keys) {
        *value = item.get(&part.name);
    }
    found
}

/// Checks that no key attribute is empty. The service does so before it asks whether the key fits the table.
fn not_empty(table: &Table, found: &Found<'_>) -> Result<(), StoreError> {
    for (part, value) in table.keys.iter().zip(found) {
        if let Some(kind) = value.and_then(empty_kind) {
            return Err(StoreError::validation(format!(
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
                 empty {kind} value. Key: {}",
                part.name
            )));
        }
    }
    Ok(())
}

fn key_size(part: &KeyPart, value: &Value) -> Result<(), Refusal> {
    let detail = match part.role {
        KeyRole::Hash if value_bytes(value) > PARTITION_KEY_BYTES_MAX => {
            "Size of hashkey has exceeded the maximum size limit of2048 bytes"
        }
        KeyRole::Range if value_bytes(value) > SORT_KEY_BYTES_MAX => {
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
        }
        _ => return Ok(()),
    };
    Err(Refusal::Item(invalid(detail)))
}

fn empty_kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::S(text) if text.is_empty() => Some("string"),
        Value::B(bytes) if bytes.is_empty() => Some("binary"),
        _ => None,
    }
}

/// Checks the attributes of an item that are keys of indexes. An item without them is simply not in the index.
pub(crate) fn index_keys(table: &Table, item: &Item) -> Result<(), Refusal> {
    let parts = || table.indexes.iter().flat_map(|index| index.keys.iter().map(move |part| (index, part)));
    for (index, part) in parts() {
        if let Some(kind) = item.get(&part.name).and_then(empty_kind) {
            return Err(Refusal::Request(empty_index_key(index, part, kind)));
        }
    }
    parts().try_for_each(|(index, part)| {
        item.get(&part.name).map_or(Ok(()), |value| index_key(index, part, value)).map_err(Refusal::Item)
    })
}

fn index_key_type(index: &Index, part: &KeyPart, value: &Value) -> Result<(), Refusal> {
    if value.kind() == part.kind.value_type() {
        return Ok(());
    }
    Err(Refusal::Item(invalid(format!(
        "Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}",
        part.name,
        part.kind.name(),
        value.kind().name(),
        index.spec.name
    ))))
}

fn empty_index_key(index: &Index, part: &KeyPart, kind: &str) -> StoreError {
    StoreError::validation(format!(
        "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The \
         AttributeValue for a key attribute cannot contain an empty {kind} value. IndexName: {}, IndexKey: {}",
        index.spec.name, part.name
    ))
}

/// Checks a value as a key of an index.
///
/// # Errors
/// If it has the wrong type, is empty or is too long.
pub(crate) fn index_key(index: &Index, part: &KeyPart, value: &Value) -> Result<(), StoreError> {
    index_key_type(index, part, value)?;
    match empty_kind(value) {
        Some(kind) => Err(empty_index_key(index, part, kind)),
        None => key_size(part, value).map_err(StoreError::from),
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

/// Checks the paths of a query or scan.
pub(crate) fn read_paths(
    table: &Table,
    filter: Option<&Condition>,
    projection: Option<&ProjectionExpression>,
) -> Result<(), StoreError> {
    paths(table, filter.into_iter().flat_map(Condition::paths))?;
    paths(table, projection.into_iter().flat_map(|projection| &projection.paths))
}

/// Checks that an update leaves the key of its item alone, and that the values it gives to keys of indexes are of their
/// types. What it computes is checked by [`updated_index_keys`].
pub(crate) fn update(table: &Table, update: &Update) -> Result<(), Refusal> {
    paths(table, update.paths())?;
    for (_, _, value) in given_index_keys(table, update) {
        if let Some(kind) = empty_kind(value) {
            return Err(Refusal::Request(emptied_index_key(kind)));
        }
    }
    for action in &update.actions {
        let root = &action.path().root;
        if table.keys.iter().any(|part| part.name == *root) {
            return Err(Refusal::Item(invalid(format!(
                "Cannot update attribute {root}. This attribute is part of the key"
            ))));
        }
    }
    given_index_keys(table, update)
        .try_for_each(|(index, part, value)| index_key_type(index, part, value))?;
    Ok(())
}

/// The keys of indexes to which an update gives a value of the request.
fn given_index_keys<'t>(
    table: &'t Table,
    update: &'t Update,
) -> impl Iterator<Item = (&'t Index, &'t KeyPart, &'t Value)> {
    let given = update.actions.iter().filter_map(|action| match action {
        Action::Set(path, SetValue::Operand(SetOperand::Value(value))) | Action::Add(path, value) => {
            Some((path, value))
        }
        _ => None,
    });
    given.flat_map(|(path, value)| {
        let parts = table.indexes.iter().flat_map(|index| index.keys.iter().map(move |part| (index, part)));
        parts.filter(|(_, part)| part.name == path.root).map(move |(index, part)| (index, part, value))
    })
}

/// Checks the keys of indexes that an update changed. The service has its own words for what an update does to them. What
/// it leaves as it was in `old` is not checked: it may be older than the index.
pub(crate) fn updated_index_keys(table: &Table, old: Option<&Item>, item: &Item) -> Result<(), StoreError> {
    for part in table.indexes.iter().flat_map(|index| &index.keys) {
        let value = item.get(&part.name);
        let Some(value) = value.filter(|_| old.is_none_or(|old| old.get(&part.name) != value)) else {
            continue;
        };
        if value.kind() != part.kind.value_type() {
            return Err(StoreError::validation(
                "The update expression attempted to update the secondary index key to unsupported type",
            ));
        }
        if let Some(kind) = empty_kind(value) {
            return Err(emptied_index_key(kind));
        }
        if key_size(part, value).is_err() {
            return Err(StoreError::validation(
                "The update expression attempted to update the secondary index key beyond allowed size limits",
            ));
        }
    }
    Ok(())
}

fn emptied_index_key(kind: &str) -> StoreError {
    StoreError::validation(format!(
        "One or more parameter values are not valid. The update expression attempted to update a secondary index key to \
         a value that is not supported. The AttributeValue for a key attribute cannot contain an empty {kind} value."
    ))
}

/// The service's common beginning of a complaint about values.
pub(crate) fn invalid(detail: impl std::fmt::Display) -> StoreError {
    StoreError::validation(format!("One or more parameter values were invalid: {detail}"))
}
