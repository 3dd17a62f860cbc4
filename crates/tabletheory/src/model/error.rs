//! Why a value and an item do not fit together: which model, which attribute or field, and never the value.

use crate::attribute::AttributeError;

/// Why a value cannot be an item, or an item cannot be a value.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory_core::{Item, Value};
///
/// #[derive(Model, Debug)]
/// #[model(table = "app")]
/// struct Visit {
///     #[model(pk)]
///     id: String,
///     count: u8,
/// }
///
/// let item = Item::from([("id", Value::s("a")), ("count", Value::s("secret"))]);
/// let error = Visit::from_item(item).unwrap_err();
/// assert_eq!(error.to_string(), "cannot read a Visit: count: expected N, found S");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// An item cannot be read as the model.
    #[error("cannot read a {model}: {source}")]
    Read {
        /// The model.
        model: &'static str,
        /// What is wrong, and with which attribute.
        source: AttributeError,
    },
    /// A value cannot be stored.
    #[error("cannot store a {model}: {source}")]
    Write {
        /// The model.
        model: &'static str,
        /// What is wrong, and with which attribute.
        source: AttributeError,
    },
    /// A value cannot stand in a key, or a key cannot be read.
    #[error("the field `{field}` in the key `{attribute}` of a {model} {fault}")]
    Key {
        /// The model.
        model: &'static str,
        /// The key attribute.
        attribute: &'static str,
        /// The field in its template.
        field: &'static str,
        /// What is wrong with it.
        fault: KeyFault,
    },
    /// An item has other keys than those of the model: it is one of another.
    #[error("an item does not have the keys of a {model}")]
    OtherKeys {
        /// The model.
        model: &'static str,
    },
    /// An item is none of the models that it could be.
    #[error("an item is none of the models of {entities}: {known}")]
    Unknown {
        /// The enum of models.
        entities: &'static str,
        /// Their names.
        known: &'static str,
    },
    /// A method that needs values was given none.
    #[error("`{method}` on `{attribute}` of a {model} was given nothing")]
    Nothing {
        /// The model.
        model: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// The method.
        method: &'static str,
    },
}

/// What is wrong with a value in a key.
///
/// ```
/// use tabletheory::model::KeyFault;
///
/// assert_eq!(KeyFault::Delimiter.to_string(), "contains `#`, which separates the parts of a key");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyFault {
    /// It is empty: `A##B` could be two keys.
    #[error("is empty")]
    Empty,
    /// It contains the sign that separates parts, so that it could pass for another key.
    #[error("contains `#`, which separates the parts of a key")]
    Delimiter,
    /// It contains U+10FFFF, with which a range of keys ends. It is no character.
    #[error("contains U+10FFFF, which is no character and ends a range of keys")]
    End,
    /// It is a negative number, which would not sort by its value.
    #[error("is negative, and negative numbers do not sort as text")]
    Negative,
    /// It has more digits than the template has room for.
    #[error("has more than {width} digits")]
    TooWide {
        /// The digits that the template has room for.
        width: usize,
    },
    /// The stored key does not have the form of the template.
    #[error("cannot be read, because the key does not have the form of its template")]
    Form,
}
