//! What is read page by page: the keys of a query, a scan or the segments of one, and the requests they become.

use std::fmt;

use tabletheory_core::expr::{Comparator, Condition, KeyCondition, KeyPredicate, Operand, Path};
use tabletheory_core::limits::SCAN_SEGMENTS_MAX;
use tabletheory_core::store::op::{PageOutput, Query, Scan, Segment};
use tabletheory_core::{Item, Store, StoreError, StoreExt};

use super::terms::Terms;
use crate::cursor::Sort;

/// What a read visits: [`Keys`], a [`Whole`] table or index, or its [`Segments`].
///
/// ```
/// use tabletheory::db::{Read, Source};
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
/// async fn total<S: Source>(notes: Read<S, Note>) -> Result<u64, Error> {
///     Ok(notes.count().await?)
/// }
/// assert_eq!(total(db.scan::<Note>()).await?, total(db.query(Note::query("ada"))).await?);
/// assert_eq!(total(db.scan::<Note>().segments(2)).await?, 5);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
pub trait Source: Send + 'static {
    /// Whether items of every model are visited, so that those of the wanted one have to be told apart.
    #[doc(hidden)]
    const WHOLE: bool;

    /// The requests of the first pages. They are driven at the same time.
    #[doc(hidden)]
    fn requests(self, terms: Terms) -> Result<Vec<Paged>, String>;
}

/// What can go on from a cursor: one request after the other.
///
/// ```
/// use tabletheory::db::{Read, Resumable};
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
/// async fn cursor<S: Resumable>(notes: Read<S, Note>) -> Result<Option<String>, Error> {
///     Ok(notes.limit(2).page(None).await?.cursor)
/// }
/// assert!(cursor(db.scan::<Note>()).await?.is_some());
/// assert!(cursor(db.query(Note::query("ada"))).await?.is_some());
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
pub trait Resumable: Source {
    /// The request of the first page.
    #[doc(hidden)]
    fn first(self, terms: Terms) -> Result<Paged, String>;

    /// The order, if there is one.
    #[doc(hidden)]
    fn sort(&self) -> Option<Sort>;

    /// Whether a key, with the right attributes, is one that is visited.
    #[doc(hidden)]
    fn visits(&self, key: &Item) -> bool;
}

/// The keys that a query visits, in order.
///
/// ```
/// use tabletheory::db::{Keys, Read};
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
/// let query: Read<Keys, Note> = db.query(Note::query("ada"));
/// assert_eq!(query.count().await?, 5);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Keys {
    pub(super) condition: KeyCondition,
    pub(super) forward: bool,
}

/// A whole table or index, or one segment of it.
///
/// ```
/// use tabletheory::db::{Read, Whole};
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
/// let scan: Read<Whole, Note> = db.scan();
/// assert_eq!(scan.count().await?, 5);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Whole {
    pub(super) segment: Option<Segment>,
}

/// All segments of a table or index at the same time.
///
/// ```
/// use tabletheory::db::{Read, Segments};
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
/// let scan: Read<Segments, Note> = db.scan().segments(2);
/// assert_eq!(scan.count().await?, 5);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Segments {
    pub(super) total: u32,
}

/// A request for a page, and then for the next.
#[doc(hidden)]
#[derive(Clone)]
pub enum Paged {
    Query(Query),
    Scan(Scan),
}

impl Keys {
    pub(super) fn request(self, terms: Terms) -> Query {
        let Terms { table, index, filter, projection, select, consistent, page_size, .. } = terms;
        Query {
            table,
            index: index.map(str::to_owned),
            key_condition: self.condition,
            filter,
            projection,
            select,
            forward: self.forward,
            limit: page_size,
            consistent,
            ..Query::default()
        }
    }
}

impl Source for Keys {
    const WHOLE: bool = false;

    fn requests(self, terms: Terms) -> Result<Vec<Paged>, String> {
        self.first(terms).map(|first| vec![first])
    }
}

impl Resumable for Keys {
    fn first(self, terms: Terms) -> Result<Paged, String> {
        Ok(Paged::Query(self.request(terms)))
    }

