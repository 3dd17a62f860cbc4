//! Fields that stand only in the key: they can be read, and that is all.

use std::fmt;
use std::marker::PhantomData;

use tabletheory_core::Item;

use crate::key::{KeyPart, Template};
use crate::model::ModelError;

/// A field of the model `M` that is `key_only`: its value is a part of the item's key, and no attribute of its own.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::field::KeyOnly;
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "PAGE#{path}")]
/// struct Page {
///     #[model(key_only)]
///     path: String,
/// }
///
/// let path: KeyOnly<Page, String> = Page::PATH;
/// assert_eq!(path.name(), "pk");
/// ```
pub struct KeyOnly<M, T> {
    template: Template,
    field: &'static str,
    kind: PhantomData<fn() -> (M, T)>,
}

impl<M, T> KeyOnly<M, T> {
    /// The field with this name in this template.
    ///
    /// ```
    /// use tabletheory::field::KeyOnly;
    /// use tabletheory::key::{Segment, Template};
    ///
    /// const SEGMENTS: &[Segment] = &[Segment::Text("PAGE#"), Segment::Field { name: "path", width: None }];
    /// const PATH: KeyOnly<(), String> =
    ///     KeyOnly::new(Template { model: "Page", attribute: "pk", segments: SEGMENTS }, "path");
    /// assert_eq!(PATH.name(), "pk");
    /// ```
    #[must_use]
    pub const fn new(template: Template, field: &'static str) -> Self {
        Self { template, field, kind: PhantomData }
    }

    /// The key attribute in which it stands.
    ///
    /// ```
    /// use tabletheory::Model;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", pk = "PAGE#{path}", pk_attr = "key")]
    /// struct Page {
    ///     #[model(key_only)]
    ///     path: String,
    /// }
    ///
    /// assert_eq!(Page::PATH.name(), "key");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.template.attribute
    }

    /// Its value in an item.
    ///
    /// ```
    /// use tabletheory::Model;
    /// use tabletheory_core::{Item, Value};
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", pk = "PAGE#{path}")]
    /// struct Page {
    ///     #[model(key_only)]
    ///     path: String,
    /// }
    ///
    /// let item = Item::from([("pk", Value::s("PAGE#news"))]);
    /// assert_eq!(Page::PATH.read(&item)?, "news");
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the key is missing or does not have the form of its template.
    pub fn read(self, item: &Item) -> Result<T, ModelError>
    where
        T: KeyPart,
    {
        self.template.read(item, self.field)
    }
}

// Derived, these would ask the model and the type to have the same traits.
impl<M, T> Clone for KeyOnly<M, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, T> Copy for KeyOnly<M, T> {}

impl<M, T> fmt::Debug for KeyOnly<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyOnly({} in {})", self.field, self.template.attribute)
    }
}
