//! What can be asked of a sort key: the last parameter of a [`KeyQuery`](super::KeyQuery).

use std::fmt;
use std::marker::PhantomData;

use crate::key::Template;

/// There is no sort key, it is the same in every item, or all of it has been asked.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::query::{KeyQuery, NoSort};
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "PAGE#{id}", sk = "META")]
/// struct Page {
///     id: String,
/// }
///
/// let query: KeyQuery<Page, NoSort> = Page::query("7");
/// assert_eq!(query.into_parts()?.1.predicates.len(), 2);
/// # Ok::<(), tabletheory::model::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NoSort;

/// There may be a sort key, but nothing more is asked of it.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::query::{AnySort, KeyQuery};
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Visit {
///     #[model(pk)]
///     page: String,
///     #[model(sk)]
///     second: u64,
/// }
///
/// let query: KeyQuery<Visit, AnySort> = Visit::query("home").lt(60);
/// assert!(query.into_parts().is_ok());
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AnySort;

/// A sort key that is a field of the type `T`. An index may be sorted by more: those are in `Rest`, and the first must be
/// given before the second can be asked.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app", index(name = "by_city", pk = city, sk = (street, age)))]
/// struct User {
///     #[model(pk)]
///     id: String,
///     city: String,
///     street: String,
///     age: u8,
/// }
///
/// assert!(User::by_city("Rome").begins_with("Via").into_parts().is_ok());
/// assert!(User::by_city("Rome").eq("Via Appia").between(18, 65).into_parts().is_ok());
/// ```
pub struct SortField<T, Rest = NoSort> {
    pub(super) attribute: &'static str,
    pub(super) rest: Rest,
    kind: PhantomData<fn() -> T>,
}

impl<T, Rest> SortField<T, Rest> {
    /// The sort key with this name, and those after it.
    ///
    /// ```
    /// use tabletheory::query::{NoSort, SortField};
    ///
    /// let by_age: SortField<u8> = SortField::new("age", NoSort);
    /// assert_eq!(format!("{by_age:?}"), r#"SortField("age", NoSort)"#);
    /// ```
    #[must_use]
    pub const fn new(attribute: &'static str, rest: Rest) -> Self {
        Self { attribute, rest, kind: PhantomData }
    }
}

// Derived, these would ask the field's type to have the same traits.
impl<T, Rest: Clone> Clone for SortField<T, Rest> {
    fn clone(&self) -> Self {
        Self::new(self.attribute, self.rest.clone())
    }
}

impl<T, Rest: Copy> Copy for SortField<T, Rest> {}

impl<T, Rest: fmt::Debug> fmt::Debug for SortField<T, Rest> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SortField").field(&self.attribute).field(&self.rest).finish()
    }
}

/// A sort key that is made from fields, whose types are in the tuple `F`. Keys are compared as texts; the values that are
/// asked for are those of the first fields.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{day}#{number:06}")]
/// struct Order {
///     user: String,
///     day: String,
///     number: u32,
/// }
///
/// assert!(Order::query("7").eq(("2026-01-31", 12)).into_parts().is_ok());
/// assert!(Order::query("7").between("2026-01-01", "2026-01-31").into_parts().is_ok());
/// assert!(Order::query("7").ge(("2026-01-31", 12)).into_parts().is_ok());
/// ```
pub struct SortTemplate<F> {
    pub(super) template: Template,
    fields: PhantomData<fn() -> F>,
}

impl<F> SortTemplate<F> {
    /// The sort key with this template.
    ///
    /// ```
    /// use tabletheory::key::{Segment, Template};
    /// use tabletheory::query::SortTemplate;
    ///
    /// const SEGMENTS: &[Segment] = &[Segment::Text("DAY#"), Segment::Field { name: "day", width: None }];
    /// let template = Template { model: "Order", attribute: "sk", segments: SEGMENTS };
    /// let by_day: SortTemplate<(String,)> = SortTemplate::new(template);
    /// assert!(format!("{by_day:?}").contains("DAY#"));
    /// ```
    #[must_use]
    pub const fn new(template: Template) -> Self {
        Self { template, fields: PhantomData }
    }
}

impl<F> Clone for SortTemplate<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for SortTemplate<F> {}

impl<F> fmt::Debug for SortTemplate<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SortTemplate").field(&self.template).finish()
    }
}