    fn sort(&self) -> Option<Sort> {
        Some(Sort::of(self.forward))
    }

    fn visits(&self, key: &Item) -> bool {
        let predicates = self.condition.predicates.iter();
        predicates.cloned().all(|(name, predicate)| condition(name, predicate).holds(key))
    }
}

impl Whole {
    pub(super) fn request(self, terms: Terms) -> Result<Scan, String> {
        if let Some(Segment { segment, total }) = self.segment {
            check_total(total)?;
            if segment >= total {
                return Err(format!("there is no segment {segment} among {total}: they count from 0"));
            }
        }
        let Terms { table, index, filter, projection, select, consistent, page_size, .. } = terms;
        Ok(Scan {
            table,
            index: index.map(str::to_owned),
            filter,
            projection,
            select,
            limit: page_size,
            segment: self.segment,
            consistent,
            ..Scan::default()
        })
    }
}

impl Source for Whole {
    const WHOLE: bool = true;

    fn requests(self, terms: Terms) -> Result<Vec<Paged>, String> {
        self.first(terms).map(|first| vec![first])
    }
}

impl Resumable for Whole {
    fn first(self, terms: Terms) -> Result<Paged, String> {
        self.request(terms).map(Paged::Scan)
    }

    fn sort(&self) -> Option<Sort> {
        None
    }

    fn visits(&self, _key: &Item) -> bool {
        true
    }
}

impl Segments {
    pub(super) fn scans(&self, terms: &Terms) -> Result<Vec<Scan>, String> {
        let total = self.total;
        check_total(total)?;
        let one = |segment| Whole { segment: Some(Segment { segment, total }) }.request(terms.clone());
        (0..total).map(one).collect()
    }
}

impl Source for Segments {
    const WHOLE: bool = true;

    fn requests(self, terms: Terms) -> Result<Vec<Paged>, String> {
        Ok(self.scans(&terms)?.into_iter().map(Paged::Scan).collect())
    }
}

impl Paged {
    /// The same request for the page after this key.
    pub(super) fn start_after(&mut self, key: Item) {
        match self {
            Self::Query(query) => query.start_key = Some(key),
            Self::Scan(scan) => scan.start_key = Some(key),
        }
    }

    /// The same request, visiting at most so many items.
    pub(super) fn visit(&mut self, limit: Option<u32>) {
        match self {
            Self::Query(query) => query.limit = limit,
            Self::Scan(scan) => scan.limit = limit,
        }
    }

    pub(super) async fn send(self, store: &dyn Store) -> Result<PageOutput, StoreError> {
        match self {
            Self::Query(query) => store.query(query).await,
            Self::Scan(scan) => store.scan(scan).await,
        }
    }
}

/// What is asked is not shown: keys and filters hold values.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("forward", &self.forward).finish_non_exhaustive()
    }
}

impl fmt::Debug for Paged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Query(_) => "Query",
            Self::Scan(_) => "Scan",
        })
    }
}

fn check_total(total: u32) -> Result<(), String> {
    if (1..=SCAN_SEGMENTS_MAX).contains(&total) {
        return Ok(());
    }
    Err(format!("a scan has between 1 and {SCAN_SEGMENTS_MAX} segments, not {total}"))
}

/// A predicate as a condition that can be asked of a key.
fn condition(name: String, predicate: KeyPredicate) -> Condition {
    let side = Operand::Path(Path::attribute(name));
    let (comparator, value) = match predicate {
        KeyPredicate::Between(low, high) => return Condition::Between(side, low.into(), high.into()),
        KeyPredicate::BeginsWith(prefix) => return Condition::BeginsWith(side, prefix.into()),
        KeyPredicate::Eq(value) => (Comparator::Eq, value),
        KeyPredicate::Lt(value) => (Comparator::Lt, value),
        KeyPredicate::Le(value) => (Comparator::Le, value),
        KeyPredicate::Gt(value) => (Comparator::Gt, value),
        KeyPredicate::Ge(value) => (Comparator::Ge, value),
    };
    Condition::Compare(side, comparator, value.into())
}
