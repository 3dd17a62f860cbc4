//! Where a field's value is: an attribute, or something inside one.

use tabletheory_core::expr::{Path, Step};

use crate::attribute::AttributeError;

/// Where a value is in an item: the name of an attribute, or [`Nested`].
///
/// ```
/// use tabletheory::field::Place;
///
/// assert_eq!(Place::root(&"tags"), "tags");
/// assert!(Place::steps(&"tags").is_empty());
/// ```
pub trait Place {
    /// The attribute.
    fn root(&self) -> &'static str;

    /// The way from there on.
    fn steps(&self) -> &[Step];
}

impl Place for &'static str {
    fn root(&self) -> &'static str {
        self
    }

    fn steps(&self) -> &[Step] {
        &[]
    }
}

/// A place inside an attribute.
///
/// ```
/// use tabletheory::Model;
/// use tabletheory::field::{Field, Nested, Plain};
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Page {
///     #[model(pk)]
///     id: String,
///     tags: Vec<String>,
/// }
///
/// let first: Field<Page, String, Plain, Nested> = Page::TAGS.element(0);
/// assert_eq!(format!("{first:?}"), "Field(tags[0])");
/// ```
#[derive(Debug, Clone)]
pub struct Nested {
    root: &'static str,
    steps: Vec<Step>,
}

impl Nested {
    /// One step further.
    pub(super) fn after(place: &impl Place, step: Step) -> Self {
        let steps = place.steps().iter().cloned().chain([step]).collect();
        Self { root: place.root(), steps }
    }
}

impl Place for Nested {
    fn root(&self) -> &'static str {
        self.root
    }

    fn steps(&self) -> &[Step] {
        &self.steps
    }
}

/// The place as an expression names it.
pub(super) fn path(place: &impl Place) -> Path {
    Path { root: place.root().to_owned(), steps: place.steps().to_vec() }
}

/// An error about the value at the place, seen from the item.
pub(super) fn seen_from_item(place: &impl Place, error: AttributeError) -> AttributeError {
    let outwards = place.steps().iter().rev();
    let error = outwards.fold(error, |error, step| match step {
        Step::Field(name) => error.inside(name.as_str()),
        Step::Index(position) => error.at(usize::try_from(*position).unwrap_or(usize::MAX)),
    });
    error.inside(place.root())
}
