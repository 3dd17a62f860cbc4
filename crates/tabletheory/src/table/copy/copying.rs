//! How a copy is done: the builder that is awaited.

use std::fmt;
use std::ops::ControlFlow;

use super::checkpoint::Checkpoint;
use super::progress::CopyProgress;
use super::transformed::Transformed;
use super::walk::Manner;
use crate::table::handle::Table;

/// Segments that are read at once, at most.
pub(super) const SEGMENTS_MAX: usize = 1024;

/// A copy to be awaited. It gives what was done, over all runs.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{Table, Transformed, copy};
/// use tabletheory::testing::TestStore;
/// use tabletheory_core::StoreExt;
/// use tabletheory_core::store::op::PutItem;
///
/// #[derive(Model)]
/// #[model(table = "users")]
/// struct User {
///     #[model(pk)]
///     id: String,
/// }
///
/// #[derive(Model)]
/// #[model(table = "people", pk = "USER#{id}")]
/// struct Person {
///     id: String,
///     active: bool,
/// }
///
/// # futures_executor::block_on(async {
/// let store = Arc::new(TestStore::new());
/// let (users, people) = (Table::<User>::new(Arc::clone(&store) as _), Table::<Person>::new(Arc::clone(&store) as _));
/// users.ensure().await?;
/// people.ensure().await?;
/// for id in ["a", "b", "c"] {
///     let item = User { id: id.into() }.to_item()?;
///     store.put_item(PutItem { table: "users".into(), item, ..PutItem::default() }).await?;
/// }
///
/// let mut saved = None;
/// let done = copy(users, people)
///     .transform(|user| match user.id.as_str() {
///         "b" => Transformed::Skip,
///         _ => Transformed::Put(Person { id: user.id, active: true }),
///     })
///     .segments(4)
///     .if_absent()
///     .on_checkpoint(|checkpoint| {
///         saved = Some(checkpoint.clone());
///         ControlFlow::Continue(())
///     })
///     .await?;
/// assert_eq!((done.read, done.written, done.skipped), (3, 2, 1));
/// assert!(saved.unwrap().is_done());
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use = "a copy does nothing until it is awaited"]
pub struct Copying<'t, A, B> {
    pub(super) route: Route<'t, A, B>,
    pub(super) manner: Manner<'t>,
}

/// From where to where, and what happens to an item on the way.
pub(super) struct Route<'t, A, B> {
    pub(super) from: Table<A>,
    pub(super) to: Table<B>,
    pub(super) transform: Box<dyn Fn(A) -> Transformed<B> + Send + Sync + 't>,
    pub(super) if_absent: bool,
    pub(super) skip_unreadable: bool,
}

