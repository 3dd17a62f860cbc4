//! Items in groups, by the value of a field: one result for each group, and never more groups than were allowed.

use std::collections::BTreeMap;
use std::fmt;

use tabletheory_core::{Item, Value};

use super::builder::Read;
use super::source::Source;
use super::summary::{Raw, Summary, read, sum_up};
use crate::attribute::{Attribute, AttributeError, Fault};
use crate::error::Error;
use crate::field::{Field, Numeric};
use crate::model::{FromItem, Model, ModelError};

/// How many groups are held in memory, unless told otherwise.
const GROUPS_MAX: usize = 10_000;

/// The items of a read, grouped by a field of the type `G`. Only the fields that are asked for are read, and only the
/// results are held.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "sales")]
/// struct Sale {
///     #[model(pk)]
///     id: u64,
///     city: String,
///     price: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<Sale>().await?;
/// for (id, city) in ["Rome", "Oslo", "Rome"].into_iter().enumerate() {
///     db.create(&Sale { id: id as u64, city: city.into(), price: 10 }).await?;
/// }
/// let sales = db.scan::<Sale>().group_by(Sale::CITY).summary(Sale::PRICE).await?;
/// assert_eq!(sales["Rome"].sum, 20.into());
///
/// let counts = db.scan::<Sale>().group_by(Sale::CITY).count().await?;
/// assert_eq!(counts, BTreeMap::from([("Oslo".to_owned(), 1), ("Rome".to_owned(), 2)]));
///
/// let refused = db.scan::<Sale>().group_by(Sale::CITY).max_groups(1).count().await;
/// assert!(matches!(refused, Err(Error::TooManyGroups { max: 1, .. })));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a read happens when it is awaited"]
pub struct Groups<S, M, T, G, R> {
    read: Read<S, M, T>,
    by: Field<M, G, R>,
    max: usize,
}

impl<S: Source, M: Model, T: FromItem> Read<S, M, T> {
    /// Groups the items by a field. An item without it belongs to the group of what [missing](Attribute::missing) means,
    /// such as `None`; if it means nothing, the item cannot be read.
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
    /// let by_stars = db.scan::<Note>().group_by(Note::STARS).count().await?;
    /// assert_eq!(by_stars.into_iter().collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 2)]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn group_by<G: Attribute + Ord, R>(self, field: Field<M, G, R>) -> Groups<S, M, T, G, R> {
        Groups { read: self, by: field, max: GROUPS_MAX }
    }
}

impl<S: Source, M: Model, T: FromItem, G: Attribute + Ord, R> Groups<S, M, T, G, R> {
    /// Allows so many groups, instead of 10 000. One more is [`Error::TooManyGroups`].
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
    /// let refused = db.scan::<Note>().group_by(Note::NUMBER).max_groups(4).count().await;
    /// assert!(matches!(refused, Err(Error::TooManyGroups { max: 4, .. })));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn max_groups(mut self, max: usize) -> Self {
        self.max = max;
        self
    }

    /// How many items each group has.
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
    /// assert_eq!(db.scan::<Note>().group_by(Note::USER).count().await?["ada"], 5);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// [`Error::TooManyGroups`]; if an item has something else in the field; if the store refuses.
    pub async fn count(self) -> Result<BTreeMap<G, u64>, Error<M>> {
        self.gather(None, |count, _, _| {
            *count += 1;
            Ok(())
        })
        .await
    }

    /// What the numbers of another field come to in each group.
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
    /// let by_stars = db.scan::<Note>().group_by(Note::STARS).summary(Note::NUMBER).await?;
    /// assert_eq!((by_stars[&2].sum, by_stars[&2].min), (7.into(), Some(2.into())));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`count`](Self::count); [`Error::InexactSum`] if the sum of a group has more than 38 digits.
    pub async fn summary<X: Numeric, Q>(
        self,
        field: Field<M, X, Q>,
    ) -> Result<BTreeMap<G, Summary>, Error<M>> {
        let attribute = field.name();
        let add = |summary: &mut Summary, table: &str, item| sum_up(summary, table, attribute, item);
        self.gather(Some(attribute), add).await
    }

    async fn gather<A: Default>(
        self,
        field: Option<&'static str>,
        mut add: impl FnMut(&mut A, &str, Item) -> Result<(), Error<M>>,
    ) -> Result<BTreeMap<G, A>, Error<M>> {
        let (by, max, table) = (self.by.name(), self.max, self.read.terms.table.clone());
        let names: Vec<&'static str> = [by].into_iter().chain(field.filter(|field| *field != by)).collect();
        let mut items = self.read.attributes(&names);
        let mut groups = BTreeMap::<G, A>::new();
        while let Some(Raw { item, .. }) = items.try_next().await? {
            let group = group::<M, G>(&table, by, item.get(by))?;
            if groups.len() >= max && !groups.contains_key(&group) {
                return Err(Error::TooManyGroups { model: M::NAME, attribute: by, max });
            }
            add(groups.entry(group).or_default(), &table, item)?;
        }
        Ok(groups)
    }
}

/// The group of an item.
fn group<M: Model, G: Attribute>(
    table: &str,
    attribute: &'static str,
    value: Option<&Value>,
) -> Result<G, Error<M>> {
    match (value, G::missing()) {
        (Some(value), _) => read(table, attribute, value.clone()),
        (None, Some(group)) => Ok(group),
        (None, None) => Err(Error::Model {
            table: table.to_owned(),
            source: ModelError::Read {
                model: M::NAME,
                source: AttributeError::from(Fault::Missing).inside(attribute),
            },
        }),
    }
}

impl<S, M: Model, T, G, R> fmt::Debug for Groups<S, M, T, G, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Groups")
            .field("read", &self.read)
            .field("by", &self.by)
            .field("max", &self.max)
            .finish()
    }
}
