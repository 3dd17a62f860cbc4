//! Typed fields: what a model's attribute can be asked ([`Filter`]) and how it can change ([`Change`]). A wrong type, a key
//! that would change in place or a field of another model does not compile.

mod change;
mod filter;
mod kind;
mod measure;
mod operand;

pub use change::Change;
pub use filter::{Filter, Size};
pub use kind::{Additive, Changeable, Container, IndexPart, KeyField, List, Managed, Plain, Prefixed, Set};
pub use measure::{Numeric, Ordered};
pub use operand::Operand;

use std::fmt;
use std::marker::PhantomData;

use tabletheory_core::Value;
use tabletheory_core::expr::Path;

use crate::attribute::AttributeError;
use crate::model::{Model, ModelError};

/// An attribute of the model `M` whose values are of the type `T`. The derive macro makes one constant for each field; `R` is
/// the field's role.
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
pub struct Field<M, T, R = Plain> {
    name: &'static str,
    kind: PhantomData<Kind<M, T, R>>,
}

/// A field owns nothing of its model: it only speaks of it, from any thread.
type Kind<M, T, R> = fn() -> (M, T, R);

impl<M, T, R> Field<M, T, R> {
    /// The field whose attribute has this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, kind: PhantomData }
    }

    /// The attribute's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    fn path(self) -> Path {
        Path::attribute(self.name)
    }
}

impl<M: Model, T, R> Field<M, T, R> {
    fn value<U, V: Operand<U>>(self, value: V) -> Result<Value, ModelError> {
        value.operand().map_err(|error| self.unfit(error))
    }

    fn unfit(self, error: AttributeError) -> ModelError {
        ModelError::Write { model: M::NAME, source: error.inside(self.name) }
    }

    fn nothing(self, method: &'static str) -> ModelError {
        ModelError::Nothing { model: M::NAME, attribute: self.name, method }
    }
}

// Derived, these would ask the model and the type to have the same traits.
impl<M, T, R> Clone for Field<M, T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, T, R> Copy for Field<M, T, R> {}

impl<M, T, R> fmt::Debug for Field<M, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Field").field(&self.name).finish()
    }
}
