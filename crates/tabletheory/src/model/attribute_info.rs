//! What a model's schema knows of each attribute of its items.

use tabletheory_core::ValueType;

/// An attribute of a model's items, whether it is a field or a key that is made from fields.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory_core::ValueType;
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{id}")]
/// struct User {
///     id: String,
///     #[model(omit_empty)]
///     age: Option<u8>,
/// }
///
/// let names: Vec<&str> = User::SCHEMA.attributes.iter().map(|attribute| attribute.name).collect();
/// assert_eq!(names, ["pk", "id", "age"]);
/// let age = User::SCHEMA.attributes[2];
/// assert_eq!(age.kind, Some(ValueType::N));
/// assert!(age.may_be_missing && age.omit_empty);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeInfo {
    /// Its name.
    pub name: &'static str,
    /// Its type, if it is known and always the same. That of an encrypted attribute is the type of what is encrypted.
    pub kind: Option<ValueType>,
    /// Whether an item without it can be read.
    pub may_be_missing: bool,
    /// Whether an empty value is not stored.
    pub omit_empty: bool,
    /// Whether it is JSON.
    pub json: bool,
    /// Whether a field is stored in it, and not a key that is made from fields.
    pub is_field: bool,
}
