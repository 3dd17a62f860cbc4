//! The builder of everything that reads many items: what is asked of them, and all that does not depend on what is visited.

use std::any::TypeId;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use super::items::Items;
use super::signing::Signing;
use super::source::Source;
use super::terms::{Terms, Yield};
use super::walk::Walk;
use crate::db::Db;
use crate::error::Error;
use crate::field::Filter;
use crate::model::{FromItem, Model, ModelError};

/// Reads items of the model `M` as values of the type `T`, which is the model itself or a [part of it](Self::select). `S`
/// says what is visited: see [`Query`](super::Query), [`Scan`](super::Scan) and [`ParallelScan`](super::ParallelScan).
///
/// Awaited, it gives all items in a `Vec`. [`stream`](Self::stream) holds no more than a page of them,
/// [`page`](Self::page) gives a page to a client, [`count`](Self::count), [`summary`](Self::summary) and
/// [`fold`](Self::fold) keep only their result.
///
/// Items of other models in the same partition, whose keys go on where those of `M` end, are passed over. Only
/// [`count`](Self::count) does not see the difference.
///
/// A store that is busy is [waited for](crate::db::Backoff), page by page.
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
/// let read = db.query(Note::query("ada")).filter(Note::STARS.ge(1)).desc().limit(3);
/// assert_eq!(read.await?.iter().map(|note| note.number).collect::<Vec<_>>(), [5, 4, 2]);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a read happens when it is awaited"]
pub struct Read<S, M, T = M> {
    pub(super) db: Db,
    pub(super) source: S,
    pub(super) terms: Terms,
    pub(super) limit: Option<u64>,
    pub(super) signing: Option<Signing>,
    /// What was wrong first.
    pub(super) flaw: Option<ModelError>,
    pub(super) kind: PhantomData<fn() -> (M, T)>,
}

impl<S: Source, M: Model, T: FromItem> Read<S, M, T> {
    pub(super) fn new(db: Db, source: S) -> Self {
        let terms = Terms { table: db.table_of::<M>().into_owned(), ..Terms::default() };
        Self { db, source, terms, limit: None, signing: None, flaw: None, kind: PhantomData }
    }

