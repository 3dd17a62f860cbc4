//! Sums, averages and extremes of one field, item by item as they come. Sums are exact.

use std::marker::PhantomData;

use tabletheory_core::{Item, Number, Value};

use super::builder::Read;
use super::items::Items;
use super::source::Source;
use crate::attribute::Attribute;
use crate::error::Error;
use crate::field::{Field, Numeric, Ordered};
use crate::model::{FromItem, Model, ModelError, Schema};

/// What the numbers of a field come to. Items without a number there are not counted.
///
/// ```
/// use tabletheory::{Db, Error, Model};
/// use tabletheory_core::Number;
///
/// #[derive(Model)]
/// #[model(table = "sales")]
/// struct Sale {
///     #[model(pk)]
///     id: u64,
///     price: Option<Number>,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<Sale>().await?;
/// for (id, price) in [(1, Some("0.1")), (2, Some("0.2")), (3, None)] {
///     let price = price.map(|price| price.parse().unwrap());
///     db.create(&Sale { id, price }).await?;
/// }
/// let prices = db.scan::<Sale>().summary(Sale::PRICE).await?;
/// assert_eq!((prices.count, prices.sum), (2, "0.3".parse().unwrap()));
/// assert_eq!((prices.min, prices.max), ("0.1".parse().ok(), "0.2".parse().ok()));
/// assert_eq!(prices.average(), Some(0.15));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many numbers there are.
    pub count: u64,
    /// Their sum, exactly.
    pub sum: Number,
    /// The smallest.
    pub min: Option<Number>,
    /// The largest.
    pub max: Option<Number>,
}

impl Default for Summary {
    fn default() -> Self {
        Self { count: 0, sum: Number::ZERO, min: None, max: None }
    }
}

impl Summary {
    /// The average, if there are numbers: the exact sum and the count as floating-point numbers, divided. Whoever needs
    /// more digits has both.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "notes", pk = "USER#{user}", sk = "NOTE#{number:04}")]
    /// # #[model(index(name = "by_stars", pk = stars))]
    /// # struct Note {
    /// #     user: String,
    /// #     number: u32,
    /// #     stars: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Note>().await?;
    /// # for number in 1..=5 {
    /// #     db.create(&Note { user: "ada".into(), number, stars: u64::from(number) % 3 }).await?;
    /// # }
    /// let stars = db.scan::<Note>().summary(Note::STARS).await?;
    /// assert_eq!(stars.average(), Some(1.2));
    /// let none = db.query(Note::query("bob")).summary(Note::STARS).await?;
    /// assert_eq!(none.average(), None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an average of 2^53 items is not exact to the last digit")]
    pub fn average(&self) -> Option<f64> {
        let sum: f64 = self.sum.to_string().parse().ok()?;
        (self.count > 0).then(|| sum / self.count as f64)
    }

    /// Takes in one number. Says whether the sum is still exact.
    pub(super) fn add(&mut self, number: Number) -> bool {
        let Ok(sum) = self.sum.checked_add(&number) else { return false };
        let min = self.min.map_or(number, |min| min.min(number));
        let max = self.max.map_or(number, |max| max.max(number));
        *self = Self { count: self.count + 1, sum, min: Some(min), max: Some(max) };
        true
    }
}

impl<S: Source, M: Model, T: FromItem> Read<S, M, T> {
    /// Count, sum, smallest and largest of a field's numbers, in one go. Only this field is read.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "notes", pk = "USER#{user}", sk = "NOTE#{number:04}")]
    /// # #[model(index(name = "by_stars", pk = stars))]
    /// # struct Note {
    /// #     user: String,
    /// #     number: u32,
    /// #     stars: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Note>().await?;
    /// # for number in 1..=5 {
    /// #     db.create(&Note { user: "ada".into(), number, stars: u64::from(number) % 3 }).await?;
    /// # }
    /// let stars = db.query(Note::query("ada")).summary(Note::STARS).await?;
    /// assert_eq!((stars.count, stars.sum, stars.max), (5, 6.into(), Some(2.into())));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Error::InexactSum`] if the sum has more than 38 digits; if an item has something else in the field; if the store
    /// refuses.
    pub async fn summary<X: Numeric, R>(self, field: Field<M, X, R>) -> Result<Summary, Error<M>> {
        let table = self.terms.table.clone();
        let mut items = self.attributes(&[field.name()]);
        let mut summary = Summary::default();
        while let Some(Raw { item, .. }) = items.try_next().await? {
            sum_up(&mut summary, &table, field.name(), item)?;
        }
        Ok(summary)
    }

    /// The exact sum of a field's numbers; zero if there are none.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    /// use tabletheory_core::Number;
    ///
    /// #[derive(Model)]
    /// #[model(table = "pages")]
    /// struct Page {
    ///     #[model(pk)]
    ///     id: u64,
    ///     hits: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Page>().await?;
    /// for id in 0..3 {
    ///     db.create(&Page { id, hits: id * 10 }).await?;
    /// }
    /// assert_eq!(db.scan::<Page>().sum(Page::HITS).await?, Number::from(30));
    /// assert_eq!(db.scan::<Page>().average(Page::HITS).await?, Some(10.0));
    /// assert_eq!(db.scan::<Page>().max(Page::HITS).await?, Some(20));
    /// assert_eq!(db.scan::<Page>().filter(Page::ID.ge(1)).min(Page::HITS).await?, Some(10));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`summary`](Self::summary).
    pub async fn sum<X: Numeric, R>(self, field: Field<M, X, R>) -> Result<Number, Error<M>> {
        self.summary(field).await.map(|summary| summary.sum)
    }

