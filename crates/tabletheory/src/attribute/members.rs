//! The members of an item or a map, one by one: what derived code writes and reads with, so that errors name the member.

use tabletheory_core::Item;

use super::Attribute;
use super::error::{AttributeError, Fault};
use super::form::Form;

/// Stores a member.
///
/// # Errors
/// If DynamoDB cannot hold it.
pub fn put<T: Attribute>(item: &mut Item, name: &'static str, value: &T) -> Result<(), AttributeError> {
    let value = value.to_value().map_err(|error| error.inside(name))?;
    item.insert(name, value);
    Ok(())
}

/// Stores a member unless it is empty.
///
/// # Errors
/// If DynamoDB cannot hold it.
pub fn put_unless_empty<T: Attribute>(
    item: &mut Item,
    name: &'static str,
    value: &T,
) -> Result<(), AttributeError> {
    if value.is_omitted() { Ok(()) } else { put(item, name, value) }
}

/// Takes a member out.
///
/// # Errors
/// If it has another type, or is missing and has to be there.
pub fn take<T: Attribute>(item: &mut Item, name: &'static str) -> Result<T, AttributeError> {
    match item.remove(name) {
        Some(value) => T::from_value(value).map_err(|error| error.inside(name)),
        None => T::missing().ok_or_else(|| AttributeError::from(Fault::Missing).inside(name)),
    }
}

/// Takes a member out, or its default if it is missing.
///
/// # Errors
/// If it has another type.
pub fn take_or_default<T: Attribute + Default>(
    item: &mut Item,
    name: &'static str,
) -> Result<T, AttributeError> {
    if item.contains(name) { take(item, name) } else { Ok(T::missing().unwrap_or_default()) }
}

/// Takes a member out, or what the function gives if it is missing.
///
/// # Errors
/// If it has another type.
pub fn take_or_else<T: Attribute>(
    item: &mut Item,
    name: &'static str,
    otherwise: fn() -> T,
) -> Result<T, AttributeError> {
    if item.contains(name) { take(item, name) } else { Ok(otherwise()) }
}

/// Stores a member in another form.
///
/// # Errors
/// If DynamoDB cannot hold it.
pub fn put_as<F: Form<T>, T>(item: &mut Item, name: &'static str, value: &T) -> Result<(), AttributeError> {
    let value = F::store(value).map_err(|error| error.inside(name))?;
    item.insert(name, value);
    Ok(())
}

/// Stores a member in another form unless it is empty.
///
/// # Errors
/// If DynamoDB cannot hold it.
pub fn put_as_unless_empty<F: Form<T>, T>(
    item: &mut Item,
    name: &'static str,
    value: &T,
) -> Result<(), AttributeError> {
    if F::omits(value) { Ok(()) } else { put_as::<F, T>(item, name, value) }
}

/// Takes a member out that was stored in another form. If it is missing, the function says what it is, if there is one.
///
/// # Errors
/// If it has another type, or is missing and has to be there.
pub fn take_as<F: Form<T>, T>(
    item: &mut Item,
    name: &'static str,
    otherwise: Option<fn() -> T>,
) -> Result<T, AttributeError> {
    match otherwise {
        Some(otherwise) if !item.contains(name) => Ok(otherwise()),
        _ => take::<F>(item, name).map(F::into_inner),
    }
}
