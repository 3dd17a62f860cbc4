//! Items as they come, a page at a time: what a caller holds is what it has not looked at of one page.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::vec;

use futures_core::Stream;

use super::lanes::{Fetch, Lanes};
use super::walk::Walk;
use crate::error::Error;
use crate::model::{FromItem, Model};

/// The items of a read, as they come. It is a `Stream`; [`next`](Self::next) and [`try_next`](Self::try_next) do without a
/// crate for streams. After an error it is over.
///
/// Dropping the future of [`next`](Self::next) loses nothing. Dropping the stream gives up the page that is under way.
///
/// ```
/// use tabletheory::{Db, Error, Model};
///
/// #[derive(Model)]
/// #[model(table = "notes")]
/// struct Note {
///     #[model(pk)]
///     id: u64,
/// }
///
/// # futures_executor::block_on(async {
/// let db = Db::memory();
/// db.create_table::<Note>().await?;
/// for id in 0..5 {
///     db.create(&Note { id }).await?;
/// }
/// let mut notes = db.scan::<Note>().page_size(2).stream();
/// let mut sum = 0;
/// while let Some(note) = notes.try_next().await? {
///     sum += note.id;
/// }
/// assert_eq!(sum, 10);
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[must_use = "a stream does nothing unless it is asked for items"]
pub struct Items<M, T = M> {
    lanes: Lanes<Batch<M, T>>,
    ready: vec::IntoIter<T>,
    error: Option<Error<M>>,
    /// How many more may be given.
    left: Option<u64>,
}

/// What a page came to: its items, up to the first that could not be read.
type Batch<M, T> = (Vec<T>, Option<Error<M>>);

impl<M: Model, T: FromItem> Items<M, T> {
    pub(super) fn new(walks: Vec<Walk>, limit: Option<u64>) -> Self {
        let lanes = Lanes::new(walks, fetch::<M, T>);
        Self { lanes, ready: Vec::new().into_iter(), error: None, left: limit }
    }

    /// Nothing but this error.
    pub(super) fn refused(error: Error<M>) -> Self {
        Self { error: Some(error), ..Self::new(Vec::new(), None) }
    }

    /// The next item, or `None` after the last.
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
    /// while let Some(note) = notes.next().await {
    ///     assert!(note.is_ok_and(|note| note.user == "ada"));
    /// }
    /// assert!(notes.next().await.is_none());
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn next(&mut self) -> Option<Result<T, Error<M>>> {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    /// The next item, or `None` after the last.
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
    /// let first = notes.try_next().await?;
    /// assert_eq!(first.map(|note| note.number), Some(1));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the store refuses, or an item cannot be read. The stream is over then.
    pub async fn try_next(&mut self) -> Result<Option<T>, Error<M>> {
        self.next().await.transpose()
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Error<M>>>> {
        loop {
            if self.left == Some(0) {
                self.stop();
                return Poll::Ready(None);
            }
            if let Some(item) = self.ready.next() {
                self.left = self.left.map(|left| left - 1);
                return Poll::Ready(Some(Ok(item)));
            }
            if let Some(error) = self.error.take() {
                self.stop();
                return Poll::Ready(Some(Err(error)));
            }
            match self.lanes.poll_next(self.left, context) {
                Poll::Ready(Some((items, error))) => (self.ready, self.error) = (items.into_iter(), error),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn stop(&mut self) {
        self.lanes.stop();
        self.ready = Vec::new().into_iter();
        self.error = None;
    }
}

/// The next page as values.
fn fetch<M: Model, T: FromItem>(mut walk: Walk, wanted: Option<u64>) -> Fetch<Batch<M, T>> {
    Box::pin(async move {
        let batch = match walk.page(wanted).await {
            Err(error) => (Vec::new(), Some(error.into())),
            Ok(page) => {
                let most = wanted.and_then(|wanted| usize::try_from(wanted).ok()).unwrap_or(usize::MAX);
                let found = page.items.unwrap_or_default().into_iter().filter(T::accepts).take(most);
                let mut items = Vec::new();
                let mut unread = None;
                let table = walk.db().table_of::<M>();
                for item in found {
                    match walk.db().read::<M, T>(&table, item).await {
                        Ok(item) => items.push(item),
                        Err(error) => {
                            unread = Some(error);
                            break;
                        }
                    }
                }
                (items, unread)
            }
        };
        (walk, batch)
    })
}

impl<M: Model, T: FromItem> Stream for Items<M, T> {
    type Item = Result<T, Error<M>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

// No future or value inside is ever pinned in place: the pages under way are boxed.
impl<M, T> Unpin for Items<M, T> {}

impl<M, T> fmt::Debug for Items<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("ready", &self.ready.len())
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
