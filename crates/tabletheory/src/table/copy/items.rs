//! Copying items as they are, with every attribute, whatever models know of them.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::ops::ControlFlow;
use std::pin::Pin;

use tabletheory_core::Item;
use tabletheory_core::store::op::BatchWrite;

use super::checkpoint::Checkpoint;
use super::copying::SEGMENTS_MAX;
use super::error::{CopyError, CopyFault};
use super::ledger::{Save, Tell};
use super::progress::CopyProgress;
use super::walk::{Carrier, Manner, walk};
use super::write;
use crate::table::handle::Table;
use crate::table::site::Site;

/// A checkpoint comes after so many items at the latest. A page that the store cuts itself may have thousands.
const PAGE_ITEMS: u32 = 250;

/// Copies the items of one table into another, which must be there and have the same key. Nothing about them changes, and
/// encrypted attributes stay as they are.
///
/// The source is read consistently, so that every write acknowledged before the copy began is seen; writes that come while it
/// runs may be missed. Running a copy again writes the same items again and does no other harm.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{Table, copy_items};
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::store::op::{PutItem, Scan};
/// use tabletheory_core::{Item, StoreExt, Value};
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(TestStore::new());
/// let old = Table::<User>::new(Arc::clone(&store) as _);
/// let new = old.clone().named("users-2");
/// old.ensure().await?;
/// new.ensure().await?;
/// let item = Item::from([("id", Value::s("a")), ("unknown to the model", Value::n(7))]);
/// store.put_item(PutItem { table: "users".into(), item: item.clone(), ..PutItem::default() }).await?;
///
/// assert_eq!(copy_items(&old, &new).segments(4).await?.written, 1);
/// let copied = store.scan(Scan { table: "users-2".into(), ..Scan::default() }).await?;
/// assert_eq!(copied.items, Some(vec![item]));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub fn copy_items<'t, A, B>(from: &Table<A>, to: &Table<B>) -> CopyingItems<'t> {
    CopyingItems {
        whole: Whole { from: from.site().clone(), to: to.site().clone() },
        manner: Manner::default(),
    }
}

/// A copy of items as they are, to be awaited. It gives what was done, over all runs.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{Table, copy_items};
/// use tabletheory::testing::TestStore;
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// # futures_executor::block_on(async {
/// let old = Table::<User>::new(Arc::new(TestStore::new()));
/// let new = Table::<User>::new(Arc::new(TestStore::new()));
/// old.ensure().await?;
/// new.ensure().await?;
/// let mut saved = None;
/// let keep = |checkpoint: &_| {
///     saved = Some(Clone::clone(checkpoint));
///     ControlFlow::Continue(())
/// };
/// copy_items(&old, &new).segments(2).on_checkpoint(keep).await?;
/// let saved: tabletheory::table::Checkpoint = saved.unwrap();
/// assert!(saved.is_done() && saved.segments().len() == 2);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use = "a copy does nothing until it is awaited"]
pub struct CopyingItems<'t> {
    whole: Whole,
    manner: Manner<'t>,
}

/// Who carries items as they are.
#[derive(Debug)]
struct Whole {
    from: Site,
    to: Site,
}

impl Carrier for Whole {
    fn source(&self) -> &Site {
        &self.from
    }

    fn target(&self) -> &Site {
        &self.to
    }

    fn page_items(&self) -> Option<u32> {
        Some(PAGE_ITEMS)
    }

    /// A source may know where its pages end and nothing between.
    fn after(&self, _: &Item) -> Option<Item> {
        None
    }

    async fn carry(&self, items: Vec<Item>) -> Result<CopyProgress, CopyFault> {
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
        // A table has each key once, so that no batch names one twice.
        write::put(&self.to, items.into_iter().map(BatchWrite::Put).collect()).await?;
        Ok(CopyProgress { read: count, written: count, ..CopyProgress::default() })
    }
}

impl<'t> CopyingItems<'t> {
    /// Reads and writes this many segments of the source at once, 1 to 1024; one if it is not said.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let (old, new) = (Table::<User>::new(Arc::new(TestStore::new())), Table::<User>::new(Arc::new(TestStore::new())));
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// assert_eq!(copy_items(&old, &new).segments(8).await?.read, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn segments(mut self, segments: usize) -> Self {
        self.manner.segments = segments.clamp(1, SEGMENTS_MAX);
        self
    }

    /// Goes on where an earlier copy of the same tables stood. The segments are those of that copy.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let (old, new) = (Table::<User>::new(Arc::new(TestStore::new())), Table::<User>::new(Arc::new(TestStore::new())));
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// let stop = |_: &_| std::ops::ControlFlow::Break(());
    /// let stopped = copy_items(&old, &new).on_checkpoint(stop).await.unwrap_err();
    /// assert!(copy_items(&old, &new).resume(stopped.checkpoint).await.is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        self.manner.resume = Some(checkpoint);
        self
    }

    /// Calls `tell` with what was done so far, over all runs, whenever it is more.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let (old, new) = (Table::<User>::new(Arc::new(TestStore::new())), Table::<User>::new(Arc::new(TestStore::new())));
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// let mut told = 0;
    /// copy_items(&old, &new).on_progress(|_| told += 1).await?;
    /// assert_eq!(told, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn on_progress(mut self, tell: impl FnMut(&CopyProgress) + Send + 't) -> Self {
        let tell: Tell<'t> = Box::new(tell);
        self.manner.tell = tell;
        self
    }

    /// Calls `save` with where the copy stands, whenever it stands somewhere else; `Break` ends it there. Everything before
    /// a checkpoint is in the target, durable.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tabletheory::Model;
    /// # use tabletheory::table::*;
    /// # use tabletheory::testing::TestStore;
    /// # #[derive(Model)]
    /// # #[model(table = "app")]
    /// # struct User {
    /// #     #[model(pk)]
    /// #     id: String,
    /// # }
    /// # futures_executor::block_on(async {
    /// # let (old, new) = (Table::<User>::new(Arc::new(TestStore::new())), Table::<User>::new(Arc::new(TestStore::new())));
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// let stop = |_: &_| std::ops::ControlFlow::Break(());
    /// let stopped = copy_items(&old, &new).on_checkpoint(stop).await.unwrap_err();
    /// assert_eq!(stopped.fault, CopyFault::Stopped);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn on_checkpoint(mut self, save: impl FnMut(&Checkpoint) -> ControlFlow<()> + Send + 't) -> Self {
        let save: Save<'t> = Box::new(save);
        self.manner.save = save;
        self
    }
}

impl<'t> IntoFuture for CopyingItems<'t> {
    type Output = Result<CopyProgress, CopyError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 't>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { whole, manner } = self;
        Box::pin(async move { walk(&whole, manner).await })
    }
}

impl fmt::Debug for CopyingItems<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Whole { from, to } = &self.whole;
        let mut copying = f.debug_struct("CopyingItems");
        copying.field("from", &from.table).field("to", &to.table);
        copying.field("segments", &self.manner.segments).finish_non_exhaustive()
    }
}
