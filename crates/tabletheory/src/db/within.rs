//! A database for the rest of one invocation.

use std::sync::Arc;

use tabletheory_core::Store;

use super::Db;
use crate::deadline::{Deadline, Within};

impl Db {
    /// The same database over a store that is made of its own: one that counts calls, hurries or refuses them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use tabletheory::Db;
    /// use tabletheory::deadline::{Deadline, Within};
    /// use tabletheory_core::sys::SystemClock;
    ///
    /// let soon = Deadline::after(Duration::from_secs(3));
    /// let db = Db::memory().over(|store| Arc::new(Within::new(store, soon, &SystemClock)));
    /// assert!(format!("{db:?}").contains("Within"));
    /// ```
    #[must_use]
    pub fn over(&self, make: impl FnOnce(Arc<dyn Store>) -> Arc<dyn Store>) -> Self {
        let mut inner = (*self.inner).clone();
        inner.store = make(inner.store);
        Self { inner: Arc::new(inner) }
    }

    /// The same database, whose calls are over before the deadline: those that began with
    /// [`StoreError::DeadlineExceeded`](tabletheory_core::StoreError::DeadlineExceeded), and those for keys likewise. A moment,
    /// a span from now, or a [`Deadline`] with a buffer of one's own. Needs a tokio runtime with time.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use tabletheory::testing::{TestStore, Trouble};
    /// use tabletheory::{Error, Model};
    ///
    /// #[derive(Model, Debug)]
    /// #[model(table = "users")]
    /// struct User {
    ///     #[model(pk)]
    ///     id: String,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Error> {
    /// let store = TestStore::new();
    /// let db = store.db();
    /// db.create_table::<User>().await?;
    ///
    /// // A function gets its deadline with each invocation, and the database for it is made anew.
    /// let hurried = db.within(Duration::from_secs(3));
    /// store.trouble("PutItem", Trouble::Slow(Duration::from_secs(60)));
    /// let late = hurried.put(&User { id: "1".into() }).await.unwrap_err();
    /// assert!(late.is_deadline_exceeded() && late.is_ambiguous());
    ///
    /// db.put(&User { id: "1".into() }).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn within(&self, deadline: impl Into<Deadline>) -> Self {
        let (deadline, mut inner) = (deadline.into(), (*self.inner).clone());
        inner.store = Arc::new(Within::new(inner.store, deadline, &*inner.clock));
        if let Some(keys) = inner.keys {
            inner.keys = Some(Arc::new(Within::new(keys, deadline, &*inner.clock)));
        }
        Self { inner: Arc::new(inner) }
    }
}
