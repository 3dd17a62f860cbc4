//! Questions about the size of a field.

use std::fmt;
use std::marker::PhantomData;

use tabletheory_core::Value;
use tabletheory_core::expr::{Comparator, Condition, Operand as Side};

use super::filter::Filter;

/// The size of a field, to be compared.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Note {
///     #[model(pk)]
///     id: String,
///     text: String,
/// }
///
/// assert!(Note::TEXT.size().between(1, 1000).into_condition().is_ok());
/// ```
#[must_use]
pub struct Size<M> {
    side: Side,
    model: PhantomData<fn() -> M>,
}

impl<M> Size<M> {
    pub(super) fn of(side: Side) -> Self {
        Self { side: Side::Size(Box::new(side)), model: PhantomData }
    }

    /// It equals the value.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().eq(3)), "Filter(size(tags) = ?)");
    /// ```
    pub fn eq(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Eq, size)
    }

    /// It does not equal the value.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().ne(3)), "Filter(size(tags) <> ?)");
    /// ```
    pub fn ne(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Ne, size)
    }

    /// It is less.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().lt(3)), "Filter(size(tags) < ?)");
    /// ```
    pub fn lt(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Lt, size)
    }

    /// It is less or equal.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().le(3)), "Filter(size(tags) <= ?)");
    /// ```
    pub fn le(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Le, size)
    }

    /// It is greater.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().gt(3)), "Filter(size(tags) > ?)");
    /// ```
    pub fn gt(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Gt, size)
    }

    /// It is greater or equal.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().ge(3)), "Filter(size(tags) >= ?)");
    /// ```
    pub fn ge(self, size: u64) -> Filter<M> {
        self.compare(Comparator::Ge, size)
    }

    /// It lies between the two, or is one of them.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().between(1, 3)), "Filter(size(tags) BETWEEN ? AND ?)");
    /// ```
    pub fn between(self, low: u64, high: u64) -> Filter<M> {
        Filter::new(Ok(Condition::Between(self.side, Value::n(low).into(), Value::n(high).into())))
    }

    fn compare(self, comparator: Comparator, size: u64) -> Filter<M> {
        Filter::new(Ok(Condition::Compare(self.side, comparator, Value::n(size).into())))
    }
}

impl<M> fmt::Debug for Size<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Size").field(&self.side).finish()
    }
}
