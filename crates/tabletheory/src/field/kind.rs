//! Which fields can do what: the roles of fields, and the types that can be added to, searched or grown.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;

use tabletheory_core::Number;

use crate::attribute::{Attribute, Binary, EpochSeconds, EpochTime, Optional, SetMember, VecSet};

/// The role of a field that updates may change.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     hits: u64,
/// }
///
/// assert!(Page::HITS.set(1).into_action().is_ok());
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Plain {}

/// The role of a field that is the item's key or stands in it.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
/// }
///
/// assert!(Page::ID.eq("a").into_condition().is_ok());
/// ```
#[derive(Debug, Clone, Copy)]
pub enum KeyField {}

/// The role of a field that stands in the key template of an index.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app", index(name = "by_city", pk = "CITY#{city}"))]
/// struct User {
///     #[model(pk)]
///     id: String,
///     city: String,
/// }
///
/// assert!(User::CITY.eq("Rome").into_condition().is_ok());
/// ```
#[derive(Debug, Clone, Copy)]
pub enum IndexPart {}

/// The role of a field that the toolkit writes: the version, and when an item was made and changed.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     #[model(version)]
///     rev: u64,
/// }
///
/// assert!(Page::REV.eq(3).into_condition().is_ok());
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Managed {}

/// A role whose fields updates may change.
///
/// ```
/// fn changes<R: tabletheory::field::Changeable>() {}
/// changes::<tabletheory::field::Plain>();
/// ```
#[diagnostic::on_unimplemented(
    message = "an update cannot change this field: its role is `{Self}`",
    label = "this field is a `{Self}`",
    note = "a `KeyField` never changes in place: delete the item and put it under its new key",
    note = "an `IndexPart` stands in the key of an index: put the whole item, so that the key follows",
    note = "a `Managed` field is written by the toolkit: the version and the times of an item"
)]
pub trait Changeable {}

impl Changeable for Plain {}

/// A type that `add` can grow: a number or a set.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     hits: Option<u64>,
/// }
///
/// assert!(Page::HITS.add(1).into_action().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`add` needs a field that holds a number or a set, and `{Self}` is neither",
    note = "use `set` to replace a value, and `append` or `prepend` for lists"
)]
pub trait Additive {
    /// What is added.
    type Amount: Attribute;
}

/// A type that can contain something: a string, a list or a set.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     tags: Vec<String>,
/// }
///
/// assert!(Page::TAGS.contains("home").into_condition().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`contains` needs a field that holds a string, a list or a set, and `{Self}` is none of them"
)]
pub trait Container {
    /// What it contains.
    type Member: Attribute;
}

/// A type that can begin with something: a string or bytes.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
/// }
///
/// assert!(Page::ID.begins_with("a").into_condition().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`begins_with` needs a field that holds a string or bytes, and `{Self}` is neither"
)]
pub trait Prefixed {
    /// What it begins with.
    type Prefix: Attribute;
}

/// A type that can grow at its ends.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     tags: Vec<String>,
/// }
///
/// assert!(Page::TAGS.append(["home"]).into_action().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`append` and `prepend` need a field that holds a list, and `{Self}` is none",
    note = "use `add` for sets and numbers"
)]
pub trait List {
    /// What it holds.
    type Element: Attribute;
}

/// A type whose members can be taken out.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     tags: std::collections::BTreeSet<String>,
/// }
///
/// assert!(Page::TAGS.delete_from_set(["home".to_owned()].into_iter().collect::<std::collections::BTreeSet<_>>()).into_action().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "`delete_from_set` needs a field that holds a set, and `{Self}` is none",
    note = "lists have no way to take out a member by its value"
)]
pub trait Set {
    /// The set of members to take out.
    type Members: Attribute;
}

macro_rules! numbers {
    ($($kind:ty),*) => {$(
        impl Additive for $kind {
            type Amount = $kind;
        }
    )*};
}

numbers!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Number);

impl<T: SetMember + Ord> Additive for BTreeSet<T> {
    type Amount = Self;
}

impl<T: SetMember + Eq + Hash> Additive for HashSet<T> {
    type Amount = Self;
}

impl<T: SetMember> Additive for VecSet<T> {
    type Amount = Self;
}

/// Seconds are added.
impl<T: EpochTime> Additive for EpochSeconds<T> {
    type Amount = i64;
}

impl<T: Additive> Additive for Option<T> {
    type Amount = T::Amount;
}

impl<T: Additive> Additive for Optional<T> {
    type Amount = T::Amount;
}

impl Container for String {
    type Member = String;
}

impl<T: Attribute> Container for Vec<T> {
    type Member = T;
}

impl<T: SetMember> Container for BTreeSet<T> {
    type Member = T;
}

impl<T: SetMember> Container for HashSet<T> {
    type Member = T;
}

impl<T: SetMember> Container for VecSet<T> {
    type Member = T;
}

impl<T: Container> Container for Option<T> {
    type Member = T::Member;
}

impl<T: Container> Container for Optional<T> {
    type Member = T::Member;
}

impl Prefixed for String {
    type Prefix = String;
}

impl Prefixed for Binary {
    type Prefix = Binary;
}

impl<T: Prefixed> Prefixed for Option<T> {
    type Prefix = T::Prefix;
}

impl<T: Prefixed> Prefixed for Optional<T> {
    type Prefix = T::Prefix;
}

impl<T: Attribute> List for Vec<T> {
    type Element = T;
}

impl<T: List> List for Option<T> {
    type Element = T::Element;
}

impl<T: SetMember + Ord> Set for BTreeSet<T> {
    type Members = Self;
}

impl<T: SetMember + Eq + Hash> Set for HashSet<T> {
    type Members = Self;
}

impl<T: SetMember> Set for VecSet<T> {
    type Members = Self;
}

impl<T: Set> Set for Option<T> {
    type Members = T::Members;
}

impl<T: Set> Set for Optional<T> {
    type Members = T::Members;
}
