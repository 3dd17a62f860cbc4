//! Where a copy begins: two tables, and what becomes of an item between them.

use super::copying::{Copying, Route};
use super::transformed::Transformed;
use super::walk::Manner;
use crate::model::Model;
use crate::table::handle::Table;

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

/// Copies the items of one table into another, which must be there.
///
/// The source is read consistently, so that every write acknowledged before the copy began is seen; writes that come while it
/// runs may be missed. Attributes that the source's model does not know are not copied. Running a copy again writes the
/// same items again and does no other harm; if two items of the source become one, the later one stays.
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
/// let done = copy(old, new).transform(Transformed::Put).await?;
/// assert_eq!((done.read, done.written), (60, 60));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub fn copy<A: Model, B: Model>(from: Table<A>, to: Table<B>) -> Untransformed<A, B> {
    Untransformed { from, to }
}

impl<A: Model, B: Model> Untransformed<A, B> {
    /// Says what becomes of an item. To copy items as they are, say `Transformed::Put`.
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
    /// let long = |user: User| if user.id.len() > 1 { Transformed::Put(user) } else { Transformed::Skip };
    /// let done = copy(old, new).transform(long).await?;
    /// assert_eq!((done.written, done.skipped), (50, 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
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
            manner: Manner::default(),
        }
    }
}
