//! Which fields can be summed up and which have a smallest value: what is asked of many items at once.

use jiff::Timestamp;
use tabletheory_core::Number;

use crate::attribute::Attribute;

/// A type whose values can be summed up: a number.
///
/// ```
/// fn sums<T: tabletheory::field::Numeric>() {}
/// sums::<Option<u64>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be summed up: it is no number",
    note = "a type of your own that is stored as a number can implement `tabletheory::field::Numeric`"
)]
pub trait Numeric {}

/// A type with a smallest and a largest value among many.
///
/// ```
/// fn compares<T: tabletheory::field::Ordered>() {}
/// compares::<Option<String>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "values of the type `{Self}` have no order",
    note = "numbers, texts and moments do; a type of your own can implement `tabletheory::field::Ordered`"
)]
pub trait Ordered {
    /// What is compared.
    type Value: Attribute + PartialOrd;
}

macro_rules! numbers {
    ($($kind:ty),*) => {$(
        impl Numeric for $kind {}

        impl Ordered for $kind {
            type Value = $kind;
        }
    )*};
}

numbers!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Number);

impl<T: Numeric> Numeric for Option<T> {}

impl Ordered for String {
    type Value = Self;
}

impl Ordered for Timestamp {
    type Value = Self;
}

impl<T: Ordered> Ordered for Option<T> {
    type Value = T::Value;
}
