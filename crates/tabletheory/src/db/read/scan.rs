//! Scans: every item of a table or index, in no order, alone or by several workers.

use tabletheory_core::store::op;

use super::builder::Read;
use super::source::{Segments, Whole};
use crate::db::Db;
use crate::error::Error;
use crate::explain::Plan;
use crate::model::{FromItem, Model};

/// Reads every item of a table or index, in no order. What it visits is paid for, whatever the filter lets through.
///
/// In a table with several models it reads those items whose keys begin as the model's do. Read as an
/// [enum of the models](Read::select), it reads them all.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "users", index(name = "by_city", pk = city))]
/// struct User {
///     #[model(pk)]
///     id: u64,
///     city: Option<String>,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<User>().await?;
/// for id in 0..10 {
///     db.create(&User { id, city: (id < 4).then(|| "Rome".into()) }).await?;
/// }
/// assert_eq!(db.scan::<User>().filter(User::ID.ge(5)).await?.len(), 5);
/// // An index has only the items with its keys.
/// assert_eq!(db.scan::<User>().index("by_city").count().await?, 4);
///
/// // A worker among three reads a third, more or less.
/// let mut seen = 0;
/// for worker in 0..3 {
///     seen += db.scan::<User>().segment(worker, 3).count().await?;
/// }
/// assert_eq!(seen, 10);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
pub type Scan<M, T = M> = Read<Whole, M, T>;

/// Reads every item of a table or index, in no order, several segments at the same time. They are driven by whoever waits
/// for the items: nothing is spawned, and the first error ends them all. Pages under way are in memory, one for each segment.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<User>().await?;
/// for id in 0..10 {
///     db.create(&User { id }).await?;
/// }
/// let mut ids: Vec<u64> = db.scan::<User>().segments(4).await?.iter().map(|user| user.id).collect();
/// ids.sort();
/// assert_eq!(ids, Vec::from_iter(0..10));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
pub type ParallelScan<M, T = M> = Read<Segments, M, T>;

impl Db {
    /// Reads every item of a table or index, in no order. Nothing else here ever does.
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
    /// assert_eq!(db.scan::<Note>().await?.len(), 5);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn scan<M: Model>(&self) -> Scan<M> {
        Scan::new(self.clone(), Whole::default())
    }
}

impl<M: Model, T: FromItem> Scan<M, T> {
    /// Reads an index and not the table: only the items that have its keys, and only what it carries of them.
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
    /// assert_eq!(db.scan::<Note>().index("by_stars").await?.len(), 5);
    /// let refused = db.scan::<Note>().index("by_moons").await;
    /// assert!(matches!(refused, Err(Error::Validation(text)) if text == "a Note has no index `by_moons`"));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn index(mut self, name: &'static str) -> Self {
        self.terms.index = Some(name);
        self
    }

    /// Reads one of several segments, for workers that share a scan. They count from 0.
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
    /// let one = db.scan::<Note>().segment(0, 2).count().await?;
    /// let other = db.scan::<Note>().segment(1, 2).count().await?;
    /// assert_eq!(one + other, 5);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn segment(mut self, segment: u32, total: u32) -> Self {
        self.source.segment = Some(op::Segment { segment, total });
        self
    }

    /// Reads so many segments at the same time.
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
    /// assert_eq!(db.scan::<Note>().segments(3).await?.len(), 5);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn segments(self, total: u32) -> ParallelScan<M, T> {
        let Self { db, source: _, terms, limit, signing, flaw, kind } = self;
        Read { db, source: Segments { total }, terms, limit, signing, flaw, kind }
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
    /// let plan = db.scan::<Note>().consistent().explain().await?;
    /// assert_eq!((plan.operation, plan.read_units), ("Scan", 1.0));
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
    /// let request = db.scan::<Note>().segment(1, 4).consistent().request()?;
    /// assert!(request.consistent && request.segment.is_some_and(|segment| segment.total == 4));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a value cannot be stored, the index does not have what is asked for, or there is no such segment.
    pub fn request(mut self) -> Result<op::Scan, Error<M>> {
        self.prepare()?;
        self.terms.select(T::ATTRIBUTES)?;
        self.source.request(self.terms).map_err(Error::Validation)
    }
}

impl<M: Model, T: FromItem> ParallelScan<M, T> {
    /// What the first request of each segment will do and what it costs at least. Nothing is sent.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "notes")]
    /// # struct Note {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// let plans = db.scan::<Note>().segments(3).explain().await?;
    /// assert_eq!(plans[2].place, "of segment 2 of 3 in `notes`");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As for the requests.
    pub async fn explain(self) -> Result<Vec<Plan>, Error<M>> {
        Ok(self.requests()?.into_iter().map(Plan::of).collect())
    }

    /// The request for the first page of each segment as the store gets it, if there is no limit.
    ///
    /// ```
    /// # use tabletheory::{Db, Error, Model};
    /// # #[derive(Model)]
    /// # #[model(table = "notes")]
    /// # struct Note {
    /// #     #[model(pk)]
    /// #     id: u64,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let db = Db::memory();
    /// let requests = db.scan::<Note>().segments(3).requests()?;
    /// assert_eq!(requests.len(), 3);
    /// assert!(db.scan::<Note>().segments(0).requests().is_err());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If a value cannot be stored, the index does not have what is asked for, or there cannot be so many segments.
    pub fn requests(mut self) -> Result<Vec<op::Scan>, Error<M>> {
        self.prepare()?;
        self.terms.select(T::ATTRIBUTES)?;
        self.source.scans(&self.terms).map_err(Error::Validation)
    }
}