impl<'t, A, B> Copying<'t, A, B> {
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
    /// # use tabletheory_core::StoreExt;
    /// # use tabletheory_core::store::op::PutItem;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(TestStore::new());
    /// # let old = Table::<User>::new(Arc::clone(&store) as _);
    /// # let new = old.clone().named("app-2");
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// # for id in 0..60 {
    /// #     let item = User { id: id.to_string() }.to_item()?;
    /// #     store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
    /// # }
    /// let done = copy(old, new).transform(Transformed::Put).segments(8).await?;
    /// assert_eq!(done.written, 60);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn segments(mut self, segments: usize) -> Self {
        self.manner.segments = segments.clamp(1, SEGMENTS_MAX);
        self
    }

    /// Writes only items whose key the target does not have, so that what is newer there stays. That takes a request for
    /// each item.
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
    /// # use tabletheory_core::StoreExt;
    /// # use tabletheory_core::store::op::PutItem;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(TestStore::new());
    /// # let old = Table::<User>::new(Arc::clone(&store) as _);
    /// # let new = old.clone().named("app-2");
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// # for id in 0..60 {
    /// #     let item = User { id: id.to_string() }.to_item()?;
    /// #     store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
    /// # }
    /// copy(old.clone(), new.clone()).transform(Transformed::Put).await?;
    /// let again = copy(old, new).transform(Transformed::Put).if_absent().await?;
    /// assert_eq!((again.written, again.kept), (0, 60));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn if_absent(mut self) -> Self {
        self.route.if_absent = true;
        self
    }

    /// Counts items that are not of the source's model instead of stopping at them: those of other models that share its
    /// table, for one. An encrypted attribute that the keys do not open still stops the copy.
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
    /// # use tabletheory_core::StoreExt;
    /// # use tabletheory_core::store::op::PutItem;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(TestStore::new());
    /// # let old = Table::<User>::new(Arc::clone(&store) as _);
    /// # let new = old.clone().named("app-2");
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// # for id in 0..60 {
    /// #     let item = User { id: id.to_string() }.to_item()?;
    /// #     store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
    /// # }
    /// let done = copy(old, new).transform(Transformed::Put).skip_unreadable().await?;
    /// assert_eq!(done.unreadable, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn skip_unreadable(mut self) -> Self {
        self.route.skip_unreadable = true;
        self
    }

    /// Goes on where another run stopped, with as many segments as that had.
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
    /// # use std::ops::ControlFlow;
    /// # use tabletheory_core::StoreExt;
    /// # use tabletheory_core::store::op::PutItem;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(TestStore::new());
    /// # let old = Table::<User>::new(Arc::clone(&store) as _);
    /// # let new = old.clone().named("app-2");
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// # for id in 0..60 {
    /// #     let item = User { id: id.to_string() }.to_item()?;
    /// #     store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
    /// # }
    /// let stop = |_: &Checkpoint| ControlFlow::Break(());
    /// let stopped = copy(old.clone(), new.clone()).transform(Transformed::Put).on_checkpoint(stop).await.unwrap_err();
    /// assert_eq!(stopped.checkpoint.progress().written, 25);
    /// let done = copy(old, new).transform(Transformed::Put).resume(stopped.checkpoint).await?;
    /// assert_eq!(done.written, 60);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        self.manner.resume = Some(checkpoint);
        self
    }

    /// Calls `tell` after each batch.
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
    /// # use tabletheory_core::StoreExt;
    /// # use tabletheory_core::store::op::PutItem;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(TestStore::new());
    /// # let old = Table::<User>::new(Arc::clone(&store) as _);
    /// # let new = old.clone().named("app-2");
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// # for id in 0..60 {
    /// #     let item = User { id: id.to_string() }.to_item()?;
    /// #     store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
    /// # }
    /// let mut last = CopyProgress::default();
    /// let done = copy(old, new).transform(Transformed::Put).on_progress(|progress| last = *progress).await?;
    /// assert_eq!(done, last);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn on_progress(mut self, tell: impl FnMut(&CopyProgress) + Send + 't) -> Self {
        self.manner.tell = Box::new(tell);
        self
    }

    /// Calls `save` after each batch that the target has made durable. The copy stops if it says so, for example because the
    /// checkpoint could not be kept.
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
    /// # use std::ops::ControlFlow;
    /// # use tabletheory_core::StoreExt;
    /// # use tabletheory_core::store::op::PutItem;
    /// # futures_executor::block_on(async {
    /// # let store = Arc::new(TestStore::new());
    /// # let old = Table::<User>::new(Arc::clone(&store) as _);
    /// # let new = old.clone().named("app-2");
    /// # old.ensure().await?;
    /// # new.ensure().await?;
    /// # for id in 0..60 {
    /// #     let item = User { id: id.to_string() }.to_item()?;
    /// #     store.put_item(PutItem { table: "app".into(), item, ..PutItem::default() }).await?;
    /// # }
    /// let mut kept = Vec::new();
    /// let keep = |checkpoint: &Checkpoint| match serde_json::to_string(checkpoint) {
    ///     Ok(text) => {
    ///         kept.push(text);
    ///         ControlFlow::Continue(())
    ///     }
    ///     Err(_) => ControlFlow::Break(()),
    /// };
    /// copy(old, new).transform(Transformed::Put).on_checkpoint(keep).await?;
    /// assert_eq!(kept.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub fn on_checkpoint(mut self, save: impl FnMut(&Checkpoint) -> ControlFlow<()> + Send + 't) -> Self {
        self.manner.save = Box::new(save);
        self
    }
}

impl<A, B> fmt::Debug for Copying<'_, A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Route { from, to, if_absent, skip_unreadable, .. } = &self.route;
        let mut copying = f.debug_struct("Copying");
        copying.field("from", from).field("to", to).field("segments", &self.manner.segments);
        copying.field("if_absent", if_absent).field("skip_unreadable", skip_unreadable);
        copying.field("resume", &self.manner.resume).finish_non_exhaustive()
    }
}
