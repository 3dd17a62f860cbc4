//! Batches: many items that have nothing to do with each other, in as few requests as possible.

mod flight;
mod get;
mod work;
mod write;

use super::Db;
use crate::key::Key;
use crate::model::Model;

pub use get::{BatchGet, Got};
pub use write::{BatchWrite, WriteOutcome};

impl Db {
    /// Reads many items of one model by their keys, a hundred in one request.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "users")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<User>().await?;
    /// db.batch_write().put_all(&[User { id: 1 }, User { id: 3 }]).await?;
    /// let users = db.batch_get([3, 2, 1, 3].map(User::key)).await?;
    /// assert_eq!(users, [Some(User { id: 3 }), None, Some(User { id: 1 }), Some(User { id: 3 })]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn batch_get<M: Model>(&self, keys: impl IntoIterator<Item = Key<M>>) -> BatchGet<M> {
        BatchGet::new(self.clone(), keys.into_iter().collect())
    }

    /// Writes and deletes many items of any models, 25 in one request, each by itself.
    ///
    /// ```
    /// use tabletheory::{Db, Error, Model};
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "app", pk = "USER#{id}", sk = "PROFILE")]
    /// struct User {
    ///     id: u64,
    /// }
    ///
    /// #[derive(Model, Debug, PartialEq)]
    /// #[model(table = "app", pk = "ORDER#{number}", sk = "META")]
    /// struct Order {
    ///     number: u64,
    /// }
    ///
    /// # futures_executor::block_on(async {
    /// let db = Db::memory();
    /// db.create_table::<User>().await?;
    /// db.create(&Order { number: 7 }).await?;
    /// db.batch_write().put(&User { id: 1 }).put(&User { id: 2 }).delete(Order::key(7)).await?;
    /// assert_eq!(db.get(User::key(2)).await?, Some(User { id: 2 }));
    /// assert_eq!(db.get(Order::key(7)).await?, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub fn batch_write(&self) -> BatchWrite {
        BatchWrite::new(self.clone())
    }
}
