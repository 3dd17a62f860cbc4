//! Values for the first fields of a key template: one value, or a tuple of as many as are wanted. A template has at most
//! eight fields.

use crate::key::KeyPart;
use crate::model::KeyFault;

/// A value for a field of the type `T` in a key template.
///
/// ```
/// use tabletheory::query::PartOf;
///
/// assert_eq!(PartOf::<String>::text(&"a", None)?.as_deref(), Some("a"));
/// assert_eq!(PartOf::<u8>::text(&7, Some(3))?.as_deref(), Some("007"));
/// # Ok::<(), tabletheory::model::KeyFault>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` in a key has no values of the type `{Self}`",
    label = "expected a `{T}`"
)]
pub trait PartOf<T> {
    /// The text of the part, with as many digits as the template asks for, or `None` if there is no value.
    ///
    /// # Errors
    /// If the value has no such text.
    fn text(&self, width: Option<usize>) -> Result<Option<String>, KeyFault>;
}

impl<T: KeyPart> PartOf<T> for T {
    fn text(&self, width: Option<usize>) -> Result<Option<String>, KeyFault> {
        self.part(width)
    }
}

impl<T: KeyPart> PartOf<T> for &T {
    fn text(&self, width: Option<usize>) -> Result<Option<String>, KeyFault> {
        (*self).part(width)
    }
}

impl PartOf<String> for &str {
    fn text(&self, _width: Option<usize>) -> Result<Option<String>, KeyFault> {
        Ok(Some((*self).to_owned()))
    }
}

/// Values for the first fields of a template whose fields have the types in the tuple `F`: a value for the first one, or a
/// tuple. `K` is [`One`] or [`Several`], so that the compiler can tell them apart.
///
/// ```
/// use tabletheory::query::Leading;
///
/// fn count<V: Leading<(String, u32), K>, K>(_values: V) -> usize {
///     V::COUNT
/// }
/// assert_eq!(count("2026"), 1);
/// assert_eq!(count(("2026", 12)), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "the first fields of this key have no values of the type `{Self}`",
    label = "expected values for the first of `{F}`",
    note = "a key is asked from the left: give a value for its first field, or a tuple with values for the first few"
)]
pub trait Leading<F, K> {
    /// How many values there are.
    const COUNT: usize;

    /// The type of the first field that is not given; [`Whole`] if there is none.
    type Next;

    /// The text of the value at this place, or `None` where they end.
    fn text(&self, place: usize, width: Option<usize>) -> Option<Result<Option<String>, KeyFault>>;
}

/// One value, which is no tuple.
///
/// ```
/// fn is_one<V: tabletheory::query::Leading<(u8, u8), tabletheory::query::One>>(_value: V) {}
/// is_one(1);
/// assert_eq!(size_of::<tabletheory::query::One>(), 0);
/// ```
#[derive(Debug, Clone, Copy)]
pub enum One {}

/// A tuple of values.
///
/// ```
/// fn are_several<V: tabletheory::query::Leading<(u8, u8), tabletheory::query::Several>>(_values: V) {}
/// are_several((1, 2));
/// assert_eq!(size_of::<tabletheory::query::Several>(), 0);
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Several {}

/// What comes after the last field of a key: values for all fields are the whole key.
///
/// ```
/// fn is_whole<V: tabletheory::query::Leading<(u8, u8), K, Next = tabletheory::query::Whole>, K>(_values: V) {}
/// is_whole((1, 2));
/// assert_eq!(size_of::<tabletheory::query::Whole>(), 0);
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Whole {}

/// The values in a tuple for the first of all fields.
macro_rules! tuple {
    ([$($all:ident)*] [$($field:ident $value:ident $place:tt)*] $next:ident) => {
        impl<$($all,)* $($value: PartOf<$field>,)*> Leading<($($all,)*), Several> for ($($value,)*) {
            const COUNT: usize = 0 $(+ { _ = $place; 1 })*;

            type Next = $next;

            fn text(&self, place: usize, width: Option<usize>) -> Option<Result<Option<String>, KeyFault>> {
                match (place, width) {
                    $(($place, width) => Some(self.$place.text(width)),)*
                    _ => None,
                }
            }
        }
    };
}

/// The tuples for the first of all fields, from none of them to all.
macro_rules! tuples {
    ([$($all:ident)*] [$($given:tt)*]) => {
        tuple!([$($all)*] [$($given)*] Whole);
    };
    ([$($all:ident)*] [$($given:tt)*] $next:ident $value:ident $place:tt $($rest:tt)*) => {
        tuple!([$($all)*] [$($given)*] $next);
        tuples!([$($all)*] [$($given)* $next $value $place] $($rest)*);
    };
}

/// One value for the first of all fields.
macro_rules! one {
    ([$first:ident $($rest:ident)*] $next:ident) => {
        impl<$first, $($rest,)* V: PartOf<$first>> Leading<($first, $($rest,)*), One> for V {
            const COUNT: usize = 1;

            type Next = $next;

            fn text(&self, place: usize, width: Option<usize>) -> Option<Result<Option<String>, KeyFault>> {
                (place == 0).then(|| PartOf::text(self, width))
            }
        }
    };
    ($first:ident) => {
        one!([$first] Whole);
    };
    ($first:ident $next:ident $($rest:ident)*) => {
        one!([$first $next $($rest)*] $next);
    };
}

/// All values for templates with these fields.
macro_rules! fields {
    ($($field:ident $value:ident $place:tt)*) => {
        one!($($field)*);
        tuples!([$($field)*] [] $($field $value $place)*);
    };
}

fields!(A S 0);
fields!(A S 0 B T 1);
fields!(A S 0 B T 1 C U 2);
fields!(A S 0 B T 1 C U 2 D W 3);
fields!(A S 0 B T 1 C U 2 D W 3 E X 4);
fields!(A S 0 B T 1 C U 2 D W 3 E X 4 F Y 5);
fields!(A S 0 B T 1 C U 2 D W 3 E X 4 F Y 5 G Z 6);
fields!(A S 0 B T 1 C U 2 D W 3 E X 4 F Y 5 G Z 6 H P 7);