    /// Only the items that the filter lets through. They are visited and paid for all the same. Given twice, both must hold.
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
    /// let starred = db.query(Note::query("ada")).filter(Note::STARS.ge(1)).filter(Note::STARS.lt(2)).await?;
    /// assert_eq!(starred.len(), 2);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn filter(mut self, filter: Filter<M>) -> Self {
        match filter.into_condition() {
            Err(error) => _ = self.flaw.get_or_insert(error),
            Ok(filter) => self.terms.also(filter, Yield::Unknown),
        }
        self
    }

    /// Sees every write that was acknowledged before. Costs twice as much. A global index has no such reads.
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
    /// assert_eq!(db.scan::<Note>().consistent().count().await?, 5);
    /// assert!(matches!(db.query(Note::by_stars(1)).consistent().await, Err(Error::Validation(_))));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn consistent(mut self) -> Self {
        self.terms.consistent = true;
        self
    }

    /// Gives at most so many items, over as many requests as that takes.
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
    /// assert_eq!(db.query(Note::query("ada")).limit(2).await?.len(), 2);
    /// // Also of those that a filter lets through.
    /// assert_eq!(db.query(Note::query("ada")).filter(Note::STARS.ge(1)).limit(2).await?.len(), 2);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn limit(mut self, items: usize) -> Self {
        self.limit = Some(u64::try_from(items).unwrap_or(u64::MAX));
        self
    }

    /// Visits at most so many items with each request. Otherwise a request ends at the store's 1 MB, or where the
    /// [`limit`](Self::limit) can be reached.
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
    /// let (db, meter) = db.metered();
    /// assert_eq!(db.query(Note::query("ada")).page_size(2).await?.len(), 5);
    /// assert_eq!(meter.usage().calls, 3);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn page_size(mut self, items: u32) -> Self {
        self.terms.page_size = Some(items);
        self
    }

    /// Reads the items as something smaller, or as one of several models. Attributes that it does not need are not sent.
    ///
    /// ```
    /// use tabletheory::{Entities, Projection};
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
    /// #[derive(Projection)]
    /// #[projection(of = Note)]
    /// struct Stars {
    ///     stars: u64,
    /// }
    ///
    /// let stars = db.query(Note::query("ada")).select::<Stars>().await?;
    /// assert_eq!(stars.iter().map(|note| note.stars).sum::<u64>(), 6);
    ///
    /// #[derive(Model)]
    /// #[model(table = "notes", pk = "USER#{user}", sk = "PROFILE")]
    /// struct Profile {
    ///     user: String,
    /// }
    ///
    /// #[derive(Entities)]
    /// enum Row {
    ///     Note(Note),
    ///     Profile(Profile),
    /// }
    ///
    /// db.create(&Profile { user: "ada".into() }).await?;
    /// let rows = db.query(Note::partition("ada")).desc().select::<Row>().limit(2).await?;
    /// assert!(matches!(&rows[..], [Row::Profile(_), Row::Note(note)] if note.number == 5));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn select<P: FromItem>(self) -> Read<S, M, P> {
        let Self { db, source, terms, limit, signing, flaw, kind: _ } = self;
        Read { db, source, terms, limit, signing, flaw, kind: PhantomData }
    }

    /// The first item, if there is one.
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
    /// let latest = db.query(Note::query("ada")).desc().first().await?;
    /// assert_eq!(latest.map(|note| note.number), Some(5));
    /// assert_eq!(db.query(Note::query("bob")).first().await?, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If it cannot be read, or the store refuses.
    pub async fn first(self) -> Result<Option<T>, Error<M>> {
        let limit = self.limit.unwrap_or(1).min(1);
        Self { limit: Some(limit), ..self }.stream().try_next().await
    }

    /// The items as they come.
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
    /// let mut notes = db.query(Note::query("ada")).stream();
    /// let mut numbers = Vec::new();
    /// while let Some(note) = notes.try_next().await? {
    ///     numbers.push(note.number);
    /// }
    /// assert_eq!(numbers, [1, 2, 3, 4, 5]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn stream(self) -> Items<M, T> {
        let limit = self.limit;
        match self.walks(|terms| terms.select(T::ATTRIBUTES)) {
            Ok(walks) => Items::new(walks, limit),
            Err(error) => Items::refused(error),
        }
    }

    /// Takes the items one by one into a value. Only a page of them is in memory.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model)]
    /// #[model(table = "notes")]
    /// struct Note {
    ///     #[model(pk)]
    ///     id: u64,
    ///     text: String,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<Note>().await?;
    /// for id in 0..3 {
    ///     db.create(&Note { id, text: "word".into() }).await?;
    /// }
    /// let bytes = db.scan::<Note>().fold(0, |bytes, note| bytes + note.text.len()).await?;
    /// assert_eq!(bytes, 12);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If an item cannot be read, or the store refuses.
    pub async fn fold<A>(self, initial: A, mut step: impl FnMut(A, T) -> A) -> Result<A, Error<M>> {
        let mut items = self.stream();
        let mut folded = initial;
        while let Some(item) = items.try_next().await? {
            folded = step(folded, item);
        }
        Ok(folded)
    }

    /// The walks of this read, after `choose` has said what is asked of each item.
    pub(super) fn walks(
        mut self,
        choose: impl FnOnce(&mut Terms) -> Result<(), Error<M>>,
    ) -> Result<Vec<Walk>, Error<M>> {
        self.prepare()?;
        choose(&mut self.terms)?;
        let yields = self.terms.yields;
        let requests = self.source.requests(self.terms).map_err(Error::Validation)?;
        Ok(requests.into_iter().map(|request| Walk::new(self.db.clone(), request, yields)).collect())
    }

    /// Tells what was wrong with the values that were given, and the items of the model apart from others.
    pub(super) fn prepare(&mut self) -> Result<(), Error<M>> {
        if let Some(source) = self.flaw.take() {
            return Err(Error::Model { table: self.terms.table.clone(), source });
        }
        let of_model = T::ATTRIBUTES.is_some() || TypeId::of::<T>() == TypeId::of::<M>();
        if of_model {
            if S::WHOLE {
                self.terms.only::<M>();
            }
            self.terms.among_others::<M>();
        }
        Ok(())
    }

    async fn run(self) -> Result<Vec<T>, Error<M>> {
        let mut items = self.stream();
        let mut all = Vec::new();
        while let Some(item) = items.try_next().await? {
            all.push(item);
        }
        Ok(all)
    }
}

impl<S: Source, M: Model, T: FromItem> IntoFuture for Read<S, M, T> {
    type Output = Result<Vec<T>, Error<M>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// Where it reads and not what it asks: keys and filters hold values, and this ends up in logs.
impl<S, M: Model, T> fmt::Debug for Read<S, M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Read");
        shown.field("model", &M::NAME).field("table", &self.terms.table).field("index", &self.terms.index);
        shown.finish_non_exhaustive()
    }
}