    /// The average of a field's numbers, if there are any: the exact sum, divided as [`Summary::average`] does.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "notes", pk = "USER#{user}", sk = "NOTE#{number:04}")]
    /// # #[model(index(name = "by_stars", pk = stars))]
    /// # struct Note {
    /// #     user: String,
    /// #     number: u32,
    /// #     stars: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Note>().await?;
    /// # for number in 1..=5 {
    /// #     db.create(&Note { user: "ada".into(), number, stars: u64::from(number) % 3 }).await?;
    /// # }
    /// assert_eq!(db.scan::<Note>().average(Note::STARS).await?, Some(1.2));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`summary`](Self::summary).
    pub async fn average<X: Numeric, R>(self, field: Field<M, X, R>) -> Result<Option<f64>, Error<M>> {
        self.summary(field).await.map(|summary| summary.average())
    }

    /// The smallest value of a field, if there is one: a number, a text or a moment. Only this field is read.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "notes", pk = "USER#{user}", sk = "NOTE#{number:04}")]
    /// # #[model(index(name = "by_stars", pk = stars))]
    /// # struct Note {
    /// #     user: String,
    /// #     number: u32,
    /// #     stars: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Note>().await?;
    /// # for number in 1..=5 {
    /// #     db.create(&Note { user: "ada".into(), number, stars: u64::from(number) % 3 }).await?;
    /// # }
    /// assert_eq!(db.scan::<Note>().min(Note::STARS).await?, Some(0));
    /// assert_eq!(db.scan::<Note>().min(Note::USER).await?.as_deref(), Some("ada"));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If an item has something else in the field, or the store refuses.
    pub async fn min<X: Ordered, R>(self, field: Field<M, X, R>) -> Result<Option<X::Value>, Error<M>> {
        self.extreme(field, |value, best| value < best).await
    }

    /// The largest value of a field, if there is one: a number, a text or a moment. Only this field is read.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model, Debug, PartialEq)]
    /// # #[model(table = "notes", pk = "USER#{user}", sk = "NOTE#{number:04}")]
    /// # #[model(index(name = "by_stars", pk = stars))]
    /// # struct Note {
    /// #     user: String,
    /// #     number: u32,
    /// #     stars: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// # db.create_table::<Note>().await?;
    /// # for number in 1..=5 {
    /// #     db.create(&Note { user: "ada".into(), number, stars: u64::from(number) % 3 }).await?;
    /// # }
    /// assert_eq!(db.query(Note::query("ada")).max(Note::NUMBER).await?, Some(5));
    /// assert_eq!(db.query(Note::query("bob")).max(Note::NUMBER).await?, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If an item has something else in the field, or the store refuses.
    pub async fn max<X: Ordered, R>(self, field: Field<M, X, R>) -> Result<Option<X::Value>, Error<M>> {
        self.extreme(field, |value, best| value > best).await
    }

    async fn extreme<X: Ordered, R>(
        self,
        field: Field<M, X, R>,
        is_better: impl Fn(&X::Value, &X::Value) -> bool,
    ) -> Result<Option<X::Value>, Error<M>> {
        let table = self.terms.table.clone();
        let mut items = self.attributes(&[field.name()]);
        let mut best: Option<X::Value> = None;
        while let Some(Raw { item, .. }) = items.try_next().await? {
            if let Some(value) = member::<M, X::Value>(&table, field.name(), item)?
                && best.as_ref().is_none_or(|best| is_better(&value, best))
            {
                best = Some(value);
            }
        }
        Ok(best)
    }

    /// These attributes of each item.
    pub(super) fn attributes(self, names: &[&'static str]) -> Items<M, Raw<M>> {
        let limit = self.limit;
        match self.walks(|terms| terms.select(Some(names))) {
            Ok(walks) => Items::new(walks, limit),
            Err(error) => Items::refused(error),
        }
    }
}

/// Some attributes of an item of the model.
pub(super) struct Raw<M> {
    pub(super) item: Item,
    model: PhantomData<fn() -> M>,
}

impl<M: Model> FromItem for Raw<M> {
    const ATTRIBUTES: Option<&'static [&'static str]> = None;

    fn schema(_item: &Item) -> Option<Schema> {
        Some(M::SCHEMA)
    }

    fn accepts(item: &Item) -> bool {
        <M as FromItem>::accepts(item)
    }

    fn from_item(item: Item) -> Result<Self, ModelError> {
        Ok(Self { item, model: PhantomData })
    }
}

/// Takes the number of one item into a summary.
pub(super) fn sum_up<M: Model>(
    summary: &mut Summary,
    table: &str,
    attribute: &'static str,
    item: Item,
) -> Result<(), Error<M>> {
    match member::<M, Number>(table, attribute, item)? {
        Some(number) if !summary.add(number) => Err(Error::InexactSum { model: M::NAME, attribute }),
        _ => Ok(()),
    }
}

/// The value of an attribute, if it is there and not null.
fn member<M: Model, V: Attribute>(
    table: &str,
    attribute: &'static str,
    mut item: Item,
) -> Result<Option<V>, Error<M>> {
    let value = item.remove(attribute).filter(|value| *value != Value::Null);
    value.map(|value| read(table, attribute, value)).transpose()
}

/// A value as the type of its field.
pub(super) fn read<M: Model, V: Attribute>(
    table: &str,
    attribute: &'static str,
    value: Value,
) -> Result<V, Error<M>> {
    V::from_value(value).map_err(|error| Error::Model {
        table: table.to_owned(),
        source: ModelError::Read { model: M::NAME, source: error.inside(attribute) },
    })
}
