//! Fields that the table keeps encrypted: they are replaced, removed and asked whether they are there. DynamoDB cannot look
//! into them, so everything else does not compile.

use super::kind::{Changeable, IndexPart, KeyField, Managed, Plain};

/// The role of a field that the table keeps encrypted.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Patient {
///     #[model(pk)]
///     id: String,
///     #[model(encrypted)]
///     diagnosis: String,
/// }
///
/// assert!(Patient::DIAGNOSIS.exists().into_condition().is_ok());
/// let change = Patient::DIAGNOSIS.set("influenza");
/// assert_eq!(format!("{change:?}"), "Change(SET diagnosis)");
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Sealed {}

/// A role whose fields the table can read, and therefore compare, search and change in part.
///
/// ```
/// fn compares<R: tabletheory::field::Legible>() {}
/// compares::<tabletheory::field::Plain>();
/// ```
#[diagnostic::on_unimplemented(
    message = "an encrypted field cannot be compared, searched or changed in part: its role is `{Self}`",
    label = "the table keeps this field encrypted",
    note = "it can be replaced with `set` or `set_if_not_exists`, removed with `remove`, and asked `exists` or `not_exists`",
    note = "read the item and compare the field in Rust, or keep a hash of it in a field of its own"
)]
pub trait Legible {}

impl Legible for Plain {}
impl Legible for KeyField {}
impl Legible for IndexPart {}
impl Legible for Managed {}

impl Changeable for Sealed {}
