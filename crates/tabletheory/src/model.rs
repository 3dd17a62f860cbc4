//! A struct as the items of a table: [`Model`], which `#[derive(Model)]` implements, the [`Schema`] it declares, and what
//! goes wrong between the two.

mod attribute_info;
mod error;
mod from_item;
mod key_names;
mod role;
mod schema;
mod shape;

pub use attribute_info::AttributeInfo;
pub use error::{KeyFault, ModelError};
pub use from_item::FromItem;
pub(crate) use key_names::KeyNames;
pub use role::{Lifetime, Moment, Version};
pub use schema::{Index, IndexProjection, IndexScope, KeyAttribute, Schema};
pub use shape::{KeyPattern, KeyShape};

use std::borrow::Cow;

use tabletheory_core::Item;

use crate::key::Key;

/// A type whose values are items of one table. `#[derive(Model)]` implements it; its page explains the attributes.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory_core::Value;
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
/// struct Profile {
///     id: String,
///     city: Option<String>,
/// }
///
/// let profile = Profile { id: "7".into(), city: None };
/// let item = profile.to_item()?;
/// assert_eq!(item.get("pk"), Some(&Value::s("USER#7")));
/// assert_eq!(profile.key_of(), Profile::key("7"));
/// assert_eq!(Profile::from_item(item)?, profile);
/// assert_eq!(Profile::table(), "app");
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    note = "a struct becomes one with `#[derive(Model)]` and `#[model(table = \"...\")]`"
)]
pub trait Model: Sized + Send + Sync + 'static {
    /// The name of the type, for messages.
    const NAME: &'static str;

    /// Its keys, indexes and roles.
    const SCHEMA: Schema;

    /// What its keys look like.
    const KEYS: KeyShape = KeyShape::of(Self::SCHEMA);

    /// The table its items lie in.
    fn table() -> Cow<'static, str>;

    /// The item, with its key and the keys of its indexes.
    ///
    /// # Errors
    /// If DynamoDB cannot hold a value, or a value cannot stand in a key.
    fn to_item(&self) -> Result<Item, ModelError>;

    /// The value of an item. Attributes that the model does not know are left alone.
    ///
    /// # Errors
    /// If an attribute is missing or has another type, or a key does not have the form of its template.
    fn from_item(item: Item) -> Result<Self, ModelError>;

    /// Whether an item has the keys that this model's items have. In a table with several models it is probably one of
    /// them.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory_core::{Item, Value};
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", pk = "USER#{id}")]
    /// struct User {
    ///     id: String,
    /// }
    ///
    /// assert!(User::matches(&Item::from([("pk", Value::s("USER#7"))])));
    /// assert!(!User::matches(&Item::from([("pk", Value::s("PAGE#7"))])));
    /// ```
    #[must_use]
    fn matches(item: &Item) -> bool {
        Self::KEYS.matches(item)
    }

    /// The key of this value's item.
    fn key_of(&self) -> Key<Self>;
}
