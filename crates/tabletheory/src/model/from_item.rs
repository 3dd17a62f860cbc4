//! What items can be read as: a whole model, or something smaller.

use tabletheory_core::Item;

use super::{Model, ModelError};

/// A type that items can be read as. Every [`Model`] is one.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::model::FromItem;
/// use tabletheory_core::{Item, Value};
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// let user = <User as FromItem>::from_item(Item::from([("id", Value::s("7"))]))?;
/// assert_eq!(user.id, "7");
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
pub trait FromItem: Sized + Send + 'static {
    /// The attributes that are read, or `None` if the item is read whole.
    const ATTRIBUTES: Option<&'static [&'static str]>;

    /// The value of an item.
    ///
    /// # Errors
    /// If an attribute is missing or has another type, or a key does not have the form of its template.
    fn from_item(item: Item) -> Result<Self, ModelError>;
}

impl<M: Model> FromItem for M {
    const ATTRIBUTES: Option<&'static [&'static str]> = None;

    fn from_item(item: Item) -> Result<Self, ModelError> {
        <Self as Model>::from_item(item)
    }
}
