//! Typed fields: what a model's attribute can be asked ([`Filter`]) and how it can change ([`Change`]). A wrong type, a key
//! that would change in place or a field of another model does not compile.

mod change;
mod filter;
mod inside;
mod key_only;
mod kind;
mod measure;
mod operand;
mod place;
mod question;
mod sealed;
mod size;

pub use change::Change;
pub use filter::Filter;
pub use inside::{Entries, Holds};
pub use key_only::KeyOnly;
pub use kind::{Additive, Changeable, Container, IndexPart, KeyField, List, Managed, Plain, Prefixed, Set};
pub use measure::{Numeric, Ordered};
pub use operand::Operand;
pub use place::{Nested, Place};
pub use sealed::{Legible, Sealed};
pub use size::Size;

use std::fmt;
use std::marker::PhantomData;

use tabletheory_core::expr::Path;
use tabletheory_core::{Item, Value};

use crate::attribute::{Attribute, AttributeError, Fault};
use crate::model::{Model, ModelError};

/// An attribute of the model `M` whose values are of the type `T`, or a place inside one. The derive macro makes one constant
/// for each field; `R` is the field's role, `P` says where it is.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app", rename_all = "camelCase")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     s3_key: String,
///     hits: u64,
/// }
///
/// assert_eq!(Page::S3_KEY.name(), "s3Key");
/// let popular = Page::HITS.gt(100) & Page::S3_KEY.begins_with("pages/");
/// assert!(popular.into_condition().is_ok());
/// assert!(Page::HITS.add(1).into_action().is_ok());
/// ```
pub struct Field<M, T, R = Plain, P = &'static str> {
    place: P,
    /// What it means if the attribute is missing, if the model says so.
    missing: Option<fn() -> T>,
    kind: PhantomData<Kind<M, T, R>>,
}

/// A field owns nothing of its model: it only speaks of it, from any thread.
type Kind<M, T, R> = fn() -> (M, T, R);

impl<M, T, R> Field<M, T, R> {
    /// The field whose attribute has this name.
    ///
    /// ```
    /// use tabletheory::field::Field;
    ///
    /// const CITY: Field<(), String> = Field::new("city");
    /// assert_eq!(CITY.name(), "city");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { place: name, missing: None, kind: PhantomData }
    }

    /// The same field, which has this value where the attribute is missing.
    ///
    /// ```
    /// use tabletheory::field::Field;
    ///
    /// const HITS: Field<(), u64> = Field::new("hits").with_default(u64::default);
    /// assert_eq!(HITS.name(), "hits");
    /// ```
    #[must_use]
    pub const fn with_default(self, missing: fn() -> T) -> Self {
        Self { missing: Some(missing), ..self }
    }

    /// The attribute's name.
    ///
    /// ```
    /// use tabletheory::Model;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app", rename_all = "camelCase")]
    /// struct User {
    ///     #[model(pk)]
    ///     user_id: String,
    /// }
    ///
    /// assert_eq!(User::USER_ID.name(), "userId");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.place
    }

    /// Takes the attribute out of an item.
    pub(crate) fn take(self, item: &mut Item) -> Result<T, AttributeError>
    where
        T: Attribute,
    {
        let inside = |error: AttributeError| error.inside(self.place);
        match item.remove(self.place) {
            Some(value) => T::from_value(value).map_err(inside),
            None => {
                let missing = self.missing.map(|missing| missing()).or_else(T::missing);
                missing.ok_or_else(|| inside(Fault::Missing.into()))
            }
        }
    }
}

impl<M, T, R, P> Field<M, T, R, P> {
    fn placed(place: P) -> Self {
        Self { place, missing: None, kind: PhantomData }
    }
}

impl<M, T, R, P: Place> Field<M, T, R, P> {
    fn path(&self) -> Path {
        place::path(&self.place)
    }
}

impl<M: Model, T, R, P: Place> Field<M, T, R, P> {
    fn value<U, V: Operand<U>>(&self, value: V) -> Result<Value, ModelError> {
        value.operand().map_err(|error| self.unfit(error))
    }

    fn unfit(&self, error: AttributeError) -> ModelError {
        ModelError::Write { model: M::NAME, source: place::seen_from_item(&self.place, error) }
    }

    fn nothing(&self, method: &'static str) -> ModelError {
        ModelError::Nothing { model: M::NAME, attribute: self.place.root(), method }
    }
}

// Derived, these would ask the model and the type to have the same traits.
impl<M, T, R, P: Clone> Clone for Field<M, T, R, P> {
    fn clone(&self) -> Self {
        Self { place: self.place.clone(), missing: self.missing, kind: PhantomData }
    }
}

impl<M, T, R, P: Copy> Copy for Field<M, T, R, P> {}

impl<M, T, R, P: Place> fmt::Debug for Field<M, T, R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field({})", self.path())
    }
}
