//! What a field can be asked.

use tabletheory_core::Value;
use tabletheory_core::expr::{Comparator, Condition, Operand as Side};

use super::Field;
use super::filter::Filter;
use super::kind::{Container, Prefixed};
use super::operand::Operand;
use super::place::Place;
use super::sealed::Legible;
use super::size::Size;
use crate::attribute::Attribute;
use crate::model::Model;

impl<M: Model, T: Attribute, R, P: Place> Field<M, T, R, P> {
    /// It equals the value. `None` also equals an attribute that is missing.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.eq(7)), "Filter(hits = ?)");
    /// ```
    pub fn eq(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Eq, value)
    }

    /// It does not equal the value.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.ne(7)), "Filter(hits <> ?)");
    /// ```
    pub fn ne(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Ne, value)
    }

    /// It is less.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.lt(7)), "Filter(hits < ?)");
    /// ```
    pub fn lt(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Lt, value)
    }

    /// It is less or equal.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.le(7)), "Filter(hits <= ?)");
    /// ```
    pub fn le(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Le, value)
    }

    /// It is greater.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.gt(7)), "Filter(hits > ?)");
    /// ```
    pub fn gt(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Gt, value)
    }

    /// It is greater or equal.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.ge(7)), "Filter(hits >= ?)");
    /// ```
    pub fn ge(self, value: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        self.compare(Comparator::Ge, value)
    }

    /// It lies between the two, or is one of them.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::HITS.between(7, 9)), "Filter(hits BETWEEN ? AND ?)");
    /// ```
    pub fn between(self, low: impl Operand<T>, high: impl Operand<T>) -> Filter<M>
    where
        R: Legible,
    {
        let ends = self.value(low).and_then(|low| Ok((low, self.value(high)?)));
        Filter::new(ends.map(|(low, high)| Condition::Between(self.side(), low.into(), high.into())))
    }

    /// It equals one of the values, of which DynamoDB takes a hundred.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TITLE.one_of(["News", "Weather"])), "Filter(title IN (?, ?))");
    /// ```
    pub fn one_of<V: Operand<T>>(self, values: impl IntoIterator<Item = V>) -> Filter<M>
    where
        R: Legible,
    {
        let values = values.into_iter().map(|value| self.value(value).map(Side::Value));
        let condition = values.collect::<Result<Vec<_>, _>>().and_then(|values| {
            if values.is_empty() {
                Err(self.nothing("one_of"))
            } else {
                Ok(Condition::In(self.side(), values))
            }
        });
        Filter::new(condition)
    }

    /// It begins with the prefix.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TITLE.begins_with("Ne")), "Filter(begins_with(title, ?))");
    /// ```
    pub fn begins_with(self, prefix: impl Operand<T::Prefix>) -> Filter<M>
    where
        R: Legible,
        T: Prefixed,
    {
        Filter::new(self.value(prefix).map(|prefix| Condition::BeginsWith(self.side(), prefix.into())))
    }

    /// It contains the text, or the list or set has the member.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.contains("home")), "Filter(contains(tags, ?))");
    /// ```
    pub fn contains(self, member: impl Operand<T::Member>) -> Filter<M>
    where
        R: Legible,
        T: Container,
    {
        Filter::new(self.value(member).map(|member| Condition::Contains(self.side(), member.into())))
    }

    /// The item has the attribute.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::ETAG.exists()), "Filter(attribute_exists(etag))");
    /// ```
    pub fn exists(self) -> Filter<M> {
        Filter::new(Ok(Condition::AttributeExists(self.path())))
    }

    /// The item does not have the attribute.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::ETAG.not_exists()), "Filter(attribute_not_exists(etag))");
    /// ```
    pub fn not_exists(self) -> Filter<M> {
        Filter::new(Ok(Condition::AttributeNotExists(self.path())))
    }

    /// Its size: bytes of a string or binary, members of a list, map or set.
    ///
    /// ```
    /// # use tabletheory::Model;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct Page { #[model(pk)] id: String, title: String, hits: u64, etag: Option<String>, tags: Vec<String> }
    /// assert_eq!(format!("{:?}", Page::TAGS.size().gt(3)), "Filter(size(tags) > ?)");
    /// ```
    pub fn size(self) -> Size<M>
    where
        R: Legible,
    {
        Size::of(self.side())
    }

    fn side(&self) -> Side {
        Side::Path(self.path())
    }

    fn compare(self, comparator: Comparator, value: impl Operand<T>) -> Filter<M> {
        Filter::new(self.value(value).map(|value| self.comparison(comparator, value)))
    }

    /// A comparison. A model leaves `None` out, while other toolkits store the null value: `None` is both.
    fn comparison(&self, comparator: Comparator, value: Value) -> Condition {
        let nothing = value == Value::Null && T::missing().is_some();
        let comparison = Condition::Compare(self.side(), comparator, value.into());
        match comparator {
            Comparator::Eq if nothing => Condition::AttributeNotExists(self.path()).or(comparison),
            Comparator::Ne if nothing => Condition::AttributeExists(self.path()).and(comparison),
            _ => comparison,
        }
    }
}
