//! Questions about items: comparisons of fields, joined by `&`, `|` and `!`.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Not};

use tabletheory_core::expr::{Condition, Rendered};

use crate::model::ModelError;

/// What an item of the model `M` is asked: a condition of a write or a filter of a read.
///
/// ```
/// use tabletheory::Model;
///
/// #[derive(Model)]
/// #[model(table = "app")]
/// struct Lease {
///     #[model(pk)]
///     name: String,
///     token: String,
///     expires_at: u64,
/// }
///
/// let free = Lease::TOKEN.not_exists() | Lease::EXPIRES_AT.le(1_700_000_000) | Lease::TOKEN.eq("mine");
/// assert!(free.into_condition().is_ok());
/// ```
#[must_use]
pub struct Filter<M> {
    condition: Result<Condition, ModelError>,
    model: PhantomData<fn() -> M>,
}

impl<M> Filter<M> {
    pub(super) fn new(condition: Result<Condition, ModelError>) -> Self {
        Self { condition, model: PhantomData }
    }

    /// The condition as the store takes it.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// let condition = Page::ETAG.exists().into_condition()?;
    /// assert_eq!(condition, tabletheory_core::expr::Condition::AttributeExists("etag".into()));
    /// # Ok::<(), tabletheory::model::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If DynamoDB cannot hold one of its values.
    pub fn into_condition(self) -> Result<Condition, ModelError> {
        self.condition
    }

    /// Both.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.gt(7).and(Page::ETAG.exists())), "Filter(hits > ? AND attribute_exists(etag))");
    /// ```
    pub fn and(self, other: Self) -> Self {
        self & other
    }

    /// Either.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.gt(7).or(Page::ETAG.exists())), "Filter(hits > ? OR attribute_exists(etag))");
    /// ```
    pub fn or(self, other: Self) -> Self {
        self | other
    }

    fn join(self, other: Self, join: impl FnOnce(Condition, Condition) -> Condition) -> Self {
        Self::new(self.condition.and_then(|left| other.condition.map(|right| join(left, right))))
    }
}

impl<M> BitAnd for Filter<M> {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.join(other, Condition::and)
    }
}

impl<M> BitOr for Filter<M> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.join(other, Condition::or)
    }
}

impl<M> Not for Filter<M> {
    type Output = Self;

    fn not(self) -> Self {
        Self::new(self.condition.map(Not::not))
    }
}

impl<M> Clone for Filter<M> {
    fn clone(&self) -> Self {
        Self::new(self.condition.clone())
    }
}

/// The expression with its names, and a question mark for each value: values stay out of logs.
impl<M> fmt::Debug for Filter<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.condition {
            Ok(condition) => write!(f, "Filter({})", without_values(condition)),
            Err(error) => f.debug_tuple("Filter").field(error).finish(),
        }
    }
}

fn without_values(condition: &Condition) -> String {
    let Rendered { mut text, names, values } = Rendered::alone(|scope| scope.condition(condition));
    // The last placeholders come first: `#n1` is also the beginning of `#n10`.
    for number in (0..values.len()).rev() {
        text = text.replace(&format!(":v{number}"), "?");
    }
    for number in (0..names.len()).rev() {
        let placeholder = format!("#n{number}");
        text = text.replace(&placeholder, names.get(&placeholder).map_or("?", String::as_str));
    }
    text
}
