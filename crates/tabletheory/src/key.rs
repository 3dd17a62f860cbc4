//! Keys of items. A [`Key`] belongs to a model; it is made from key fields or from templates such as `USER#{id}`, whose
//! parts are separated by `#` so that no value can pass for another key.

mod part;
mod template;

pub use part::{AnyPart, KeyPart, KeyValue};
pub(crate) use template::{Beginning, LAST};
pub use template::{Segment, Template};

use std::fmt;
use std::marker::PhantomData;

use tabletheory_core::Item;

use crate::model::ModelError;

/// The key of an item of the model `M`. It is made without asking whether its parts are sound; whoever uses it is told.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory_core::Value;
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
/// struct Profile {
///     id: String,
/// }
///
/// assert_eq!(Profile::key("7").item()?.get("pk"), Some(&Value::s("USER#7")));
/// assert!(Profile::key("7#ADMIN").item().is_err());
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
pub struct Key<M> {
    item: Result<Item, ModelError>,
    model: PhantomData<fn() -> M>,
}

impl<M> Key<M> {
    /// The key with these attributes.
    ///
    /// ```
    /// use tabletheory::key::Key;
    /// use tabletheory_core::{Item, Value};
    ///
    /// let key: Key<()> = Key::new(Ok(Item::from([("id", Value::s("7"))])));
    /// assert_eq!(format!("{key:?}"), r#"Key(["id"])"#);
    /// ```
    #[must_use]
    pub fn new(item: Result<Item, ModelError>) -> Self {
        Self { item, model: PhantomData }
    }

    /// The key attributes.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::Value;
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{id}")]
    /// # struct User { id: String }
    /// assert_eq!(User::key("7").item()?.get("pk"), Some(&Value::s("USER#7")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If a value cannot stand in a key.
    pub fn item(&self) -> Result<&Item, ModelError> {
        self.item.as_ref().map_err(Clone::clone)
    }

    /// The key attributes, for whoever needs them alone.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # use tabletheory_core::Value;
    /// # #[derive(Model)]
    /// # #[model(table = "app", pk = "USER#{id}")]
    /// # struct User { id: String }
    /// assert_eq!(User::key("7").into_item()?.get("pk"), Some(&Value::s("USER#7")));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If a value cannot stand in a key.
    pub fn into_item(self) -> Result<Item, ModelError> {
        self.item
    }
}

// Derived, these would ask the model to have the same traits.
impl<M> Clone for Key<M> {
    fn clone(&self) -> Self {
        Self::new(self.item.clone())
    }
}

impl<M> PartialEq for Key<M> {
    fn eq(&self, other: &Self) -> bool {
        self.item == other.item
    }
}

impl<M> Eq for Key<M> {}

/// The attributes and not their values: keys end up in logs.
impl<M> fmt::Debug for Key<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_tuple("Key");
        match &self.item {
            Ok(item) => shown.field(&item.names().collect::<Vec<_>>()),
            Err(error) => shown.field(error),
        };
        shown.finish()
    }
}
