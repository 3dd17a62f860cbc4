//! What the fields of a projection are read from: a field of the model, or what stands in its key. `K` only tells the
//! compiler which of the ways it is.

use tabletheory_core::Item;

use crate::attribute::{Attribute, Binary, EpochSeconds, Form, Json, JsonText, Optional, VecSet};
use crate::field::{Field, KeyOnly};
use crate::key::KeyPart;
use crate::model::ModelError;

/// A constant of a model that can be read as a `U`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read as `{U}`",
    label = "this field has another type in the model",
    note = "a projection has the types of its model's fields, or an `Option` of them"
)]
pub trait Source<U, K> {
    /// The value, for the projection with this name.
    ///
    /// # Errors
    /// If it is missing or of another type.
    fn project(self, item: &mut Item, projection: &'static str) -> Result<U, ModelError>;
}

/// Read as the model does.
#[derive(Debug)]
pub enum Own {}

/// Read if it is there.
#[derive(Debug)]
pub enum Maybe {}

/// Read as the model does, from the form in which it is stored.
#[derive(Debug)]
pub enum Formed {}

/// Read from its form if it is there.
#[derive(Debug)]
pub enum MaybeFormed {}

/// Read from the key.
#[derive(Debug)]
pub enum InKey {}

impl<M, T: Attribute, R> Source<T, Own> for Field<M, T, R> {
    fn project(self, item: &mut Item, projection: &'static str) -> Result<T, ModelError> {
        self.take(item).map_err(|source| ModelError::Read { model: projection, source })
    }
}

impl<M, T: Attribute, R> Source<Option<T>, Maybe> for Field<M, T, R> {
    fn project(self, item: &mut Item, projection: &'static str) -> Result<Option<T>, ModelError> {
        let whole: Field<M, Option<T>, R> = Field::new(self.name());
        whole.project(item, projection)
    }
}

// One by one and not for every form: so a field of a wrong type is told as one, and not as a form that does not exist.
macro_rules! formed {
    ($([$($generic:ident)?] $form:ty => $kind:ty;)*) => {$(
        impl<M, $($generic,)? R> Source<$kind, Formed> for Field<M, $form, R>
        where
            $form: Form<$kind>,
        {
            fn project(self, item: &mut Item, projection: &'static str) -> Result<$kind, ModelError> {
                let form: $form = self.project(item, projection)?;
                Ok(form.into_inner())
            }
        }

        impl<M, $($generic,)? R> Source<Option<$kind>, MaybeFormed> for Field<M, $form, R>
        where
            $form: Form<$kind>,
        {
            fn project(self, item: &mut Item, projection: &'static str) -> Result<Option<$kind>, ModelError> {
                let form: Option<$form> = self.project(item, projection)?;
                Ok(form.map(Form::into_inner))
            }
        }
    )*};
}

formed! {
    [T] Json<T> => T;
    [T] JsonText<T> => T;
    [T] VecSet<T> => Vec<T>;
    [T] EpochSeconds<T> => T;
    [] Binary => Vec<u8>;
}

impl<M, T, F: Form<T>, R> Source<Option<T>, Formed> for Field<M, Optional<F>, R> {
    fn project(self, item: &mut Item, projection: &'static str) -> Result<Option<T>, ModelError> {
        let form: Optional<F> = self.project(item, projection)?;
        Ok(form.into_inner())
    }
}

impl<M, T: KeyPart> Source<T, InKey> for KeyOnly<M, T> {
    fn project(self, item: &mut Item, _projection: &'static str) -> Result<T, ModelError> {
        self.read(item)
    }
}

/// The value of a projection's field.
///
/// # Errors
/// If it is missing or of another type.
pub fn project<U, K, S: Source<U, K>>(
    item: &mut Item,
    projection: &'static str,
    source: S,
) -> Result<U, ModelError> {
    source.project(item, projection)
}

/// The names, each once and in front, and how many there are: a service refuses a projection with a name twice.
#[must_use]
pub const fn distinct<const COUNT: usize>(names: [&'static str; COUNT]) -> ([&'static str; COUNT], usize) {
    let mut distinct = names;
    let (mut count, mut at) = (0, 0);
    while at < COUNT {
        if !is_among(names[at], &distinct, count) {
            distinct[count] = names[at];
            count += 1;
        }
        at += 1;
    }
    (distinct, count)
}

const fn is_among(name: &str, names: &[&str], count: usize) -> bool {
    let mut at = 0;
    while at < count {
        if is_same(name.as_bytes(), names[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
