//! What is inside an attribute: members of structs, elements of lists and entries of maps. What stands there is asked and
//! changed as any field is.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use tabletheory_core::expr::Step;

use super::Field;
use super::kind::List;
use super::place::{Nested, Place};
use super::sealed::Legible;
use crate::attribute::Attribute;

/// A type whose members are those of the struct `V`: the struct, or an `Option` of it.
///
/// ```
/// fn holds<T: tabletheory::field::Holds<u8>>() {}
/// holds::<Option<u8>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "a `{Self}` has no members of a `{V}`",
    note = "`at` takes a constant of the struct that the field holds"
)]
pub trait Holds<V> {}

impl<T> Holds<T> for T {}
impl<T> Holds<T> for Option<T> {}

/// A type with entries under names: a map with string keys.
///
/// ```
/// use std::collections::BTreeMap;
///
/// fn entries<T: tabletheory::field::Entries<Value = u8>>() {}
/// entries::<BTreeMap<String, u8>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`entry` needs a field that holds a map, and `{Self}` is none",
    note = "use `at` for the members of a struct and `element` for lists"
)]
pub trait Entries {
    /// What stands under a name.
    type Value: Attribute;
}

impl<T: Attribute> Entries for BTreeMap<String, T> {
    type Value = T;
}

impl<T: Attribute, S: BuildHasher + Default> Entries for HashMap<String, T, S> {
    type Value = T;
}

impl<T: Entries> Entries for Option<T> {
    type Value = T::Value;
}

impl<M, T, R, P: Place> Field<M, T, R, P> {
    /// A member of the struct that the field holds. Changing it needs the struct to be there.
    ///
    /// ```
    /// use tabletheory::{Attribute, Model};
    ///
    /// #[derive(Attribute)]
    /// #[attribute(rename_all = "camelCase")]
    /// struct Address {
    ///     zip_code: String,
    /// }
    ///
    /// #[derive(Model)]
    /// #[model(table = "app")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    ///     home: Option<Address>,
    /// }
    ///
    /// let zip = User::HOME.at(Address::ZIP_CODE);
    /// assert_eq!(format!("{zip:?}"), "Field(home.zipCode)");
    /// assert!(zip.begins_with("10").into_condition().is_ok());
    /// ```
    pub fn at<V, U, Q>(self, member: Field<V, U, Q>) -> Field<M, U, R, Nested>
    where
        R: Legible,
        T: Holds<V>,
    {
        self.nested(Step::Field(member.name().to_owned()))
    }

    /// An element of the list, the first one being 0. What is set past the end is put at the end; after one is removed,
    /// the following ones move up.
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
    /// assert!(Page::TAGS.element(0).set("home").into_action().is_ok());
    /// ```
    pub fn element(self, position: u32) -> Field<M, T::Element, R, Nested>
    where
        R: Legible,
        T: List,
    {
        self.nested(Step::Index(position))
    }

    /// The entry of the map under this name. Changing it needs the map to be there.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use tabletheory::Model;
    ///
    /// #[derive(Model)]
    /// #[model(table = "app")]
    /// struct Page {
    ///     #[model(pk)]
    ///     id: String,
    ///     visits: BTreeMap<String, u64>,
    /// }
    ///
    /// assert!(Page::VISITS.entry("2026-01-31").add(1).into_action().is_ok());
    /// ```
    pub fn entry(self, name: impl Into<String>) -> Field<M, T::Value, R, Nested>
    where
        R: Legible,
        T: Entries,
    {
        self.nested(Step::Field(name.into()))
    }

    fn nested<U>(&self, step: Step) -> Field<M, U, R, Nested> {
        Field::placed(Nested::after(&self.place, step))
    }
}
