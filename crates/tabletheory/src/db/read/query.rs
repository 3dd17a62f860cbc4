//! Queries: the items of one partition, in the order of their sort keys.

use tabletheory_core::store::op;

use super::builder::Read;
use super::source::Keys;
use crate::db::Db;
use crate::error::Error;
use crate::explain::Plan;
use crate::model::{FromItem, Model};
use crate::query::KeyQuery;

/// Reads the items of one partition of a table or index, in the order of their sort keys.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model, Debug, PartialEq)]
/// #[model(table = "app", pk = "USER#{user}", sk = "ORDER#{number:06}")]
/// #[model(index(name = "by_city", pk = city, sk = total))]
/// struct Order {
///     user: String,
///     number: u32,
///     city: String,
///     total: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<Order>().await?;
/// for number in 1..=5 {
///     let city = if number < 3 { "Rome" } else { "Oslo" }.to_owned();
///     db.create(&Order { user: "7".into(), number, city, total: u64::from(number) * 10 }).await?;
/// }
/// let latest = db.query(Order::query("7")).desc().limit(2).await?;
/// assert_eq!(latest.iter().map(|order| order.number).collect::<Vec<_>>(), [5, 4]);
///
/// let large = db.query(Order::by_city("Oslo").ge(40)).filter(Order::USER.eq("7")).first().await?;
/// assert_eq!(large.map(|order| order.number), Some(4));
/// assert_eq!(db.query(Order::query("7")).count().await?, 5);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
pub type Query<M, T = M> = Read<Keys, M, T>;

impl Db {
    /// Reads the items of one partition of a table or index, in the order of their sort keys.
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
    /// let notes = db.query(Note::query("ada").between(2, 3)).await?;
    /// assert_eq!(notes.iter().map(|note| note.number).collect::<Vec<_>>(), [2, 3]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn query<M: Model, S>(&self, keys: KeyQuery<M, S>) -> Query<M> {
        Query::of(self.clone(), keys)
    }
}

impl<M: Model, T: FromItem> Query<M, T> {
    fn of<S>(db: Db, query: KeyQuery<M, S>) -> Self {
        let index = query.index();
        let (condition, flaw) = match query.into_parts() {
            Ok((_, condition)) => (condition, None),
            Err(error) => (Default::default(), Some(error)),
        };
        let mut read = Self::new(db, Keys { condition, forward: true });
        read.terms.index = index;
        Self { flaw, ..read }
    }

    /// From the smallest sort key to the largest, as it is without saying so.
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
    /// assert_eq!(db.query(Note::query("ada")).asc().await?, db.query(Note::query("ada")).await?);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn asc(mut self) -> Self {
        self.source.forward = true;
        self
    }

    /// From the largest sort key to the smallest.
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
    /// let down = db.query(Note::query("ada")).desc().await?;
    /// assert!(down.is_sorted_by(|one, next| one.number > next.number));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn desc(mut self) -> Self {
        self.source.forward = false;
        self
    }

    /// What the first request will do and what it costs at least. Nothing is sent.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "notes", index(name = "by_stars", pk = stars))]
    /// # struct Note {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// #     stars: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// let plan = db.query(Note::by_stars(2)).explain().await?;
    /// assert!(plan.to_string().starts_with("Query in the index `by_stars` of `notes`\nkey: stars = :v0"));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the request.
    pub async fn explain(self) -> Result<Plan, Error<M>> {
        self.request().map(Plan::of)
    }

    /// The request for the first page as the store gets it, if there is no limit.
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
    /// let request = db.query(Note::by_stars(2)).desc().page_size(9).request()?;
    /// assert_eq!((request.index.as_deref(), request.forward, request.limit), (Some("by_stars"), false, Some(9)));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a value cannot be stored, or the index does not have what is asked for.
    pub fn request(mut self) -> Result<op::Query, Error<M>> {
        self.prepare()?;
        self.terms.select(T::ATTRIBUTES)?;
        Ok(self.source.request(self.terms))
    }
}
