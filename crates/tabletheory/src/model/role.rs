//! Which types the fields with a role may have. The derive macros ask for these traits, so that a wrong type is told at the
//! field.

use std::time::SystemTime;

use jiff::Timestamp;

use crate::attribute::{EpochSeconds, Optional};

/// A type that can count versions: an integer, stored as a number.
///
/// ```
/// fn counts<T: tabletheory::model::Version>() {}
/// counts::<u64>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the version of a model",
    label = "a version is an integer",
    note = "use `u64`; it counts the updates of an item"
)]
pub trait Version {}

/// A type that can say until when an item lives: seconds since 1970, stored as a number.
///
/// ```
/// fn ends<T: tabletheory::model::Lifetime>() {}
/// ends::<Option<u64>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a time to live",
    label = "DynamoDB expects seconds since 1970 as a number",
    note = "use `u64`, `i64`, `jiff::Timestamp` or `SystemTime`, or an `Option` of them for items that may live forever"
)]
pub trait Lifetime {}

/// A type that can say when an item was made or changed.
///
/// ```
/// fn notes<T: tabletheory::model::Moment>() {}
/// notes::<jiff::Timestamp>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the moment at which an item was made or changed",
    label = "expected `jiff::Timestamp`",
    note = "the moment is stored as text in the form of RFC 3339, as every TableTheory toolkit does"
)]
pub trait Moment {}

impl Version for i8 {}
impl Version for i16 {}
impl Version for i32 {}
impl Version for i64 {}
impl Version for u8 {}
impl Version for u16 {}
impl Version for u32 {}
impl Version for u64 {}

impl Lifetime for i64 {}
impl Lifetime for u64 {}
impl Lifetime for Option<i64> {}
impl Lifetime for Option<u64> {}
impl Lifetime for EpochSeconds<Timestamp> {}
impl Lifetime for Optional<EpochSeconds<Timestamp>> {}
impl Lifetime for EpochSeconds<SystemTime> {}
impl Lifetime for Optional<EpochSeconds<SystemTime>> {}

impl Moment for Timestamp {}
impl Moment for Option<Timestamp> {}
