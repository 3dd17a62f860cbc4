//! What is copied and how: the builder that a copy begins with.

use std::fmt;
use std::ops::ControlFlow;

use super::checkpoint::Checkpoint;
use super::progress::CopyProgress;
use crate::model::Model;
use crate::table::handle::Table;

/// Segments that are read at once, at most.
const SEGMENTS_MAX: usize = 1024;

/// What becomes of an item that is copied.
///
/// ```
/// use tabletheory::table::Transformed;
///
/// let even = |n: u8| if n % 2 == 0 { Transformed::Put(n) } else { Transformed::Skip };
/// assert_eq!(even(3), Transformed::Skip);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transformed<B> {
    /// It is written as this.
    Put(B),
    /// It is left out.
    Skip,
    /// The copy stops for this reason, which must not contain values if it may reach a log.
    Refuse(String),
}

/// A copy that does not know yet what becomes of an item.
///
/// ```
/// use std::sync::Arc;
///
/// use tabletheory::Model;
/// use tabletheory::table::{Table, Transformed, copy};
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
/// let store = Arc::new(TestStore::new());
/// let (old, new) = (Table::<User>::new(Arc::clone(&store) as _), Table::<User>::new(Arc::clone(&store) as _));
/// let new = new.named("users-2");
/// old.ensure().await?;
/// new.ensure().await?;
/// assert_eq!(copy(old, new).transform(Transformed::Put).await?.read, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[must_use = "a copy needs a transformation"]
#[derive(Debug)]
pub struct Untransformed<A, B> {
    from: Table<A>,
    to: Table<B>,
}

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
    pub(super) segments: usize,
    pub(super) resume: Option<Checkpoint>,
    pub(super) tell: Box<dyn FnMut(&CopyProgress) + Send + 't>,
    pub(super) save: Box<dyn FnMut(&Checkpoint) -> ControlFlow<()> + Send + 't>,
}

/// From where to where, and what happens to an item on the way.
pub(super) struct Route<'t, A, B> {
    pub(super) from: Table<A>,
    pub(super) to: Table<B>,
    pub(super) transform: Box<dyn Fn(A) -> Transformed<B> + Send + Sync + 't>,
    pub(super) if_absent: bool,
    pub(super) skip_unreadable: bool,
}

/// Copies the items of one table into another, which must be there.
///
/// The source is read consistently, so that every write acknowledged before the copy began is seen; writes that come while it
/// runs may be missed. Attributes that the source's model does not know are not copied. Running a copy again writes the
/// same items again and does no other harm; if two items of the source become one, the later one stays.
pub fn copy<A: Model, B: Model>(from: Table<A>, to: Table<B>) -> Untransformed<A, B> {
    Untransformed { from, to }
}

impl<A: Model, B: Model> Untransformed<A, B> {
    /// Says what becomes of an item. To copy items as they are, say `Transformed::Put`.
    pub fn transform<'t>(
        self,
        transform: impl Fn(A) -> Transformed<B> + Send + Sync + 't,
    ) -> Copying<'t, A, B> {
        Copying {
            route: Route {
                from: self.from,
                to: self.to,
                transform: Box::new(transform),
                if_absent: false,
                skip_unreadable: false,
            },
            segments: 1,
            resume: None,
            tell: Box::new(|_| {}),
            save: Box::new(|_| ControlFlow::Continue(())),
        }
    }
}

impl<'t, A, B> Copying<'t, A, B> {
    /// Reads and writes this many segments of the source at once, 1 to 1024; one if it is not said.
    pub fn segments(mut self, segments: usize) -> Self {
        self.segments = segments.clamp(1, SEGMENTS_MAX);
        self
    }

    /// Writes only items whose key the target does not have, so that what is newer there stays. That takes a request for
    /// each item.
    pub fn if_absent(mut self) -> Self {
        self.route.if_absent = true;
        self
    }

    /// Counts items that are not of the source's model instead of stopping at them: those of other models that share its
    /// table, for one.
    pub fn skip_unreadable(mut self) -> Self {
        self.route.skip_unreadable = true;
        self
    }

    /// Goes on where another run stopped, with as many segments as that had.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Self {
        self.resume = Some(checkpoint);
        self
    }

    /// Calls `tell` after each batch.
    pub fn on_progress(mut self, tell: impl FnMut(&CopyProgress) + Send + 't) -> Self {
        self.tell = Box::new(tell);
        self
    }

    /// Calls `save` after each batch that the target has made durable. The copy stops if it says so, for example because the
    /// checkpoint could not be kept.
    pub fn on_checkpoint(mut self, save: impl FnMut(&Checkpoint) -> ControlFlow<()> + Send + 't) -> Self {
        self.save = Box::new(save);
        self
    }
}

impl<A, B> fmt::Debug for Copying<'_, A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Route { from, to, if_absent, skip_unreadable, .. } = &self.route;
        let mut copying = f.debug_struct("Copying");
        copying.field("from", from).field("to", to).field("segments", &self.segments);
        copying.field("if_absent", if_absent).field("skip_unreadable", skip_unreadable);
        copying.field("resume", &self.resume).finish_non_exhaustive()
    }
}
